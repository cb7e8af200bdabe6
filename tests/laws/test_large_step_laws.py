"""Large islands: piles come to rest, forces balance, nothing depends on what it should not.

docs/maths/iterative_solver.md. All worlds here use sweeps for whatever touches.
"""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demos.scenes.circles import circles
from demos.scenes.pyramid import pyramid
from demos.scenes.scene import add_scene
from engine2d import Box, Circle, World
from engine2d.solve.solver_iterative import lane_names, use_lanes

DT = 1 / 60
G = 10.0


def make_world(gravity=(0, -G), **options):
    return World(gravity=gravity, solver="iterative", sleeping=False, **options)


def run(world, seconds):
    for _ in range(round(seconds / DT)):
        world.step(DT)


def rms_speed(world):
    v, w = world.velocities, world.angular_velocities
    return math.sqrt((v**2).sum(axis=1).mean() + (w**2).mean())


def ground(world, friction=0.6, **material):
    return world.add_static(Box(200, 2, friction=friction, **material), position=(0, -1))


# ---- rest ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("spacing", [1.0, 1.05, 1.2])
@pytest.mark.parametrize("base", [10, 40, 60])
def test_a_pyramid_comes_to_rest(base, spacing):
    """The bars of the fixed step: after 6 s, rms speed below 2e-5 m/s, nothing sunk or shifted by
    more than Box2D v3's 5 mm, 90 mm and 280 mm at base 60 (make bench)."""
    world = make_world()
    scene = pyramid(base, spacing)
    add_scene(world, scene)
    start = world.positions.copy()
    run(world, 6)
    moved = world.positions - start
    assert rms_speed(world) < 2e-5
    assert world.contacts.arrays["gap"].mean() > -2e-3
    assert abs(moved[:, 0]).max() < 0.1
    assert abs(moved[:, 1]).max() < 0.1


@pytest.mark.parametrize("restitution", [0.1, 0.5, 0.8])
def test_what_can_bounce_comes_to_rest_too(restitution):
    """A pyramid that stands hears no blow: it moves no more than one without restitution."""
    world = make_world()
    ground(world)
    for body in pyramid(20).bodies[1:]:
        world.add_body(Box(1, 1, friction=0.6, restitution=restitution), position=body.position)
    start = world.positions.copy()
    run(world, 6)
    assert rms_speed(world) < 2e-5
    assert abs(world.positions - start).max() < 0.02


@pytest.mark.parametrize("rate", [20, 30, 45, 120])
def test_a_pyramid_comes_to_rest_at_any_rate(rate):
    world = make_world()
    add_scene(world, pyramid(30))
    start = world.positions.copy()
    for _ in range(8 * rate):
        world.step(1 / rate)
    assert rms_speed(world) < 2e-5
    assert abs(world.positions - start).max() < 0.03


def test_a_heap_of_discs_comes_to_rest_and_none_escapes():
    world = make_world()
    scene = circles(1000)
    add_scene(world, scene)
    run(world, 6)
    low, high = scene.sizes["inside"]
    inside = world.positions[scene.moving]
    # one that lies on the floor alone may roll on for ever: 2 of 8 heaps have one
    contacts = world.contacts.arrays
    bearing = contacts[contacts["normal_force"] > 0]
    ids, held = np.unique([bearing["body_a"], bearing["body_b"]], return_counts=True)
    heap = [world.body(id).row for id in ids[held > 1] if world.body(id).kind == "dynamic"]
    assert len(heap) > 900
    assert np.hypot(*world.velocities[heap].T).max() < 1e-4
    assert (inside >= low).all()
    assert (inside <= high).all()
    assert world.contacts.arrays["gap"].mean() > -3e-3


def test_steps_of_different_lengths_do_not_shake_a_pile():
    """Impulses to start from grow and shrink with the step."""
    world = make_world()
    add_scene(world, pyramid(20))
    run(world, 4)
    for dt in np.random.default_rng(0).uniform(1 / 120, 1 / 40, 200):
        world.step(dt)
    assert rms_speed(world) < 1e-4


def test_penetration_is_that_of_the_springs():
    """At rest a contact of stiffness m w^2, with w = 2 pi 120 /s for ground, carries its load: m is
    the mass that an impulse at the point meets, 1/(1/M + r^2/I) = 0.4 M at a square's corner."""
    world = make_world()
    ground(world)
    box = world.add_body(Box(1, 1, friction=0.6), position=(0, 0.5))
    world.add_body(Box(1, 1, friction=0.6), position=(0, 1.5))
    run(world, 4)
    load = 2 * box.mass * G / 2
    sunk = load / (0.4 * box.mass * (2 * math.pi * 120) ** 2)
    assert 0.5 - box.position[1] == pytest.approx(sunk, rel=1e-6)


