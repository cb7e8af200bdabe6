"""Scenes for two engines side by side: bodies, and where theory has them at any time."""

import math
from dataclasses import dataclass, field

import numpy as np

from demos.demo import tune
from demos.scenes.blocks import HEIGHT, WIDTH, flat_drops, heavy_stack, rocking
from demos.scenes.bounces import HEIGHTS, RADIUS, bounce_height, bounces
from demos.scenes.pyramid import pyramid
from demos.scenes.rows import RADIUS as BALL
from demos.scenes.rows import SPEED, cradle
from demos.scenes.scene import Scene
from demos.scenes.slopes import incline, roll_acceleration, slide_acceleration

RATIO = 100.0  # of the top box to the others
GAP = 1.02  # m, before the cradle: its impact falls between two steps
HALF = 7.0  # m, half the way between the cradle's walls
DROP = 1.5  # m
TILT = math.radians(6.0)
SLOPE = math.radians(25.0)
FINE = 5e-4  # s at most, of the steps in which the rocking block's equation is solved


@dataclass
class Case:
    """One scene; subclasses say where its moving bodies should be."""

    e: float
    mu: float
    gravity: float
    title, look_for = "", ""
    view = ((-3.3, -0.9), (3.3, 6.6))
    defaults = (0.0, 0.6, 9.81)  # e, mu, gravity
    flags = ()
    seconds = 4.0  # after which it has shown what it shows

    def scene(self):
        made = tune(self.make(), self.e, self.mu)
        return Scene(made.name, made.bodies, (0.0, -self.gravity), made.sizes)

    def make(self):
        raise NotImplementedError

    def places(self, time):
        """Where the middles of the moving bodies should be (n x 2, m); None where none knows."""
        return self.first

    @property
    def first(self):
        """Where they are at the start."""
        scene = self.make()
        return np.array([scene.bodies[k].position for k in scene.moving])


class HeavyStack(Case):
    title = "Heavy on light"
    look_for = f"The top box is {RATIO:g} times heavier. Mechanics says that the stack stands."
    flags = ("forces",)

    def make(self):
        return heavy_stack(RATIO)


class Pyramid(Case):
    title = "Pyramid"
    look_for = "Every box stands on two others, and none should move."
    view = ((-6.5, -1.6), (6.5, 13.2))

    def make(self):
        return pyramid(10)


class Cradle(Case):
    title = "Cradle, two come in"
    look_for = "Two discs come in, so two leave at that speed, and the others stay."
    view = ((-7.6, -3.2), (7.6, 3.2))
    defaults = (1.0, 0.0, 0.0)
    flags = ("velocities",)

    def make(self):
        return cradle(5, 2, HALF, GAP)

    def places(self, time):
        """With e = 1 equal discs exchange velocities: as if points went through each other."""
        if self.e != 1.0 or self.gravity != 0.0:
            return None
        first = self.first
        shifts = 2.0 * BALL * np.arange(len(first))
        low, high = -HALF + BALL, HALF - BALL - shifts[-1]
        speeds = np.where(np.arange(len(first)) < 2, SPEED, 0.0)
        # reflected between the walls: unfold, and fold again
        away = np.mod(first[:, 0] - shifts + speeds * time - low, 2.0 * (high - low))
        points = low + np.minimum(away, 2.0 * (high - low) - away)
        return np.column_stack([np.sort(points) + shifts, first[:, 1]])


class Bounce(Case):
    title = "Bounces"
    look_for = "Discs fall from 1, 2 and 4 m. Each bounce rises to e squared of the one before."
    view = ((-3.2, -0.9), (3.2, 6.4))
    defaults = (0.8, 0.6, 9.81)

    def make(self):
        return bounces()

    def places(self, time):
        return heights_at(self, HEIGHTS, [RADIUS] * len(HEIGHTS), time)


class FlatDrop(Case):
    title = "Flat drops"
    look_for = "Both corners land at once, so a block bounces straight up and does not turn."
    view = ((-4.6, -1.4), (5.4, 10.0))
    defaults = (0.8, 0.6, 9.81)
    seconds = 3.0

    def make(self):
        return flat_drops(DROP)

    def places(self, time):
        return heights_at(self, [DROP] * 3, self.first[:, 1] - DROP, time)


def heights_at(case, heights, middles, time):
    """Places of bodies let go at heights, whose middles are so far above their lowest points."""
    if case.gravity <= 0.0:
        return case.first
    ys = [bounce_height(h, case.e, case.gravity, time) + m for h, m in zip(heights, middles)]
    return np.column_stack([case.first[:, 0], ys])


@dataclass
class Rocking(Case):
    title = "Rocking block"
    look_for = "Each landing on the other corner takes the energy that Housner (1963) says."
    view = ((-2.5, -0.8), (2.5, 4.9))
    defaults = (0.0, 1.0, 9.81)
    flags = ("contacts",)
    # time (s), angle from the side it leans to (rad), its rate (rad/s), and which side
    state: tuple = field(default=(0.0, TILT, 0.0, -1.0))

    def make(self):
        return rocking(TILT)

    def places(self, time):
        """By small steps of the equation of a block on a corner; a landing leaves it
        1 - 1.5 sin^2 a of its rate."""
        if self.mu < 0.5 or self.e > 0.0:  # it slides or hops, and the equation is another
            return None
        now, angle, rate, side = self.state if self.state[0] <= time else (0.0, TILT, 0.0, -1.0)
        count = math.ceil((time - now) / FINE)
        for _ in range(count):
            angle, rate, side = rock(angle, rate, side, (time - now) / count, self.gravity)
        self.state = time, angle, rate, side
        slope, arm = math.atan2(WIDTH, HEIGHT), 0.5 * math.hypot(WIDTH, HEIGHT)
        # the middle, seen from the corner it stands on, which stays where it is
        lean = slope - angle
        x, y = arm * math.sin(lean), arm * math.cos(lean)
        return np.array([[-side * (0.5 * WIDTH - x), y]])


def rock(angle, rate, side, dt, g):
    """A small step of a block on a corner; on the way it may land on the other one."""
    slope, arm = math.atan2(WIDTH, HEIGHT), 0.5 * math.hypot(WIDTH, HEIGHT)
    pull = 0.75 * g / arm
    middle = rate - 0.5 * dt * pull * math.sin(slope - angle)
    after = angle + dt * middle
    if after >= 0.0:
        return after, middle - 0.5 * dt * pull * math.sin(slope - after), side
    share = angle / (angle - after)
    left = (1.0 - share) * dt
    lands = rate - share * dt * pull * math.sin(slope)
    rate = -lands * (1.0 - 1.5 * math.sin(slope) ** 2)
    if rate < pull * dt:  # too slow to rise again within a step: it stands
        return 0.0, 0.0, -side
    return left * rate, rate - left * pull * math.sin(slope), -side


class Incline(Case):
    title = "Incline"
    look_for = "The block slides and the disc rolls, each with the acceleration theory says."
    view = ((-2.0, -11.5), (13.0, 5.0))
    defaults = (0.0, 0.3, 9.81)
    seconds = 2.5

    def make(self):
        return incline(SLOPE)

    def places(self, time):
        rules = (slide_acceleration, roll_acceleration)
        ways = [0.5 * rule(SLOPE, self.mu, self.gravity) * time**2 for rule in rules]
        return self.first + np.outer(ways, self.make().sizes["down"])


CASES = {
    "heavy_stack": HeavyStack,
    "pyramid": Pyramid,
    "cradle": Cradle,
    "bounce": Bounce,
    "flat_drop": FlatDrop,
    "rocking": Rocking,
    "incline": Incline,
}
