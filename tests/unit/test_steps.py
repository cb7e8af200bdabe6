"""Several steps in one call are the same steps."""

import threading

import pytest

import engine2d
import engine3d

DT = 1 / 60


def pile(engine):
    """Boxes and a ball that fall onto each other, one of them on a joint that breaks."""
    flat = engine is engine2d
    at = (lambda x, z: (x, z)) if flat else (lambda x, z: (x, 0.1 * x, z))
    box = engine.Box(0.5, 0.5) if flat else engine.Box(0.5, 0.5, 0.5)
    ball = engine.Circle(0.3) if flat else engine.Sphere(0.3)
    floor = engine.Box(40, 1) if flat else engine.Box(40, 40, 1)
    world = engine.World()
    world.add_static(floor, position=at(0, -0.5))
    bodies = [world.add_body(box, position=at(0.05 * k, 0.4 + 0.7 * k)) for k in range(6)]
    bodies.append(world.add_body(ball, position=at(0.1, 6), velocity=at(0, -5)))
    world.add_joint(engine.Rod(bodies[0], bodies[5], bodies[0].position, bodies[5].position))
    world.add_joint(engine.Rod(bodies[3], None, bodies[3].position, at(3, 3), break_force=1.0))
    return world


def state_of(world):
    stats = {name: value for name, value in world.stats.items() if name != "seconds"}
    events = [list_.tobytes() for list_ in (world.events.begins, world.events.ends)]
    reasons = [end.reason for end in world.events.joint_ends]
    return (
        world.positions.tobytes(),
        world.velocities.tobytes(),
        world.contacts.arrays.tobytes(),
        world.time,
        world.steps,
        stats,
        events,
        reasons,
    )


@pytest.mark.parametrize("engine", [engine2d, engine3d])
@pytest.mark.parametrize("dt", [DT, 0.05])
def test_n_steps_are_n_calls(engine, dt):
    one, many = pile(engine), pile(engine)
    for count in (1, 2, 7, 30):
        for _ in range(count):
            one.step(dt)
        many.step(dt, steps=count)
        assert state_of(one) == state_of(many)
    assert one.steps == 40
    assert len(one.joints) == 1


@pytest.mark.parametrize("engine", [engine2d, engine3d])
def test_handlers_are_called_after_each_step_and_change_the_world(engine):
    """What a handler does is there in the next step of the same call."""

    def run(advance):
        world, told = pile(engine), []

        @world.events.on_begin
        def begins(event):
            told.append((world.steps, event.body_a.id, event.body_b.id))
            event.body_b.velocity = [0.0] * len(event.body_b.velocity)

        @world.events.on_joint_end
        def ends(end):
            told.append((world.steps, end.reason))
            if world.time_scale == 1.0:
                world.time_scale = 0.5

        advance(world)
        return told, world.positions.tobytes(), world.time

    singly = run(lambda world: [world.step(DT) for _ in range(40)])
    assert run(lambda world: world.step(DT, steps=40)) == singly
    assert len({told[0] for told in singly[0]}) > 2


@pytest.mark.parametrize("engine", [engine2d, engine3d])
def test_the_filter_is_asked_in_each_step(engine):
    def run(advance):
        world, rows = pile(engine), []
        world.contact_filter = lambda given: rows.append(len(given)) or given["body_a"] % 2 == 0
        advance(world)
        return rows, world.positions.tobytes()

    singly = run(lambda world: [world.step(DT) for _ in range(25)])
    assert run(lambda world: world.step(DT, steps=25)) == singly


@pytest.mark.parametrize("engine", [engine2d, engine3d])
def test_a_step_that_loses_a_body_is_the_last(engine):
    axis = (1.0,) + (0.0,) * (1 if engine is engine2d else 2)
    world = engine.World(gravity=tuple(0.0 * x for x in axis))
    shape = engine.Circle(1) if engine is engine2d else engine.Sphere(1)
    far = tuple((1e12 - 2.5e6) * x for x in axis)
    world.add_body(shape, position=far, velocity=tuple(1e9 * x for x in axis))
    with pytest.raises(OverflowError, match="1 bodies left"):
        world.step(1e-3, steps=10)
    assert world.steps == 3


@pytest.mark.parametrize("engine", [engine2d, engine3d])
@pytest.mark.parametrize("steps", [0, -1, 1.5, None, True, 1 << 70])
def test_steps_that_are_no_count_are_refused(engine, steps):
    world = engine.World()
    with pytest.raises((TypeError, ValueError), match="steps"):
        world.step(DT, steps=steps)
    assert world.steps == 0


@pytest.mark.parametrize("engine", [engine2d, engine3d])
def test_other_threads_run_meanwhile(engine):
    """A thread sees the world busy: the one that steps it has let go of the interpreter."""
    world = pile(engine)
    stepping = threading.Thread(target=lambda: world.step(DT, steps=20000))
    seen = False
    stepping.start()
    while stepping.is_alive() and not seen:
        try:
            world.positions.sum()
        except RuntimeError:
            seen = True
    stepping.join()
    assert seen
    assert world.steps == 20000
