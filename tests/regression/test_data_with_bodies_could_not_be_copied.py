"""Worlds whose bodies' data held bodies, or the world, could not be copied or pickled."""

import copy
import gc
import pickle
import weakref

import pytest

from engine2d import Box, Circle, World

TWINS = {
    "copy": World.copy,
    "copy.copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda world: pickle.loads(pickle.dumps(world)),
    "old pickle": lambda world: pickle.loads(pickle.dumps(world, 2)),
    "snapshot": lambda world: restored(world.snapshot()),
    "pickled snapshot": lambda world: restored(pickle.loads(pickle.dumps(world.snapshot()))),
    "copied snapshot": lambda world: restored(copy.deepcopy(world.snapshot())),
}
WHOLE = [name for name in TWINS if "snapshot" not in name]
DEEP = ["deepcopy", "pickle", "old pickle"]


def restored(snapshot):
    world = World()
    world.restore(snapshot)
    return world


class Player:
    """An object of the user's that holds a body."""

    def __init__(self, body, world):
        self.body, self.world = body, world


class Game(World):
    """A world that holds bodies of its own."""


@pytest.fixture(params=TWINS)
def twin(request):
    return TWINS[request.param]


def test_handles_in_the_copy_are_the_copys(twin):
    world = World()
    a, b = world.add_body(Circle(1)), world.add_body(Box(1, 1), position=(5, 0))
    a.data, b.data = b, [a, {"me": b, b: (a, {a}, [world])}, 7]
    other = twin(world)
    c, d = other.bodies
    assert c is not a
    assert c.data is d
    assert d.data[0] is c
    assert d.data[1]["me"] is d
    assert d.data[1][d][0] is c
    assert d.data[1][d][1] == {c}
    assert d.data[1][d][2][0] is other
    c.data.position = (1, 2)
    assert (d.position, b.position) == ((1.0, 2.0), (5.0, 0.0))
    assert a.data is b
    assert b.data[0] is a


def test_lists_that_hold_themselves(twin):
    world = World()
    a = world.add_body(Circle(1))
    ring = [a]
    ring.append(ring)
    a.data = ring
    other = twin(world).bodies[0]
    assert other.data[1] is other.data
    assert other.data[0] is other


def test_removed_bodies_stay_removed(twin):
    """Also where another got the number since."""
    world = World()
    a, gone = world.add_body(Circle(1)), world.add_body(Circle(2))
    a.data = (gone, "x")
    world.remove(gone)
    world.step(1 / 60)
    new = world.add_body(Circle(3), position=(9, 9))
    assert new.id == gone.id
    handle, text = twin(world).bodies[0].data
    assert handle.removed
    assert text == "x"
    with pytest.raises(ValueError, match="removed"):
        _ = handle.position


@pytest.mark.parametrize("name", DEEP)
def test_objects_that_hold_bodies(name):
    world = World()
    a, b = world.add_body(Circle(1)), world.add_body(Circle(1), position=(5, 0))
    a.data = Player(b, world)
    other = TWINS[name](world)
    assert other.bodies[0].data.body is other.bodies[1]
    assert other.bodies[0].data.world is other
    pair = copy.deepcopy([b, world, a])
    assert pair[0] is pair[1].bodies[1]
    assert pair[2].data.body is pair[0]


@pytest.mark.parametrize("name", WHOLE)
def test_what_subclasses_hold(name):
    game = Game()
    game.player = game.add_body(Circle(1))
    game.all = [game.player, game]
    other = TWINS[name](game)
    assert type(other) is Game
    assert other.player is other.bodies[0]
    assert other.all[0] is other.player
    assert other.all[1] is other


def test_what_holds_no_handle_is_shared_by_copy():
    world = World()
    data = {"name": ["ball"]}
    world.add_body(Circle(1)).data = data
    assert world.copy().bodies[0].data is data
    assert copy.deepcopy(world).bodies[0].data is not data


def test_a_snapshot_goes_to_many_worlds():
    world = World()
    a, b = world.add_body(Circle(1)), world.add_body(Circle(1))
    a.data = [b]
    snapshot = pickle.loads(pickle.dumps(world.snapshot()))
    first, second = restored(snapshot), restored(snapshot)
    for other in (first, second):
        assert other.bodies[0].data[0] is other.bodies[1]
    again = restored(pickle.loads(pickle.dumps(first.snapshot())))
    assert again.bodies[0].data[0] is again.bodies[1]


def test_copies_go_on_with_the_same_bits(twin):
    world = World()
    world.add_static(Box(9, 1), position=(0, -0.5))
    bodies = [world.add_body(Box(1, 1), position=(0.1 * k, 0.5 + k)) for k in range(5)]
    bodies[0].data = bodies
    for _ in range(30):
        world.step(1 / 60)
    other = twin(world)
    for _ in range(30):
        world.step(1 / 60)
        other.step(1 / 60)
    assert world.positions.tobytes() == other.positions.tobytes()


def test_weak_references():
    world = World()
    body = world.add_body(Circle(1))
    of_world, of_body = weakref.ref(world), weakref.ref(body)
    assert of_world() is world
    assert of_body() is body
    names = weakref.WeakKeyDictionary({body: "ball", world: "world"})
    assert names[world.bodies[0]] == "ball"
    del body
    assert of_body() is not None  # the world holds it
    del world
    gc.collect()
    assert of_world() is None
    assert of_body() is None


def test_a_world_goes_with_its_last_reference():
    """Without the help of the garbage collector: its memory may be large."""
    world = World()
    world.add_body(Circle(1))
    gone = weakref.ref(world)
    gc.disable()
    try:
        del world
        assert gone() is None
    finally:
        gc.enable()