# ---- forces --------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=15)
@given(
    sizes=st.lists(st.tuples(st.floats(0.5, 2), st.floats(0.3, 1)), min_size=2, max_size=6),
    density=st.floats(0.1, 100),
)
def test_the_floor_bears_the_weight(sizes, density):
    """However a stack is made, once at rest its contacts' forces are the weights above them."""
    world = make_world()
    floor = ground(world)
    y, weight = 0.0, 0.0
    for width, height in sorted(sizes, reverse=True):
        box = world.add_body(
            Box(width, height, friction=0.6, density=density), position=(0, y + height / 2)
        )
        y += height
        weight += box.mass * G
    run(world, 8)
    at_floor = [c for c in world.contacts if floor in (c.body_a, c.body_b)]
    assert sum(c.normal_force for c in at_floor) == pytest.approx(weight, rel=1e-6)


def test_friction_holds_below_its_angle_and_slides_above():
    """tan 30.9 deg < mu = 0.6 < tan 31.1 deg; sliding it gains g (sin - mu cos) t."""
    for degrees in (30.9, 31.1, 40):
        angle = math.radians(degrees)
        world = make_world((G * math.sin(angle), -G * math.cos(angle)))
        ground(world)
        box = world.add_body(Box(1, 0.5, friction=0.6), position=(0, 0.25))
        run(world, 2)
        wanted = max(0.0, G * (math.sin(angle) - 0.6 * math.cos(angle)) * 2)
        # while the springs take up the load, friction lags behind by less than a step of gravity
        assert box.velocity[0] == pytest.approx(wanted, abs=0.02 if wanted else 1e-6)


def test_what_stands_on_a_moving_floor_moves_with_it():
    world = make_world()
    world.add_kinematic(Box(100, 1, friction=0.6), position=(0, -0.5), velocity=(2, 0.5))
    box = world.add_body(Box(1, 1, friction=0.6), position=(0, 0.5))
    run(world, 3)
    assert box.velocity == pytest.approx((2, 0.5), abs=1e-9)
    assert box.position[1] == pytest.approx(0.5 + 3 * 0.5, abs=1e-3)


def test_a_body_with_more_neighbours_than_colours():
    """A plank under 100 boxes: all share one body, and its floor bears them all."""
    world = make_world()
    floor = ground(world)
    plank = world.add_body(Box(120, 1, friction=0.6), position=(0, 0.5))
    weight = plank.mass * G
    for k in range(100):
        box = world.add_body(Box(0.8, 0.8, friction=0.6), position=(k - 49.5, 1.4))
        weight += box.mass * G
    run(world, 4)
    at_floor = [c for c in world.contacts if floor in (c.body_a, c.body_b)]
    assert sum(c.normal_force for c in at_floor) == pytest.approx(weight, rel=1e-3)
    assert rms_speed(world) < 1e-4


