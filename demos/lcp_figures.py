"""Two pictures of linear complementarity: one unknown in all its cases, a sequence of pivots."""

import argparse
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from enginecore.lcp import solve

# Paul Tol's "bright" colours: distinct to colour-blind eyes and in print.
BLUE, RED, GREEN, GREY, INK = "#4477aa", "#ee6677", "#228833", "#bbbbbb", "#333333"
FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"

# w = a x + b: what the line meets of the corner x >= 0, w >= 0, x w = 0
CASES = (
    (1.0, -1.0, "a > 0, b < 0: one answer"),
    (0.5, 0.5, "a > 0, b > 0: one answer"),
    (-1.0, 1.0, "a < 0, b > 0: two answers"),
    (-0.5, -0.5, "a < 0, b < 0: none"),
)

# Two unknowns for which row 1, once free, is held again.
A = np.array([[2.0, 1.5], [1.5, 2.0]])
B = np.array([-2.0, -3.0])


def draw_one_unknown():
    """Above: the line and the corner. Below: the minimum map and its zeros."""
    figure = Figure(figsize=(11.0, 5.4), layout="constrained")
    axes = figure.subplots(2, 4, sharex=True, height_ratios=(3, 2))
    x = np.linspace(-0.8, 2.3, 400)
    for column, (a, b, title) in enumerate(CASES):
        answers = [s for s in ((0.0, b), (-b / a, 0.0)) if min(s) >= 0.0]
        top, bottom = axes[:, column]
        top.plot([0, 0, 2.3], [2.3, 0, 0], color=INK, linewidth=4, alpha=0.35, label="the corner")
        top.plot(x, a * x + b, color=BLUE, label="w = a x + b")
        top.set(ylim=(-1.8, 2.3))
        top.set_title(title, fontsize=9.5, color=INK)
        bottom.plot(x, x, color=GREY, linestyle="--", linewidth=1, label="x")
        bottom.plot(x, a * x + b, color=BLUE, linestyle="--", linewidth=1, label="w")
        bottom.plot(x, np.minimum(x, a * x + b), color=RED, label="min(x, w)")
        bottom.set(ylim=(-2.0, 1.6), xlabel="x")
        for plot, heights in ((top, [s[1] for s in answers]), (bottom, [0.0] * len(answers))):
            plot.axhline(0.0, color=GREY, linewidth=0.8, zorder=0)
            plot.plot([s[0] for s in answers], heights, "o", color=INK, markersize=7, zorder=5)
            plot.spines[["top", "right"]].set_visible(False)
    axes[0, 0].set_ylabel("w")
    axes[1, 0].set_ylabel("minimum map")
    axes[0, 3].legend(loc="upper right", fontsize=8.5, frameon=False)
    axes[1, 1].legend(loc="lower right", fontsize=8.5, frameon=False)
    figure.suptitle("0 <= x, 0 <= w = a x + b, x w = 0: answers are black dots", color=INK)
    return figure


def pivot_path():
    """Baraff's pivots for A and B, written out: (x, what happens next) at each stop."""
    first = np.array([-B[0] / A[0, 0], 0.0])
    # drive row 2 while row 1 keeps w = 0; its x reaches zero first and row 1 is held
    rate = -A[0, 1] / A[0, 0]
    second = np.array([0.0, -first[0] / rate])
    last = np.array([0.0, -B[1] / A[1, 1]])
    return [
        (np.zeros(2), "start: both held"),
        (first, "1: drive row 1\nuntil w1 = 0, free it"),
        (second, "2: drive row 2; w1 stays 0\nuntil x1 = 0, hold row 1"),
        (last, "3: drive row 2\nuntil w2 = 0, free it"),
    ]


def draw_pivots():
    """The path over the energy's contours, and x and w at each stop."""
    path = pivot_path()
    stops = np.array([stop for stop, _ in path])
    if not np.allclose(stops[-1], solve(A, B).x):
        raise AssertionError(f"the drawn path ends at {stops[-1]}, the solver at {solve(A, B).x}")
    figure = Figure(figsize=(11.0, 4.8), layout="constrained")
    plane, table = figure.subplots(1, 2, width_ratios=(3, 2))
    draw_plane(plane, path, stops)
    draw_values(table, stops)
    return figure


def draw_plane(axes, path, stops):
    x1, x2 = np.meshgrid(np.linspace(-1.0, 2.0, 200), np.linspace(-0.25, 1.95, 200))
    energy = 0.5 * (A[0, 0] * x1**2 + 2 * A[0, 1] * x1 * x2 + A[1, 1] * x2**2)
    energy += B[0] * x1 + B[1] * x2
    axes.contour(x1, x2, energy, levels=18, colors=GREY, linewidths=0.7)
    for row, colour in ((0, BLUE), (1, GREEN)):
        ends = np.array([-1.0, 2.0])
        axes.plot(
            ends, -(B[row] + A[row, 0] * ends) / A[row, 1], color=colour, linewidth=1.2,
            label=f"w{row + 1} = 0",
        )  # fmt: skip
    axes.axhline(0.0, color=INK, linewidth=0.8)
    axes.axvline(0.0, color=INK, linewidth=0.8)
    axes.plot(*stops.T, color=RED, linewidth=2.2, marker="o", markersize=6, label="pivots")
    places = (((8, -16), "left"), ((10, 10), "left"), ((-12, -22), "right"), ((12, 12), "left"))
    for (stop, text), (offset, side) in zip(path, places):
        axes.annotate(
            text, stop, offset, textcoords="offset points", fontsize=8.5, color=INK, ha=side,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1.0},
        )  # fmt: skip
    axes.set(xlim=(-1.0, 2.0), ylim=(-0.25, 1.95), xlabel="x1", ylabel="x2")
    axes.legend(loc="upper right", fontsize=8.5)
    axes.set_title("Pivots over the contours of x·Ax/2 + b·x", fontsize=10, color=INK)


def draw_values(axes, stops):
    w = stops @ A.T + B
    pivots = np.arange(len(stops))
    for values, name, colour, style in (
        (stops[:, 0], "x1", BLUE, "-"),
        (stops[:, 1], "x2", GREEN, "-"),
        (w[:, 0], "w1", BLUE, ":"),
        (w[:, 1], "w2", GREEN, ":"),
    ):
        axes.plot(pivots, values, style, marker="o", markersize=4, color=colour, label=name)
    axes.axhline(0.0, color=INK, linewidth=0.8)
    axes.set_xticks(pivots)
    axes.set(xlabel="pivot", ylabel="x (solid), w (dotted)")
    axes.legend(fontsize=8.5, ncols=2, loc="lower right")
    axes.set_title("x >= 0 throughout; at the end w >= 0 too", fontsize=10, color=INK)
    axes.spines[["top", "right"]].set_visible(False)


def save(folder):
    """Draw both pictures into the folder; return their paths."""
    paths = []
    for name, draw in (("lcp_one_unknown", draw_one_unknown), ("lcp_pivots", draw_pivots)):
        paths.append(Path(folder) / f"{name}.png")
        draw().savefig(paths[-1], dpi=110)
    return paths


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--to", type=Path, default=FOLDER, help="folder for the pictures")
    for path in save(parser.parse_args().to):
        print(path)
