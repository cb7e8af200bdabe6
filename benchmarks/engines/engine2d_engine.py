"""This engine, as it comes, sleeping off."""

import numpy as np

from demos.scenes.scene import add_scene
from engine2d import World


class Engine:
    name = "engine2d"

    def __init__(self, scene, solver="auto"):
        self.world = World(gravity=scene.gravity, sleeping=False, solver=solver)
        self.bodies = add_scene(self.world, scene)

    def step(self, dt):
        self.world.step(dt)

    @staticmethod
    def push(body, force, torque):
        body.apply_force(force)
        body.apply_torque(torque)

    @property
    def positions(self):
        return np.array(self.world.positions)

    @property
    def angles(self):
        return np.array(self.world.angles)

    @property
    def velocities(self):
        return np.array(self.world.velocities)

    @property
    def angular_velocities(self):
        return np.array(self.world.angular_velocities)

    def read_all(self):
        return self.world.positions

    @staticmethod
    def read_one(body):
        return body.position

    def first_hit(self, start, end):
        return self.world.ray_query(start, end) is not None

    def hits_of(self, starts, ends):
        """How many of many rays hit something, in one call."""
        return int((self.world.ray_query_many(starts, ends).shape >= 0).sum())
