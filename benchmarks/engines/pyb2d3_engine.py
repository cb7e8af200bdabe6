"""pyb2d3 (Box2D v3): four sub-steps, its usual settings, sleeping off."""

import numpy as np
import pyb2d3

from benchmarks.engines import chain_of
from engine2d import Box, Circle, Segment

SUBSTEPS = 4
MAKERS = {
    "dynamic": "create_dynamic_body",
    "static": "create_static_body",
    "kinematic": "create_kinematic_body",
}


class Engine:
    name = "pyb2d3"

    def __init__(self, scene):
        self.world = pyb2d3.World(gravity=scene.gravity)
        self.world.sleeping_enabled = False
        self.bodies = [self.add(body) for body in scene.bodies]
        self.ground = None
        for hinge in scene.hinges:
            self.join(hinge)
        self.batch = pyb2d3.Bodies()
        for body in self.bodies:
            self.batch.append(body)
        self.buffer = np.zeros((len(self.bodies), 2), np.float32)

    def add(self, body):
        made = getattr(self.world, MAKERS[body.kind])(
            position=body.position,
            rotation=pyb2d3.make_rot(body.angle),
            linear_velocity=body.velocity,
            angular_velocity=body.angular_velocity,
        )
        chain = chain_of(body.shapes)
        if chain is not None:
            # its first and last points only say how the chain goes on; it is solid on the left
            points = np.array([chain[-1], *reversed(chain), chain[0]], np.float32)
            first = self.material(body.shapes[0])
            made.create_chain(pyb2d3.chain_def(points=points, material=first))
            return made
        for shape in body.shapes:
            material = self.material(shape)
            group = pyb2d3.make_filter(group_index=shape.filter.group)
            made.create_shape(
                pyb2d3.shape_def(density=shape.density, material=material, filter=group),
                self.shape(shape),
            )
        return made

    def join(self, hinge):
        if self.ground is None:
            self.ground = self.world.create_static_body()
        a, b = (self.ground if k is None else self.bodies[k] for k in (hinge.a, hinge.b))
        options = {}
        if hinge.low is not None:
            options = {"enable_limit": True, "lower_angle": hinge.low, "upper_angle": hinge.high}
        self.world.create_revolute_joint(
            a,
            b,
            local_anchor_a=a.local_point(hinge.point),
            local_anchor_b=b.local_point(hinge.point),
            reference_angle=b.angle - a.angle,
            **options,
        )

    @staticmethod
    def material(shape):
        return pyb2d3.surface_material(friction=shape.friction, restitution=shape.restitution)

    @staticmethod
    def shape(shape):
        if isinstance(shape, Circle):
            return pyb2d3.circle(center=shape.center, radius=shape.radius)
        if isinstance(shape, Box):
            return pyb2d3.box(0.5 * shape.width, 0.5 * shape.height, center=shape.center)
        if isinstance(shape, Segment):
            return pyb2d3.segment(*map(tuple, shape.points.tolist()))
        return pyb2d3.polygon(points=np.asarray(shape.points, np.float32))

    def step(self, dt):
        self.world.step(dt, SUBSTEPS)

    @staticmethod
    def push(body, force, torque):
        body.apply_force_to_center(force)
        body.apply_torque(torque)

    @property
    def positions(self):
        return np.array([(body.position.x, body.position.y) for body in self.bodies], float)

    @property
    def angles(self):
        return np.array([body.angle for body in self.bodies], float)

    @property
    def velocities(self):
        vs = [body.linear_velocity for body in self.bodies]
        return np.array([(v.x, v.y) for v in vs], float)

    @property
    def angular_velocities(self):
        return np.array([body.angular_velocity for body in self.bodies], float)

    def read_all(self):
        return self.batch.get_positions(self.buffer)

    @staticmethod
    def read_one(body):
        return body.position

    def first_hit(self, start, end):
        along = (end[0] - start[0], end[1] - start[1])
        return self.world.cast_ray_closest(start, along).hit
