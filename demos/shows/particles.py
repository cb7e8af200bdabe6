"""Round particles and planes: enginecore.particles, no world at all."""

import numpy as np

from demos.demo import Demo, Graph, Reading
from engine2d.draw import FILLS
from enginecore.particles import Particles

COUNT = 3000
HALF, TALL = 8.0, 12.0  # m, of the funnel's box


class Show(Demo):
    name = "particles"
    title = "3000 particles"
    look_for = "Each strikes its neighbours one after another: the energy never grows."
    view = ((-8.8, -0.8), (8.8, 11.4))
    e, mu = 0.3, 0.2
    sliders_of = ("e", "mu", "gravity")
    keys = (("k", "stir"),)

    def make_world(self):
        rng = np.random.default_rng(6)
        radii = rng.uniform(0.05, 0.13, COUNT)
        columns = 56
        k = np.arange(COUNT)
        x = (k % columns - 0.5 * (columns - 1)) * 0.27 + rng.uniform(-0.01, 0.01, COUNT)
        y = 1.2 + (k // columns) * 0.27
        self.colours = [FILLS[i] for i in rng.integers(0, len(FILLS), COUNT)]
        self.planes = [
            ((-HALF, 0.0), (1.0, 0.0)), ((HALF, 0.0), (-1.0, 0.0)), ((0.0, 0.0), (0.0, 1.0)),
            ((-HALF, 3.0), (0.6, 0.8)), ((HALF, 3.0), (-0.6, 0.8)),
        ]  # fmt: skip
        self.particles = self.make(np.stack([x, y], 1), np.zeros((COUNT, 2)), radii)
        return None

    def make(self, positions, velocities, radii):
        return Particles(
            positions, velocities, radii, np.pi * radii**2, self.planes, self.value("e", self.e),
            self.value("mu", self.mu), gravity=(0.0, -self.value("gravity", self.gravity)),
        )  # fmt: skip

    def begin(self):
        self.energy_graph = Graph("energy", ("kinetic", "total"), "J")
        self.notes = {"first": self.particles.energy.total, "most": 0.0}

    def tuned(self, name):
        old = self.particles
        self.particles = self.make(old.positions, old.velocities, old.radii)
        self.notes = {"first": self.particles.energy.total, "most": 0.0}

    def press(self, letter):
        x = self.particles.positions
        push = np.stack([3.0 * np.sin(x[:, 1]), 6.0 + 0.0 * x[:, 0]], axis=1)
        self.particles.set_state(velocities=self.particles.velocities + push)
        self.notes = {"first": self.particles.energy.total, "most": 0.0}

    def step(self, dt):
        before = self.particles.energy.total
        self.particles.step(dt)
        self.time += dt
        energy = self.particles.energy
        self.notes["most"] = max(self.notes["most"], energy.total - before)
        self.energy_graph.add(energy.kinetic, energy.total)

    def draw(self, renderer):
        renderer.clear()
        corners = [(-HALF, TALL), (-HALF, 3.0), (-4.0, 0.0), (4.0, 0.0), (HALF, 3.0), (HALF, TALL)]
        renderer.line(corners, width=2)
        renderer.discs(self.particles.positions, self.particles.radii, self.colours)
        if renderer.notes:
            renderer.draw_notes([])

    def readings(self):
        first = self.notes["first"]
        energy = self.particles.energy.total
        return [
            Reading("energy, of the first", energy / first),
            Reading("largest gain in a step", self.notes["most"], 0.0, "J"),
        ]

    def stats(self):
        stats = self.particles.stats
        return [("particles", COUNT), ("contacts", stats.contacts)], {}

    def snapshot(self):
        return self.particles.copy(), self.time, dict(self.notes)

    def restore(self, state):
        particles, self.time, self.notes = state
        self.particles = particles.copy()
        return True

    def grab(self, point):
        away = np.hypot(*(self.particles.positions - point).T)
        near = np.flatnonzero(away < 0.8)
        return near if len(near) else None

    def pull(self, held, point):
        velocities = np.array(self.particles.velocities)
        way = np.asarray(point) - self.particles.positions[held]
        velocities[held] += (way * 10.0 - velocities[held]) * 0.2
        self.particles.set_state(velocities=velocities)
        self.notes = {"first": self.particles.energy.total, "most": 0.0}
        return self.particles.positions[held].mean(axis=0)
