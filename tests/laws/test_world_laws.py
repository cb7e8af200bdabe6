"""Laws of the world's face: it never breaks, and the same calls give the same bits."""

import contextlib
import hashlib
import math
import os
import pickle
import subprocess
import sys
from pathlib import Path as FilePath

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    rule,
)

from engine2d import Box, Capsule, Circle, Filter, Path, Polygon, Segment, World
from tests.distance_support import SHAPES

ROOT = FilePath(__file__).resolve().parents[2]
DT = 1 / 60

# ---- anything at all, in any order --------------------------------------------------------------

MOST_BODIES = 10  # all in one place, that many are slow enough for an exact solver
EXTREME = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    5e-324,
    -5e-324,
    1e-310,
    1e-160,
    1e-9,
    1e6,
    1e9,
    1e12,
    -1e12,
    1e13,
    1e150,
    -1e160,
    1e308,
    -1e308,
    math.nan,
    math.inf,
    -math.inf,
]
# most are harmless, so that most calls get through
NUMBERS = st.one_of(*[st.floats(-8, 8)] * 9, st.sampled_from(EXTREME))
VECTORS = st.tuples(NUMBERS, NUMBERS)
MATERIALS = st.fixed_dictionaries(
    {},
    optional={
        "density": st.sampled_from([0.0, 1e-30, 1.0, 1e30]),
        "friction": st.sampled_from([0.0, 0.5, 1e300]),
        "restitution": st.sampled_from([0.0, 0.5, 1.0]),
        "sensor": st.booleans(),
        "filter": st.sampled_from([Filter(), Filter(group=-1), Filter(mask=0), Filter(group=2)]),
    },
)
SIZES = st.one_of(
    *[st.floats(0.1, 2)] * 5, st.sampled_from([5e-324, 1e-200, 1e-12, 1e3, 1e12, 1e300])
)


@st.composite
def shapes(draw):
    """A shape of any kind and size, or None where such a one cannot be made."""
    size, material = draw(SIZES), draw(MATERIALS)
    kind = draw(st.integers(0, 6))
    try:
        if kind == 0:
            return Circle(size, center=draw(VECTORS), **material)
        if kind == 1:
            return Box(size, draw(SIZES), **material)
        if kind == 2:
            return Capsule((0, 0), draw(VECTORS), size, **material)
        if kind == 3:
            return Segment(draw(VECTORS), draw(VECTORS), **material)
        if kind == 4:
            return Path([(0, 0), (size, 0), (size, size)], [0.3, -0.2], closed=False, **material)
        if kind == 5:
            return Polygon(draw(st.lists(VECTORS, min_size=3, max_size=5)), **material)
        return SHAPES[draw(st.sampled_from(sorted(SHAPES)))].replace(**material)
    except (ValueError, OverflowError):
        return None


ACCEPTED = (ValueError, TypeError, OverflowError, RuntimeError)
SETTERS = {
    "position": VECTORS,
    "velocity": VECTORS,
    "force": VECTORS,
    "angle": NUMBERS,
    "angular_velocity": NUMBERS,
    "torque": NUMBERS,
    "mass": NUMBERS,
    "inertia": NUMBERS,
    "gravity_scale": NUMBERS,
    "linear_damping": NUMBERS,
    "angular_damping": NUMBERS,
    "kind": st.sampled_from(["static", "kinematic", "dynamic", "other"]),
    "fixed_rotation": st.booleans(),
    "bullet": st.booleans(),
    "can_sleep": st.booleans(),
}


