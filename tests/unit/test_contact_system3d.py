"""The equation of resting contact in space, and friction as a polyhedral cone."""

import numpy as np
import pytest

from engine3d import Box, HollowSphere, Plane, Sphere, World

G = 9.81


def test_a_box_at_rest_bears_its_weight():
    world = World()
    world.add_static(Plane((0, 0, 1)))
    box = world.add_body(Box(1, 2, 0.5), position=(0, 0, 0.25))
    world.step(1 / 60)
    system = world.contact_system()
    assert system.A.shape == (4, 4)
    assert np.allclose(system.A, system.A.T)
    assert system.f.sum() == pytest.approx(box.mass * G, rel=1e-9)
    assert (system.A @ system.f + system.b).min() > -1e-9
    assert np.linalg.eigvalsh(system.A).min() > -1e-9


def test_edges_on_edges_are_rows_of_their_own():
    world = World(gravity=(0, 0, -G))
    half = np.sqrt(0.5)
    turned = (np.cos(np.pi / 8), np.sin(np.pi / 8), 0, 0)
    other = (np.cos(np.pi / 8), 0, np.sin(np.pi / 8), 0)
    world.add_static(Box(4, 1, 1), orientation=turned)
    box = world.add_body(Box(1, 4, 1), position=(0, 0, 2 * half - 1e-9), orientation=other)
    world.step(1e-4)
    system = world.contact_system(extra="none")
    assert 5 in system.contacts._features["kind"]
    assert system.f.sum() == pytest.approx(box.mass * G, rel=1e-4)


@pytest.mark.parametrize("case", ["ball on floor", "two balls", "hollow", "corner"])
def test_b_is_the_second_derivative_of_the_gap(case):
    """By differences of the gap along the motion without contact forces."""
    world = World(gravity=(0.3, -0.2, -1.0), sleeping=False)
    rng = np.random.default_rng(3)
    w, v = rng.normal(size=3), rng.normal(size=3)
    if case == "ball on floor":
        world.add_static(Plane((0, 0, 1)))
        ball = world.add_body(Sphere(0.5), position=(0, 0, 0.5), angular_velocity=w)
        v[2] = 0.0
    elif case == "two balls":
        world.add_static(Sphere(0.7))
        ball = world.add_body(Sphere(0.5), position=(0, 0, 1.2), angular_velocity=w)
        v[2] = 0.0
    elif case == "hollow":
        world.add_static(HollowSphere(2.0))
        ball = world.add_body(Sphere(0.5), position=(0, 0, -1.5), angular_velocity=w)
        v[2] = 0.0
    else:
        world.add_static(Plane((0, 0, 1)))
        turn = (0.8, 0.5, 0.3, 0.1)
        ball = world.add_body(Box(1, 1, 1), orientation=turn, angular_velocity=w)
        low = min(
            ball.to_world(p).z for p in np.stack(np.meshgrid(*[(-0.5, 0.5)] * 3), -1).reshape(-1, 3)
        )
        ball.position = (0, 0, -low)
        v = v - np.array(ball.velocity)
    ball.velocity = v
    # contacts without a step's motion to speak of
    state = world.snapshot()
    world.step(1e-9)
    world.set_state(
        positions=[b.position for b in state_bodies(world, state)],
        velocities=[b.velocity for b in state_bodies(world, state)],
        angular_velocities=[b.angular_velocity for b in state_bodies(world, state)],
        orientations=[b.orientation for b in state_bodies(world, state)],
    )
    system = world.contact_system(extra="none")
    assert len(system.b) == 1
    gaps = []
    h = 1e-4
    for t in (-h, 0.0, h):
        other = world.copy()
        body = other.bodies[1]
        body.position = gap_place(world.bodies[1], t, np.array(world.gravity))
        body.orientation = gap_turn(world.bodies[1], t)
        gaps.append(gap_of(other, case))
    bend = (gaps[0] - 2 * gaps[1] + gaps[2]) / h**2
    assert system.b[0] == pytest.approx(bend, abs=2e-5)


def state_bodies(world, state):
    other = world.copy()
    other.restore(state)
    return other.bodies


def gap_place(body, t, gravity):
    return np.array(body.position) + t * np.array(body.velocity) + 0.5 * t * t * gravity


def gap_turn(body, t):
    """The orientation after a time t of free turning, to second order and a bit."""
    q, n = np.array(body.orientation), 40
    inertia = body.inertia
    L = np.array(body.angular_momentum)
    for _ in range(n):
        r = rotation(q)
        w = r @ np.linalg.solve(inertia, r.T @ L)
        r = rotation(turned(q, 0.5 * t / n * w))
        w = r @ np.linalg.solve(inertia, r.T @ L)
        q = turned(q, t / n * w)
    return q


def rotation(q):
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def turned(q, turn):
    angle = np.linalg.norm(turn)
    if angle == 0.0:
        return q
    w, v = np.cos(angle / 2), np.sin(angle / 2) * turn / angle
    out = np.concatenate([[w * q[0] - v @ q[1:]], w * q[1:] + q[0] * v + np.cross(v, q[1:])])
    return out / np.linalg.norm(out)


def gap_of(world, case):
    body = world.bodies[1]
    place = np.array(body.position)
    if case == "ball on floor":
        return place[2] - 0.5
    if case == "two balls":
        return np.linalg.norm(place) - 1.2
    if case == "hollow":
        return 1.5 - np.linalg.norm(place)
    corners = np.stack(np.meshgrid(*[(-0.5, 0.5)] * 3), -1).reshape(-1, 3)
    return min(body.to_world(p).z for p in corners)


def slide(cone):
    world = World(friction_cone=cone)
    world.add_static(Plane((0, 0, 1), friction=0.3))
    box = world.add_body(
        Box(1, 1, 0.5, friction=0.3), position=(0, 0, 0.25), velocity=(1.0, 0.37, 0)
    )
    for _ in range(60):
        world.step(1 / 60)
    return np.array(box.position)


def test_the_polyhedral_cone_comes_to_the_isotropic_one():
    isotropic = slide(0)
    errors = [np.linalg.norm(slide(k) - isotropic) for k in (4, 8, 16, 32)]
    assert errors[0] > errors[1] > errors[2] > errors[3]
    # the cone's corners are off by 1 - cos(pi/k)
    assert errors[3] < 2e-2 * errors[0] + 1e-6


@pytest.mark.parametrize("method", ["minmap", "lemke"])
def test_methods_agree_on_the_cone(method):
    world = World()
    world.add_static(Plane((0, 0, 1), friction=0.4))
    world.add_body(Sphere(0.5, friction=0.4), position=(0, 0, 0.5), velocity=(1, 0, 0))
    world.step(1e-3)
    system = world.contact_system(friction=8, method=method)
    normal, along = system.f[0], system.f[1:] @ system.tangents[0]
    assert normal == pytest.approx(world.bodies[1].mass * G, rel=1e-3)
    assert np.linalg.norm(along) <= 0.4 * normal * (1 + 1e-9)
    # on A, the floor, which the ball slides over
    assert along[0] == pytest.approx(0.4 * normal, rel=0.1)


@pytest.mark.parametrize("bad", [2, 65, True, 3.5, "8", None])
def test_bad_cones_are_refused(bad):
    with pytest.raises((ValueError, TypeError)):
        World(friction_cone=bad)
    with pytest.raises((ValueError, TypeError)):
        World().contact_system(friction=bad)
