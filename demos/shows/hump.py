"""Discs roll and slide down a round hump, and leave it."""

import math

from demos.demo import Exact, Graph, Reading
from demos.scenes.exact import DISC, HUMP, hump, hump_leaves
from demos.scenes.scene import add_scene
from engine2d import Box

START = 0.12  # rad off the top
SIDES = ((-3.4, 0.0), (3.4, 0.4))  # where the humps are, and their friction
MARK = (204, 51, 17)


class Show(Exact):
    name = "hump"
    title = "Leaving a hump"
    look_for = "Smooth on the left, rough on the right: each disc leaves at the red mark."
    view = ((-7.2, -1.2), (7.4, 4.6))
    flags = ("contacts",)
    sliders_of = ("gravity",)
    picture_at = 1.5

    def build(self, world):
        self.discs = [add_scene(world, hump(START, mu, x))[1] for x, mu in SIDES]
        world.add_static(Box(60.0, 0.4, center=(0.0, -0.2), friction=0.5))

    def begin(self):
        self.notes = {"left": [None, None], "slips": None}
        self.angle_graph = Graph("off the top", ("smooth", "rough"), "°")
        self.graphs = [self.angle_graph]

    def tuned(self, name):
        self.reset()

    def angles(self):
        return [math.atan2(disc.position[0] - x, disc.position[1])
                for disc, (x, _) in zip(self.discs, SIDES)]  # fmt: skip

    def after_step(self):
        self.angle_graph.add(*map(math.degrees, self.angles()))
        for change in self.world.events.changes:
            x, y = map(float, change["point"])
            for k, (middle, _) in enumerate(SIDES):
                off = math.hypot(x - middle, y)
                if y < 0.05 or abs(off - HUMP) > 1e-3:
                    continue
                angle = math.atan2(x - middle, y)
                if change["what"] == "leaves" and self.notes["left"][k] is None:
                    self.notes["left"][k] = angle
                elif change["what"] == "slips" and k == 1 and self.notes["slips"] is None:
                    self.notes["slips"] = angle

    def readings(self):
        out = []
        for k, (name, (_, mu)) in enumerate(zip(("smooth", "rough"), SIDES)):
            slips, leaves = hump_leaves(START, mu)
            if k == 1 and self.notes["slips"] is not None:
                out.append(Reading("rough: slips at", math.degrees(self.notes["slips"]),
                                   math.degrees(slips), "°"))  # fmt: skip
            if self.notes["left"][k] is not None:
                out.append(Reading(f"{name}: leaves at", math.degrees(self.notes["left"][k]),
                                   math.degrees(leaves), "°"))  # fmt: skip
        return out

    def draw_extra(self, renderer):
        for (x, mu), name in zip(SIDES, ("smooth", "friction 0.4")):
            _, a = hump_leaves(START, mu)
            ends = [(x + r * math.sin(a), r * math.cos(a)) for r in (HUMP - 0.25, HUMP + DISC)]
            renderer.line(ends, MARK, 2)
            renderer.label((x, 0.9), name, 17)
            renderer.label((x, 0.45), f"leaves at {math.degrees(a):.2f}°", 14)
