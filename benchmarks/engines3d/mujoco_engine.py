"""MuJoCo with its CG solver, the faster one for many contacts."""

import mujoco
import numpy as np

from benchmarks.engines3d.mujoco_model import make_data, make_model


class Engine:
    name = "mujoco"

    def __init__(self, scene, dt, solver="CG"):
        self.model = make_model(scene, dt, solver)
        self.data = make_data(self.model, scene)

    def step(self):
        mujoco.mj_step(self.model, self.data)

    @property
    def positions(self):
        return np.array(self.data.qpos).reshape(-1, 7)[:, :3]

    @property
    def orientations(self):
        return np.array(self.data.qpos).reshape(-1, 7)[:, 3:]

    @property
    def velocities(self):
        return np.array(self.data.qvel).reshape(-1, 6)[:, :3]
