"""Scenes that this engine and pymunk (Chipmunk) must answer alike, and as theory does.

pymunk moves with the velocity at the end of a step (symplectic Euler), so under an acceleration a
its places are off by a dt t / 2, and it lets bodies sink in by its slop. Tolerances against pymunk
are made of these two; those of this engine against theory are stated beside each.
"""

import math

import numpy as np
import pytest

pytest.importorskip("pymunk", reason="pymunk is what is compared with")

from benchmarks.engines.engine2d_engine import Engine as Ours
from benchmarks.engines.pymunk_engine import SLOP
from benchmarks.engines.pymunk_engine import Engine as Pymunk
from demos.demo import tune
from demos.scenes.blocks import ground, heavy_stack, upright
from demos.scenes.bounces import RADIUS, bounces
from demos.scenes.rows import cradle
from demos.scenes.scene import Body, Scene
from demos.scenes.slopes import incline, roll_acceleration, slide_acceleration
from demos.scenes.stacks import stacks
from engine2d import Box, Circle, Polygon

DT = 1 / 60
G = 10.0  # m/s^2
EXACT = 1e-9  # where both only add up the same numbers, in another order
SINK = 2.0 * SLOP  # m that bodies of pymunk may be in each other, and so off their place


def euler(acceleration, seconds):
    """How far off (m) a body of pymunk may be that accelerates so."""
    return 0.5 * acceleration * DT * seconds * (1.0 + 1e-9) + EXACT


def run(scene, seconds, e=0.0, mu=0.6, gravity=(0.0, -G)):
    """Both engines, so long after the start."""
    made = tune(scene, e, mu)
    made = Scene(made.name, made.bodies, gravity, made.sizes)
    engines = Ours(made), Pymunk(made)
    for _ in range(round(seconds / DT)):
        for engine in engines:
            engine.step(DT)
    return engines


def apart(ours, theirs):
    """The largest distance (m) between the two places of a body."""
    return np.hypot(*(ours.positions - theirs.positions).T).max()


# ---- free flight


def test_free_fall():
    ours, theirs = run(Scene("fall", (Body((Circle(0.5),), position=(0, 100)),)), 2.0)
    assert ours.positions[0, 1] == pytest.approx(100 - 0.5 * G * 2.0**2, abs=EXACT)
    assert apart(ours, theirs) <= euler(G, 2.0)
    assert ours.velocities == pytest.approx(theirs.velocities, abs=EXACT)


def test_a_projectile():
    body = Body((Box(1, 2),), velocity=(7, 12), angular_velocity=3.0)
    ours, theirs = run(Scene("throw", (body,)), 2.0)
    assert ours.positions[0] == pytest.approx([14, 24 - 0.5 * G * 4], abs=EXACT)
    assert apart(ours, theirs) <= euler(G, 2.0)
    assert ours.angles == pytest.approx(theirs.angles, abs=EXACT)


@pytest.mark.parametrize("shape", [Box(1, 3), Circle(1), Polygon([(0, 0), (3, 0), (0, 1)])])
def test_what_spins_in_free_flight_goes_on(shape):
    body = Body((shape,), velocity=(1, 2), angular_velocity=5.0)
    ours, theirs = run(Scene("spin", (body,)), 3.0, gravity=(0.0, 0.0))
    assert ours.angles[0] == pytest.approx(15.0, abs=EXACT)
    assert ours.angles == pytest.approx(theirs.angles, abs=EXACT)
    assert ours.angular_velocities == pytest.approx(theirs.angular_velocities, abs=EXACT)


@pytest.mark.parametrize(
    "shape", [Box(1, 3, density=2), Circle(0.7), Polygon([(0, 0), (3, 0), (1, 2)], density=5)]
)
def test_mass_and_inertia(shape):
    """Of the same shapes; both are closed forms."""
    ours, theirs = run(Scene("one", (Body((shape,)),)), DT)
    body = ours.bodies[0]
    assert body.mass == pytest.approx(theirs.bodies[0].mass, rel=1e-12)
    assert body.inertia == pytest.approx(theirs.bodies[0].moment, rel=1e-12)
    assert body.local_center == pytest.approx(theirs.bodies[0].center_of_gravity, abs=1e-12)


