"""Scenes of joints: a bridge, a chain with a ball, one of each kind."""

import math

from engine2d import (
    AngleLimit,
    Box,
    Circle,
    Filter,
    Gear,
    Motor,
    Pin,
    Pulley,
    Ratchet,
    Rod,
    Rope,
    RotarySpring,
    Slider,
    Spring,
    Weld,
    Wheel,
)

APART = Filter(group=-1)


def hang_bridge(world, n=24, plank=(1.0, 0.25)):
    """n planks between two points of the world on a level; returns the planks."""
    width, height = plank
    planks, last = [], None
    for k in range(n):
        x = (k + 0.5 - 0.5 * n) * width
        body = world.add_body(Box(width, height, friction=0.6), position=(x, 0))
        world.add_joint(Pin(last, body, (x - 0.5 * width, 0)))
        planks.append(body)
        last = body
    world.add_joint(Pin(last, None, (0.5 * n * width, 0)))
    return planks


def hang_ball(world, top=(0.0, 9.0), links=16, link=0.4, mass=400.0):
    """A ball of a mass (kg) on a chain that is held out to the left; returns the ball."""
    last = None
    x, y = top
    for k in range(links):
        body = world.add_body(
            Box(link, 0.08, density=20, filter=APART), position=(x - (k + 0.5) * link, y)
        )
        world.add_joint(Pin(last, body, (x - k * link, y)))
        last = body
    ball = world.add_body(
        Circle(0.6, filter=APART), position=(x - links * link - 0.6, y), mass=mass
    )
    world.add_joint(Pin(last, ball, (x - links * link, y)))
    return ball


def place(k):
    """Where the zoo has its joint number k."""
    return 3.0 * (k % 5) - 6.0, 6.0 - 3.6 * (k // 5)


def add_zoo(world):
    """One joint of each kind, each with bodies of its own, in rows; returns the joints."""
    joints = []

    def box(x, y, w=1.2, h=0.25, **options):
        return world.add_body(Box(w, h), position=(x, y), **options)

    def disc(x, y, r=0.4, **options):
        return world.add_body(Circle(r), position=(x, y), **options)

    def add(joint):
        joints.append(world.add_joint(joint))

    x, y = place(0)
    add(Pin(None, box(x + 0.6, y), (x, y)))
    x, y = place(1)
    a, b = box(x + 0.6, y), box(x + 1.5, y, 0.6, 0.6)
    add(Weld(a, b, (x + 1.2, y)))
    world.add_joint(Pin(None, a, (x, y)))
    x, y = place(2)
    add(Slider(None, box(x, y, 0.8, 0.4), (x, y), (1, -0.4), low=-1, high=1, hertz=0.7))
    x, y = place(3)
    add(Rod(None, disc(x + 1.0, y), (x, y), (x + 1.0, y)))
    x, y = place(4)
    add(Rope(None, disc(x + 0.4, y), (x, y), (x + 0.4, y), length=1.2))
    x, y = place(5)
    add(Spring(None, disc(x, y - 1), (x, y), (x, y - 1), length=0.6, hertz=1.2))
    x, y = place(6)
    a = box(x, y)
    world.add_joint(Pin(None, a, (x, y)))
    add(RotarySpring(None, a, hertz=0.8, reference=0.7))
    x, y = place(7)
    a = disc(x, y)
    add(Wheel(None, a, (x, y), (0, 1), hertz=1.5, rate=4.0, max_torque=2.0))
    x, y = place(8)
    a = disc(x, y)
    world.add_joint(Pin(None, a, (x, y)))
    add(Motor(None, a, 3.0, max_torque=1.0))
    x, y = place(9)
    a, b = disc(x - 0.5, y, 0.6), disc(x + 0.45, y, 0.3)
    world.add_joint(Pin(None, a, (x - 0.5, y), rate=1.0, max_torque=5.0))
    world.add_joint(Pin(None, b, (x + 0.45, y)))
    add(Gear(a, b, -0.5, collide_connected=False))
    x, y = place(10)
    a = disc(x, y, 0.5, angular_velocity=6.0)
    world.add_joint(Pin(None, a, (x, y), friction=0.3))
    add(Ratchet(None, a, math.pi / 6))
    x, y = place(11)
    a = box(x + 0.6, y)
    world.add_joint(Pin(None, a, (x, y)))
    add(AngleLimit(None, a, -0.6, 0.6))
    x, y = place(12)
    a, b = disc(x - 0.5, y - 0.5, 0.3), disc(x + 0.5, y - 0.5, 0.32)
    add(Pulley(a, b, (x - 0.5, y - 0.5), (x + 0.5, y - 0.5), (x - 0.5, y + 1), (x + 0.5, y + 1)))
    return joints
