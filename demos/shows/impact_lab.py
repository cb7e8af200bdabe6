"""A rod strikes the ground: the way of the impulse, and where it must end."""

import math

from demos.demo import Demo, Reading, Slider
from demos.plot import Plot
from demos.scenes.impact_path import impulse_path, rod_drop, rod_impact
from engine2d.draw import DARK, PAPER, mix
from engine2d.impact import collide

DOWN, UP = (68, 119, 170), (204, 102, 68)


class Show(Demo):
    name = "impact_lab"
    title = "Impact lab"
    look_for = "The impulse grows along the cone's edge while it slips, then sticks or turns."
    view = ((-1.6, -0.7), (5.2, 4.4))
    e, mu = 0.6, 0.4
    sliders_of = ("e", "mu")
    picture_at = 0.6

    def __init__(self):
        self.angle = Slider("angle", 5.0, 85.0, 55.0, "°")
        self.slip = Slider("sideways", -4.0, 4.0, 1.2, "m/s")
        super().__init__()
        self.sliders |= {"angle": self.angle, "slip": self.slip}

    def build(self, world):
        angle, slip = math.radians(self.angle.value), self.slip.value
        e, mu = self.value("e", self.e), self.value("mu", self.mu)
        self.rod = self.add(world, rod_drop(angle, slip))[1]
        self.K, self.u, arguments = rod_impact(angle, slip, self.gravity)
        self.knots = impulse_path(e, mu, self.K, self.u)
        self.impact = collide(e=e, mu=mu, **arguments)

    def begin(self):
        self.notes = {"hit": None}

    def tuned(self, name):
        self.reset()

    def after_step(self):
        hits = self.world.events.hits
        if self.notes["hit"] is None and len(hits):
            self.notes["hit"] = float(hits["impulse"][0])
        if self.time > 2.5:
            self.reset()

    def readings(self):
        impact, end, e = self.impact, self.knots[-1], self.value("e")
        out = [
            Reading("p_n", end.p_n, float(impact.p[1]), "N s"),
            Reading("p_t", end.p_t, float(impact.p[0]), "N s"),
            Reading("work regained", float(impact.Wd), float(-e * e * impact.Wc), "J"),
        ]
        if self.notes["hit"] is not None:
            out.append(Reading("p_n in the world", self.notes["hit"], float(impact.p[1]), "N s"))
        return out

    def draw_extra(self, renderer):
        width, height = renderer.camera.size
        box = (0.5 * width, 0.09 * height, 0.46 * width, 0.56 * height)
        top = 1.25 * max(knot.p_n for knot in self.knots)
        side = 0.5 * top * box[2] / box[3]
        plot = Plot(renderer.surface, renderer.letters, box, (-side, 0.0), (side, top))
        plot.axes("the way of the impulse", "p_t (N s)", "p_n (N s)")
        self.draw_lines(plot, top, side)
        for a, b in zip(self.knots, self.knots[1:]):
            plot.line([a[:2], b[:2]], DOWN if a.compression else UP, 3)
        for knot in self.knots:
            plot.dot(knot[:2])
        end = self.knots[-1]
        plot.label(end[:2], "release", shift=(10, -4))
        at = plot.box.bottomleft
        words = (
            (f"compression: {-self.impact.Wc:.3f} J spent", DOWN),
            (f"decompression: {self.impact.Wd:.3f} J regained", UP),
            (f"path {self.impact.path}", DARK),
        )
        for k, (text, colour) in enumerate(words):
            plot.write(text, (at[0], at[1] + 26 + 18 * k), colour=mix(colour, DARK, 0.2), size=13)

    def draw_lines(self, plot, top, side):
        """The friction cone, and the lines on which slip and approach end."""
        mu = self.value("mu")
        edge = min(mu * top, side)
        plot.area([(0, 0), (-mu * top, top), (mu * top, top)], mix(PAPER, DOWN, 0.12))
        for sign in (-1, 1):
            plot.line([(0, 0), (sign * mu * top, top)], mix(PAPER, DARK, 0.4), 1)
        plot.label((-edge, min(edge / max(mu, 1e-9), top)), "friction cone", "topleft", (8, 6))
        for (k_t, k_n), u, name in ((self.K[0], self.u[0], "no slip"),
                                    (self.K[1], self.u[1], "no approach")):  # fmt: skip
            # the points with k_t p_t + k_n p_n = -u
            ends = (
                [(-side, (-u + k_t * side) / k_n), (side, (-u - k_t * side) / k_n)]
                if abs(k_n) > 1e-12
                else [(-u / k_t, 0.0), (-u / k_t, top)]
            )
            plot.line(ends, mix(PAPER, DARK, 0.6), 1)
            self.name_line(plot, ends, name, top)

    def name_line(self, plot, ends, name, top):
        """Write its name where the line leaves the plot on the right or at the top."""
        (x0, y0), (x1, y1) = ends
        if not 0.0 < y1 < 0.93 * top:
            goal = 0.93 * top if y1 > 0.0 else 0.04 * top
            if y1 == y0:
                return
            x1, y1 = x0 + (x1 - x0) * (goal - y0) / (y1 - y0), goal
        plot.label((x1, y1), name, "bottomright", (-6, -2))
