"""Random sequences of public calls on worlds: each ends well or with an error that names the value.

    python -m tests.fuzz.calls FIRST COUNT

A case is a list of lines of Python, so that a failure prints itself as a program. What is refused
must change nothing. tests/fuzz/calls3d.py has the calls of space.
"""

import sys
from dataclasses import dataclass

import numpy as np

from tests.fuzz.child import run_cases

HEAD = """\
import copy, pickle
import numpy as np
from engine2d import Box, Capsule, Circle, Filter, Path, Polygon, Segment, World
nan, inf = float("nan"), float("inf")
"""
# What callers may be told: that an argument is wrong, or that a body left the range of numbers.
FAIR = (ValueError, TypeError, OverflowError)
ODD = ("nan", "inf", "-inf", "1e300", "-1", "None", "'x'", "[]", "1j", "{}", "np.zeros(3)", "(1,)")
# Lines that have no arguments of the caller's to refuse.
SAFE = ("w = ", "s = ", "w.restore", "list(", "[(")
SHAPES = (
    "Circle({0})",
    "Box({0}, {1})",
    "Capsule((-{0}, 0), ({0}, 0), {1})",
    "Polygon([(-{0}, -{1}), ({0}, -{1}), (0, {0})])",
    "Polygon([(-{0}, -{1}), ({0}, -{1}), ({0}, {1}), (0, 0), (-{0}, {1})])",
    "Path([(-{0}, 0), ({0}, 0)], [1, 0], density=3)",
    "Box({0}, {1}, restitution=1, friction=0)",
    "Box({0}, {1}, sensor=True)",
    "Circle({0}, filter=Filter(2, 5, -1))",
)
SETTABLE = (
    ("position", "({x}, {y})"),
    ("velocity", "({v}, {v})"),
    ("angle", "{v}"),
    ("angular_velocity", "{v}"),
    ("mass", "{s}"),
    ("inertia", "{s}"),
    ("kind", "{k}"),
    ("gravity_scale", "{v}"),
    ("linear_damping", "{s}"),
    ("fixed_rotation", "{f}"),
    ("bullet", "{f}"),
    ("can_sleep", "{f}"),
    ("force", "({v}, {v})"),
    ("data", "[b, w]"),
)
CALLS = (
    "b[{i}].apply_impulse(({v}, {v}), ({x}, {y}))",
    "b[{i}].apply_force(({v}, {v}))",
    "b[{i}].wake()",
    "w.remove(b.pop({i}))",
    "w.gravity = ({v}, {v})",
    "w.sleeping = {f}",
    "w.step({dt})",
    "w.step({dt})",
    "for _ in range({n}): w.step(1 / 60)",
    "w.point_query(({x}, {y}))",
    "w.box_query(({x}, {y}), ({x} + {s}, {y} + {s}), sensors={f})",
    "w.ray_query(({x}, {y}), ({y}, {x}))",
    "w.ray_query_all(({x}, {y}), ({y}, {x}))",
    "w.ray_query_many([({x}, {y})] * 3, ({y}, {x}), filter=Filter(2))",
    "w.overlap_query({shape}, ({x}, {y}, {v}))",
    "w.cast_query({shape}, ({x}, {y}, {v}), ({v}, {v}))",
    "w.nearest_query(({x}, {y}), {s})",
    "list(w.contacts), w.events.begins, w.events.hits, w.stats, w.energy, w.islands, w.awake",
    "[(q.shapes, repr(q), q.velocity_at((0, 0)), q.row) for q in w.bodies]",
    "s = w.snapshot()",
    "w.restore(s); b = w.bodies",
    "w = w.copy(); b = w.bodies",
    "w = copy.deepcopy(w); b = w.bodies",
    "w = pickle.loads(pickle.dumps(w)); b = w.bodies",
    "s = pickle.loads(pickle.dumps(s))",
    "w.set_state(positions=w.positions + {s}, velocities=-w.velocities)",
    "w.contact_system()",
)


@dataclass(frozen=True)
class Language:
    """What programs are made of: lines with holes for values."""

    head: str
    shapes: tuple
    settable: tuple
    calls: tuple
    first: tuple  # lines of all programs, with a hole for the solver
    add: str
    seed: int
    safe: tuple = SAFE


PLANE = Language(
    HEAD,
    SHAPES,
    SETTABLE,
    CALLS,
    (
        "w, b = World(solver={solver!r}), []",
        "b.append(w.add_static(Box(12, 1), position=(0, -5.5)))",
        "s = w.snapshot()",
    ),
    "b.append(w.add_body({shape}, position=({x}, {y}), velocity=({v}, 0), kind={k}))",
    11,
)