# ---- sliding and rolling


def test_sliding_to_rest():
    """v^2 / (2 mu g), and not a millimetre more."""
    mu, speed = 0.4, 5.0
    box = Body((Box(2, 1),), position=(0, 0.5), velocity=(speed, 0))
    ours, theirs = run(Scene("slide", (ground(), box)), 3.0, mu=mu)
    assert ours.positions[1, 0] == pytest.approx(speed**2 / (2 * mu * G), abs=1e-3)
    # the speed falls by mu g dt a step, and what is left of a step at the end is less than that
    assert apart(ours, theirs) <= 0.5 * speed * DT + SINK
    assert np.hypot(*ours.velocities[1]) < 1e-9
    assert np.hypot(*theirs.velocities[1]) < 1e-6


@pytest.mark.parametrize(("degrees", "mu"), [(25.0, 0.3), (40.0, 0.5), (10.0, 0.0)])
def test_sliding_and_rolling_down_a_slope(degrees, mu):
    angle, seconds = math.radians(degrees), 1.5
    scene = incline(angle)
    ours, theirs = run(scene, seconds, mu=mu)
    down = np.array(scene.sizes["down"])
    for row, rule in ((1, slide_acceleration), (2, roll_acceleration)):
        a = rule(angle, mu, G)
        start = np.array(scene.bodies[row].position)
        assert (ours.positions[row] - start) @ down == pytest.approx(0.5 * a * seconds**2, abs=1e-6)
        assert ours.velocities[row] @ down == pytest.approx(a * seconds, abs=1e-6)
        # as both accelerate from the first step on
        off = np.hypot(*(ours.positions[row] - theirs.positions[row]))
        assert off <= euler(a, seconds) + SINK
        assert theirs.velocities[row] @ down == pytest.approx(a * seconds, rel=0.02)


def test_a_box_sticks_below_the_friction_angle():
    """tan(25 degrees) = 0.47 < 0.6."""
    scene = incline(math.radians(25.0))
    ours, theirs = run(scene, 5.0, mu=0.6)
    start = np.array(scene.bodies[1].position)
    assert np.hypot(*(ours.positions[1] - start)) < 1e-6
    assert np.hypot(*(theirs.positions[1] - start)) < SINK


def test_a_box_rides_on_a_platform():
    """It is taken along, after slipping until it is as fast: v^2 / (2 mu g) behind."""
    mu, speed = 0.5, 2.0
    platform = Body((Box(30, 1),), position=(0, -0.5), velocity=(speed, 0), kind="kinematic")
    box = Body((Box(1, 1),), position=(0, 0.5))
    ours, theirs = run(Scene("platform", (platform, box)), 3.0, mu=mu)
    assert ours.positions[0, 0] == pytest.approx(6.0, abs=EXACT)
    assert ours.positions[1, 0] == pytest.approx(6.0 - speed**2 / (2 * mu * G), abs=1e-3)
    assert ours.velocities[1] == pytest.approx([speed, 0], abs=1e-9)
    assert apart(ours, theirs) <= 0.5 * speed * DT + SINK


# ---- rest


@pytest.mark.parametrize(
    ("scene", "seconds"), [(upright(), 10.0), (stacks(3, 4), 4.0), (heavy_stack(1.0), 4.0)]
)
def test_what_stands_stays(scene, seconds):
    ours, theirs = run(scene, seconds)
    start = np.array([body.position for body in scene.bodies])
    height = len(scene.bodies)  # of a stack, at most: each box may sink into the one below
    assert np.hypot(*(ours.positions - start).T).max() < 1e-6
    assert np.hypot(*(theirs.positions - start).T).max() < height * SINK
    assert np.hypot(*ours.velocities.T).max() < 1e-9


# ---- impacts


