"""The world in space: what users hold, snapshots, events, bad input, the command line."""

import pickle
import threading

import numpy as np
import pytest

from engine3d import Box, Filter, HollowSphere, Plane, Sphere, World, experiment
from engine3d.__main__ import main
from engine3d.draw import Camera, orbit, render, save, sheet
from engine3d.solve.solver_iterative import lane_names, use_lanes


def pile(n=12, solver="auto"):
    rng = np.random.default_rng(1)
    world = World(solver=solver)
    world.add_static(Plane((0, 0, 1)))
    for k in range(n):
        shape = Sphere(0.4) if k % 2 else Box(0.6, 0.7, 0.8)
        world.add_body(
            shape, position=(*rng.uniform(-0.6, 0.6, 2), 0.6 + 0.9 * k), velocity=(0, 0, -1)
        )
    return world


def state(world):
    return world.positions.tobytes() + world.orientations.tobytes() + world.velocities.tobytes()


@pytest.mark.parametrize("solver", ["auto", "direct", "iterative"])
def test_a_snapshot_replays_bit_for_bit(solver):
    world = pile(solver=solver)
    for _ in range(60):
        world.step(1 / 120)
    taken = world.snapshot()
    twin, other = pickle.loads(pickle.dumps(world)), world.copy()
    for _ in range(40):
        for one in (world, twin, other):
            one.step(1 / 120)
    assert state(world) == state(twin) == state(other)
    world.restore(taken)
    for _ in range(40):
        world.step(1 / 120)
    assert state(world) == state(twin)


def test_worlds_in_threads_are_as_alone():
    worlds = [pile() for _ in range(3)]
    for _ in range(50):
        worlds[0].step(1 / 120)

    def run(world):
        for _ in range(50):
            world.step(1 / 120)

    threads = [threading.Thread(target=run, args=(world,)) for world in worlds[1:]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert state(worlds[0]) == state(worlds[1]) == state(worlds[2])


def test_all_lanes_give_the_same_bits():
    found = []
    for name in lane_names():
        use_lanes(name)
        world = pile(20, "iterative")
        for _ in range(60):
            world.step(1 / 120)
        found.append(state(world))
    use_lanes(lane_names()[0])
    assert len(set(found)) == 1


def test_a_heap_comes_to_rest_and_sleeps_until_it_is_disturbed():
    world = World()
    world.add_static(Plane((0, 0, 1)))
    boxes = [world.add_body(Box(1, 1, 1), position=(0, 0, 0.5 + k)) for k in range(4)]
    for _ in range(240):
        world.step(1 / 120)
    assert not world.awake.any()
    boxes[-1].apply_impulse((0.5, 0, 0))
    world.step(1 / 120)
    assert world.awake[1:].all()
    world.remove(boxes[0])
    world.step(1 / 120)
    with pytest.raises(ValueError, match="was removed"):
        _ = boxes[0].position
    assert len(world.bodies) == 4


def test_events_sensors_and_filters():
    world = World()
    world.add_static(Plane((0, 0, 1), restitution=0.5))
    world.add_static(Box(2, 2, 0.2, sensor=True), position=(0, 0, 2))
    ball = world.add_body(Sphere(0.2), position=(0, 0, 3))
    ghost = world.add_body(Sphere(0.2, filter=Filter(mask=0)), position=(5, 0, 1))
    begun, hits = [], []
    world.events.on_begin(lambda event: begun.append({event.body_a, event.body_b}))
    world.events.on_hit(hits.append)
    for _ in range(120):
        world.step(1 / 120)
    assert begun[:2] == [{world.bodies[1], ball}, {world.bodies[0], ball}]
    assert hits[0].speed == pytest.approx(np.sqrt(2 * 9.81 * 2.8), rel=1e-3)
    assert ghost.position[2] < -1


def test_state_can_be_read_and_written():
    world = World(gravity=(0, 0, 0))
    body = world.add_body(Box(1, 2, 3, center=(1, 0, 0)), position=(1, 2, 3))
    assert body.center == pytest.approx((2, 2, 3))
    body.orientation = (np.sqrt(0.5), 0, 0, np.sqrt(0.5))
    assert body.position == (1, 2, 3)
    assert body.center == pytest.approx((1, 3, 3))
    body.angular_velocity = (0, 0, 2)
    assert body.velocity_at((1, 4, 3)) == pytest.approx((-2, 0, 0))
    assert body.to_local(body.to_world((0.3, 0.2, 0.1))) == pytest.approx((0.3, 0.2, 0.1))
    world.set_state(positions=[(0, 0, 0)], velocities=[(1, 2, 3)])
    assert body.velocity == (1, 2, 3)
    moments, axes = body.principal
    assert np.abs(axes @ np.diag(moments) @ axes.T - body.inertia).max() < 1e-12
    assert world.energy.kinetic == pytest.approx(0.5 * body.mass * 14 + 2 * body.inertia[2, 2])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda w: w.add_body(Sphere(1), position=(0, 0)), "position must be 3 numbers"),
        (lambda w: w.add_body(Sphere(1), mass=-1), "mass must be > 0"),
        (lambda w: w.add_body(Sphere(1), inertia=(1, 1)), "inertia must be 3 moments"),
        (lambda w: w.add_body(Plane((0, 0, 1))), "must have a mass"),
        (lambda w: w.add_body(Sphere(1), kind="ghost"), "kind must be"),
        (lambda w: w.add_body(Sphere(1), orientation=(0, 0, 0, 0)), "orientation must be"),
        (lambda w: w.step(0), "dt must be finite and > 0"),
        (lambda w: w.step(float("nan")), "dt must be finite"),
        (lambda w: w.set_state(positions=[(0, 0)]), "positions must have shape"),
        (lambda w: w.cast_query(Plane((0, 0, 1)), (0, 0, 0), (1, 0, 0)), "finite to be cast"),
        (lambda _: World(solver="magic"), "solver must be one of"),
    ],
)
def test_bad_input_is_named_and_changes_nothing(make, words):
    world = World()
    with pytest.raises(ValueError, match=words):
        make(world)
    assert len(world.bodies) == 0


