"""Rules for collisions under the exact clock: what resists rolling, one-way shapes, what is let
through until it has parted, and a filter of the user's; against closed forms."""

import math
import pickle

import numpy as np
import pytest

from engine2d import Box, Circle, Segment, World, scene

G = 9.81
CLOSE = 1e-8


def times_of(world, what):
    return [row["time"] for row in world.events.changes if row["what"] == what]


# ---- rolling resistance --------------------------------------------------------------------------


@pytest.mark.parametrize("c", [0.02, 0.1, 0.5])
def test_a_disc_that_rolls_is_slowed_and_stops(c):
    """c g / (1 + I / (m r^2)), until it stands."""
    world = World((0.0, -G))
    world.add_static(Box(400.0, 1.0, friction=1.0, rolling_resistance=c), position=(0.0, -0.5))
    disc = world.add_body(
        Circle(0.5, friction=1.0), position=(0.0, 0.5), velocity=(2.0, 0.0), angular_velocity=-4.0
    )
    slowing = c * G / 1.5
    stop = 2.0 / slowing
    world.advance(0.5 * stop)
    assert disc.velocity.x == pytest.approx(1.0, abs=CLOSE)
    world.advance(stop)
    assert times_of(world, "halts") == pytest.approx([stop], abs=CLOSE)
    assert disc.position == pytest.approx((2.0**2 / (2.0 * slowing), 0.5), abs=CLOSE)
    assert abs(disc.velocity) < 1e-12
    assert world.ledger["friction"] == pytest.approx(-0.75 * disc.mass * 4.0, abs=CLOSE)
    for account in ("normal", "projection", "integrator", "impacts"):
        assert abs(world.ledger[account]) < CLOSE
    assert world.stats["exact"]["evaluations"] < 500


@pytest.mark.parametrize(("slope", "c"), [(0.09, 0.1), (0.2, 0.1), (0.4, 0.1)])
def test_a_disc_on_a_slope_rests_where_its_tangent_is_below_the_resistance(slope, c):
    world = World((G * math.sin(slope), -G * math.cos(slope)))
    world.add_static(Box(400.0, 1.0, friction=2.0, rolling_resistance=c), position=(0.0, -0.5))
    disc = world.add_body(Circle(0.5, friction=2.0), position=(0.0, 0.5))
    world.advance(3.0)
    speed = max(0.0, 3.0 * G * (math.sin(slope) - c * math.cos(slope)) / 1.5)
    assert disc.velocity == pytest.approx((speed, 0.0), abs=CLOSE)
    assert disc.angular_velocity == pytest.approx(-speed / 0.5, abs=CLOSE)


def test_a_disc_sent_up_a_slope_turns_round_and_comes_back_slower():
    """Up it is slowed by the slope and the resistance, down the resistance takes from the slope."""
    slope, c = 0.3, 0.1
    world = World((-G * math.sin(slope), -G * math.cos(slope)))
    world.add_static(Box(400.0, 1.0, friction=2.0, rolling_resistance=c), position=(0.0, -0.5))
    disc = world.add_body(
        Circle(0.5, friction=2.0), position=(0.0, 0.5), velocity=(3.0, 0.0), angular_velocity=-6.0
    )
    up = G * (math.sin(slope) + c * math.cos(slope)) / 1.5
    down = G * (math.sin(slope) - c * math.cos(slope)) / 1.5
    way = 3.0**2 / (2.0 * up)
    world.advance(3.0 / up + math.sqrt(2.0 * way / down))
    assert disc.position == pytest.approx((0.0, 0.5), abs=CLOSE)
    assert disc.velocity.x == pytest.approx(-math.sqrt(2.0 * way * down), abs=CLOSE)


def test_a_disc_slides_rolls_and_stops():
    """A disc that does not turn yet: it slides until it rolls, and rolls until it stands."""
    mu, c, speed = 0.3, 0.05, 4.0
    world = World((0.0, -G))
    world.add_static(Box(400.0, 1.0, friction=mu, rolling_resistance=c), position=(0.0, -0.5))
    disc = world.add_body(Circle(0.5, friction=mu), position=(0.0, 0.5), velocity=(speed, 0.0))
    # v = V - mu g t, r w = 2 (mu - c) g t
    meets = speed / (G * (mu + 2.0 * (mu - c)))
    rolling = speed - mu * G * meets
    stop = meets + rolling / (c * G / 1.5)
    world.advance(stop + 1.0)
    assert times_of(world, "sticks") == pytest.approx([meets], abs=CLOSE)
    assert times_of(world, "halts") == pytest.approx([stop], abs=CLOSE)
    assert world.ledger["friction"] == pytest.approx(-0.5 * disc.mass * speed**2, abs=CLOSE)


