"""A ladder slides down a smooth wall, and leaves it."""

import math

from demos.demo import Exact, Graph, Reading, Slider
from demos.scenes.exact import LADDER, RAIL, ladder, ladder_leaves
from engine2d.draw import DARK, PAPER, mix

MARK = (204, 51, 17)


class Show(Exact):
    name = "ladder"
    title = "The ladder that leaves the wall"
    look_for = "Its top slides down the wall and leaves it before it lands, at the dashed place."
    view = ((-1.0, -0.8), (5.6, 3.4))
    flags = ("contacts", "forces")
    mu = 0.0
    sliders_of = ("gravity",)
    picture_at = 0.75

    def __init__(self):
        self.lean = Slider("lean", 5.0, 40.0, 17.0, "°")
        super().__init__()
        self.sliders["lean"] = self.lean

    def build(self, world):
        self.rail = self.add(world, ladder(math.radians(self.lean.value)))[1]

    def begin(self):
        self.notes = {"left": None}
        self.angle_graph = Graph("from upright", ("degrees",), "°")
        self.force_graph = Graph("push of the wall", ("N",), "N", least=1e-3)
        self.graphs = [self.angle_graph, self.force_graph]

    def tuned(self, name):
        self.reset()

    def angle(self):
        return self.rail.angle + 0.5 * math.pi

    def after_step(self):
        self.angle_graph.add(math.degrees(self.angle()))
        push = sum(c.normal_force for c in self.world.contacts if abs(c.normal[0]) > 0.9)
        self.force_graph.add(push)
        if self.notes["left"] is None:
            for change in self.world.events.changes:
                if change["what"] == "leaves" and change["point"][0] < 0.01:
                    # the top's height tells the angle at that moment
                    share = (float(change["point"][1]) - RAIL) / LADDER
                    self.notes["left"] = math.acos(min(share, 1.0))

    def readings(self):
        out = [Reading("from upright", math.degrees(self.angle()), None, "°")]
        if self.notes["left"] is not None:
            theory = ladder_leaves(math.radians(self.lean.value))
            out.append(Reading("leaves the wall at", math.degrees(self.notes["left"]),
                               math.degrees(theory), "°"))  # fmt: skip
        return out

    def draw_extra(self, renderer):
        a = ladder_leaves(math.radians(self.lean.value))
        top, foot = (RAIL, RAIL + LADDER * math.cos(a)), (RAIL + LADDER * math.sin(a), RAIL)
        for k in range(0, 20, 2):
            ends = [
                [top[i] + (foot[i] - top[i]) * (k + part) / 20.0 for i in (0, 1)] for part in (0, 1)
            ]
            renderer.line(ends, MARK, 2)
        renderer.label((top[0] + 0.12, top[1] + 0.1), "leaves the wall here", 15, "midleft")
        renderer.line([(0.0, 0.0), (0.0, 3.4)], mix(PAPER, DARK, 0.4), 1)
