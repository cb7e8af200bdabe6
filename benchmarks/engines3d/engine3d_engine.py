"""This engine, as it comes, sleeping off."""

import numpy as np

from benchmarks.scenes3d import add_scene
from engine3d import World


class Engine:
    name = "engine3d"

    def __init__(self, scene, dt):
        self.world = World(gravity=scene.gravity, sleeping=False)
        self.bodies = add_scene(self.world, scene)
        self.dt = dt
        self.skip = len(scene.planes)

    def step(self):
        self.world.step(self.dt)

    @property
    def positions(self):
        return np.array(self.world.positions)[self.skip :]

    @property
    def orientations(self):
        return np.array(self.world.orientations)[self.skip :]

    @property
    def velocities(self):
        return np.array(self.world.velocities)[self.skip :]