def test_a_table_that_turns_takes_a_disc_along():
    """What resists rolling against a kinematic drum: torque c r m g until both turn alike."""
    world = World((0.0, -G))
    drum = world.add_kinematic(Circle(1.0, friction=0.0, rolling_resistance=0.2))
    drum.angular_velocity = 1.0
    disc = world.add_body(Circle(0.5, friction=0.0), position=(0.0, 1.5))
    # on top of a smooth drum it would fall off in time; not yet
    torque = 0.2 * 0.5 * disc.mass * G
    turns = disc.inertia / torque
    world.advance(2.0 * turns)
    assert disc.angular_velocity == pytest.approx(1.0, abs=1e-9)
    assert world.ledger["driven"] == pytest.approx(torque * turns, rel=1e-9)
    assert world.ledger["friction"] == pytest.approx(-0.5 * torque * turns, rel=1e-9)


# ---- one-way shapes ------------------------------------------------------------------------------


@pytest.mark.parametrize("e", [0.0, 0.5])
def test_a_ball_goes_through_a_platform_and_lands_on_it(e):
    world = World((0.0, -G))
    world.add_static(Box(8.0, 0.2, one_way=(0.0, 1.0), restitution=e), position=(0.0, 2.0))
    ball = world.add_body(Circle(0.3, restitution=e), position=(0.0, 0.5), velocity=(0.0, 9.0))
    # through it freely: down at 2.4 m
    lands = (9.0 + math.sqrt(81.0 - 2.0 * G * 1.9)) / G
    world.advance(lands + 3.0)
    hits = world.events.hits
    assert hits[0]["time"] == pytest.approx(lands, abs=CLOSE)
    assert hits[0]["speed"] == pytest.approx(math.sqrt(81.0 - 2.0 * G * 1.9), abs=CLOSE)
    assert ball.position == pytest.approx((0.0, 2.4), abs=CLOSE)
    assert abs(world.ledger["normal"]) + abs(world.ledger["integrator"]) < CLOSE


@pytest.mark.parametrize("above", [-2e-3, 5e-4, 2e-3, 0.01, 0.1])
def test_a_jump_lands_if_it_has_parted(above):
    """A millimetre above the platform it has parted from it, and is held; below it falls back."""
    world = World((0.0, -G))
    world.add_static(Box(8.0, 0.2, one_way=(0.0, 1.0)), position=(0.0, 2.0))
    top = 2.4 + above
    ball = world.add_body(
        Circle(0.3), position=(0.0, 0.5), velocity=(0.0, math.sqrt(2.0 * G * (top - 0.5)))
    )
    world.advance(2.0)
    if above > 1e-3:
        assert ball.position == pytest.approx((0.0, 2.4), abs=CLOSE)
    else:
        assert ball.position.y < 0.0


def test_a_platform_is_not_met_from_the_side_nor_by_what_begins_inside():
    world = World((0.0, 0.0))
    world.add_static(Box(2.0, 2.0, one_way=(0.0, 1.0)))
    sideways = world.add_body(Circle(0.1), position=(-2.0, 0.0), velocity=(1.0, 0.0))
    inside = world.add_body(Box(0.1, 0.1), position=(0.0, -0.5), velocity=(0.0, 1.0))
    world.advance(6.0)
    assert sideways.position == pytest.approx((4.0, 0.0), abs=CLOSE)
    assert inside.position == pytest.approx((0.0, 5.5), abs=CLOSE)
    assert len(world.events.hits) == 0


def test_a_block_tips_over_the_end_of_a_platform_and_falls():
    """It turns about the platform's corner until the corner pushes it by more than 60 degrees from
    the front, and falls freely from there."""
    world = World((0.0, -G))
    world.add_static(Box(4.0, 0.2, one_way=(0.0, 1.0), friction=1.0), position=(-2.0, -0.1))
    block = world.add_body(Box(2.0, 0.4, friction=1.0), position=(0.2, 0.2))
    energy = world.energy.total
    for _ in range(40):
        world.advance(0.05)
        assert world.energy.total <= energy + CLOSE
    assert block.position.y < -3.0
    assert abs(world.ledger["normal"]) + abs(world.ledger["integrator"]) < 1e-7


