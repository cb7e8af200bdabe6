"""python -m engine3d spheres --n 15 --seconds 10 --out run.npz --picture run.png; or
python -m engine3d run scene.json --seconds 10; or python -m engine3d info."""

import argparse
import platform

import numpy as np

import engine3d
from engine3d import experiment, scene
from enginecore import build_mode
from enginecore.progress import is_due, show_bar


def parse(arguments):
    parser = argparse.ArgumentParser(prog="python -m engine3d", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    spheres = commands.add_parser("spheres", help="n spheres in a hollow sphere")
    spheres.add_argument("--n", type=int, default=15, help="how many spheres")
    spheres.add_argument("--radius", type=float, default=None, help="of the hollow sphere, m")
    spheres.add_argument("--seconds", type=float, default=10.0)
    spheres.add_argument("--dt", type=float, default=1 / 240, help="s")
    spheres.add_argument("--seed", type=int, default=0)
    spheres.add_argument("--friction", type=float, default=0.5)
    spheres.add_argument(
        "--method",
        choices=("world", "document"),
        default="world",
        help="world: this engine; document: translation alone, a friction cone of k directions, "
        "minimum-map Newton",
    )
    spheres.add_argument("--directions", type=int, default=4, help="of the document's cone")
    spheres.add_argument("--out", help="trajectory as .npz")
    spheres.add_argument("--picture", help="six frames as .png")
    runner = commands.add_parser("run", help="simulate a scene file")
    runner.add_argument("scene")
    runner.add_argument("--seconds", type=float, default=10.0)
    runner.add_argument("--rate", type=float, default=60.0, help="steps a second")
    runner.add_argument("--every", type=int, default=1, help="steps between frames that are kept")
    runner.add_argument("--out", help="an .npz for the frames")
    runner.add_argument("--save", help="a scene file for the state at the end")
    runner.add_argument("--picture", help="the last frame as .png")
    runner.add_argument("--quiet", action="store_true", help="no progress bar")
    commands.add_parser("info", help="say what is installed")
    return parser.parse_args(arguments)


def main(arguments=None):
    given = parse(arguments)
    if given.command == "info":
        print(f"engine3d {engine3d.__version__}, {build_mode} build")
        print(
            f"Python {platform.python_version()} on {platform.platform()}, numpy {np.__version__}"
        )
        return
    try:
        run_scene(given) if given.command == "run" else run_spheres(given)
    except (ValueError, OSError) as problem:
        raise SystemExit(f"error: {problem}") from None


def run_spheres(given):
    """The experiment: n spheres fall in a hollow one."""
    if not (0.0 < given.seconds < np.inf and 0.0 < given.dt < np.inf):
        raise ValueError("--seconds and --dt must be finite and > 0")
    start = experiment.draw_spheres(given.n, given.radius, given.seed)
    run = experiment.run(
        start,
        seconds=given.seconds,
        dt=given.dt,
        friction=given.friction,
        method=given.method,
        directions=given.directions,
        progress=show_bar,
    )
    print(
        f"{given.n} spheres, {given.seconds:g} s: energy {run['energy'][0]:.6g} -> "
        f"{run['energy'][-1]:.6g} J, contacts at the end {run['contacts'][-1]}"
    )
    if given.method == "document":
        newton, lemke, worst = run["solves"]
        print(f"solved by Newton {newton:.0f}, by Lemke {lemke:.0f}, worst residual {worst:.1e}")
    if given.out:
        np.savez_compressed(given.out, **run)
        print(f"trajectory: {given.out}")
    if given.picture:
        from engine3d.draw import draw_run

        draw_run(run, given.picture)
        print(f"picture: {given.picture}")


def run_scene(given):
    """Simulate a scene, with a bar that shows how far it is, and write what happened."""
    if not (0.0 < given.seconds < np.inf and 0.0 < given.rate < np.inf):
        raise ValueError("--seconds and --rate must be finite and > 0")
    world = scene.load(given.scene)
    steps = max(round(given.seconds * given.rate), 1)
    every = max(given.every, 1)
    frames = []
    before = world.energy
    for k in range(1, steps + 1):
        world.step(1.0 / given.rate)
        if k % every == 0 or k == steps:
            frames.append(
                (
                    world.time,
                    world.positions.copy(),
                    world.orientations.copy(),
                    tuple(world.energy),
                    len(world.contacts),
                )
            )
        if is_due(k, steps):
            text = f"energy {world.energy.total:.4g} J, {len(world.contacts)} contacts"
            show_bar(k / steps, text, given.quiet)
    print(f"{len(world.bodies)} bodies, {steps} steps of 1/{given.rate:g} s")
    for name, a, b in zip(before._fields, before, world.energy, strict=True):
        print(f"{name:>9} energy {a:14.6g} J -> {b:14.6g} J ({b - a:+.6g} J)")
    print(f"contacts at the end {len(world.contacts)}")
    if given.out:
        names = ("time", "positions", "orientations", "energy", "contacts")
        arrays = map(np.array, zip(*frames, strict=True))
        np.savez_compressed(given.out, **dict(zip(names, arrays, strict=True)))
        print(f"wrote {given.out}: {', '.join(names)} of {len(frames)} frames")
    if given.save:
        scene.save(world, given.save)
        print(f"wrote {given.save}")
    if given.picture:
        from engine3d.draw import draw_world

        draw_world(world, given.picture)
        print(f"wrote {given.picture}")


if __name__ == "__main__":
    main()