class AnyCalls(RuleBasedStateMachine):
    """Calls of the public face in any order, with any numbers.

    Each may be refused with an error; none may crash, hang, or leave a NaN. A model of the world
    (which bodies are there) is kept beside it.
    """

    bodies = Bundle("bodies")
    snapshots = Bundle("snapshots")

    @initialize(
        solver=st.sampled_from(["auto", "direct", "iterative"]),
        gravity=st.sampled_from([(0, -10), (0, 0), (1e9, -1e9)]),
        sleeping=st.booleans(),
    )
    def begin(self, solver, gravity, sleeping):
        self.world = World(gravity, solver=solver, sleeping=sleeping)
        self.other = World()
        self.present = []
        self.kill_in_handler = False
        self.world.events.on_begin(self.handle)
        self.world.add_static(Segment((-20, -1), (20, -1)))
        self.present.append(self.world.bodies[0])

    def handle(self, event):
        if self.kill_in_handler:
            for body in (event.body_a, event.body_b):
                if not body.removed:
                    self.world.remove(body)
                    self.present.remove(body)
            if len(self.present) < MOST_BODIES:
                self.present.append(self.world.add_body(Circle(0.5), position=(0, 3)))

    @rule(
        target=bodies,
        parts=st.lists(shapes(), min_size=1, max_size=3),
        position=VECTORS,
        angle=NUMBERS,
        kind=st.sampled_from(["dynamic", "dynamic", "static", "kinematic"]),
        options=st.fixed_dictionaries(
            {}, optional={"mass": NUMBERS, "inertia": NUMBERS, "fixed_rotation": st.booleans()}
        ),
    )
    def add(self, parts, position, angle, kind, options):
        count = len(self.world.bodies)
        try:
            body = self.world.add_body(*parts, position=position, angle=angle, kind=kind, **options)
        except ACCEPTED:
            assert len(self.world.bodies) == count
            return multiple()
        self.present.append(body)
        return body

    @rule(target=bodies, n=st.integers(2, 5), kind=st.integers(0, 2))
    def add_pile(self, n, kind):
        """Several at the very same place."""
        if len(self.present) > MOST_BODIES:
            return multiple()
        shape = (Circle(0.5), Box(1, 1), SHAPES["half disc"])[kind]
        added = [self.world.add_body(shape, position=(0, 1)) for _ in range(n)]
        self.present.extend(added)
        return multiple(*added)

    @rule(body=consumes(bodies))
    def remove(self, body):
        if body in self.present:
            self.present.remove(body)
            self.world.remove(body)
        for world in (self.world, self.other):
            with pytest.raises(ValueError):
                world.remove(body)

    @rule(body=bodies, data=st.data())
    def set_something(self, body, data):
        name = data.draw(st.sampled_from(sorted(SETTERS)))
        value = data.draw(SETTERS[name])
        try:
            setattr(body, name, value)
        except ACCEPTED:
            pass
        else:
            assert body in self.present

    @rule(body=bodies, p=VECTORS, point=st.none() | VECTORS, which=st.integers(0, 3))
    def push(self, body, p, point, which):
        try:
            if which == 0:
                body.apply_force(p, point)
            elif which == 1:
                body.apply_impulse(p, point)
            elif which == 2:
                body.apply_torque(p[0])
            else:
                body.apply_angular_impulse(p[0])
        except ACCEPTED:
            pass

    @rule(dt=st.sampled_from([DT, DT, DT, 0.5, 1e3, 1e-300, 1e4, math.nan]), n=st.integers(1, 4))
    def step(self, dt, n):
        for _ in range(n):
            with contextlib.suppress(ACCEPTED):
                self.world.step(dt)

    @rule(value=VECTORS)
    def set_gravity(self, value):
        with contextlib.suppress(ACCEPTED):
            self.world.gravity = value

    @rule(numbers=st.lists(NUMBERS, min_size=4, max_size=4))
    def set_state(self, numbers):
        n = len(self.present)
        x, y, a, w = numbers
        with contextlib.suppress(ACCEPTED):
            self.world.set_state(
                positions=np.full((n, 2), (x, y)),
                angles=np.full(n, a),
                angular_velocities=np.full(n, w),
            )

    @rule(target=snapshots)
    def take(self):
        return self.world.snapshot(), list(self.present)

    @rule(pair=snapshots)
    def restore(self, pair):
        snapshot, present = pair
        self.world.restore(snapshot)
        self.present = list(present)
        self.other.restore(snapshot)
        assert self.other.positions.tobytes() == self.world.positions.tobytes()

    @rule()
    def twins(self):
        """A pickled copy makes the same step, bit for bit."""
        twin = pickle.loads(pickle.dumps(self.world))
        self.kill_in_handler = False
        outcomes = []
        for world in (self.world, twin):
            try:
                world.step(DT)
                outcomes.append(None)
            except OverflowError as error:
                outcomes.append(str(error))
        assert outcomes[0] == outcomes[1]
        assert self.world.positions.tobytes() == twin.positions.tobytes()
        assert self.world.velocities.tobytes() == twin.velocities.tobytes()

    @rule(on=st.booleans())
    def set_handler(self, on):
        self.kill_in_handler = on

    @rule(shape=shapes(), a=VECTORS, b=VECTORS, angle=NUMBERS, sensors=st.booleans())
    def ask(self, shape, a, b, angle, sensors):
        world = self.world
        for call in (
            lambda: world.point_query(a, sensors=sensors),
            lambda: world.box_query(a, b, sensors=sensors),
            lambda: world.ray_query(a, b, sensors=sensors),
            lambda: world.ray_query_all(a, b),
            lambda: world.ray_query_many([a, b], [b, a]),
            lambda: world.overlap_query(shape, (*a, angle)),
            lambda: world.cast_query(shape, (*a, angle), b),
            lambda: world.nearest_query(a),
            lambda: world.nearest_query(a, b[0]),
        ):
            with contextlib.suppress(ACCEPTED):
                call()

    @rule(friction=st.booleans())
    def look(self, friction):
        world = self.world
        rows = world.contacts.arrays
        for name in ("point", "normal", "gap", "normal_force", "friction_force"):
            assert np.isfinite(rows[name]).all(), name
        for rows in (world.events.begins, world.events.ends, world.events.hits):
            assert all(np.isfinite(rows[name]).all() for name in ("point", "speed", "impulse"))
        assert all(info.body_a is not None for info in world.contacts)
        repr(world.bodies)
        repr(world.stats)
        if len(rows) < 60:
            try:
                world.contact_system(friction=friction)
            except (*ACCEPTED, ArithmeticError):
                pass

    @invariant()
    def is_whole(self):
        if not hasattr(self, "world"):
            return
        world = self.world
        assert world.bodies == self.present
        for view in (
            world.positions,
            world.centers,
            world.angles,
            world.velocities,
            world.angular_velocities,
        ):
            assert len(view) == len(self.present)
            assert np.isfinite(view).all()
        assert not any(body.removed for body in self.present)


