"""A gas of discs: enginecore.particles, no world at all."""

import math

import numpy as np

from demos.demo import Free, Graph, Reading
from engine2d.draw import FILLS
from enginecore.particles import Particles

COUNT = 2500
HALF, TALL = 8.0, 12.0  # m, the box
RADIUS, SPEED = 0.06, 3.0  # m, m/s
SUB_STEPS = 2  # a frame: fast ones must not pass through each other


class Show(Free):
    name = "particles"
    title = "2500 particles"
    look_for = "All start equally fast. Collisions make a gas of it, with Maxwell's speeds."
    view = ((-8.6, -0.6), (8.6, 12.4))
    e, mu, gravity = 1.0, 0.0, 0.0
    sliders_of = ("e", "mu", "gravity")
    keys = (("k", "blow from below"),)

    def begin(self):
        rng = np.random.default_rng(6)
        k, columns = np.arange(COUNT), 60
        x = (k % columns + 0.5) * (2.0 * HALF / columns) - HALF
        y = (k // columns + 0.5) * (TALL / math.ceil(COUNT / columns))
        angle = rng.uniform(0.0, 2.0 * math.pi, COUNT)
        way = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        self.colours = [FILLS[0] if side < 0.0 else FILLS[1] for side in x]
        self.particles = self.make(np.stack([x, y], 1), SPEED * way)
        self.energy_graph = Graph("energy", ("kinetic", "total"), "J", least=1e-3)
        self.notes = {"energy": self.particles.energy.total}

    def make(self, positions, velocities):
        planes = [((-HALF, 0.0), (1.0, 0.0)), ((HALF, 0.0), (-1.0, 0.0)),
                  ((0.0, 0.0), (0.0, 1.0)), ((0.0, TALL), (0.0, -1.0))]  # fmt: skip
        return Particles(
            positions, velocities, RADIUS, 1.0, planes, self.value("e", self.e),
            self.value("mu", self.mu), gravity=(0.0, -self.value("gravity", self.gravity)),
        )  # fmt: skip

    def tuned(self, name):
        self.particles = self.make(self.particles.positions, self.particles.velocities)
        self.notes["energy"] = self.particles.energy.total

    def press(self, letter):
        near = self.particles.positions[:, 1:] < 3.0
        push = np.where(near, (0.0, 9.0), (0.0, 0.0))
        self.particles.set_state(velocities=self.particles.velocities + push)
        self.notes["energy"] = self.particles.energy.total

    def after_step(self):
        energy = self.particles.energy
        self.energy_graph.add(energy.kinetic, energy.total)

    def step(self, dt):
        for _ in range(SUB_STEPS):
            self.particles.step(dt / SUB_STEPS)
        super().step(dt)

    def draw_extra(self, renderer):
        renderer.line([(-HALF, 0), (HALF, 0), (HALF, TALL), (-HALF, TALL), (-HALF, 0)], width=2)
        renderer.discs(self.particles.positions, self.particles.radii, self.colours)
        if renderer.notes:
            renderer.draw_notes([])

    def readings(self):
        speeds = np.hypot(*self.particles.velocities.T)
        ratio = float(speeds.mean() ** 2 / (speeds**2).mean())
        out = [Reading("mean speed² / mean of speed²", ratio, math.pi / 4.0)]
        if self.value("e") == 1.0 and self.value("mu") == 0.0 and self.value("gravity") == 0.0:
            energy = self.particles.energy.total
            out.append(Reading("energy", energy, self.notes["energy"], "J"))
        return out

    def stats(self):
        return [("particles", COUNT), ("contacts", self.particles.stats.contacts)], {}

    def snapshot(self):
        return self.particles.copy(), *super().snapshot()

    def restore(self, state):
        self.particles = state[0].copy()
        return super().restore(state[1:])

    def grab(self, point):
        near = np.flatnonzero(np.hypot(*(self.particles.positions - point).T) < 1.0)
        return near if len(near) else None

    def pull(self, held, point):
        velocities = np.array(self.particles.velocities)
        way = np.asarray(point) - self.particles.positions[held]
        velocities[held] += 0.2 * (8.0 * way - velocities[held])
        self.particles.set_state(velocities=velocities)
        self.notes["energy"] = self.particles.energy.total
        return self.particles.positions[held].mean(axis=0)
