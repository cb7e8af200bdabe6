"""Forty bounces, and the moment at which endless bouncing ends."""

import math
from itertools import pairwise

from demos.demo import Exact, Reading
from demos.scenes.exact import BALL, DROP, bounce, bounce_times
from engine2d.draw import DARK, FILLS, PAPER, mix

FIRST, WIDE = 1.4, 7.0  # m, where the time axis begins, and its length
MARK = (204, 51, 17)
QUIET = mix(DARK, PAPER, 0.35)


class Show(Exact):
    name = "zeno"
    title = "Endless bouncing"
    look_for = "More and more bounces, each at its exact time; all of them end at the red line, t*."
    view = ((-1.2, -0.9), (9.2, 2.4))
    e = 0.8
    sliders_of = ("e", "gravity")
    picture_at = 2.5

    def build(self, world):
        # its own friction and restitution: sliders would make all shapes alike
        self.floor, self.ball = self.add_bounce(world)

    def add_bounce(self, world):
        scene = bounce(min(max(self.value("e", self.e), 0.0), 0.95))
        out = []
        for body in scene.bodies:
            add = world.add_static if body.kind == "static" else world.add_body
            out.append(add(*body.shapes, position=body.position))
        return out

    def begin(self):
        self.notes = {"hits": [], "settles": math.nan}

    def tuned(self, name):
        self.reset()

    def after_step(self):
        for hit in self.world.events.hits:
            self.notes["hits"].append((float(hit["time"]), float(hit["speed"])))
            if not math.isnan(hit["settles"]):
                self.notes["settles"] = float(hit["settles"])

    def theory(self, count=60):
        g = max(self.value("gravity", self.gravity), 1e-3)
        return bounce_times(min(self.value("e", self.e), 0.95), g, count)

    def readings(self):
        times, limit = self.theory(max(len(self.notes["hits"]), 1))
        out = [Reading("bounces", len(self.notes["hits"]))]
        if self.notes["hits"]:
            k = len(self.notes["hits"])
            out.append(Reading(f"bounce {k} at", self.notes["hits"][-1][0], times[k - 1], "s"))
        if not math.isnan(self.notes["settles"]):
            out.append(Reading("bouncing ends at", self.notes["settles"], limit, "s"))
        return out

    def draw_extra(self, renderer):
        """Height over time as theory has it, the bounces as they came, and the limit."""
        g = max(self.value("gravity", self.gravity), 1e-3)
        times, limit = self.theory()
        scale = WIDE / (1.12 * limit)
        renderer.line([(FIRST, 0.0), (FIRST + WIDE + 0.3, 0.0)], QUIET, 1)
        renderer.line([(FIRST, 0.0), (FIRST, DROP + 0.3)], QUIET, 1)
        edges = [-times[0], *times]
        for start, end in pairwise(edges):
            run = []
            for k in range(25):
                t = start + (end - start) * k / 24.0
                if t >= 0.0:
                    run.append((FIRST + scale * t, 0.5 * g * (t - start) * (end - t)))
            if len(run) > 1 and scale * (end - start) > 0.01:
                renderer.line(run, mix(PAPER, DARK, 0.3), 1)
        now = min(self.time, 1.12 * limit)
        for time, _ in self.notes["hits"]:
            x = FIRST + scale * time
            renderer.line([(x, -0.06), (x, 0.06)], FILLS[0], 2)
        x = FIRST + scale * limit
        renderer.line([(x, -0.1), (x, DROP + 0.15)], MARK, 2)
        renderer.label((x, DROP + 0.2), f"t* = {limit:.3f} s", 16)
        x, y = FIRST + scale * now, self.ball.position[1] - BALL
        renderer.discs([(x, y)], [0.06], [FILLS[1]])
        for k in range(int(1.12 * limit) + 1):
            renderer.label((FIRST + scale * k, -0.35), f"{k} s", 13)
        renderer.label((FIRST + 0.5 * WIDE, -0.75), "time of the bounces", 14)
