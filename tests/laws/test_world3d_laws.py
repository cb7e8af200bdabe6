"""Laws of the world in space: what physics says, to what the maths allows."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from engine3d import Box, Capsule, HollowSphere, Plane, Polyhedron, Sphere, World, impact

G = 9.81


def floor(world, **material):
    return world.add_static(Plane((0, 0, 1), **material))


def run(world, seconds, dt=1 / 240):
    for _ in range(round(seconds / dt)):
        world.step(dt)


def unit(rng):
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


# ---- free motion ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("dt", "bar"), [(1 / 240, 1e-8), (1 / 60, 1e-6)])
def test_a_free_top_keeps_its_energy_and_momentum_and_flips_as_it_should(dt, bar):
    world = World(gravity=(0, 0, 0), sleeping=False)
    top = world.add_body(
        Sphere(0.1), mass=1, inertia=(0.4 / 3, 1.04 / 3, 1.36 / 3), angular_velocity=(0.01, 5, 0.01)
    )
    energy, momentum = world.energy.total, top.angular_momentum
    flips, side = [], 1
    for _ in range(round(100 / dt)):
        world.step(dt)
        spin = top.rotation[:, 1] @ top.angular_velocity
        if spin * side < 0:
            side = -side
            flips.append(world.time)
    assert abs(world.energy.total / energy - 1) < bar
    assert top.angular_momentum == momentum
    assert len(flips) == 20
    assert flips[0] == pytest.approx(2.843, abs=dt + 1e-3)


def test_a_free_body_falls_on_its_parabola():
    world = World()
    body = world.add_body(Box(1, 2, 3), velocity=(1, -2, 5), angular_velocity=(1, 2, 3))
    run(world, 2.0)
    assert body.center == pytest.approx((2, -4, 10 - G * 2), abs=1e-9)
    assert np.linalg.norm(body.orientation) == pytest.approx(1, abs=1e-15)


def test_a_torque_turns_a_body_about_a_principal_axis():
    world = World(gravity=(0, 0, 0))
    body = world.add_body(Box(1, 2, 3))
    for _ in range(240):
        body.torque = (0, 0, 2.0)
        world.step(1 / 240)
    assert body.angular_velocity[2] == pytest.approx(2.0 / body.inertia[2, 2], rel=1e-12)


# ---- impacts -------------------------------------------------------------------------------------


def test_a_bouncing_ball_comes_as_high_as_its_restitution_says():
    world = World()
    floor(world, restitution=0.8)
    ball = world.add_body(Sphere(0.5), position=(0, 0, 5.5))
    heights = []
    for _ in range(60 * 8):
        world.step(1 / 60)
        heights.append(ball.position[2] - 0.5)
    apexes = []
    for low, mid, high in zip(heights, heights[1:], heights[2:]):
        if low < mid >= high:
            a, b, c = np.polyfit((-1, 0, 1), (low, mid, high), 2)
            apexes.append(c - b * b / 4 / a)
    assert apexes[:4] == pytest.approx([5 * 0.64**k for k in range(1, 5)], rel=1e-9)


@pytest.mark.parametrize("turn", [(1, 0, 0, 0), (np.cos(np.pi / 8), np.sin(np.pi / 8), 0, 0)])
def test_what_falls_flat_on_a_face_or_an_edge_never_topples(turn):
    world = World()
    floor(world, restitution=0.8)
    for k in range(50):
        world.add_body(Box(1, 1, 1), position=(3 * k, 0, 1.5 + 0.05 * k), orientation=turn)
    most = 0.0
    for _ in range(240):
        world.step(1 / 240)
        most = max(most, np.abs(world.angular_velocities).max())
    assert most < 1e-9


def corner_at(box, half):
    """The lowest corner of a box (m), by its pose."""
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    corners = signs * half @ box.rotation.T + np.array(box.position)
    return corners[corners[:, 2].argmin()]


def flown(box, shape, t):
    """A copy of a body after a time of free flight (s)."""
    world = World(gravity=(0, 0, 0))
    copy = world.add_body(
        shape,
        position=box.position,
        orientation=box.orientation,
        velocity=box.velocity,
        angular_velocity=box.angular_velocity,
    )
    if t > 0:
        world.step(t)
    return copy


def test_random_corner_impacts_are_those_of_the_impact_law():
    """Flown to the moment when its lowest corner is on the floor, the law gives the velocity that
    the world gives."""
    rng = np.random.default_rng(3)
    errors = []
    for _ in range(40):
        e, mu = rng.uniform(0, 1), rng.uniform(0, 1)
        world = World(gravity=(0, 0, 0))
        floor(world, restitution=e, friction=mu)
        sides = rng.uniform(0.3, 1.5, 3)
        shape = Box(*sides, friction=mu)
        box = world.add_body(
            shape,
            position=(0, 0, 3),
            orientation=unit(rng),
            velocity=(*rng.normal(size=2) * 2, -5),
            angular_velocity=rng.normal(size=3) * 2,
        )
        while not len(world.events.hits):
            before, energy = flown(box, shape, 0), world.energy.total
            world.step(1 / 240)
        assert world.energy.total <= energy * (1 + 1e-12)
        if world.stats["strikes"] != 1:
            continue
        low, high = 0.0, 1 / 240
        for _ in range(50):
            t = 0.5 * (low + high)
            if corner_at(flown(before, shape, t), sides / 2)[2] > 0:
                low = t
            else:
                high = t
        at = flown(before, shape, low)
        arm = corner_at(at, sides / 2) - np.array(at.position)
        inertia = at.rotation @ at.inertia @ at.rotation.T
        own, fixed = (at.mass, inertia, arm, at.velocity, at.angular_velocity), (0, 0, 0)
        law = impact.collide(e, mu, (0, 0, 1), *own, None, None, fixed, fixed, fixed)
        change = np.linalg.norm(np.array(law.p)) / at.mass
        errors.append(np.linalg.norm(np.array(law.vA) - box.velocity) / change)
    assert len(errors) > 30
    assert np.median(errors) < 1e-6


def test_a_cradle_passes_the_blow_on():
    world = World(gravity=(0, 0, 0))
    for k in range(5):
        world.add_body(
            Sphere(0.5, restitution=1, friction=0),
            position=(k if k else -1.0, 0, 0),
            velocity=(0 if k else 2.0, 0, 0),
        )
    run(world, 1.0)
    assert np.abs(world.velocities - np.eye(5)[4][:, None] * (2, 0, 0)).max() < 1e-9


def test_a_spinning_flat_landing_loses_spin():
    world = World()
    floor(world, friction=0.6)
    box = world.add_body(Box(1, 1, 0.2), position=(0, 0, 0.4), angular_velocity=(0, 0, 6))
    run(world, 0.3)
    assert abs(box.angular_velocity[2]) < 5.5


# ---- resting -------------------------------------------------------------------------------------


@pytest.mark.parametrize("top", [1, 100, 1000])
@pytest.mark.parametrize("yaw", [0.0, 0.35])
def test_a_stack_of_ten_stands_whatever_is_on_top(top, yaw):
    world = World(sleeping=False)
    ground = floor(world)
    for k in range(10):
        world.add_body(
            Box(1, 1, 1, density=top if k == 9 else 1),
            position=(0, 0, 0.5 + k),
            orientation=(np.cos(yaw * k / 2), 0, 0, np.sin(yaw * k / 2)),
        )
    run(world, 1.0)
    contacts = world.contacts
    weight = sum(c.normal_force for c in contacts if ground in (c.body_a, c.body_b))
    assert min(c.gap for c in contacts) > -1e-6
    assert weight == pytest.approx(G * (9 + top), rel=1e-6)
    assert np.sqrt((world.velocities**2).mean()) < 1e-9


def test_sliding_stops_as_far_in_all_directions():
    ways = []
    for angle in np.arange(16) * np.pi / 8:
        world = World()
        floor(world, friction=0.5)
        way = np.array((np.cos(angle), np.sin(angle), 0))
        box = world.add_body(Box(1, 1, 0.2), position=(0, 0, 0.1), velocity=3 * way)
        run(world, 1.0)
        assert np.linalg.norm(np.cross(way, box.position)[2]) < 1e-9
        ways.append(way @ box.position)
    assert ways == pytest.approx([9 / 2 / G / 0.5] * 16, rel=1e-4)
    assert max(ways) - min(ways) < 1e-9


def test_a_sliding_sphere_ends_up_rolling_at_five_sevenths():
    world = World()
    floor(world)
    ball = world.add_body(Sphere(0.5), position=(0, 0, 0.5), velocity=(3, 0, 0))
    run(world, 1.0)
    assert ball.velocity[0] == pytest.approx(15 / 7, rel=1e-9)
    assert ball.angular_velocity[1] == pytest.approx(15 / 7 / 0.5, rel=1e-9)


@pytest.mark.parametrize(("share", "slides"), [(0.999, False), (1.01, True)])
def test_friction_holds_below_its_angle(share, slides):
    slope = np.arctan(0.5 * share)
    world = World(gravity=(G * np.sin(slope), 0, -G * np.cos(slope)), sleeping=False)
    floor(world, friction=0.5)
    box = world.add_body(Box(1, 1, 0.5), position=(0, 0, 0.25))
    run(world, 1.0)
    pull = G * np.cos(slope) * 0.5 * (share - 1)
    assert box.velocity[0] == pytest.approx(pull if slides else 0.0, abs=1e-9)


def test_rolling_and_spin_resistance_bring_a_sphere_to_rest():
    world = World()
    floor(world)
    ball = world.add_body(
        Sphere(0.5, rolling_resistance=0.04, spin_resistance=0.04),
        position=(0, 0, 0.5),
        velocity=(1, 0, 0),
        angular_velocity=(0, 2, 3),
    )
    run(world, 5.0)
    # the moment c r m g on a rolling sphere: a = c g / (7/5)
    assert ball.position[0] == pytest.approx(0.5 / (0.04 * G / 1.4), rel=1e-2)
    assert not ball.awake


@pytest.mark.parametrize("amplitude", [0.2, 1.0, 1.5])
def test_a_sphere_rolls_in_a_bowl_as_a_pendulum(amplitude):
    """To a quarter turn; a sphere let go above that falls off the wall."""
    world = World(sleeping=False)
    world.add_static(HollowSphere(3, friction=20))
    ball = world.add_body(
        Sphere(0.5, friction=20),
        position=(2.5 * np.sin(amplitude), 0, -2.5 * np.cos(amplitude)),
    )
    # complete elliptic integral by the arithmetic-geometric mean
    a, b = 1.0, np.cos(amplitude / 2)
    for _ in range(8):
        a, b = (a + b) / 2, np.sqrt(a * b)
    period = 2 * np.pi * np.sqrt(1.4 * 2.5 / G) / a
    angles = []
    for _ in range(round(2.2 * period * 240)):
        world.step(1 / 240)
        angles.append(np.arctan2(ball.position[0], -ball.position[2]))
    down = [(k + x / (x - y)) / 240 for k, (x, y) in enumerate(pairwise(angles)) if x > 0 >= y]
    assert down[1] - down[0] == pytest.approx(period, rel=1e-4)


def hat(u):
    return np.array(((0, -u[2], u[1]), (u[2], 0, -u[0]), (-u[1], u[0], 0)))


def test_a_spinning_sphere_orbits_in_a_bowl():
    """Against the equations of rolling: w of a sphere whose contact point does not slip."""
    hollow, radius, mass = 2.0, 0.3, 1.0
    arm, inertia = hollow - radius, 0.4 * mass * radius**2

    def rate(_, state):
        x, w = state[:3], state[3:]
        n = -x / arm
        v = radius * np.cross(w, n)
        left = inertia * np.eye(3) - mass * radius**2 * hat(n) @ hat(n)
        push = mass * radius * np.cross(w, -v / arm) - np.array((0, 0, -mass * G))
        return np.concatenate([v, np.linalg.solve(left, -radius * np.cross(n, push))])

    start = arm * np.array((np.sin(1.0), 0, -np.cos(1.0)))
    n, v = -start / arm, np.array((0, 1.5, 0))
    w = np.cross(n, v) / radius + 20 * n
    right = solve_ivp(
        rate, (0, 10), np.concatenate([start, w]), rtol=1e-11, atol=1e-11, method="DOP853"
    ).y[:3, -1]
    world = World(sleeping=False)
    world.add_static(HollowSphere(hollow, friction=50))
    ball = world.add_body(
        Sphere(radius, friction=50), mass=mass, position=start, velocity=v, angular_velocity=w
    )
    run(world, 10.0)
    assert np.linalg.norm(np.array(ball.position) - right) < 1e-3


def test_a_top_on_a_stuck_tip_turns_as_one_about_a_fixed_point():
    """Against Euler's equations about the tip: 3 s at 1/480."""
    mass, tip, moments = 1.0, np.array((0, 0, -0.3)), np.array((0.05, 0.05, 0.02))
    lean = 0.5
    c, s = np.cos(lean), np.sin(lean)
    rotation = np.array(((1, 0, 0), (0, c, -s), (0, s, c)))
    w = rotation @ (0.3, 0.2, 60.0)
    about = np.diag(moments) + mass * (tip @ tip * np.eye(3) - np.outer(tip, tip))

    def rate(_, state):
        r, w = state[:9].reshape(3, 3), state[9:]
        own = r.T @ w
        torque = r.T @ np.cross(-r @ tip, (0, 0, -mass * G))
        change = np.linalg.solve(about, torque - np.cross(own, about @ own))
        return np.concatenate([(hat(w) @ r).ravel(), r @ change])

    end = (
        solve_ivp(
            rate,
            (0, 3),
            np.concatenate([rotation.ravel(), w]),
            rtol=1e-10,
            atol=1e-11,
            method="DOP853",
        )
        .y[:9, -1]
        .reshape(3, 3)
    )
    world = World(sleeping=False)
    floor(world, friction=50)
    wide = [(0.05, 0, 0), (-0.05, 0, 0), (0, 0.05, 0), (0, -0.05, 0)]
    top = world.add_body(
        Polyhedron([tuple(tip), tuple(-tip), *wide], friction=50),
        mass=mass,
        inertia=moments,
        position=-rotation @ tip,
        orientation=(np.cos(lean / 2), np.sin(lean / 2), 0, 0),
        velocity=np.cross(w, -rotation @ tip),
        angular_velocity=w,
    )
    run(world, 3.0, 1 / 480)
    assert np.linalg.norm(top.rotation[:, 2] - end[:, 2]) < 1e-2


