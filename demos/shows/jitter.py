"""Resting contact in a wide band, with and without extra acceleration."""

import math

from demos.demo import Graph, Reading, Slider, Worlds
from engine2d import Box, Circle, Path, Segment, World
from engine2d.draw import DARK, FILLS, PAPER, mix

MODES = ("none", "velocity", "velocity_and_distance")
SCENES = ("block", "rocker", "bowl")
BAND = {"resting_gap": 1e-2, "resting_speed": 0.1}  # m, m/s: wide on purpose
APART = 6.0  # m, from one world to the next
ENLARGED, UNDER = 80.0, -1.75  # times that bars under the floors enlarge gaps, m where they stand
SAW = (
    "What was seen: a 1 x 3 block stands on the ground. Each contact is given just the force that "
    "keeps it from sinking, so a corner that still opens slowly goes on opening, with a force on "
    "it. Then it falls back: a blow at one corner, then at the other, again and again. Lying flat, "
    "it is still. Extra acceleration ends it: 'velocity' takes the speed of each contact away "
    "within a sixtieth of a second, 'velocity and distance' closes its gap too."
)
QUIET = mix(DARK, PAPER, 0.3)


class Show(Worlds):
    name = "jitter"
    title = "Extra acceleration"
    look_for = "Left: blow after blow for ever, paid by normal work. With extra acceleration: none."
    view = ((-9.4, -2.2), (9.4, 8.6))
    flags = ("contacts",)
    big_graphs = True
    sliders_of = ()
    picture_at = 2.0

    def __init__(self):
        self.scene = Slider("scene", 0, 2, 0, choices=SCENES)
        super().__init__()
        self.sliders = {"scene": self.scene}

    def make_worlds(self):
        self.bodies, worlds = [], []
        for k, mode in enumerate(MODES):
            world = World(extra=mode, **BAND)
            self.bodies.append(getattr(self, "add_" + self.scene.text)(world, APART * (k - 1)))
            worlds.append(world)
        return worlds

    @staticmethod
    def add_block(world, x):
        world.add_static(Box(5.0, 0.5, center=(x, -0.25), friction=0.0))
        # nudged: a tenth of a milliradian, and slowly turning
        return world.add_body(
            Box(1.0, 3.0, friction=0.0), position=(x, 1.50015), angle=1e-4, angular_velocity=0.002
        )

    @staticmethod
    def add_rocker(world, x):
        world.add_static(Segment((x - 2.5, 0.0), (x + 2.5, 0.0), friction=1.0))
        half = Path([(-1.2, 0.0), (1.2, 0.0)], [1.0, 0.0], friction=1.0)
        return world.add_body(half, position=(x - 0.36, 1.2), angle=0.3, velocity=(0.0, 0.02))

    @staticmethod
    def add_bowl(world, x):
        world.add_static(Path([(x - 2.2, 2.2), (x + 2.2, 2.2)], [1.0], closed=False, friction=1.0))
        lean, way = 0.8, 1.75
        place = (x + way * math.sin(lean), 2.2 - way * math.cos(lean))
        inward = (-0.02 * math.sin(lean), 0.02 * math.cos(lean))
        return world.add_body(Circle(0.45, friction=1.0), position=place, velocity=inward)

    def begin(self):
        self.notes = {"hits": [0, 0, 0]}
        ends = ("left", "right") if self.scene.text == "block" else ("gap",)
        self.gap_graphs = [Graph(f"gaps, {mode.replace('_', ' ')}", ends, "m", least=1e-6)
                           for mode in MODES]  # fmt: skip
        self.work_graph = Graph("normal work", ("none", "velocity", "v. and d."), "J", least=1e-6)
        self.graphs = [*self.gap_graphs, self.work_graph]

    def tick_all(self, dt):
        for k, world in enumerate(self.worlds):
            world.advance(dt)
            self.notes["hits"][k] += len(world.events.hits)

    def gaps(self, k):
        body, x = self.bodies[k], APART * (k - 1)
        if self.scene.text == "block":
            return [body.to_world((side, -1.5))[1] for side in (-0.5, 0.5)]
        if self.scene.text == "rocker":
            return [body.position[1] - 1.2]
        return [1.75 - math.hypot(body.position[0] - x, body.position[1] - 2.2)]

    def after_step(self):
        for k, graph in enumerate(self.gap_graphs):
            graph.add(*self.gaps(k))
        self.work_graph.add(*(world.ledger["normal"] for world in self.worlds))

    def readings(self):
        out = []
        for k, mode in enumerate(MODES):
            theory = 0 if k and self.scene.text == "block" else None
            out.append(Reading(f"blows, {mode.replace('_', ' ')}", self.notes["hits"][k], theory))
        out.append(Reading("normal work, none", self.worlds[0].ledger["normal"], None, "J"))
        return out

    def draw_extra(self, renderer):
        for k, mode in enumerate(MODES):
            x = APART * (k - 1)
            renderer.label((x, 3.6), mode.replace("_", " "), 18)
            count = self.notes["hits"][k]
            renderer.label((x, 3.15), f"{count} blow{'' if count == 1 else 's'}", 15)
            self.draw_gaps(renderer, k)
        if not renderer.notes:  # a small picture
            return
        width = renderer.surface.get_width() - 48
        lines = renderer.letters.wrap(SAW, 14, width)
        for k, line in enumerate(lines):
            y = renderer.surface.get_height() - 18 * (len(lines) - k) - 44
            renderer.write(line, (24, y), 14, QUIET)

    def draw_gaps(self, renderer, k):
        """Gaps as bars that grow from a line, with the band in which contacts rest."""
        x, gaps = APART * (k - 1), self.gaps(k)
        band = UNDER + ENLARGED * BAND["resting_gap"]
        renderer.line([(x - 1.0, UNDER), (x + 1.0, UNDER)], DARK, 2)
        renderer.line([(x - 1.0, band), (x + 1.0, band)], mix(PAPER, DARK, 0.3), 1)
        for i, gap in enumerate(gaps):
            at = x + (i - 0.5 * (len(gaps) - 1))
            renderer.line([(at, UNDER), (at, UNDER + ENLARGED * max(gap, 0.0))], FILLS[i], 12)
        if renderer.notes:
            renderer.label((x, UNDER - 0.32), f"gaps, {ENLARGED:.0f} times; the line: the band", 12)
