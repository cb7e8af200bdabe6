"""Joints against pymunk and Box2D v3: time and quality of the same scenes.

    python -m benchmarks joints

60 Hz, gravity -10 m/s^2, friction 0.6, restitution 0, sleeping off, every engine with the settings
of its adapter. Engines take turns every TURN frames; CPU time, medians of the rounds. The quality
is measured from poses by one function for all: the widest pin after any frame that was looked at
(every LOOK frames), the farthest that a limit was passed, the most energy above the start as a
share of what all bodies lose by falling 1 m, the rms speed at the end.
"""

import math
import statistics
import time

import numpy as np

from benchmarks.engines import load_engines
from demos.scenes.jointed import bridge, chain, grid, pendulum, ragdoll

TITLE = "Joints"
HEAD = ("what", "value", "worst step", "over pymunk", "over pyb2d3", "remark")
DT = 1 / 60  # s
TURN = 20  # frames
LOOK = 5  # frames
ROUNDS = 3
# scene, seconds
SCENES = (
    (pendulum(), 10.0),
    (chain(20, 1000.0), 10.0),
    (ragdoll(), 6.0),
    (bridge(200, 20), 10.0),
    (grid(50), 4.0),
)
TREES = (100, 400, 1600)


class Gauge:
    """What is measured of a scene in an engine, from poses and velocities alone."""

    def __init__(self, scene, world):
        self.scene, self.world = scene, world
        self.dynamic = np.array([body.kind == "dynamic" for body in scene.bodies])
        mass = [sum(s.mass for s in body.shapes) for body in scene.bodies]
        self.m = np.where(self.dynamic, mass, 0.0)
        inertia = [sum(s.inertia for s in body.shapes) for body in scene.bodies]
        self.I = np.where(self.dynamic, inertia, 0.0)
        self.ends = (
            [self.local(hinge.a, hinge.point) for hinge in scene.hinges],
            [self.local(hinge.b, hinge.point) for hinge in scene.hinges],
        )
        world_row = len(scene.bodies)
        self.a = np.array([world_row if h.a is None else h.a for h in scene.hinges], int)
        self.b = np.array([world_row if h.b is None else h.b for h in scene.hinges], int)
        self.limits = [(k, h) for k, h in enumerate(scene.hinges) if h.low is not None]
        angles = np.append(world.angles, 0.0)
        self.zero = angles[self.b] - angles[self.a]
        self.turns = angles
        self.start = self.energy()
        self.error = self.passed = 0.0
        self.gain = -math.inf

    def local(self, k, point):
        """A point of the world in the frame of a body."""
        if k is None:
            return point
        body = self.scene.bodies[k]
        c, s = math.cos(body.angle), math.sin(body.angle)
        x, y = point[0] - body.position[0], point[1] - body.position[1]
        return c * x + s * y, c * y - s * x

    def energy(self):
        """J."""
        v, w = self.world.velocities, self.world.angular_velocities
        kinetic = 0.5 * (self.m @ (v**2).sum(1) + self.I @ w**2)
        return kinetic - self.m @ (self.world.positions @ self.scene.gravity)

    def look(self):
        """Take note of the present state."""
        x = np.vstack([self.world.positions, [0.0, 0.0]])
        angle = np.append(self.world.angles, 0.0)
        # some engines wrap angles
        self.turns = self.turns + np.angle(np.exp(1j * (angle - self.turns)))
        c, s = np.cos(angle), np.sin(angle)
        places = []
        for rows, local in zip((self.a, self.b), self.ends):
            px, py = np.array(local).T
            places.append(
                x[rows]
                + np.column_stack([c[rows] * px - s[rows] * py, s[rows] * px + c[rows] * py])
            )
        self.error = max(self.error, np.hypot(*(places[1] - places[0]).T).max())
        turned = self.turns[self.b] - self.turns[self.a] - self.zero
        for k, hinge in self.limits:
            self.passed = max(self.passed, hinge.low - turned[k], turned[k] - hinge.high)
        fall = self.m.sum() * math.hypot(*self.scene.gravity)
        self.gain = max(self.gain, (self.energy() - self.start) / fall)

    def words(self):
        v = self.world.velocities[self.dynamic]
        out = f"pins {1e3 * self.error:.2g} mm, gain {max(self.gain, 0.0):.1e}, "
        if self.limits:
            out += f"limits passed by {self.passed:.1e} rad, "
        return out + f"rms {np.sqrt((v**2).sum(axis=1).mean()):.1e} m/s"


def run(scene, engines, frames):
    """CPU seconds of each step, and the gauge, of each engine."""
    gauges = {name: Gauge(scene, engine(scene)) for name, engine in engines.items()}
    seconds = {name: [] for name in engines}
    for begin in range(0, frames, TURN):
        for name, gauge in gauges.items():
            for frame in range(begin, min(begin + TURN, frames)):
                start = time.process_time()
                gauge.world.step(DT)
                seconds[name].append(time.process_time() - start)
                if frame % LOOK == 0:
                    gauge.look()
    return seconds, gauges


def scene_rows(engines, scenes=SCENES, rounds=ROUNDS):
    """Time and quality of each scene in each engine."""
    table = []
    for scene, length in scenes:
        results = [run(scene, engines, round(length / DT)) for _ in range(rounds)]
        times = {
            name: statistics.median(statistics.fmean(s[name]) for s, _ in results)
            for name in engines
        }
        for name in engines:
            worst = statistics.median(max(s[name]) / statistics.median(s[name]) for s, _ in results)
            over = [
                f"{times[peer] / times[name]:.2f}" if peer in times else ""
                for peer in ("pymunk", "pyb2d3")
            ]
            value = f"{1e3 * times[name]:.4g} ms"
            remark = results[-1][1][name].words()
            table.append((f"{scene.name}, {name}", value, f"{worst:.1f} medians", *over, remark))
    return table


def tree_rows(engines, sizes=TREES):
    """How the time of a hanging chain grows with its joints."""
    times = {name: [] for name in engines}
    for n in sizes:
        results = [run(chain(n, 10.0), engines, 60) for _ in range(ROUNDS)]
        for name in engines:
            times[name].append(statistics.median(statistics.median(s[name]) for s, _ in results))
    table = []
    for name, spent in times.items():
        p = math.log(spent[-1] / spent[0]) / math.log(sizes[-1] / sizes[0])
        each = ", ".join(f"{n}: {1e6 * s / n:.2f}" for n, s in zip(sizes, spent))
        table.append((f"growth of a chain, {name}", f"{p:.2f}", "", "", "",
                      f"exponent of a step's time; us a joint, {each}"))  # fmt: skip
    return table


def rows():
    """(what, value, worst step, over pymunk, over pyb2d3, remark) for the table."""
    engines = load_engines()
    return [*scene_rows(engines), *tree_rows(engines)]