def draw_values(rng, odd, language):
    """Numbers for the holes in a line; odd: one of them is none."""
    x, y = rng.uniform(-5, 5, 2).round(3).tolist()
    values = {
        "x": x,
        "y": y,
        "v": round(float(rng.normal() * 10.0 ** rng.integers(-2, 3)), 4),
        "s": round(float(10 ** rng.uniform(-2, 1)), 4),
        "k": repr(str(rng.choice(["static", "kinematic", "dynamic"]))),
        "f": bool(rng.integers(2)),
        "i": int(rng.integers(12)),
        "j": int(rng.integers(12)),
        "n": int(rng.integers(1, 40)),
        "dt": float(rng.choice([1 / 60, 1e-3, 1 / 30, 0.2, 1e-12, 3.0])),
    }
    sizes = [round(float(10 ** rng.uniform(-1, 0.3)), 3) for _ in range(2)]
    if odd:
        name = str(rng.choice(["x", "v", "s", "k", "dt"]))
        values[name] = ODD[rng.integers(len(ODD))]
        if rng.integers(2):
            sizes[0] = ODD[rng.integers(len(ODD))]
    shapes = language.shapes
    values["shape"] = shapes[rng.integers(len(shapes))].format(*sizes)
    return values


def draw_line(rng, language):
    """One call."""
    values = draw_values(rng, rng.integers(6) == 0, language)
    how = rng.integers(10)
    if how < 3:
        line = language.add
    elif how < 5:
        name, hole = language.settable[rng.integers(len(language.settable))]
        line = f"b[{{i}}].{name} = {hole}"
    else:
        line = language.calls[rng.integers(len(language.calls))]
    return line.format(**values)


def draw_lines(seed, count=60, language=PLANE):
    rng = np.random.default_rng([language.seed, seed])
    solver = str(rng.choice(["auto", "iterative", "direct"]))
    lines = [line.format(solver=solver) for line in language.first]
    return lines + [draw_line(rng, language) for _ in range(count)]


def state_of(world):
    """What a refused call must leave as it was."""
    joints = tuple(joint.id for joint in world.joints)
    rows = (world.positions, world.velocities, world.angular_velocities)
    return world.time, world.gravity, joints, tuple(array.tobytes() for array in rows)


def run_lines(lines, language=PLANE):
    """The error of the first line that ends otherwise than it may, and that line; or None."""
    space = {}
    exec(language.head, space)
    for k, line in enumerate(lines):
        before = state_of(space["w"]) if k else None
        try:
            exec(line, space)
        except IndexError:  # no such body in the list
            continue
        except BaseException as error:
            if not isinstance(error, FAIR) or line.startswith(language.safe):
                return k, f"{type(error).__name__}: {error}"
            if ".step(" not in line and state_of(space["w"]) != before:
                return k, f"refused, but something was changed: {error}"
        if not np.isfinite(space["w"].positions).all():
            return k, "a position that is not finite"
    return None


def shorten(lines, language=PLANE):
    """Fewer lines that fail alike; a failure that is a crash is not shortened."""
    failure = run_lines(lines, language)
    lines = lines[: failure[0] + 1]
    k = len(lines) - 2
    while k >= 0:
        fewer = lines[:k] + lines[k + 1 :]
        other = run_lines(fewer, language)
        if other is not None and other[1] == failure[1]:
            lines = fewer[: other[0] + 1]
        k = min(k, len(lines) - 1) - 1
    return lines


def run_case(seed, language=PLANE):
    """None, or a program that fails."""
    lines = draw_lines(seed, language=language)
    failure = run_lines(lines, language)
    if failure is None:
        return None
    return f"# {failure[1]}\n{language.head}" + "\n".join(shorten(lines, language))


def describe(seed, text, language=PLANE):
    """A failure as a program; of a crash, all lines."""
    if text.startswith("#"):
        return text
    return f"# {text}\n{language.head}" + "\n".join(draw_lines(seed, language=language))


def main(argv, case=run_case, language=PLANE):
    first, count = int(argv[0]), int(argv[1])
    failures, done = run_cases(case, range(first, first + count))
    for seed, text in failures:
        print(f"# seed {seed}\n{describe(seed, text, language)}\n")
    print(f"{done} sequences of calls, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