def test_the_experiment_from_the_command_line(tmp_path, capsys):
    out, picture = tmp_path / "run.npz", tmp_path / "run.png"
    main(["spheres", "--n", "5", "--seconds", "0.5", "--out", str(out), "--picture", str(picture)])
    run = np.load(out)
    assert run["positions"].shape == (31, 5, 3)
    away = np.linalg.norm(run["positions"], axis=2) + run["radii"]
    assert away.max() < run["hollow"] + 1e-4
    assert run["energy"][-1] <= run["energy"][0] + 1e-9
    assert picture.stat().st_size > 1000
    assert "energy" in capsys.readouterr().out


def test_the_textbook_method_loses_energy_and_keeps_spheres_in(tmp_path):
    out = tmp_path / "run.npz"
    main(
        ["spheres", "--n", "4", "--seconds", "1", "--dt", "0.01", "--method", "document"]
        + ["--out", str(out)]
    )
    run = np.load(out)
    assert run["energy"][-1] < run["energy"][0]
    away = np.linalg.norm(run["positions"], axis=2) + run["radii"]
    assert away.max() < run["hollow"] + 0.2


def test_the_textbook_method_solves_each_step(tmp_path, capsys):
    """By Newton, or by Lemke's method where that stalls; in bounded time."""
    start = experiment.draw_spheres(6, seed=2)
    run = experiment.run(start, 1.0, dt=0.01, method="document", directions=6)
    newton, lemke, worst = run["solves"]
    assert newton > 40
    assert newton + lemke > 80  # the other steps have no contact
    assert worst < 1e-5
    main(["spheres", "--n", "2", "--seconds", "0.05", "--method", "document"])
    told = capsys.readouterr()
    assert "by Newton" in told.out
    assert told.err == ""  # a bar is for terminals


