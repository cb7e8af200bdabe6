"""python -m engine2d run scene.json --seconds 10 --out run.npz; python -m engine2d info."""

from __future__ import annotations

import argparse
import platform
import sys
import time

import numpy as np

import engine2d
from engine2d import scene
from enginecore import build_mode
from enginecore.progress import is_due, show_bar


def run(options: argparse.Namespace) -> int:
    """Simulate a scene, with a bar that shows how far it is, and write what happened."""
    world = scene.load(options.scene)
    steps = max(round(options.seconds * options.rate), 1)
    every = max(options.every, 1)
    times, positions, angles, energies = [], [], [], []
    before = world.energy
    begun = time.perf_counter()
    for k in range(steps):
        world.step(1.0 / options.rate)
        if (k + 1) % every == 0 or k + 1 == steps:
            times.append(world.time)
            positions.append(world.positions.copy())
            angles.append(world.angles.copy())
            energies.append(tuple(world.energy))
        if is_due(k + 1, steps):
            show_bar((k + 1) / steps, quiet=options.quiet)
    took = time.perf_counter() - begun
    after = world.energy
    print(f"{len(world.bodies)} bodies, {steps} steps of 1/{options.rate:g} s in {took:.2f} s")
    for name in before._fields:
        a, b = getattr(before, name), getattr(after, name)
        print(f"{name:>9} energy {a:14.6g} J -> {b:14.6g} J ({b - a:+.6g} J)")
    if options.out:
        np.savez_compressed(
            options.out,
            time=np.array(times),
            positions=np.array(positions),
            angles=np.array(angles),
            energy=np.array(energies),
        )
        print(f"wrote {options.out}: time, positions, angles, energy of {len(times)} frames")
    if options.save:
        scene.save(world, options.save)
        print(f"wrote {options.save}")
    return 0


def info() -> int:
    """What is installed, for reports."""
    print(f"engine2d {engine2d.__version__}, {build_mode} build")
    print(f"Python {platform.python_version()} on {platform.platform()}")
    print(f"numpy {np.__version__}")
    for name in ("pygame", "msgspec", "pymunk"):
        try:
            module = __import__(name)
        except ImportError:
            print(f"{name}: not installed")
        else:
            print(f"{name} {getattr(module, '__version__', getattr(module, 'version', '?'))}")
    return 0


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m engine2d", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    runner = commands.add_parser("run", help="simulate a scene file")
    runner.add_argument("scene")
    runner.add_argument("--seconds", type=float, default=10.0)
    runner.add_argument("--rate", type=float, default=60.0, help="steps a second")
    runner.add_argument("--every", type=int, default=1, help="steps between frames that are kept")
    runner.add_argument("--out", help="an .npz for the frames")
    runner.add_argument("--save", help="a scene file for the state at the end")
    runner.add_argument("--quiet", action="store_true", help="no progress bar")
    commands.add_parser("info", help="say what is installed")
    options = parser.parse_args(arguments)
    if options.command == "info":
        return info()
    if not (options.seconds > 0.0 and options.rate > 0.0):
        parser.error("--seconds and --rate must be > 0")
    try:
        return run(options)
    except (OSError, scene.SceneError) as error:
        print(f"engine2d: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
