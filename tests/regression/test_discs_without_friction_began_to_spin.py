"""Discs without friction begin to spin when others struck them after their time was over: their
group was turned, as one and spins included, to have its angular momentum. A gas at 40 m/s had
discs at 60 rad/s after 157 steps. Sweeps turned them, too, where a fast one met one that stood: the
arm of that was taken from where it would be if it moved.
"""

import numpy as np
import pytest

from demos.scenes.gas import gas
from engine2d import Circle, World
from tests.regression.test_groups_alone_keep_their_momenta import momenta

STEP = 1 / 60  # s
SOLVERS = ["auto", "iterative"]


def room(seed, solver, gravity=0.0, spin=0.0):
    """The discs of the gas in their box; each has a spin up to `spin` (rad/s) to begin with."""
    rng = np.random.default_rng(seed)
    world = World(gravity=(0, -gravity), solver=solver, sleeping=False)
    for body in gas(seed=seed).bodies:
        world.add_body(
            body.shapes[0],
            position=body.position,
            velocity=body.velocity,
            kind=body.kind,
            angular_velocity=rng.uniform(-spin, spin) if body.kind != "static" else 0.0,
        )
    return world


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("gravity", [0.0, 9.81])
@pytest.mark.parametrize("spin", [0.0, 5.0])
@pytest.mark.parametrize("seed", [1, 2, 4, 5])
def test_spins_of_a_gas_stay_what_they_were(seed, spin, gravity, solver):
    world = room(seed, solver, gravity, spin)
    spins = world.angular_velocities.copy()
    energy = energy_of(world, gravity)
    for _ in range(120):
        world.step(STEP)
        assert np.abs(world.angular_velocities - spins).max() < 1e-10
        assert world.stats["energy_audits"] == 0
    assert energy_of(world, gravity) < energy * (1 + 1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("speed", [1.0, 10.0, 40.0])
def test_a_gas_alone_keeps_its_momenta_and_its_spins(speed, solver):
    """Without walls: nobody gets the angular momentum back by turning."""
    rng = np.random.default_rng(int(speed))
    world = World(gravity=(0, 0), solver=solver, sleeping=False)
    bounces = [0.0, 0.5, 1.0]
    for k in range(40):
        place = np.array([k % 8 - 3.5, k // 8 - 2.0])
        world.add_body(
            Circle(rng.uniform(0.2, 0.45), friction=0.0, restitution=rng.choice(bounces)),
            position=place,
            velocity=-speed * place / np.hypot(*place) + rng.uniform(-0.3, 0.3, 2) * speed,
            angular_velocity=rng.uniform(-5, 5),
        )
    mass, centre, linear, angular, size, turn = momenta(world)
    spins, energy = world.angular_velocities.copy(), world.energy.total
    for k in range(1, 121):
        world.step(STEP)
        _, now, p, spin, *_ = momenta(world)
        assert np.abs(world.angular_velocities - spins).max() < 1e-10
        assert np.abs(p - linear).max() < 1e-12 * size
        assert np.abs(now - centre - linear / mass * k * STEP).max() < 1e-9
        assert abs(spin - angular) < 1e-5 * turn
        assert world.energy.total < energy * (1 + 1e-9)
        energy = world.energy.total


def energy_of(world, gravity):
    m = np.array([body.mass if body.kind == "dynamic" else 0.0 for body in world.bodies])
    v, x = world.velocities, world.centers
    return (0.5 * m * (v * v).sum(1) + m * gravity * x[:, 1]).sum()


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_rough_disc_among_smooth_ones_keeps_its_spin(solver):
    """What counts is the friction of contacts, not of shapes."""
    world = World(gravity=(0, 0), solver=solver, sleeping=False)
    for k in range(12):
        way = np.array([np.cos(0.5236 * k), np.sin(0.5236 * k)])
        world.add_body(
            Circle(0.3, friction=0.0, restitution=1.0),
            position=(1.5 + 0.3 * k) * way,
            velocity=-(5.0 + 3.0 * k) * way,
            angular_velocity=0.5 * k,
        )
    world.add_body(Circle(0.4, friction=0.8), angular_velocity=7.0)
    spins = world.angular_velocities.copy()
    for _ in range(60):
        world.step(STEP)
        assert np.abs(world.angular_velocities - spins).max() < 1e-10
