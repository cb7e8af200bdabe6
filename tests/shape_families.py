"""Hypothesis strategies: shapes of every kind, and pairs of them that nearly touch."""

import cmath
import math

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from engine2d import Box, Capsule, Circle, Path, Polygon, Segment
from tests import shape_oracle as oracle
from tests.support import numbers

ROUNDS = 6  # of stepping towards each other: each halves the way at least where corners meet
FAR = 2.5  # m, from the origin of B's frame to that of A's at the start


def bulges(size):
    """Of straight pieces and of arcs; none so flat that rounding, eps times its radius, shows."""
    return st.one_of(st.just(0.0), numbers(-size, size).map(lambda b: b if abs(b) > 1e-4 else 0.0))


def at_angle(angle, radius=1.0):
    return radius * np.array([math.cos(angle), math.sin(angle)])


@st.composite
def circles(draw):
    return Circle(draw(numbers(0.05, 1.0)), center=(draw(numbers(-0.5, 0.5)), 0.0))


@st.composite
def boxes(draw, rounded=False):
    width, height = draw(numbers(0.2, 2.0)), draw(numbers(0.2, 2.0))
    radius = draw(numbers(0.05, 0.5)) * min(width, height) if rounded else 0.0
    return Box(width, height, angle=draw(numbers(-1.0, 1.0)), radius=radius)


@st.composite
def convex_polygons(draw, rounded=False):
    """Corners on an ellipse, none nearer than a third of their share."""
    n = draw(st.integers(3, 8))
    turns = [draw(numbers(0.0, 2 / 3)) for _ in range(n)]
    angles = 2 * np.pi * (np.arange(n) + turns) / n
    points = np.column_stack([np.cos(angles), draw(numbers(0.4, 1.0)) * np.sin(angles)])
    return try_make(lambda: Polygon(points, radius=0.05 if rounded else 0.0))


@st.composite
def stars(draw, rounded=False):
    """Concave polygons."""
    n = draw(st.integers(4, 7))
    radii = [draw(numbers(0.3, 1.2)) for _ in range(n)]
    angles = 2 * np.pi * np.arange(n) / n
    points = np.column_stack([radii * np.cos(angles), radii * np.sin(angles)])
    return try_make(lambda: Polygon(points, radius=0.02 if rounded else 0.0))


@st.composite
def lines(draw, kind=Segment, radius=None):
    reach = at_angle(draw(numbers(0.0, np.pi)), draw(numbers(0.1, 1.0)))
    shift = np.array([draw(numbers(-0.5, 0.5)), 0.0])
    thick = 0.0 if radius is None else draw(radius)
    return kind(shift - reach, shift + reach, thick)


@st.composite
def half_discs(draw):
    r = draw(numbers(0.2, 1.0))
    return Path([(-r, 0.0), (r, 0.0)], [1, 0])


@st.composite
def bowls(draw):
    """A block with a round hollow in its top: a half disc, or a shallower one."""
    half, depth = draw(numbers(0.3, 0.9)), draw(st.sampled_from([0.3, 0.6, 1.0]))
    points = [(-1, -0.8), (1, -0.8), (1, 0.3), (half, 0.3), (-half, 0.3), (-1, 0.3)]
    return try_make(lambda: Path(points, [0, 0, 0, -depth, 0, 0]))


@st.composite
def cams(draw):
    """A large arc and a small one with straight flanks: convex, smooth, of several radii."""
    large, share = draw(numbers(0.4, 0.8)), draw(numbers(0.2, 0.9))
    small, apart = large * share, 1.0
    lean = math.asin((large - small) / apart)
    c, s = math.cos(lean), math.sin(lean)
    points = [(-large * c, large * s), (large * c, large * s)]
    points += [(small * c, apart + small * s), (-small * c, apart + small * s)]
    bulges = [math.tan((math.pi + 2 * lean) / 4), 0, math.tan((math.pi - 2 * lean) / 4), 0]
    return Path(points, bulges)


@st.composite
def annular_sectors(draw):
    inner, outer = draw(numbers(0.3, 0.8)), draw(numbers(0.9, 1.3))
    sweep = draw(numbers(0.3, 5.5))
    bulge, end = math.tan(sweep / 4), at_angle(sweep)
    return Path([(outer, 0), outer * end, inner * end, (inner, 0)], [bulge, 0, -bulge, 0])