# ---- fast bodies, conservation -------------------------------------------------------------------


@pytest.mark.parametrize("speed", [50, 400, 2000])
@pytest.mark.parametrize("free", [False, True])
def test_nothing_passes_a_thin_wall(speed, free):
    rng = np.random.default_rng(speed)
    for shape in (Sphere(0.05), Box(0.1, 0.1, 0.1), Capsule((0, 0, -0.1), (0, 0, 0.1), 0.05)):
        world = World(gravity=(0, 0, 0))
        wall = world.add_body(Box(0.05, 4, 4, density=1e4), kind="dynamic" if free else "static")
        way = np.array((1, *rng.uniform(-0.2, 0.2, 2)))
        ball = world.add_body(
            shape,
            position=-rng.uniform(1, 2) * way,
            velocity=speed * way,
            orientation=unit(rng),
            angular_velocity=rng.normal(size=3) * 20,
        )
        run(world, 0.2)
        assert ball.position[0] < wall.position[0]


def test_an_isolated_group_keeps_its_momentum():
    rng = np.random.default_rng(5)
    world = World(gravity=(0, 0, 0))
    shapes = (Sphere(0.5), Box(0.8, 0.6, 1), Capsule((-0.4, 0, 0), (0.4, 0, 0), 0.3))
    places = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    for k, place in enumerate(places):
        world.add_body(
            shapes[k % 3].replace(restitution=0.5),
            position=1.2 * np.array(place),
            orientation=unit(rng),
            velocity=-1.5 * np.array(place) + rng.normal(size=3) * 0.3,
            angular_velocity=rng.normal(size=3),
        )
    m = np.array([b.mass for b in world.bodies])

    def momenta():
        p = m[:, None] * world.velocities
        return p.sum(0), (np.cross(world.centers, p) + world.angular_momenta).sum(0)

    p, L = momenta()
    struck = 0
    for _ in range(480):
        world.step(1 / 240)
        struck += world.stats["strikes"]
    q, M = momenta()
    assert struck > 5
    assert np.abs(q - p).max() < 1e-12 * m.sum()
    assert np.abs(M - L).max() < 1e-6 * m.sum()