def test_counts_are_numbers():
    world = World()
    world.step(1 / 60)
    counts = {name: value for name, value in world.stats.items() if name != "seconds"}
    assert all(isinstance(value, int) for value in counts.values())
    assert {"direct_solves", "energy_audits", "strikes"} <= set(counts)


def test_a_picture_shows_what_is_there(tmp_path):
    world = World()
    world.add_static(Plane((0, 0, 1)))
    world.add_body(Sphere(1), position=(0, 0, 1))
    world.step(1 / 60)
    picture = render(world, Camera(eye=(0, -6, 2), target=(0, 0, 1)), (80, 60))
    assert picture.shape == (60, 80, 3)
    sky, ball = picture[2, 2].astype(int), picture[30, 40].astype(int)
    assert np.abs(sky - ball).max() > 30
    save(picture, tmp_path / "picture.png")


def test_edges_in_pictures_are_smooth_and_tiles_tell_the_scale():
    world = World()
    world.add_static(Plane((0, 0, 1)))
    world.add_body(Box(1, 1, 1), position=(0, 0, 0.5))
    eye = Camera(eye=(0.3, -4, 3), target=(0, 0, 0.5))
    rough, smooth = (render(world, eye, (80, 60), samples=k).astype(int) for k in (1, 3))
    changed = np.abs(rough - smooth).max(axis=2) > 2
    assert 0.02 < changed.mean() < 0.4  # at edges alone
    floor = rough[-1, :, 0]
    assert len(set(floor.tolist())) > 2  # tiles of two shades
    # two sides that the light does not reach are told apart
    dark = render(world, Camera(eye=(-4, 1.5, 1), target=(0, 0, 0.5)), (80, 60), samples=1)
    box = dark[32][dark[32, :, 2] > dark[32, :, 0] + 20].astype(int)
    assert len(box) > 15
    assert np.ptp(box[:, 2]) > 8


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Camera(eye=(1, 2, 3), target=(1, 2, 3)), "eye and target must differ"),
        (lambda: Camera(eye=(np.nan, 0, 0)), "eye must be three finite"),
        (lambda: Camera(target=(1, 2)), "target"),
        (lambda: Camera(view=4), "view must be"),
        (lambda: render(World(), size=(0, 10)), "size must be"),
        (lambda: render(World(), size=(10, 10), samples=0), "samples must be"),
        (lambda: render(World(), size=(10, 10), far=np.nan), "far must be"),
        (lambda: render(World(), size=(10, 10), sky=(1, np.inf, 1)), "sky must be"),
        (lambda: sheet([]), "pictures must be"),
        (lambda: orbit(0, 0, -1), "distance must be"),
    ],
)
def test_bad_pictures_are_refused_by_name(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_a_camera_may_look_straight_down():
    world = World()
    world.add_static(Plane((0, 0, 1)))
    world.add_body(Box(1, 2, 1), position=(0, 0, 0.5))
    seen = render(world, Camera(eye=(0, 0, 8), target=(0, 0, 0)), (40, 40), samples=1).astype(int)
    box = np.argwhere(seen[..., 0] - seen[..., 2] < -20)
    height, width = np.ptp(box, axis=0)
    assert height > 1.5 * width > 0  # y is on top


def test_sheets_have_labels():
    plain = np.full((120, 160, 3), 240, np.uint8)
    labelled = sheet([plain] * 6, labels=["0 s", "2 s"])
    assert labelled.shape == (244, 488, 3)
    assert (labelled[:40, :60] < 150).any()
    assert (labelled[:40, 164:224] < 150).any()
    assert (labelled[:40, 328:388] == 240).all()


def test_a_hollow_sphere_holds_its_load():
    world = World()
    world.add_static(HollowSphere(2))
    ball = world.add_body(Sphere(0.3), position=(0.5, 0, 0))
    for _ in range(240):
        world.step(1 / 120)
        assert np.linalg.norm(ball.position) < 1.7 + 1e-4