def test_two_equal_discs_change_places():
    """Head on, e = 1: each goes on with the other's velocity."""
    discs = (
        Body((Circle(0.5),), position=(-2, 0), velocity=(3, 0)),
        Body((Circle(0.5),), position=(2, 0), velocity=(-1, 0)),
    )
    ours, theirs = run(Scene("two", discs), 2.0, e=1.0, mu=0.0, gravity=(0.0, 0.0))
    for engine in (ours, theirs):
        assert engine.velocities == pytest.approx(np.array([[-1, 0], [3, 0]]), abs=EXACT)
    # pymunk's part a step late at most
    assert apart(ours, theirs) <= 4.0 * DT + EXACT


@pytest.mark.parametrize("e", [0.0, 0.3, 0.7, 1.0])
def test_two_unlike_discs_head_on(e):
    """Momentum, and the speed of parting is e times that of approach."""
    heavy, light, speed = 9.0, 1.0, 2.0
    discs = (
        Body((Circle(0.5, density=heavy),), position=(-2, 0), velocity=(speed, 0)),
        Body((Circle(0.5, density=light),), position=(0, 0)),
    )
    ours, theirs = run(Scene("two", discs), 1.0, e=e, mu=0.0, gravity=(0.0, 0.0))
    common = heavy * speed / (heavy + light)
    parting = e * speed
    right = [common - parting * light / (heavy + light), common + parting * heavy / (heavy + light)]
    for engine in (ours, theirs):
        assert engine.velocities[:, 0] == pytest.approx(right, abs=1e-6)


def test_bounces_without_loss():
    """e = 1: ours comes back to its height for ever; pymunk's is within two steps' fall of it."""
    height = 2.0
    ours, theirs = run(bounces((height,)), 0.0, e=1.0)
    tops = []
    for engine in (ours, theirs):
        ys = []
        for _ in range(600):
            engine.step(DT)
            ys.append(engine.positions[1, 1] - RADIUS + 0.5 * engine.velocities[1, 1] ** 2 / G)
        tops.append(np.array(ys))
    assert tops[0] == pytest.approx(height, abs=1e-6)
    fall = math.sqrt(2.0 * height * G) * DT
    assert tops[1] == pytest.approx(height, abs=2.0 * fall)


def test_the_first_apex_at_half_restitution():
    """e^2 h; pymunk strikes up to a step late, which is v dt in height before and e v dt after."""
    height, e = 2.0, 0.5
    fall = math.sqrt(2.0 * height / G)
    ours, theirs = run(bounces((height,)), fall * (1.0 + e), e=e)
    tops = [y.positions[1, 1] - RADIUS + 0.5 * y.velocities[1, 1] ** 2 / G for y in (ours, theirs)]
    assert tops[0] == pytest.approx(e**2 * height, abs=1e-6)
    assert tops[1] == pytest.approx(e**2 * height, abs=1.5 * G * fall * DT)


def test_one_disc_of_a_cradle():
    ours, theirs = run(cradle(5, 1), 1.5, e=1.0, mu=0.0, gravity=(0.0, 0.0))
    right = [0, 0, 0, 0, 2.0]
    assert ours.velocities[1:, 0] == pytest.approx(right, abs=EXACT)
    assert theirs.velocities[1:, 0] == pytest.approx(right, abs=1e-3)


# ---- rounding of the comparison itself


def test_the_shapes_of_both_are_the_same_size():
    """What a ray meets."""
    shapes = (Circle(0.5), Box(1, 2, center=(0.3, 0)), Polygon([(-1, -1), (1, -1), (0, 1)]))
    bodies = tuple(Body((s,), position=(5.0 * k, 0), angle=0.3) for k, s in enumerate(shapes))
    scene = Scene("rays", bodies)
    ours, theirs = Ours(scene), Pymunk(scene)
    theirs.step(1e-9)
    rng = np.random.default_rng(0)
    starts, ends = rng.uniform((-3, -3), (13, 3), (2, 400, 2))
    hits = [[e.first_hit(tuple(a), tuple(b)) for a, b in zip(starts, ends)] for e in (ours, theirs)]
    # pymunk sees a shape also from inside it
    inside = [bool(ours.world.point_query(a)) for a in starts]
    different = [a != b and not i for a, b, i in zip(*hits, inside)]
    assert not any(different)
    assert any(hits[0])
    assert not all(hits[0])
