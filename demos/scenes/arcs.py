"""True arcs: a disc in a round bowl, and a half disc that rocks; their periods."""

import math

import numpy as np

from demos.scenes.scene import Body, Scene
from engine2d import Circle, Path

BOWL = 3.0  # m, radius
DISC = 0.5  # m, radius
ROCKER = 1.2  # m, radius


def bowl(angle, center=(0.0, 0.0)):
    """A disc at rest in a half-round bowl, `angle` (rad) from its lowest point."""
    x, y = center
    # bulge 1 is half a turn, anticlockwise: from the left rim through the bottom
    round_ = Path([(-BOWL, 0.0), (BOWL, 0.0)], [1.0], closed=False)
    away = BOWL - DISC
    place = (x + away * math.sin(angle), y - away * math.cos(angle))
    return Scene(
        "bowl",
        (Body((round_,), position=center, kind="static"), Body((Circle(DISC),), position=place)),
        sizes={"center": center},
    )


def rocker(angle, at=(0.0, 0.0)):
    """A half disc, round side down, on a floor at that height, turned by `angle` (rad)."""
    x, y = at
    half = Path([(-ROCKER, 0.0), (ROCKER, 0.0)], [1.0, 0.0])
    floor = Path([(x - 2.5, y), (x + 2.5, y), (x + 2.5, y - 0.4), (x - 2.5, y - 0.4)])
    # the frame is at the middle of the flat side, a radius above the floor whatever the angle
    bodies = (
        Body((floor,), kind="static"),
        Body((half,), position=(x - ROCKER * angle, y + ROCKER), angle=angle),
    )
    return Scene("rocker", bodies)


def bowl_period(angle, g):
    """Of a disc that rolls in the bowl (s), at any amplitude (rad): a pendulum's, 3/2 as heavy."""
    return 4.0 * math.sqrt(1.5 * (BOWL - DISC) / g) * quarter(angle)


def quarter(angle):
    """The complete elliptic integral K(sin(angle / 2)), by the arithmetic-geometric mean."""
    a, b = 1.0, math.cos(0.5 * angle)
    while abs(a - b) > 1e-15:
        a, b = 0.5 * (a + b), math.sqrt(a * b)
    return 0.5 * math.pi / a


def rocker_period(angle, g):
    """Of the half disc that rolls on the floor (s), at any amplitude (rad), by quadrature."""
    d = 4.0 * ROCKER / (3.0 * math.pi)  # from the middle of the flat side to the centre of mass
    inertia = 0.5 * ROCKER**2 - d**2  # over the mass
    # theta = angle sin(phi) takes the root at the turning point away
    phi = (np.arange(200) + 0.5) * (0.5 * math.pi / 200)
    theta = angle * np.sin(phi)
    about = inertia + ROCKER**2 + d**2 - 2.0 * ROCKER * d * np.cos(theta)
    rate = np.sqrt(2.0 * g * d * (np.cos(theta) - math.cos(angle)) / about)
    return float(4.0 * (angle * np.cos(phi) / rate).sum() * (0.5 * math.pi / 200))