@st.composite
def slots(draw):
    """A disc with a slot cut into it, round at its end."""
    half, depth = draw(numbers(0.1, 0.4)), draw(numbers(-0.3, 0.3))
    mouth = math.sqrt(1 - half * half)
    rim = math.tan((2 * math.pi - 2 * math.asin(half)) / 4)
    points = [(-half, mouth), (half, mouth), (half, -depth), (-half, -depth)]
    return try_make(lambda: Path(points, [rim, 0, -1, 0]))


@st.composite
def blobs(draw):
    """Any mix of edges and arcs around a middle."""
    n = draw(st.integers(3, 7))
    angles = 2 * np.pi * np.arange(n) / n
    radii = [draw(numbers(0.5, 1.2)) for _ in range(n)]
    bends = [draw(bulges(0.5)) for _ in range(n)]
    points = np.column_stack([radii * np.cos(angles), radii * np.sin(angles)])
    return try_make(lambda: Path(points, bends))


@st.composite
def terrains(draw):
    """Open runs of edges and arcs."""
    n = draw(st.integers(2, 6))
    x = np.linspace(-1.5, 1.5, n)
    y = [draw(numbers(-0.4, 0.4)) for _ in range(n)]
    bends = [draw(bulges(0.6)) for _ in range(n - 1)]
    return try_make(lambda: Path(np.column_stack([x, y]), bends, closed=False))


def try_make(make):
    """The shape, or another example where the outline meets itself."""
    try:
        return make()
    except ValueError:
        assume(False)


KINDS = {
    "circle": circles(),
    "box": boxes(),
    "rounded box": boxes(rounded=True),
    "convex polygon": convex_polygons(),
    "rounded convex polygon": convex_polygons(rounded=True),
    "concave polygon": stars(),
    "rounded concave polygon": stars(rounded=True),
    "capsule": lines(Capsule, numbers(0.05, 0.5)),
    "segment": lines(),
    "thick segment": lines(Segment, numbers(0.02, 0.2)),
    "half disc": half_discs(),
    "bowl": bowls(),
    "cam": cams(),
    "annular sector": annular_sectors(),
    "slotted disc": slots(),
    "blob": blobs(),
    "terrain": terrains(),
}
CONVEX = (
    "circle",
    "box",
    "rounded box",
    "convex polygon",
    "rounded convex polygon",
    "capsule",
    "segment",
    "thick segment",
    "half disc",
    "cam",
)
SOLID = tuple(name for name in KINDS if name not in ("segment", "terrain"))


def shapes(names=None):
    """A shape of one of these kinds, or of any."""
    return st.sampled_from(names or tuple(KINDS)).flatmap(KINDS.__getitem__)


@st.composite
def poses(draw, size=FAR):
    return (draw(numbers(-size, size)), draw(numbers(-size, size)), draw(numbers(-np.pi, np.pi)))


@st.composite
def pairs(draw, names=None, other=None, gap=(-0.3, 0.5)):
    """(shape_a, pose_a, shape_b, pose_b): A has come along a line as near to B as `gap` says.

    Where the line leads past B, or A overlapped B to begin with, the gap is what it is.
    """
    a, b = draw(shapes(names)), draw(shapes(other or names))
    pose_a, pose_b = draw(poses()), draw(poses(1.0))
    wanted = draw(numbers(*gap))
    ahead = complex(pose_b[0] - pose_a[0], pose_b[1] - pose_a[1])
    assume(abs(ahead) > 1e-3)
    ahead *= cmath.rect(1.0 / abs(ahead), draw(numbers(-0.5, 0.5)))
    for _ in range(ROUNDS):
        room = oracle.distance(a, pose_a, b, pose_b)
        if not 1e-9 < room < 10.0:
            break
        pose_a = advance(pose_a, ahead, max(room, 1e-9) * (1 - 1e-9))
    return a, advance(pose_a, ahead, -wanted), b, pose_b


def advance(pose, direction, way):
    x, y, angle = pose
    return (x + way * direction.real, y + way * direction.imag, angle)
