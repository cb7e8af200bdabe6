"""World.contact_system: a = A f + b of the present state, and the forces that solve it."""

import math

import numpy as np
import pytest

from engine2d import Box, Circle, Path, Segment, World, contact_force

DT = 1 / 60
G = 10.0


def tower(n=3, **options):
    world = World((0, -G), **options)
    world.add_static(Segment((-20, 0), (20, 0), friction=0.6))
    for k in range(n):
        world.add_body(Box(1, 1, friction=0.6), position=(0.05 * k, k + 0.5))
    for _ in range(30):
        world.step(DT)
    return world


def assembled(world, contacts, **options):
    """A and b by contact_force.assemble, from what the public face says."""
    rows, bodies = contacts.arrays, world.bodies
    number = {body.id: k for k, body in enumerate(bodies)}
    load = np.array(
        [
            (np.array(world.gravity) * b.mass * b.gravity_scale + b.force)
            if b.kind == "dynamic"
            else (0, 0)
            for b in bodies
        ]
    )
    return contact_force.assemble(
        [b.mass for b in bodies],
        [b.inertia for b in bodies],
        [b.center for b in bodies],
        [b.velocity for b in bodies],
        [b.angular_velocity for b in bodies],
        load,
        [b.torque for b in bodies],
        [number[id] for id in rows["body_a"]],
        [number[id] for id in rows["body_b"]],
        rows["point"],
        rows["normal"],
        rows["r1"],
        rows["r2"],
        gap=rows["gap"],
        **options,
    )


@pytest.mark.parametrize("extra", ["none", "velocity", "velocity_and_distance"])
def test_is_what_assemble_says(extra):
    world = tower()
    world.bodies[2].apply_force((3, 1))
    world.bodies[3].apply_torque(0.2)
    system = world.contact_system(extra=extra, dt=DT)
    A, b = assembled(world, system.contacts, extra=extra, dt=DT)
    assert np.array_equal(system.A, A)
    assert np.array_equal(system.b, b)
    assert len(system.contacts) == len(system.f) == 6


def test_forces_solve_it():
    """f >= 0, a >= 0, f a = 0, and the floor bears the weight."""
    world = tower(extra := 3)
    system = world.contact_system(extra="none")
    a = system.A @ system.f + system.b
    assert (system.f >= 0).all()
    assert (a >= -1e-8).all()
    assert abs(system.f * a).max() < 1e-7
    floor = system.contacts.arrays["body_a"] == 0
    assert system.f[floor].sum() == pytest.approx(extra * G, rel=1e-8)


def test_with_friction_on_a_slope():
    """A block at rest on a slope: N = m g cos a, T = m g sin a, sums over its two contacts."""
    a = 0.3
    world = World((G * math.sin(a), -G * math.cos(a)))
    world.add_static(Box(20, 1, friction=0.6), position=(0, -0.5))
    block = world.add_body(Box(2, 1, friction=0.6), position=(0, 0.5))
    for _ in range(30):
        world.step(DT)
    system = world.contact_system(extra="none", friction=True)
    n = len(system.contacts)
    assert system.A.shape == (2 * n, 2 * n)
    assert np.abs(system.A - system.A.T).max() < 1e-14
    normal, tangential = system.f[:n], system.f[n:]
    assert normal.sum() == pytest.approx(2 * G * math.cos(a), rel=1e-8)
    assert abs(tangential.sum()) == pytest.approx(2 * G * math.sin(a), rel=1e-8)
    assert (abs(tangential) <= 0.6 * normal + 1e-8).all()
    accelerations = system.A @ system.f + system.b
    assert accelerations == pytest.approx(np.zeros(2 * n), abs=1e-7)
    assert block.mass == 2


def test_with_friction_has_the_plain_one_in_its_corner():
    world = tower()
    plain = world.contact_system(extra="velocity", dt=DT)
    full = world.contact_system(extra="velocity", dt=DT, friction=True)
    n = len(plain.contacts)
    assert full.A[:n, :n] == pytest.approx(plain.A, rel=1e-12, abs=1e-12)
    assert np.array_equal(full.b[:n], plain.b)


def test_tangent_rows_are_those_of_the_normals_turned():
    """A tangent row says how fast the points slide: for a disc pushed along the floor, F/m."""
    world = World((0, -G))
    world.add_static(Segment((-9, 0), (9, 0), friction=0.0))
    ball = world.add_body(Circle(0.5), position=(0, 0.5), mass=2)
    world.step(DT)
    ball.apply_force((6, 0))
    system = world.contact_system(extra="none", friction=True)
    assert abs(system.b[1]) == pytest.approx(3, rel=1e-9)
    assert system.A[1, 1] == pytest.approx(1 / 2 + 0.25 / ball.inertia, rel=1e-9)
    assert system.f[1] == 0


@pytest.mark.parametrize("friction", [False, True])
def test_where_nothing_touches(friction):
    world = World()
    for _ in range(2):
        system = world.contact_system(friction=friction)
        assert system.A.shape == (0, 0)
        assert len(system.f) == len(system.b) == len(system.contacts) == 0
        world.add_body(Circle(1))


def test_with_kinematic_bodies_fixed_rotation_and_arcs():
    world = World((0, -G))
    world.add_kinematic(Path([(-2, 0), (2, 0)], [0.5], closed=False), angular_velocity=0.1)
    world.add_body(Circle(0.3), position=(0, -0.7), fixed_rotation=True)
    for _ in range(20):
        world.step(DT)
    system = world.contact_system(friction=True)
    assert len(system.contacts) == 1
    assert np.isfinite(system.f).all()
    A, _ = assembled(world, system.contacts, extra="velocity", dt=DT)
    assert system.A[0, 0] == pytest.approx(A[0, 0], rel=1e-12)


def test_forces_are_those_of_the_step():
    """What the step applied is what the equation says, for a world at rest."""
    world = tower(1)
    system = world.contact_system(extra="none")
    assert sorted(system.f) == pytest.approx(
        sorted(c.normal_force for c in world.contacts), rel=1e-6
    )


@pytest.mark.parametrize(
    "bad", [{"extra": "all"}, {"dt": 0}, {"dt": math.nan}, {"dt": "1"}, {"extra": 1}]
)
def test_bad_arguments_are_refused(bad):
    with pytest.raises((ValueError, TypeError)):
        tower(1).contact_system(**bad)


@pytest.mark.parametrize(
    "given",
    [{"extra": "bogus"}, *({"dt": dt} for dt in (0, -1, math.nan, math.inf, "x", None))],
)
def test_bad_arguments_are_refused_without_contacts_too(given):
    with pytest.raises(ValueError, match=next(iter(given))):
        World().contact_system(**given)