def test_a_break_of_balls_loses_no_time():
    """A fast ball into balls at rest: none of them waits, so their common centre is on its way."""
    world = World(gravity=(0, 0, 0))
    places = [(0.9 * i, (j - 0.5 * i) * 1.03, 0) for i in range(4) for j in range(i + 1)]
    for place in places:
        world.add_body(Sphere(0.5, restitution=0.9), position=place)
    world.add_body(Sphere(0.5, restitution=0.9), position=(-3, 0.1, 0), velocity=(30, 0, 0))
    start = world.centers.mean(axis=0)
    for _ in range(60):
        world.step(1 / 60)
        way = start + np.array((30 / 11, 0, 0)) * world.time
        assert np.abs(world.centers.mean(axis=0) - way).max() < 1e-9
    assert (np.abs(world.velocities[:, 1]) > 0.1).sum() > 6


def test_a_hit_that_is_over_within_the_step_is_told():
    world = World(gravity=(0, 0, 0))
    wall = world.add_static(Box(0.1, 4, 4))
    ball = world.add_body(Sphere(0.05, restitution=1), position=(-1, 0, 0), velocity=(500, 0, 0))
    world.step(1 / 60)
    assert ball.velocity[0] == pytest.approx(-500)
    assert len(world.events.begins) == 1
    hits = world.events.hits
    assert len(hits) == 1
    assert hits["speed"][0] == pytest.approx(500)
    assert hits["impulse"][0] == pytest.approx(2 * 500 * ball.mass)
    assert {hits["body_a"][0], hits["body_b"][0]} == {wall.id, ball.id}


