"""Arcs that are arcs: a disc in a bowl and a half disc that rocks keep their periods."""

import math

from demos.demo import Demo, Graph, Reading
from demos.scenes.arcs import bowl, bowl_period, rocker, rocker_period
from demos.scenes.scene import Scene

SWING, ROCK = math.radians(40.0), math.radians(25.0)
CENTER, FLOOR = (-3.3, 3.4), (3.4, 0.4)


class Show(Demo):
    name = "bowl"
    title = "Disc in a bowl, half disc"
    look_for = "Both roll on true arcs for ever: no corners, so no bumps and no loss."
    view = ((-7.0, -0.6), (7.0, 5.0))
    flags = ("contacts",)
    mu = 1.0
    sliders_of = ("mu", "gravity")
    picture_at = 0.6

    def build(self, world):
        swing, rock = bowl(SWING, CENTER), rocker(ROCK, FLOOR)
        made = self.add(world, Scene("arcs", swing.bodies + rock.bodies))
        self.disc, self.half = made[1], made[3]

    def begin(self):
        self.notes = {"disc": [], "half": [], "disc_was": None, "half_was": None}
        self.notes |= {"disc_most": 0.0, "half_most": 0.0}
        self.angle_graph = Graph("angles", ("disc", "half disc"), "°")
        self.graphs = [self.angle_graph]

    def tuned(self, name):
        self.reset()

    def angles(self):
        x, y = self.disc.center
        return math.atan2(x - CENTER[0], CENTER[1] - y), self.half.angle

    def after_step(self):
        angles = self.angles()
        self.angle_graph.add(*map(math.degrees, angles))
        for name, angle in zip(("disc", "half"), angles):
            was = self.notes[name + "_was"]
            if was is not None and (was < 0.0) != (angle < 0.0):
                # crossed the middle: when, between the steps
                self.notes[name].append(self.time - self.dt * angle / (angle - was))
                self.notes[name] = self.notes[name][-9:]
            self.notes[name + "_was"] = angle

    def readings(self):
        g = self.value("gravity")
        out = []
        for name, title, theory in (
            ("disc", "period of the disc", bowl_period),
            ("half", "period of the half disc", rocker_period),
        ):
            times = self.notes[name]
            if len(times) > 2 and g > 0.0:
                period = 2.0 * (times[-1] - times[0]) / (len(times) - 1)
                angle = SWING if name == "disc" else ROCK
                out.append(Reading(title, period, theory(angle, g), "s"))
        return out
