"""Pictures of the exact clock: one run as a line of events, and where its energy went."""

import math

from matplotlib.figure import Figure

from engine2d import Circle, Segment, World
from engine2d.exact.ledger import Ledger

BLUE, RED, GREEN, GREY, INK = "#4477aa", "#ee6677", "#228833", "#bbbbbb", "#333333"
TABLE = 2.6  # m, where the table ends
SPAN = 1.95  # s
FRAME = 0.005  # s, between the points of the curves


def run():
    """A disc falls onto a table, bounces, slides, rolls, and drops off its end."""
    world = World()
    world.add_static(Segment((-1.0, 0.0), (TABLE, 0.0), friction=0.08, restitution=0.35))
    disc = world.add_body(
        Circle(0.2, friction=0.08, restitution=0.35), position=(0.0, 0.55), velocity=(2.2, 0.0)
    )
    rows, events, history = [], [], [(0.0, dict(world.ledger))]
    while world.time < SPAN:
        world.advance(FRAME)
        rows.append((world.time, disc.position[1], disc.velocity[0],
                     -0.2 * disc.angular_velocity))  # fmt: skip
        history.append((world.time, dict(world.ledger)))
        events += [(float(hit["time"]), "blow") for hit in world.events.hits]
        events += [(float(c["time"]), str(c["what"])) for c in world.events.changes]
    return rows, sorted(events), history


def draw_timeline(rows, events):
    """Height and speeds over time, with the events."""
    figure = Figure(figsize=(10.0, 5.2), layout="constrained")
    line, height, speed = figure.subplots(3, 1, sharex=True, height_ratios=(1.1, 2, 2))
    times = [row[0] for row in rows]
    height.plot(times, [row[1] - 0.2 for row in rows], color=BLUE)
    height.set_ylabel("height (m)")
    speed.plot(times, [row[2] for row in rows], color=BLUE, label="of the centre")
    speed.plot(times, [row[3] for row in rows], color=RED, label="of the rim")
    speed.set(xlabel="time (s)", ylabel="speed (m/s)", ylim=(-0.2, 2.5))
    speed.legend(loc="lower right", fontsize=9)
    blows = [time for time, what in events if what == "blow"]
    named = {
        "begins": "touches",
        "sticks": "slip ends",
        "leaves": "leaves",
        "feature": "end of edge",
    }
    shown = [(blows[0], "blows")] + [(t, named[what]) for t, what in events if what in named]
    last = -math.inf
    for axes in (line, height, speed):
        for time, _ in events:
            axes.axvline(time, color=GREY, linewidth=0.7, zorder=0)
    for time, what in shown:
        level = 0.62 if time - last > 0.16 else 0.22
        line.annotate(what, (time, level), fontsize=10, color=INK, xytext=(3, 0),
                      textcoords="offset points", va="center")  # fmt: skip
        line.plot([time], [level], "o", color=RED if what == "blows" else GREEN, markersize=5)
        last = time
    line.set(ylim=(0.0, 1.0), yticks=[])
    line.set_title("Events of one run: between them the motion is smooth", fontsize=11, color=INK)
    return figure


def save(folder):
    """Draw both pictures into the folder; returns the paths."""
    rows, events, history = run()
    paths = [folder / "exact_timeline.png", folder / "exact_ledger.png"]
    draw_timeline(rows, events).savefig(paths[0], dpi=110)
    figure = Figure(figsize=(8.0, 3.8), layout="constrained")
    axes = Ledger.plot(history, figure.subplots())
    low = min(sum(sums.values()) for _, sums in history)
    axes.set_ylim(1.4 * low, -0.3 * low)
    axes.set_title("Where the energy of that run went", fontsize=11, color=INK)
    figure.savefig(paths[1], dpi=110)
    return paths
