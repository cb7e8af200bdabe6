"""Two shapes for each kind of contact, A on top of B, with a name for each."""

import math
from typing import NamedTuple

from engine2d import Box, Capsule, Circle, Path, Polygon, Shape

TOP = -0.3  # m, of the blocks that A stands on
HOLLOW = 0.9  # m, radius of the bowl
RIM = 0.45  # m, height of its rim
TIP = -0.55  # m, of the groove
BUMP = 0.85  # m, radius of the dome
BASE = -0.75  # m, lower side of most of what A stands on


class Touching(NamedTuple):
    """Two shapes in one picture; poses are (x, y, angle)."""

    name: str
    a: Shape
    pose_a: tuple[float, float, float]
    b: Shape
    pose_b: tuple[float, float, float]
    margin: float = 0.0


def block(top=TOP):
    return Box(2.2, 0.6, center=(0.0, top - 0.3))


def hollow():
    """A block with a half disc taken out of its top."""
    points = [(-1.2, BASE), (1.2, BASE), (1.2, RIM), (HOLLOW, RIM), (-HOLLOW, RIM), (-1.2, RIM)]
    return Path(points, [0, 0, 0, -1, 0, 0])


def groove():
    """A block with a V cut into its top, both sides at 45 degrees."""
    points = [(-1.1, BASE), (1.1, BASE), (1.1, 0.3), (0.85, 0.3), (0.0, TIP), (-0.85, 0.3)]
    return Polygon([*points, (-1.1, 0.3)])


def wedge():
    """A triangle that stands on its tip, the frame's origin."""
    return Polygon([(0.0, 0.0), (0.38, 0.9), (-0.38, 0.9)])


def dome():
    """Half a disc, its flat side down."""
    return Path([(BUMP, BASE), (-BUMP, BASE)], [1, 0])


def terrain():
    """An open line: a hill, a valley and a hill, arcs of radius 0.5 that join smoothly."""
    points = [(-1.2, -0.2), (-0.4, -0.2), (0.4, -0.2), (1.2, -0.2)]
    return Path(points, [-0.5, 0.5, -0.5], closed=False)


def above(centre, radius, angle, turn=0.0):
    """A pose so far from a centre, at an angle from straight up."""
    x, y = centre
    return (x + radius * math.sin(angle), y + radius * math.cos(angle), turn)


def on_blocks():
    """Contacts with straight edges."""
    here = (0.0, 0.0, 0.0)
    disc = Circle(0.5)
    return [
        Touching("corner on edge", wedge(), (0.0, TOP, 0.3), block(), here),
        Touching("arc on edge", disc, (0.0, TOP + 0.5, 0.0), block(), here),
        Touching("edge on edge", Box(1.2, 0.8), (0.2, TOP + 0.4, 0.0), block(), here),
        Touching(
            "arc in a groove", disc, (0.0, TIP + disc.radius * math.sqrt(2), 0.0), groove(), here
        ),
        Touching("deep overlap", Box(1.0, 0.7, radius=0.2), (0.1, TOP + 0.05, 0.3), block(), here),
        Touching("apart, in the margin", disc, (0.0, TOP + 0.65, 0.0), block(), here, margin=0.4),
    ]


def on_arcs():
    """Contacts with convex and concave arcs."""
    here, pill = (0.0, 0.0, 0.0), Capsule((-0.4, 0.0), (0.4, 0.0), 0.25)
    low, high = (0.0, BASE), (0.0, RIM)  # centres of the dome and of the hollow
    side = math.pi - 0.5
    sunk = RIM - math.sqrt((HOLLOW - pill.radius) ** 2 - 0.4**2)
    small = Circle(0.35)
    return [
        Touching("corner on arc", wedge(), above(low, BUMP, 0.2, -0.3), dome(), here),
        Touching("arc on arc", Circle(0.4), above(low, BUMP + 0.4, 0.3), dome(), here),
        Touching("corner on concave arc", wedge(), above(high, HOLLOW, side, 0.15), hollow(), here),
        Touching("arc on concave arc", small, above(high, HOLLOW - 0.35, side), hollow(), here),
        Touching("two arcs in a bowl", pill, (0.0, sunk, 0.0), hollow(), here),
        Touching("arc on open terrain", small, above((0.8, -0.5), 0.85, -0.4), terrain(), here),
    ]


def gallery():
    """One of each kind."""
    return on_blocks() + on_arcs()
