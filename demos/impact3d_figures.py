"""Two pictures of what happens inside a 3D impact, computed by the engine.

u_z over p_z of the example that is compressed twice, and the sixteen trajectories of slip around
the rays of constant sliding (sections 1.2 and 3.7 of Baber's text).
"""

import numpy as np
from matplotlib.figure import Figure

from demos.scenes.impact3d import EXAMPLE, FIGURE_4_K, FIGURE_4_MU, figure_4_impacts
from engine3d.impact import collide, diverging_ray, sliding_rays

# Paul Tol's "bright" colours: distinct to colour-blind eyes and in print.
BLUE, RED, GREY, INK = "#4477aa", "#ee6677", "#bbbbbb", "#333333"


def draw_phases():
    """u_z over p_z, compression below the axis and decompression above it."""
    impact, trace = collide(**EXAMPLE, trace=True)
    figure = Figure(figsize=(8.0, 4.5), layout="constrained")
    axes = figure.add_subplot()
    axes.axhline(0.0, color=INK, linewidth=0.8)
    for phase in range(trace.phase[-1] + 1):
        # each phase with the point at which the next one begins
        rows = np.flatnonzero(trace.phase == phase)
        rows = np.append(rows, rows[-1] + 1) if rows[-1] + 1 < len(trace.p_z) else rows
        p, u = trace.p_z[rows], trace.u[rows, 2]
        colour, name = (RED, "compression") if phase % 2 == 0 else (BLUE, "decompression")
        axes.plot(p, u, color=colour, linewidth=2.0, label=name if phase < 2 else None)
        axes.fill_between(p, u, color=colour, alpha=0.15, linewidth=0.0)
    for p in trace.p_z[1:][np.diff(trace.phase) > 0]:
        axes.plot(p, 0.0, "o", color=INK, markersize=4)
        axes.annotate(
            f"{p:.2f}", (p, 0.0), (-4, 8), textcoords="offset points", ha="right", color=INK
        )
    axes.annotate(
        f"end: $u_z$ = {trace.u[-1, 2]:.3f} m/s",
        (trace.p_z[-1], trace.u[-1, 2]),
        (-10, 0),
        textcoords="offset points",
        ha="right",
        va="center",
        color=INK,
    )
    finish_axes(axes, "normal impulse $p_z$ (N s)", "normal velocity $u_z$ (m/s)")
    axes.set_title("An impact that is compressed twice", color=INK)
    axes.text(
        0.02,
        0.97,
        f"$e$ = {EXAMPLE['e']}, $\\mu$ = {EXAMPLE['mu']}\n"
        f"shaded areas are work: {impact.Wc:.3f} J and, $-e^2$ times that, {impact.Wd:.3f} J",
        transform=axes.transAxes,
        va="top",
        color=INK,
    )
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, 0.80), frameon=False)
    axes.set_ylim(top=1.25 * trace.u[-1, 2])
    return figure


def draw_trajectories():
    """The sixteen trajectories of slip, and the four rays that no impact turns."""
    figure = Figure(figsize=(7.0, 7.2), layout="constrained")
    axes = figure.add_subplot()
    for ray in sliding_rays(FIGURE_4_K, FIGURE_4_MU):
        direction = np.array([np.cos(ray.angle), np.sin(ray.angle)])
        axes.plot(*np.outer(direction, (0.0, 1.45)), ":", color=INK, linewidth=1.2, zorder=1)
        axes.annotate(
            f"{np.degrees(ray.angle):.1f}°\n{ray.kind}",
            1.62 * direction,
            ha="center",
            va="center",
            color=INK,
            fontsize=9,
        )
    for arguments in figure_4_impacts():
        impact, trace = collide(**arguments, trace=True)
        colour = BLUE if impact.path == "unstable_stick" else RED
        inside = np.hypot(trace.u[:, 0], trace.u[:, 1]) <= 1.45
        axes.plot(trace.u[inside, 0], trace.u[inside, 1], color=colour, linewidth=1.6, zorder=2)
        axes.plot(*trace.u[0, :2], "o", color=INK, markersize=5, zorder=3)
    away = f"{np.degrees(diverging_ray(FIGURE_4_K, FIGURE_4_MU)):.1f}°"
    axes.plot([], [], color=BLUE, label=f"slip ends, then starts along {away}")
    axes.plot([], [], color=RED, label=f"drawn to {away} at once")
    axes.plot([], [], "o", color=INK, markersize=5, label="start")
    finish_axes(axes, "slip $u_x$ (start = 1)", "slip $u_y$ (start = 1)")
    axes.set_aspect("equal")
    axes.set(xlim=(-1.85, 1.85), ylim=(-1.85, 1.85))
    axes.set_title("Slip during sixteen impacts of the same bodies", color=INK)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=3, frameon=False, fontsize=9)
    return figure


def finish_axes(axes, x, y):
    """Labels, a quiet frame."""
    axes.set_xlabel(x, color=INK)
    axes.set_ylabel(y, color=INK)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(colors=INK)


PICTURES = {"impact3d_phases": draw_phases, "impact3d_rays": draw_trajectories}


def save(folder):
    """Draw every picture into the folder; returns the paths."""
    paths = []
    for name, draw in PICTURES.items():
        path = folder / f"{name}.png"
        # No date or version inside: the same numbers give the same file.
        draw().savefig(path, dpi=120, metadata={"Software": None})
        paths.append(path)
    return paths
