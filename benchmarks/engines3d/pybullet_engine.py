"""PyBullet in maximal coordinates, which is its faster way for bodies without joints."""

import numpy as np
import pybullet as p


class Engine:
    name = "pybullet"

    def __init__(self, scene, dt):
        self.client = client = p.connect(p.DIRECT)
        p.setGravity(*scene.gravity, physicsClientId=client)
        p.setTimeStep(dt, physicsClientId=client)
        for normal, offset in scene.planes:
            shape = p.createCollisionShape(p.GEOM_PLANE, planeNormal=normal, physicsClientId=client)
            body = p.createMultiBody(
                0, shape, basePosition=[offset * x for x in normal], physicsClientId=client
            )
            self.set_material(body, scene)
        self.bodies = []
        for item in scene.items:
            if item.is_sphere:
                shape = p.createCollisionShape(
                    p.GEOM_SPHERE, radius=item.size, physicsClientId=client
                )
            else:
                shape = p.createCollisionShape(
                    p.GEOM_BOX, halfExtents=item.size, physicsClientId=client
                )
            w, x, y, z = item.orientation
            body = p.createMultiBody(
                item.mass,
                shape,
                basePosition=item.position,
                baseOrientation=(x, y, z, w),
                useMaximalCoordinates=1,
                physicsClientId=client,
            )
            self.set_material(body, scene)
            p.resetBaseVelocity(body, item.velocity, item.angular_velocity, physicsClientId=client)
            self.bodies.append(body)

    def set_material(self, body, scene):
        # friction of a pair is the product: one of the two gives it, so each the root
        p.changeDynamics(
            body,
            -1,
            lateralFriction=scene.friction**0.5,
            restitution=0,
            linearDamping=0,
            angularDamping=0,
            activationState=p.ACTIVATION_STATE_DISABLE_SLEEPING,
            physicsClientId=self.client,
        )

    def step(self):
        p.stepSimulation(physicsClientId=self.client)

    def __del__(self):
        if p.isConnected(self.client):
            p.disconnect(self.client)

    def poses(self):
        return [
            p.getBasePositionAndOrientation(b, physicsClientId=self.client) for b in self.bodies
        ]

    @property
    def positions(self):
        return np.array([place for place, _ in self.poses()])

    @property
    def orientations(self):
        return np.array([turn for _, turn in self.poses()])[:, (3, 0, 1, 2)]

    @property
    def velocities(self):
        return np.array([p.getBaseVelocity(b, physicsClientId=self.client)[0] for b in self.bodies])
