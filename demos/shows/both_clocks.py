"""One scene under both clocks: a fixed step and exact events."""

import math

from demos.demo import Graph, Reading, Worlds
from demos.scenes.blocks import housner_peaks
from demos.scenes.exact import BALL, DROP
from engine2d import Box, Circle, World

E = 0.8
START = math.radians(6.0)
PEAKS = 6  # that are compared with theory
APART = 7.0  # m


class Show(Worlds):
    name = "both_clocks"
    title = "Both clocks"
    look_for = (
        "The same scene: step(1/60) on the left, advance on the right. Watch them drift apart."
    )
    view = ((-8.0, -1.0), (8.0, 6.4))
    flags = ("contacts",)
    big_graphs = True
    sliders_of = ("gravity",)
    picture_at = 0.7

    def make_worlds(self):
        self.balls, self.blocks, worlds = [], [], []
        for x in (-0.5 * APART, 0.5 * APART):
            world = World(gravity=(0.0, -self.value("gravity", self.gravity)))
            world.add_static(Box(6.0, 0.5, center=(x, -0.25), friction=1.0, restitution=0.0))
            ball = Circle(BALL, friction=0.0, restitution=E)
            self.balls.append(world.add_body(ball, position=(x - 1.7, BALL + DROP)))
            c, s = math.cos(START), math.sin(START)
            corner = x + 1.2
            place = (corner - 0.5 * c + 1.5 * s, 0.5 * s + 1.5 * c)
            self.blocks.append(
                world.add_body(Box(1.0, 3.0, friction=1.0), position=place, angle=-START)
            )
            worlds.append(world)
        return worlds

    def begin(self):
        self.notes = {"peaks": [[], []], "way": [0.0, 0.0]}
        self.height_graph = Graph("ball above the floor", ("step", "advance"), "m", least=1e-6)
        self.angle_graph = Graph("tilt of the block", ("step", "advance"), "°", least=1e-6)
        self.graphs = [self.height_graph, self.angle_graph]
        self.start = [world.energy.total for world in self.worlds]

    def tick_all(self, dt):
        self.worlds[0].step(dt)
        self.worlds[1].advance(dt)

    def after_step(self):
        self.height_graph.add(*(ball.position[1] - BALL for ball in self.balls))
        self.angle_graph.add(*(math.degrees(block.angle) for block in self.blocks))
        notes = self.notes
        for k, block in enumerate(self.blocks):
            angle, rate = block.angle, block.angular_velocity
            turned = notes["way"][k] * angle > 0.0 and rate * angle < 0.0
            if turned and len(notes["peaks"][k]) < PEAKS:
                notes["peaks"][k].append(self.peak(abs(angle), rate))
            notes["way"][k] = rate

    def peak(self, angle, rate):
        """The angle at which it turned, a moment ago, from its energy about the corner."""
        slope, half = math.atan2(1.0, 3.0), 0.5 * math.hypot(1.0, 3.0)
        pull = 0.75 * self.value("gravity", self.gravity) / half
        return slope - math.acos(min(math.cos(slope - angle) + rate * rate / (2.0 * pull), 1.0))

    def readings(self):
        out = []
        theory = housner_peaks(START, PEAKS)
        for k, name in enumerate(("step", "advance")):
            peaks = self.notes["peaks"][k]
            if peaks:
                last = len(peaks) - 1
                out.append(Reading(f"{name}: peak {last + 1}", math.degrees(peaks[last]),
                                   math.degrees(theory[last]), "°"))  # fmt: skip
            lost = self.worlds[k].energy.total - self.start[k]
            out.append(Reading(f"{name}: energy since the start", lost, None, "J"))
        return out

    def draw_extra(self, renderer):
        for x, name in (
            (-0.5 * APART, "world.step(1 / 60)"),
            (0.5 * APART, "world.advance(1 / 60)"),
        ):
            renderer.label((x, -0.95), name, 17)
