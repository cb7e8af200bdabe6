"""Blows at bodies that joints hold: what they take is booked, and their impulse is no larger than
it must be. Once a heavy body welded to a light one on a hinge lost a hundredth of its energy to
nobody when it struck, and a rough wall that stopped a box on a hinge did so with millions of N s.
"""

import math

import pytest

from engine2d import Box, Capsule, Pin, Weld, World

LIES = ("normal", "projection", "integrator")


@pytest.mark.parametrize("ratio", [1e2, 1e3, 1e4])
def test_a_heavy_body_welded_to_a_light_one_on_a_hinge_strikes_the_floor(ratio):
    world = World()
    world.add_static(Box(40.0, 1.0, friction=0.0, restitution=0.9), position=(0.0, -0.5))
    light = world.add_body(Box(0.03, 0.016), position=(0.0, 1.35))
    heavy = world.add_body(
        Capsule((-0.35, 0.0), (0.35, 0.0), 0.14, friction=0.0), position=(1.4, 1.25), angle=0.3
    )
    heavy.mass = ratio * light.mass
    world.add_joint(Weld(light, heavy, (0.7, 1.3)))
    world.add_joint(Pin(None, light, (0.0, 1.9)))
    start = world.energy.total
    world.advance(1.0)
    assert len(world.events.hits) > 0
    scale = abs(start) + heavy.mass * 9.81
    for account in LIES:
        assert abs(world.ledger[account]) < 1e-7 * scale, account


@pytest.mark.parametrize("friction", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("down", [0.1, 0.4, 0.7])
def test_a_rough_wall_stops_a_box_on_a_hinge_with_a_small_impulse(friction, down):
    """All it can take is the spin: I w = p arm."""
    world = World()
    box = world.add_body(Box(1.0, 0.5, friction=friction), position=(0.0, 0.0), angle=math.pi / 2)
    world.add_joint(Pin(None, box, (0.0, 1.0)))
    world.add_static(Box(1.0, 8.0, friction=friction), position=(0.95, -down))
    box.angular_velocity, box.velocity = 4.0, (4.0, 0.0)
    before = world.energy.total
    world.advance(0.3)
    hits = world.events.hits
    assert len(hits) > 0
    assert max(abs(hits["impulse"])) < 20.0 * (box.inertia + box.mass) * 4.0
    assert max(abs(hits["friction"])) < 20.0 * (box.inertia + box.mass) * 4.0
    assert world.energy.total <= before + 1e-8
    for account in LIES:
        assert abs(world.ledger[account]) < 1e-8, account
