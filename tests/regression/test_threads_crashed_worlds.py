"""add_body gave a world new memory while another thread was in a step of it: the process crashed.

Each case runs in a process of its own, so that a crash is a failure here.
"""

import sys
import threading
import time

import pytest

from engine2d import Box, Circle, World
from tests.fuzz.child import run_cases

DT = 1 / 60


def make_world():
    world = World(sleeping=False)
    world.add_static(Box(200, 1), position=(0, -0.5))
    for k in range(300):
        world.add_body(Box(0.9, 0.9), position=(k % 40 - 20, 0.5 + k // 40))
    return world


def all_calls(world, added):
    """Everything that reads or writes the stores of a world."""
    bodies = world.bodies
    body = bodies[7]
    return [
        lambda: world.step(DT),
        lambda: added.append(world.add_body(Circle(0.2), position=(len(added) % 50, 80))),
        lambda: [b.position for b in bodies[:40]],
        lambda: [b.shapes for b in bodies[:10]],
        lambda: (body.angle, body.mass, body.velocity_at((0, 0)), body.row, repr(body)),
        lambda: world.remove(world.add_body(Circle(0.1), position=(0, 90))),
        lambda: [b.id for b in world.bodies],
        lambda: list(world.contacts),
        lambda: (world.energy, world.awake, world.islands, world.stats),
        lambda: (world.events.begins, world.events.hits, world.body(7)),
        lambda: world.ray_query((-30, 1), (30, 1)),
        lambda: world.overlap_query(Box(5, 5)),
        lambda: setattr(body, "velocity", (1, 0)),
        lambda: setattr(body, "kind", "dynamic"),
        lambda: setattr(world, "gravity", (0, -9)),
        lambda: (world.positions.sum(), world.velocities.sum()),
        lambda: world.snapshot(),
        lambda: world.copy().step(DT),
    ]


def clash(seed, seconds=1.5):
    """All calls at once on one world, each in a thread; what is refused says why."""
    sys.setswitchinterval(1e-6)
    world, added, problems = make_world(), [], []
    first = len(world.bodies)
    stop = threading.Event()
    done = [0] * len(all_calls(world, []))

    def work(k, call):
        while not stop.is_set():
            try:
                call()
                done[k] += 1
                time.sleep(0.0005 if k == 0 else 0)  # the others shall have their turn
            except RuntimeError as error:
                if "under way" not in str(error) and "handlers" not in str(error):
                    problems.append(error)
                time.sleep(0)
            except Exception as error:
                problems.append(error)

    calls = all_calls(world, added)
    threads = [threading.Thread(target=work, args=item) for item in enumerate(calls)]
    for thread in threads:
        thread.start()
    end = time.monotonic() + seconds
    late = end + 60  # a machine with much to do may let nobody through for a while
    while (now := time.monotonic()) < end or (not (done[0] and done[1]) and now < late):
        stop.wait(0.05)
    stop.set()
    for thread in threads:
        thread.join(30)
    if problems:
        return f"{problems[0]!r} and {len(problems) - 1} more"
    lost = first + len(added) - sum(not b.removed for b in world.bodies[:first] + added)
    if lost or not done[0] or not done[1]:
        return f"{lost} bodies lost, calls that went through: {done}"
    world.step(DT)
    return None


def apart(seed):
    """Worlds that step in threads of their own are free, and end where they end alone."""
    alone = make_world()
    for _ in range(5):
        alone.step(DT)
    worlds, refused = [make_world() for _ in range(4)], []

    def run(world):
        try:
            for _ in range(5):
                world.step(DT)
        except RuntimeError as error:
            refused.append(error)

    threads = [threading.Thread(target=run, args=(world,)) for world in worlds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    same = all(world.positions.tobytes() == alone.positions.tobytes() for world in worlds)
    return None if same and not refused else f"{same} {refused}"


@pytest.mark.parametrize("case", [clash, apart])
def test_one_world_is_used_by_one_thread_and_others_by_others(case):
    failures, done = run_cases(case, [0], slow=120)
    assert not failures
    assert done == 1


def test_what_is_refused_changes_nothing():
    """A call from another thread while the step is under way names itself."""
    world = make_world()
    stop, refused = threading.Event(), []

    def step():
        while not stop.is_set():
            try:
                world.step(DT)
            except RuntimeError as error:  # the other thread's call was under way
                refused.append(error)

    # What goes through in spite of all lies apart from everything else: a heap of thousands of
    # discs in one place would make the last step endless.
    places = ((10 * k, 500.0) for k in range(1000))
    body, texts = world.bodies[3], set()
    thread = threading.Thread(target=step, daemon=True)
    thread.start()
    end = time.monotonic() + 20
    for place in places:
        for call in (
            lambda: body.position,
            lambda place=place: world.add_body(Circle(1), position=place),
        ):
            for _ in range(50):
                try:
                    call()
                    break
                except RuntimeError as error:
                    texts.add(str(error).split(":")[0])
        if len(texts) == 2 or time.monotonic() > end:
            break
    stop.set()
    thread.join(60)
    assert not thread.is_alive()
    assert texts == {"body", "add_body"}
