"""Fast bodies left rooms with thin walls, or stood still in them.

What touched something already was not swept, so an outline that slid along a wall came through it
with another part; what flew along the inside of an arc came into it on a straight way; rows of
contacts that turned by radians within a sub-step gave blows that never were; with sweeps, a fast
body that was struck was set back along a chord of its way; and where a body stood in a narrow
corner of an open path, touching one side and nearly the other, it was taken to be on the far
side. With sweeps, what would meet a line soon after the step was taken to be beyond it: it stood
still, metres away; so did what had sunk into a wall that it glided along, and what a blow had bent
off its way. What met an outline went on, for its way was hardly bent, into the next of its edges,
which nobody had looked for; what was predicted to meet the inside of an arc was taken to touch it
already, and so not to be about to. What had sunk in went on unswept. One that passed several shapes
at once got the time back for each of them."""

import math

import pytest

from engine2d import Box, Path, World
from engine2d.collide.narrow_phase import contact_points
from tests.fuzz import shots

PASSED = {
    "fixed-segments": (1, 2003),
    "fixed-polyline": (152, 175, 380),
    "fixed-arcs": (138, 291),
    "fixed-ring": (27,),
    "turning-segments": (166, 2043),
    "turning-polyline": (54, 83),
    "turning-arcs": (21, 23, 124, 131, 181, 214),
    "turning-ring": (5, 103, 156),
    "loose-ring": (11, 12, 48, 62, 91, 92, 125, 175),
}
SWEPT = {
    "fixed-boxes": (35, 55, 61, 107, 148, 163),
    "fixed-segments": (14, 34, 64, 155),
    "fixed-polyline": (37, 45, 74, 118, 147, 160, 176, 179, 184, 228, 323, 327, 393, 405),
    "fixed-arcs": (38, 102, 171, 180, 266, 291, 407),
    "fixed-ring": (19, 64, 86, 155, 173, 182, 199, 276, 278, 320),
    "turning-boxes": (36, 38, 106, 177, 205, 215, 361, 362, 366, 370, 376, 383),
    "turning-segments": (139, 200, 291, 362),
    "turning-arcs": (14, 49, 168, 312),
    "turning-ring": (15, 268, 325, 342, 411),
    "loose-boxes": (82, 136, 139),
    "loose-ring": (64, 94, 167, 171, 182),
}


def cases(seeds):
    return [(kind, seed) for kind, many in seeds.items() for seed in many]


@pytest.mark.parametrize(("kind", "seed"), cases(PASSED))
def test_shots_stay_and_go_on(kind, seed):
    shot = shots.fly(kind, seed)
    assert shot.passed < 0
    assert shot.stood <= 1
    assert shot.gained < 1e-3


@pytest.mark.parametrize(("kind", "seed"), cases(SWEPT))
def test_shots_stay_and_go_on_with_sweeps(kind, seed):
    shot = shots.fly(kind, seed, "iterative")
    assert shot.passed < 0
    assert shot.stood <= 1
    assert shot.gained < 1e-3


@pytest.mark.xfail(
    strict=False, reason="2 of 1040: with sweeps, what glides along a turning wall sinks into it"
)
@pytest.mark.parametrize(("kind", "seed"), [("turning-polyline", 54), ("turning-arcs", 21)])
def test_shots_along_turning_walls_with_sweeps(kind, seed):
    assert shots.fly(kind, seed, "iterative").passed < 0


def corner_at(angle, depth, ahead, margin):
    """A box with its corner in a corner of an open path: depth (m) in the floor, and a gap of
    `ahead` (m) before the other side, which leans over it by half a right angle."""
    path = Path([(3 * math.cos(angle), 3 * math.sin(angle)), (0, 0), (3, 0)], closed=False)
    # the far end of its left side touches the leaning side, its lower one the floor
    low, left = (-0.2, -0.05), (-0.2, 0.05)
    y = -depth - low[1]
    height = y + left[1]
    x = height / math.tan(angle) + ahead / math.sin(angle) - left[0]
    return contact_points(path, (0, 0), Box(0.4, 0.1), (x, y), margin)


@pytest.mark.parametrize("depth", [1e-8, 1e-6, 1e-4, 1e-3])
@pytest.mark.parametrize("ahead", [0.0, 0.2, 0.7])
@pytest.mark.parametrize("margin", [0.0, 0.05])
def test_a_corner_is_left_as_it_was_entered(depth, ahead, margin):
    """What is in touch with one side of a narrow corner, and nearly with the other, is in it."""
    found = corner_at(0.7, depth, ahead * depth, margin)
    assert found
    assert min(contact.gap for contact in found) == pytest.approx(-depth, rel=1e-6)


RING = [
    (solver, speed)
    for solver in ("auto", "iterative")
    for speed in (20.0, 100.0, 200.0, 400.0, 1000.0, 2000.0)
]


@pytest.mark.parametrize(("solver", "speed"), RING)
def test_what_flies_along_a_ring_stays_in_it(solver, speed):
    """A disc that glides along the inside of a ring never gets faster, nor through it: it is not
    cut into more pieces than there are rounds."""
    world = World(gravity=(0, 0), solver=solver)
    world.add_static(*(s.replace(friction=0.0, restitution=0.0) for s in shots.ring(None)))
    disc = world.add_body(
        shots.room_shapes.disc(None, 0.6, friction=0.0)[0],
        position=(0, -(shots.HALF - 0.3)),
        velocity=(speed, 0),
    )
    for _ in range(60):
        world.step(1 / 60)
        assert math.hypot(*disc.position) < shots.HALF - 0.3 + shots.THICK
    assert math.hypot(*disc.velocity) <= speed * (1 + 1e-9)
