"""Scenes of the exact clock and what theory says about them: bounces, a ladder, humps."""

import math

from demos.scenes.scene import Body, Scene
from engine2d import Box, Capsule, Circle, Path, Segment

DROP = 1.0  # m, from which the ball falls
BALL = 0.25  # m, radius
LADDER, RAIL = 2.0, 0.05  # m, length and half its thickness
STOP = 5.0  # m from the wall, where what slides along the floor is stopped
HUMP, DISC = 2.0, 0.3  # m, radii


def bounce(e, x=0.0):
    """A ball let go above a floor."""
    floor = Segment((x - 0.8, 0.0), (x + 0.8, 0.0), friction=0.0, restitution=e)
    ball = Circle(BALL, friction=0.0, restitution=e)
    return Scene("bounce", (Body((floor,), kind="static"), Body((ball,), (x, BALL + DROP))))


def bounce_times(e, g, count):
    """Times (s) of the first bounces, and their limit."""
    first = math.sqrt(2.0 * DROP / g)
    times = [first * (1.0 + 2.0 * sum(e**k for k in range(1, n))) for n in range(1, count + 1)]
    return times, first * (1.0 + e) / (1.0 - e) if e < 1.0 else math.inf


def ladder(angle):
    """A ladder against a smooth wall at x = 0 on a smooth floor, `angle` (rad) from upright."""
    x, y = 0.5 * LADDER * math.sin(angle), 0.5 * LADDER * math.cos(angle)
    rail = Capsule((-0.5 * LADDER, 0.0), (0.5 * LADDER, 0.0), RAIL, friction=0.0)
    walls = (
        Box(0.3, 4.0, center=(-0.15, 1.7), friction=0.0),
        Box(8.0, 0.3, center=(3.0, -0.15), friction=0.0),
        Box(0.3, 0.5, center=(STOP + 0.15, 0.25), friction=0.0),
    )
    return Scene(
        "ladder",
        (Body(walls, kind="static"), Body((rail,), (RAIL + x, RAIL + y), angle - 0.5 * math.pi)),
    )


def ladder_leaves(angle):
    """Where (rad from upright) the ladder leaves the wall, let go at rest at `angle`.

    Its middle goes round a circle of radius L/2 with u = w^2 = 2 p (cos a0 - cos a), p the pull per
    inertia; the wall pushes with m d2x/dt2, which is 0 where p sin a cos a = u sin a.
    """
    return math.acos(2.0 / 3.0 * math.cos(angle))


def hump(angle, mu, x=0.0):
    """A disc on top of a round hump, `angle` (rad) off the top."""
    way = HUMP + DISC
    top = Path([(HUMP, 0.0), (-HUMP, 0.0)], [1.0, 0.0], friction=mu)
    disc = Circle(DISC, friction=mu)
    place = (x + way * math.sin(angle), way * math.cos(angle))
    return Scene("hump", (Body((top,), (x, 0.0), kind="static"), Body((disc,), place)))


def hump_leaves(angle, mu):
    """Where (rad off the top) the disc slips, and where it leaves the hump.

    Rolling, u = w^2 way / g = 4/3 (cos a0 - cos a); it slips where sin a / 3 = mu (cos a - u), then
    du/da = 2 (sin a - mu (cos a - u)), and leaves where u = cos a. Without friction u = 2 (cos a0 -
    cos a) from the start.
    """
    if mu == 0.0:
        return angle, math.acos(2.0 / 3.0 * math.cos(angle))
    low, high = angle, 1.2
    for _ in range(60):
        a = 0.5 * (low + high)
        u = 4.0 / 3.0 * (math.cos(angle) - math.cos(a))
        if math.sin(a) / 3.0 < mu * (math.cos(a) - u):
            low = a
        else:
            high = a
    slips, u, h = low, 4.0 / 3.0 * (math.cos(angle) - math.cos(low)), 1e-4
    a = slips

    def rate(a, u):
        return 2.0 * (math.sin(a) - mu * (math.cos(a) - u))

    while u < math.cos(a) and a < 1.5:
        k1 = rate(a, u)
        k2 = rate(a + h / 2, u + h / 2 * k1)
        k3 = rate(a + h / 2, u + h / 2 * k2)
        k4 = rate(a + h, u + h * k3)
        before = math.cos(a) - u
        a, u = a + h, u + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    after = math.cos(a) - u
    return slips, a - h * after / (after - before)
