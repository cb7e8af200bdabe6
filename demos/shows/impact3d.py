"""Inside a 3D impact that is compressed twice, and how its slip goes."""

import numpy as np

from demos.demo import Free, Reading
from demos.plot import Plot
from demos.scenes.impact3d import EXAMPLE
from engine2d.draw import DARK
from engine3d.impact import collide

DOWN, UP = (204, 102, 68), (68, 119, 170)
LASTS = 6.0  # s, that the dot takes


class Show(Free):
    name = "impact3d"
    title = "A 3D impact from inside"
    look_for = "The normal velocity falls below zero again: this impact is compressed twice."
    e, mu = EXAMPLE["e"], EXAMPLE["mu"]
    sliders_of = ("e", "mu")
    picture_at = 4.0

    def begin(self):
        given = {**EXAMPLE, "e": self.value("e", self.e), "mu": self.value("mu", self.mu)}
        self.impact, self.trace = collide(**given, trace=True)

    def readings(self):
        e = self.value("e")
        phases = int(self.trace.phase[-1]) + 1
        return [
            Reading("phases", phases),
            Reading("work regained", float(self.impact.Wd), float(-e * e * self.impact.Wc), "J"),
            Reading("normal velocity after", float(self.trace.u[-1, 2]), None, "m/s"),
        ]

    def draw(self, renderer):
        renderer.surface.fill((250, 250, 248))
        width, height = renderer.camera.size
        p, u = self.trace.p_z, self.trace.u
        shown = int(np.searchsorted(p, p[-1] * min(self.time % (LASTS + 1.0) / LASTS, 1.0)))
        shown = min(max(shown, 1), len(p) - 1)
        size = (0.84 * width, 0.34 * height)
        box = (0.1 * width, 0.08 * height, *size)
        self.plot_normal(renderer, box, p, u, shown)
        self.plot_slip(renderer, (0.1 * width, 0.57 * height, *size), u, shown)

    def plot_normal(self, renderer, box, p, u, shown):
        low, high = u[:, 2].min(), u[:, 2].max()
        pad = 0.08 * (high - low)
        plot = Plot(renderer.surface, renderer.letters, box, (0, low - pad), (p[-1], high + pad))
        plot.axes("normal velocity over normal impulse", "p_z (N s)", "u_z (m/s)")
        for phase in range(int(self.trace.phase[shown]) + 1):
            rows = np.flatnonzero(self.trace.phase[: shown + 1] == phase)
            # with the point at which the next phase begins
            rows = np.append(rows, min(rows[-1] + 1, shown))
            plot.line(np.stack([p[rows], u[rows, 2]], axis=1), DOWN if phase % 2 == 0 else UP)
        plot.dot((p[shown], u[shown, 2]))
        plot.write("compression", (box[0] + 12, box[1] + 10), colour=DOWN, size=13)
        plot.write("decompression", (box[0] + 12, box[1] + 28), colour=UP, size=13)

    def plot_slip(self, renderer, box, u, shown):
        slip = u[:, :2]
        pad = 0.08 * np.maximum(np.ptp(slip, axis=0), 1e-9)
        low, high = slip.min(axis=0) - pad, slip.max(axis=0) + pad
        plot = Plot(renderer.surface, renderer.letters, box, low, high)
        plot.axes("slip", "u_x (m/s)", "u_y (m/s)")
        plot.line(slip[: shown + 1], UP)
        plot.dot(slip[0], radius=3)
        plot.label(slip[0], "start")
        plot.dot(slip[shown], DARK)