def gliders():
    yield Box(1, 0.7, 0.5), 0.25
    yield Sphere(0.3), 0.3
    yield Capsule((-0.4, 0, 0), (0.4, 0, 0), 0.2), 0.2
    yield Polyhedron([(-0.5, -0.5, 0), (0.5, -0.5, 0), (0.5, 0.5, 0), (-0.5, 0.5, 0), (0, 0, 1)]), 0


@pytest.mark.parametrize(("shape", "height"), list(gliders()))
def test_flush_tiles_are_one_floor(shape, height):
    world = World()
    for k in range(12):
        for j in (-1, 0):
            world.add_static(Box(1, 1, 1), position=(k, 0.45 + j, -0.5))
    body = world.add_body(
        shape.replace(friction=0), position=(0.3, 0, height), velocity=(4, 0.05, 0)
    )
    lift = 0.0
    for _ in range(480):
        world.step(1 / 240)
        lift = max(lift, abs(body.position[2] - height))
    assert body.velocity[0] == pytest.approx(4, rel=1e-6)
    assert lift < 1e-5


def glide(shape, height, solver, size, spin, seed):
    """A body glides without friction over tiles of a size (m), at an angle to their sides: how much
    speed it lost, as a share, and how far it left its height (m)."""
    rng = np.random.default_rng([seed, 3])
    world = World(solver=solver)
    reach = int(2.5 / size) + 1
    for i in range(int(10 / size)):
        for j in range(-reach, reach + 1):
            world.add_static(
                Box(size, size, 0.5, friction=0), position=((i + 0.5) * size, j * size, -0.25)
            )
    speed, half = rng.uniform(1, 5), rng.uniform(0, np.pi)
    velocity = speed * np.array((1.0, rng.uniform(-0.1, 0.1), 0))
    body = world.add_body(
        shape.replace(friction=0),
        position=(1, rng.uniform(-0.5, 0.5), height),
        velocity=velocity,
        angular_velocity=(0, 0, spin),
        orientation=(np.cos(half), 0, 0, np.sin(half)),
    )
    level, slower, lift = body.center[2], 0.0, 0.0
    for _ in range(int(7 / speed * 240)):
        world.step(1 / 240)
        now = np.linalg.norm(body.velocity)
        slower = max(slower, abs(now / np.linalg.norm(velocity) - 1))
        lift = max(lift, abs(body.center[2] - level))
    return slower, lift


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("spin", [0.0, 3.0])
@pytest.mark.parametrize("solver", ["direct", "iterative"])
@pytest.mark.parametrize(("shape", "height"), list(gliders()))
def test_tiles_of_any_size_are_passed_at_any_angle(shape, height, solver, spin, seed):
    """An edge that a ball comes within touch of, long before it is above it, is none; what turns
    about the vertical does not meet the next tile's side."""
    size = (0.25, 1.0, 2.0)[seed]
    slower, lift = glide(shape, height, solver, size, spin, seed)
    assert slower < 1e-6
    assert lift < 1e-5
