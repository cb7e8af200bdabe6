"""pymunk (Chipmunk): ten iterations, its usual settings, a slop of half a centimetre."""

import math

import numpy as np
import pymunk
import pymunk.batch

from benchmarks.engines import chain_of
from engine2d import Circle, Segment

ITERATIONS = 10
SLOP = 0.005  # m; the default, 0.1, is meant for pixels
KINDS = {
    "dynamic": pymunk.Body.DYNAMIC,
    "static": pymunk.Body.STATIC,
    "kinematic": pymunk.Body.KINEMATIC,
}


class Engine:
    name = "pymunk"

    def __init__(self, scene):
        self.space = pymunk.Space()
        self.space.gravity = scene.gravity
        self.space.iterations = ITERATIONS
        self.space.collision_slop = SLOP
        self.bodies = [self.add(body) for body in scene.bodies]
        for hinge in scene.hinges:
            self.join(hinge)
        self.buffer = pymunk.batch.Buffer()

    def add(self, body):
        made = pymunk.Body(body_type=KINDS[body.kind])
        made.position, made.angle = body.position, body.angle
        made.velocity, made.angular_velocity = body.velocity, body.angular_velocity
        shapes = [self.shape(made, shape) for shape in body.shapes]
        chain = chain_of(body.shapes)
        if chain is not None:  # no bumps at the seams
            for shape, before, after in zip(shapes, chain[:1] + chain, chain[2:] + chain[-1:]):
                shape.set_neighbors(before, after)
        self.space.add(made, *shapes)
        return made

    def join(self, hinge):
        a, b = (self.space.static_body if k is None else self.bodies[k] for k in (hinge.a, hinge.b))
        made = [pymunk.PivotJoint(a, b, hinge.point)]
        if hinge.low is not None:
            turned = b.angle - a.angle
            made.append(pymunk.RotaryLimitJoint(a, b, hinge.low + turned, hinge.high + turned))
        for joint in made:
            joint.collide_bodies = False
        self.space.add(*made)

    @staticmethod
    def shape(body, shape):
        if isinstance(shape, Circle):
            made = pymunk.Circle(body, shape.radius, shape.center)
        elif isinstance(shape, Segment):
            made = pymunk.Segment(body, *map(tuple, shape.points.tolist()), 0.0)
        else:
            made = pymunk.Poly(body, shape.points.tolist())
        made.density = shape.density
        made.filter = pymunk.ShapeFilter(group=max(-shape.filter.group, 0))
        # a pair's are products here
        made.friction = math.sqrt(shape.friction)
        made.elasticity = math.sqrt(shape.restitution)
        return made

    def step(self, dt):
        self.space.step(dt)

    @staticmethod
    def push(body, force, torque):
        body.force = force
        body.torque = torque

    @property
    def positions(self):
        return np.array([body.position for body in self.bodies])

    @property
    def angles(self):
        return np.array([body.angle for body in self.bodies])

    @property
    def velocities(self):
        return np.array([body.velocity for body in self.bodies])

    @property
    def angular_velocities(self):
        return np.array([body.angular_velocity for body in self.bodies])

    def read_all(self):
        self.buffer.clear()
        fields = pymunk.batch.BodyFields.POSITION
        pymunk.batch.get_space_bodies(self.space, fields, self.buffer)
        return np.frombuffer(self.buffer.float_buf(), dtype=float).reshape(-1, 2)

    @staticmethod
    def read_one(body):
        return body.position

    def first_hit(self, start, end):
        return self.space.segment_query_first(start, end, 0.0, pymunk.ShapeFilter()) is not None