AnyCalls.TestCase.settings = settings(
    max_examples=40,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
TestAnyCalls = AnyCalls.TestCase


@pytest.mark.parametrize("solver", ["auto", "iterative"])
@pytest.mark.parametrize(("shape", "n"), [(Circle(0.5), 300), (Box(1, 1), 120), (SHAPES["L"], 30)])
def test_crowds_at_one_place(solver, shape, n):
    """They are all in each other: no NaN, and steps come to an end."""
    world = World((0, -10), solver=solver)
    world.add_static(Segment((-50, -1), (50, -1)))
    for _ in range(n):
        world.add_body(shape, position=(0, 1))
    for _ in range(3):
        world.step(DT)
    assert np.isfinite(world.positions).all()
    assert np.isfinite(world.velocities).all()


# ---- the same calls, the same bits ---------------------------------------------------------------


def island(world, x=0.0, n=10):
    """A heap around x; returns its bodies."""
    floor = world.add_static(
        Path([(-3, 4), (-2, 0), (2, 0), (3, 4)], closed=False), position=(x, 0)
    )
    bodies = [
        world.add_body(
            (Box(0.7, 0.5), Circle(0.3, restitution=0.5), SHAPES["half disc"])[k % 3],
            position=(x + 0.2 * (k % 5) - 0.5, 1.0 + 0.8 * k),
            angle=0.1 * k,
        )
        for k in range(n)
    ]
    return [floor, *bodies]


def digest(bodies):
    numbers = [(*b.position, b.angle, *b.velocity, b.angular_velocity) for b in bodies]
    return hashlib.sha256(np.array(numbers).tobytes()).hexdigest()


def play(world, steps=90):
    for _ in range(steps):
        world.step(DT)


SCRIPT = """
from engine2d import World
from tests.laws.test_world_laws import digest, island, play
world = World((0, -10))
bodies = island(world, n=60)
play(world)
print(digest(bodies))
"""


def test_two_processes_give_the_same_bits():
    digests = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    world = World((0, -10))
    bodies = island(world, n=60)
    play(world)
    assert digests == {digest(bodies) + "\n"}


@pytest.mark.parametrize("n", [6, 60])
@pytest.mark.parametrize("solver", ["auto", "direct", "iterative"])
def test_what_is_added_elsewhere_changes_no_bit(n, solver):
    """Islands far away, added before, between or after, of small and large size."""
    if solver == "direct" and n > 10:
        n = 20
    steps = 60
    alone = World((0, -10), solver=solver)
    mine = island(alone, n=n)
    play(alone, steps)
    wanted = digest(mine)

    after = World((0, -10), solver=solver)
    mine = island(after, n=n)
    island(after, x=100, n=70 if solver != "direct" else 8)
    play(after, steps)
    assert digest(mine) == wanted

    before = World((0, -10), solver=solver)
    island(before, x=-100, n=7)
    mine = island(before, n=n)
    play(before, steps)
    assert digest(mine) == wanted

    between = World((0, -10), solver=solver)
    mine = island(between, n=n)
    play(between, steps // 2)
    strangers = island(between, x=200, n=9)
    play(between, steps // 4)
    for body in strangers[3:6]:
        between.remove(body)
    between.add_body(Circle(1), position=(300, 0))
    play(between, steps - steps // 2 - steps // 4)
    assert digest(mine) == wanted


@settings(max_examples=20)
@given(st.integers(1, 30), st.integers(0, 30), st.booleans())
def test_snapshot_and_replay_give_the_same_bits(steps, more, through_pickle):
    world = World((0, -10))
    island(world, n=12)
    play(world, steps)
    snapshot = world.snapshot()
    play(world, more)
    wanted = digest(world.bodies)
    if through_pickle:
        other = World()
        other.restore(pickle.loads(pickle.dumps(snapshot)))
        world = other
    else:
        world.restore(snapshot)
    play(world, more)
    assert digest(world.bodies) == wanted


@pytest.mark.parametrize("seed", range(4))
def test_an_edit_that_changes_nothing_changes_no_bit(seed):
    """Pairs are looked through anew after an edit: what is kept of them stays. Nobody sleeps: what
    is edited wakes what leans on it."""
    rng = np.random.default_rng(seed)
    worlds = [World(gravity=(0, -10), sleeping=False) for _ in range(2)]
    places, ways = rng.uniform(-6, 6, (80, 2)), rng.normal(0, 8, (80, 2))
    for world in worlds:
        world.add_static(Box(14, 1, friction=0.5), position=(0, -7))
        for side in (-1, 1):
            world.add_static(Box(1, 14), position=(7 * side, 0))
        for k in range(80):
            shape = Circle(0.3) if k % 2 else Box(0.5, 0.5)
            world.add_body(shape, position=places[k], velocity=ways[k])
    edited, other = worlds
    for step in range(120):
        if step % 2:
            edited.bodies[0].shapes[0].friction = 0.5
        for world in worlds:
            world.step(DT)
        assert np.array_equal(edited.positions, other.positions)
        assert np.array_equal(edited.velocities, other.velocities)


@pytest.mark.parametrize("solver", ["direct", "iterative"])
def test_momentum_is_kept_without_outer_forces(solver):
    """Contacts push both ways alike: momentum stays."""
    rng = np.random.default_rng(2)
    world = World((0, 0), solver=solver)
    for k in range(24):
        angle = k * 2.4
        place = (0.5 + 0.35 * k) * np.array([math.cos(angle), math.sin(angle)])
        world.add_body(
            (Box(0.7, 0.5), Circle(0.3), SHAPES["half disc"])[k % 3],
            position=place,
            velocity=-0.8 * place,
            angular_velocity=rng.uniform(-2, 2),
        )
    mass = np.array([body.mass for body in world.bodies])
    start = mass @ world.velocities
    touched = 0
    for _ in range(90):
        world.step(DT)
        touched += len(world.events.begins)
    assert touched > 10
    scale = (mass * np.linalg.norm(world.velocities, axis=1)).sum() + 1
    assert np.abs(mass @ world.velocities - start).max() < 1e-11 * scale
