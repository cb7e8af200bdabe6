"""Command line: python -m engine3d spheres --n 15 --seconds 10 --out run.npz --picture run.png."""

import argparse
import sys

import numpy as np

from engine3d import experiment


def bar(share, text):
    """One line that fills up."""
    full = round(30 * share)
    end = "\n" if share >= 1.0 else ""
    sys.stderr.write(f"\r[{'#' * full}{'.' * (30 - full)}] {100 * share:3.0f} % {text}{end}")
    sys.stderr.flush()


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
    return parser.parse_args(arguments)


def main(arguments=None):
    given = parse(arguments)
    try:
        start = experiment.draw_spheres(given.n, given.radius, given.seed)
        run = experiment.run(
            start,
            seconds=given.seconds,
            dt=given.dt,
            friction=given.friction,
            method=given.method,
            directions=given.directions,
            progress=bar,
        )
    except ValueError as problem:
        raise SystemExit(f"error: {problem}") from None
    print(
        f"{given.n} spheres, {given.seconds:g} s: energy {run['energy'][0]:.6g} -> "
        f"{run['energy'][-1]:.6g} J, contacts at the end {run['contacts'][-1]}"
    )
    if given.out:
        np.savez_compressed(given.out, **run)
        print(f"trajectory: {given.out}")
    if given.picture:
        from engine3d.draw import draw_run

        draw_run(run, given.picture)
        print(f"picture: {given.picture}")


if __name__ == "__main__":
    main()
