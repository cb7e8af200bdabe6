"""Scenes whose answer is known, in every engine that is installed, at 60 and 240 steps a second.

python -m benchmarks.bench_accuracy prints them as one table, a column for each engine.
"""

import math

import numpy as np

from benchmarks import accuracy_cases as cases
from benchmarks.engines import load_engines
from demos.scenes.arches import LEAST
from demos.scenes.blocks import housner_peaks

TITLE = "Accuracy"
STEPS = (1 / 60, 1 / 240)  # s
N_IMPACTS = 2000
GAINED = 1e-3  # of the energy: more than rounding


def both(measure):
    """A measurement at both steps, as text."""
    return lambda engine: " · ".join(measure(engine, dt) for dt in STEPS)


def impact_texts(engine):
    """Error of 2000 impacts; how many gain energy."""
    errors, gained = cases.impacts(engine, N_IMPACTS)
    median, most = 100.0 * np.quantile(errors, (0.5, 0.99))
    count = int((gained > GAINED).sum())
    worst = f", worst {100.0 * gained.max():+.0f} %" if count else ""
    return f"{median:.2g} % / {most:.2g} %", f"{count}{worst}"


def apex_text(engine, dt):
    found = cases.apexes(engine, dt)
    if len(found) < 10:
        return f"only {len(found)} bounces"
    error = round(100.0 * (found[-1] / (5.0 * 0.8**20) - 1.0), 1)
    return f"{error:+.1f} %" if error else "0"


def rocking_text(engine, dt):
    return f"{math.degrees(cases.rocking_peaks(engine, dt)[-1]):.2f}"


def wrong_text(engine, dt):
    return " / ".join(str(cases.cradles_wrong(engine, dt, moving)) for moving in (1, 2, 3))


def shots_text(engine, dt):
    return " / ".join(map(str, cases.shots_passed(engine, dt)))


def cases_and_answers():
    """(case, right answer, function of an engine to a text)."""
    rocking = math.degrees(housner_peaks(math.radians(3.0), 3)[-1])
    return [
        (f"{N_IMPACTS} frictional impacts, error of the impulse, median / 99 %", "0",
         lambda engine: impact_texts(engine)[0]),
        ("of those, impacts that gain energy", "0", lambda engine: impact_texts(engine)[1]),
        ("bounce with e = 0.8: error of the 10th apex", "0", both(apex_text)),
        ("1 x 3 blocks dropped flat, e = 0.8: toppled of 50", "0",
         both(lambda engine, dt: str(cases.toppled(engine, dt)))),
        ("rocking block let go at 3 degrees: 3rd peak", f"{rocking:.2f}", both(rocking_text)),
        ("stack of five, the top one 10 to 10000 times heavier: stands up to", "all",
         both(lambda engine, dt: str(cases.largest_ratio(engine, dt)))),
        ("touching discs, 1 / 2 / 3 of 5 come in: wrong of 20", "0", both(wrong_text)),
        ("disc rolling in a round bowl: amplitude after 60 s", "1",
         both(lambda engine, dt: f"{cases.bowl_amplitude(engine, dt):.3f}")),
        ("discs at 400 m/s through a wall of 5 cm, fixed / loose: of 10", "0", both(shots_text)),
        ("masonry arch: thickness it needs, over theory's", "1",
         both(lambda engine, dt: f"{cases.arch_thickness(engine, dt) / LEAST:.2f}")),
    ]  # fmt: skip


def table():
    """Names of the engines, and (case, right answer, a text for each engine)."""
    engines = load_engines()
    lines = [
        (what, right, *(measure(engine) for engine in engines.values()))
        for what, right, measure in cases_and_answers()
    ]
    return tuple(engines), lines


def rows():
    """(what, value, remark) for the table."""
    names, lines = table()
    return [
        (f"{what}, {name}", text, f"right: {right}")
        for what, right, *texts in lines
        for name, text in zip(names, texts)
    ]


if __name__ == "__main__":
    names, lines = table()
    print(f"| 60 · 240 steps a second | right | {' | '.join(names)} |")
    print("|---" * (2 + len(names)) + "|")
    for line in lines:
        print(f"| {' | '.join(line)} |")
