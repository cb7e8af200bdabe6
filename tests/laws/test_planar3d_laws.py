"""Scenes in a plane: space moves them as the plane does. A world of other units is the same."""

import numpy as np
import pytest

import engine2d
import engine3d

DT = 1 / 240


def turn(angle):
    """About -y: anticlockwise as seen with x to the right and z up."""
    return (np.cos(angle / 2), 0.0, -np.sin(angle / 2), 0.0)


def slide(flat, space):
    flat.add_static(engine2d.Segment((-20, 0), (20, 0), friction=0.5))
    space.add_static(engine3d.Plane((0, 0, 1), friction=0.5))
    return [
        (
            flat.add_body(engine2d.Box(1, 0.4), position=(0, 0.2), velocity=(3, 0)),
            space.add_body(engine3d.Box(1, 1, 0.4), position=(0, 0, 0.2), velocity=(3, 0, 0)),
        )
    ]


def tumble(flat, space, angle=0.7):
    flat.add_static(engine2d.Segment((-20, 0), (20, 0), restitution=0.5))
    space.add_static(engine3d.Plane((0, 0, 1), restitution=0.5))
    return [
        (
            flat.add_body(
                engine2d.Box(1, 0.4),
                position=(0, 2),
                angle=angle,
                velocity=(1, 0),
                angular_velocity=1.0,
            ),
            space.add_body(
                engine3d.Box(1, 1, 0.4),
                position=(0, 0, 2),
                orientation=turn(angle),
                velocity=(1, 0, 0),
                angular_velocity=(0, -1, 0),
            ),
        )
    ]


def stack(flat, space):
    flat.add_static(engine2d.Segment((-20, 0), (20, 0)))
    space.add_static(engine3d.Plane((0, 0, 1)))
    out = []
    for k in range(5):
        density = 100 if k == 4 else 1
        out.append(
            (
                flat.add_body(engine2d.Box(1, 1, density=density), position=(0.1 * k, 0.5 + k)),
                space.add_body(
                    engine3d.Box(1, 1, 1, density=density), position=(0.1 * k, 0, 0.5 + k)
                ),
            )
        )
    return out


def roll(flat, space):
    flat.add_static(engine2d.Segment((-20, 0), (20, 0)))
    space.add_static(engine3d.Plane((0, 0, 1)))
    return [
        (
            flat.add_body(
                engine2d.Circle(0.5), position=(0, 0.5), velocity=(3, 0), mass=1, inertia=0.1
            ),
            space.add_body(
                engine3d.Sphere(0.5),
                position=(0, 0, 0.5),
                velocity=(3, 0, 0),
                mass=1,
                inertia=(0.1, 0.1, 0.1),
            ),
        )
    ]


@pytest.mark.parametrize("make", [slide, tumble, stack, roll])
def test_space_moves_planar_scenes_as_the_plane_does(make):
    flat, space = engine2d.World(sleeping=False), engine3d.World(sleeping=False)
    pairs = make(flat, space)
    for _ in range(240):
        flat.step(DT)
        space.step(DT)
        for p, q in pairs:
            assert p.center == pytest.approx((q.center[0], q.center[2]), abs=1e-9)
            assert p.velocity == pytest.approx((q.velocity[0], q.velocity[2]), abs=1e-9)


def model(k, steps=60):
    """A heap of spheres and boxes with lengths x 4^k, times and speeds x 2^k; seen in its units."""
    size, speed = 4.0**k, 2.0**k
    rng = np.random.default_rng(5)
    world = engine3d.World(unit=size, solver="iterative")
    world.add_static(engine3d.Plane((0, 0, 1), restitution=0.3))
    for i in range(12):
        shape = engine3d.Sphere(0.5 * size) if i % 2 else engine3d.Box(0.8 * size, 0.6 * size, size)
        place = np.array(((i % 3) * 1.1, (i // 3 % 2) * 1.1, 1 + i // 6 * 1.5))
        world.add_body(
            shape.replace(density=size**-3),
            position=size * (place + rng.uniform(-0.1, 0.1, 3)),
            orientation=rng.normal(size=4),
            velocity=3 * speed * rng.normal(size=3),
            angular_velocity=3 / speed * rng.normal(size=3),
        )
    for _ in range(steps):
        world.step(speed / 64)
    return world.positions / size, world.velocities / speed, np.array(world.orientations)


@pytest.mark.parametrize("k", [-2, -1, 1, 2])
def test_a_model_with_its_unit_goes_bit_for_bit(k):
    for found, wanted in zip(model(k), model(0)):
        assert found.tobytes() == wanted.tobytes()