def test_both_clocks_take_turns_on_a_platform():
    """What passes under one clock passes under the other: half way through and back."""
    for first in ("step", "advance"):
        world = World((0.0, -G))
        world.add_static(Box(8.0, 0.2, one_way=(0.0, 1.0)), position=(0.0, 2.0))
        ball = world.add_body(Circle(0.3), position=(0.0, 1.0), velocity=(0.0, 6.0))
        for _ in range(180):
            if (first == "step") == (int(world.time * 20) % 2 == 0):
                world.step(1 / 240)
            else:
                world.advance(1 / 240)
        assert ball.velocity.y < 6.0
        for _ in range(4):
            world.advance(0.5)
        assert ball.position == pytest.approx((0.0, 2.4), abs=1e-4)


# ---- ignored until parted ------------------------------------------------------------------------


def test_what_is_ignored_falls_freely_through_one_plank_and_rests_on_the_next():
    world = World((0.0, -G))
    planks = [world.add_static(Box(4.0, 0.1), position=(0.0, y)) for y in (3.0, 1.0)]
    box = world.add_body(Box(0.5, 0.5), position=(0.0, 3.3))
    world.advance(1.0)
    assert box.position == pytest.approx((0.0, 3.3), abs=CLOSE)
    world.ignore_until_parted(box, planks[0])
    world.advance(0.1)
    assert box.position == pytest.approx((0.0, 3.3 - 0.5 * G * 0.01), abs=CLOSE)
    world.advance(2.0)
    assert world.events.hits[0]["time"] == pytest.approx(1.0 + math.sqrt(4.0 / G), abs=CLOSE)
    assert box.position == pytest.approx((0.0, 1.3), abs=CLOSE)
    box.position = (0.0, 5.0)
    world.advance(2.0)
    assert box.position == pytest.approx((0.0, 3.3), abs=CLOSE)


def restored(world):
    other = World()
    other.restore(world.snapshot())
    return other


WAYS = {
    "snapshot": restored,
    "pickle": lambda world: pickle.loads(pickle.dumps(world)),
    "copy": lambda world: world.copy(),
    "scene": lambda world: scene.loads(scene.dumps(world)),
}


@pytest.mark.parametrize("way", WAYS)
def test_what_passes_goes_on_to_pass_in_a_copy(way):
    world = World((0.0, -G))
    world.add_static(Box(8.0, 0.2, one_way=(0.0, 1.0)), position=(0.0, 2.0))
    floor = world.add_static(Box(8.0, 1.0), position=(0.0, -0.5))
    world.add_body(Circle(0.3), position=(0.0, 1.0), velocity=(0.0, 6.0))
    box = world.add_body(Box(0.5, 0.5), position=(3.0, 0.25))
    world.ignore_until_parted(box, floor)
    world.advance(0.2)
    other = WAYS[way](world)
    for each in (world, other):
        each.advance(0.7)
    assert np.allclose(world.positions, other.positions, rtol=0, atol=CLOSE)
    assert world.positions[3][1] == pytest.approx(0.25 - 0.5 * G * 0.81, abs=CLOSE)


# ---- a filter ------------------------------------------------------------------------------------


def test_a_filter_decides_which_contacts_there_are():
    world = World((0.0, -G))
    floor = world.add_static(Box(40.0, 1.0), position=(0.0, -0.5))
    boxes = [world.add_body(Box(0.5, 0.5), position=(2.0 * k, 1.25)) for k in range(3)]
    ghost, asked = boxes[1].id, []

    def keep(rows):
        assert set(rows["body_a"]) | set(rows["body_b"]) <= {b.id for b in world_bodies}
        asked.append(rows.copy())
        return (rows["body_a"] != ghost) & (rows["body_b"] != ghost)

    world_bodies = [floor, *boxes]
    world.contact_filter = keep
    world.advance(2.0)
    assert boxes[1].position == pytest.approx((2.0, 1.25 - 0.5 * G * 4.0), abs=CLOSE)
    for k in (0, 2):
        assert boxes[k].position == pytest.approx((2.0 * k, 0.25), abs=CLOSE)
    assert asked
    assert asked[0].dtype == world.contacts.arrays.dtype
    assert (asked[0]["normal_force"] == 0.0).all()
    world.contact_filter = lambda rows: np.zeros(len(rows), bool)
    world.advance(1.0)
    assert boxes[0].position.y == pytest.approx(0.25 - 0.5 * G, abs=CLOSE)


