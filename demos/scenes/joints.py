"""Scenes of joints: a bridge, a chain with a ball, one of each kind."""

import math

from engine2d import (
    AngleLimit,
    Box,
    Circle,
    Drag,
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
    x, y = place(13)
    a = box(x, y, 0.8, 0.4)
    add(Drag(a, (x - 0.3, y), (x - 0.3, y + 0.8), max_force=20.0))
    return joints


def add_car(world, x=0.0, torque=2.0):
    """A car on two sprung, driven wheels at x, above the level 0; returns body and axles."""
    body = world.add_body(Box(3, 0.5), Box(1.4, 0.5, (-0.2, 0.5)), position=(x, 1.1))
    axles = []
    for side in (-1.0, 1.0):
        wheel = world.add_body(Circle(0.4, friction=0.9), position=(x + side, 0.42))
        suspension = {"hertz": 3.0, "damping_ratio": 0.6, "low": -0.25, "high": 0.25}
        axles.append(
            world.add_joint(
                Wheel(body, wheel, wheel.position, **suspension, rate=-25.0, max_torque=torque)
            )
        )
    return body, axles


# Of Peaucellier's linkage: the long bars, those of the rhombus, and the crank (m).
LONG, SIDE, CRANK = 3.0, 1.2, 1.2
LINE = (LONG**2 - SIDE**2) / (2 * CRANK)  # m, how far from the origin its point goes straight


def add_linkage(world, turned=0.7):
    """Peaucellier's linkage about the origin, seven bars, its crank at an angle (rad): the far
    corner of its rhombus goes along x = LINE, hung on a spring. Returns that corner."""
    c, s = math.cos(0.5 * turned), math.sin(0.5 * turned)
    near = 2 * CRANK * c
    far = (LONG**2 - SIDE**2) / near
    middle, half = 0.5 * (near + far), 0.5 * (far - near)
    wide = math.sqrt(SIDE**2 - half**2)

    def corner(along, across, r=0.1, **options):
        place = (along * c - across * s, along * s + across * c)
        return world.add_body(Circle(r, filter=APART), position=place, **options)

    p, q1, q2 = corner(near, 0.0), corner(middle, wide), corner(middle, -wide)
    r = corner(far, 0.0, 0.2, mass=1.0)
    world.add_joint(Rod(None, p, (CRANK, 0), p.position))
    for q in (q1, q2):
        world.add_joint(Rod(None, q, (0, 0), q.position))
        world.add_joint(Rod(p, q, p.position, q.position))
        world.add_joint(Rod(q, r, q.position, r.position))
    world.add_joint(Spring(None, r, (LINE, 5.0), r.position, hertz=0.6))
    return r