# ---- conservation --------------------------------------------------------------------------------


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 10_000), restitution=st.sampled_from([0.0, 0.5, 1.0]))
def test_momentum_stays_and_energy_does_not_grow(seed, restitution):
    """Bodies that run into each other far from everything: impulses come in pairs, contacts only
    take energy; springs give back what overlaps they let in, less than 1 % here."""
    rng = np.random.default_rng(seed)
    world = make_world((0, 0))
    masses = []
    for k in range(16):
        x = (2.0 * (k % 4 - 1.5), 2.0 * (k // 4 - 1.5))
        material = {"friction": 0.5, "restitution": restitution}
        shape = Circle(0.5, **material) if rng.random() < 0.5 else Box(1, 0.7, **material)
        v = -np.array(x) + rng.normal(size=2)
        body = world.add_body(shape, position=x, velocity=v, angular_velocity=rng.normal())
        masses.append(body.mass)
    masses = np.array(masses)
    before, energy = masses @ world.velocities, world.energy.total
    run(world, 1)
    assert masses @ world.velocities == pytest.approx(before, abs=1e-12)
    assert world.energy.total <= 1.01 * energy


# ---- bounces -------------------------------------------------------------------------------------


@pytest.mark.parametrize("e", [0.5, 0.8, 1.0])
def test_apexes_of_a_bouncing_ball(e):
    """e^(2 k) h, as long as they are above 5 cm: strikes are at their time within the sub-step."""
    world = make_world()
    ground(world, restitution=e)
    ball = world.add_body(Circle(0.25), position=(0, 1.25))
    apexes, last, before = [], 1.0, 0.0
    expected = [e ** (2 * k) for k in range(1, 11) if e ** (2 * k) > 0.05]
    for _ in range(900):
        world.step(DT)
        y, v = ball.position[1] - 0.25, ball.velocity[1]
        if before > 0 >= v:
            apexes.append(y + 0.5 * v * v / G if e < 1 else max(y, last))
        before, last = v, y
    assert apexes[: len(expected)] == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("height", [0.3, 0.77, 1.5, 2.9])
def test_a_block_dropped_flat_does_not_turn(height):
    """Blows are shared by both corners. The last one, below the strikes' least speed of 2 g h, is
    taken by one corner after the other, which leaves a little of it: 1 % of that speed."""
    world = make_world()
    ground(world, restitution=0.8)
    block = world.add_body(Box(1, 3, friction=0.6), position=(0, 1.5 + height))
    fastest = 0.0
    for _ in range(240):
        world.step(DT)
        fastest = max(fastest, abs(block.angular_velocity))
    assert fastest < 0.01 * 2 * G * DT / 8 / 0.5


@pytest.mark.parametrize("moving", [1, 2, 3])
def test_a_touching_cradle_passes_the_blow_on(moving):
    world = make_world((0, 0))
    balls = [
        world.add_body(
            Circle(0.5, friction=0, restitution=1.0),
            position=(k, 0),
            velocity=(1.0 if k < moving else 0.0, 0),
        )
        for k in range(5)
    ]
    run(world, 0.5)
    speeds = [ball.velocity[0] for ball in balls]
    assert speeds == pytest.approx([0.0] * (5 - moving) + [1.0] * moving, abs=1e-9)


def test_a_blow_is_told_with_its_speed():
    """Also where the solver takes it: e = 0. 1 m of fall: sqrt(2 g) m/s, less what the step that
    ends with the blow would have added."""
    world = make_world()
    ground(world)
    world.add_body(Box(1, 1), position=(0, 1.5))
    speeds = []
    for _ in range(60):
        world.step(DT)
        speeds += [hit["speed"] for hit in world.events.hits]
    assert speeds
    assert max(speeds) == pytest.approx(math.sqrt(2 * G), abs=G * DT)


@pytest.mark.parametrize("speed", [50, 400, 2000])
@pytest.mark.parametrize("shape", [Circle(0.25), Box(0.5, 0.5)], ids=["disc", "box"])
def test_nothing_passes_a_thin_wall(speed, shape):
    """Not even what crosses it thirty times over within a step."""
    for k in range(10):
        world = make_world((0, 0))
        wall = world.add_static(Box(0.05, 4000), position=(0, 0), angle=0.1 * k - 0.5)
        place = (-3.0 - 0.37 * k, 0.05 * k)
        body = world.add_body(shape, position=place, velocity=(speed, 0), angular_velocity=3.0 * k)
        run(world, 0.5)
        across = np.subtract(body.position, wall.position)
        c, s = math.cos(wall.angle), math.sin(wall.angle)
        assert c * across[0] + s * across[1] < 0


# ---- bits ----------------------------------------------------------------------------------------


def test_all_lanes_give_the_same_bits():
    states = []
    try:
        for name in lane_names():
            use_lanes(name)
            world = make_world()
            add_scene(world, pyramid(9))
            add_scene(world, circles(60))
            run(world, 0.5)
            states.append(world.positions.tobytes() + world.velocities.tobytes())
    finally:
        use_lanes(lane_names()[0])
    assert len(set(states)) == 1


def test_other_lanes_must_exist():
    with pytest.raises(ValueError, match="name must be one of .*, got 'eight'"):
        use_lanes("eight")


@pytest.mark.parametrize("first", [True, False])
def test_bodies_elsewhere_change_nothing(first):
    """Another pile, added before or after: the same bits for this one."""

    def pile(world, x):
        bodies = [world.add_static(Box(20, 2, friction=0.6), position=(x, -1))]
        for k in range(30):
            place = (x + 0.1 * (k % 3), 0.6 + 1.1 * k)
            bodies.append(world.add_body(Box(1, 1, friction=0.6), position=place))
        return bodies

    alone = make_world()
    mine = pile(alone, 0.0)
    run(alone, 2)
    both = make_world()
    if first:
        pile(both, 500.0)
    same = pile(both, 0.0)
    if not first:
        pile(both, 500.0)
    run(both, 2)
    assert [b.position for b in mine] == [b.position for b in same]
    assert [b.velocity for b in mine] == [b.velocity for b in same]