def test_a_filter_that_answers_badly_or_fails_leaves_the_world_as_it_was():
    world = World((0.0, -G))
    world.add_static(Box(4.0, 1.0), position=(0.0, -0.5))
    ball = world.add_body(Circle(0.5), position=(0.0, 3.0))

    def fails(rows):
        raise KeyError("mine")

    for bad, error in ((lambda rows: [True] * 7, ValueError), (lambda rows: 1, ValueError),
                       (fails, KeyError)):  # fmt: skip
        world.contact_filter = bad
        with pytest.raises(error):
            world.advance(2.0)
        assert (world.time, ball.position) == (0.0, (0.0, 3.0))
    world.contact_filter = lambda rows: world.step(0.1)
    with pytest.raises(RuntimeError):
        world.advance(2.0)
    world.contact_filter = None
    world.advance(2.0)
    assert ball.position == pytest.approx((0.0, 0.5), abs=CLOSE)


def test_a_filter_may_leave_one_of_two_corners():
    """Without its left corner a box turns about the right one."""
    world = World((0.0, -G))
    world.add_static(Segment((-5.0, 0.0), (5.0, 0.0), friction=9.0))
    box = world.add_body(Box(1.0, 1.0, friction=9.0), position=(0.0, 0.5))
    world.contact_filter = lambda rows: rows["point"][:, 0] > 0.0
    world.advance(0.05)
    # I_corner w' = m g / 2 to begin with
    assert box.angular_velocity == pytest.approx(0.05 * 0.75 * G, rel=0.02)
    corner = box.to_world((0.5, -0.5))
    assert corner == pytest.approx((0.5, 0.0), abs=CLOSE)


# ---- random worlds -------------------------------------------------------------------------------


def playground(seed):
    """Discs and boxes among one-way platforms, surfaces that resist rolling, belts and a filter."""
    rng = np.random.default_rng(seed)
    world = World((0.0, -G))
    for position, size in (((0, -0.5), (8, 1)), ((-4, 4), (1, 10)), ((4, 4), (1, 10)),
                           ((0, 9), (8, 1))):  # fmt: skip
        world.add_static(Box(*size, rolling_resistance=0.05 * rng.random()), position=position)
    for _ in range(2):
        world.add_static(
            Box(rng.uniform(1, 3), 0.2, one_way=(0.3 * rng.normal(), 1.0), rolling_resistance=0.1),
            position=(rng.uniform(-2, 2), rng.uniform(1, 5)), angle=0.3 * rng.normal(),
        )  # fmt: skip
    for k in range(5):
        rules = {"restitution": rng.choice([0.0, 0.5]), "friction": rng.uniform(0, 1)}
        size = rng.uniform(0.15, 0.4)
        shape = (Circle(size, **rules) if k % 2 else Box(2 * size, size, **rules))  # fmt: skip
        world.add_body(
            shape, position=(1.4 * (k - 2), rng.uniform(0.6, 7.4)),
            velocity=rng.normal(0, 4, 2), angle=rng.uniform(0, 6), angular_velocity=rng.normal(),
        )  # fmt: skip
    ghosts = {int(i) for i in rng.integers(6, 11, 2)} if seed % 3 == 0 else set()
    if ghosts:
        world.contact_filter = lambda rows: np.array(
            [not {row["body_a"], row["body_b"]} <= ghosts for row in rows], bool
        )
    return world


def run_playground(seed, seconds=4.0):
    world = playground(seed)
    energy = world.energy.total
    for _ in range(8):
        world.advance(seconds / 8)
        assert world.energy.total <= energy + 1e-8
        energy = world.energy.total
    places = world.positions[6:]
    assert (np.abs(places[:, 0]) < 3.6).all()
    assert (places[:, 1] > -0.01).all()
    assert (places[:, 1] < 8.6).all()
    for account in ("normal", "projection", "integrator"):
        assert abs(world.ledger[account]) < 1e-6


@pytest.mark.parametrize("seed", range(6))
def test_playgrounds_leak_nothing_and_gain_nothing(seed):
    run_playground(seed)
