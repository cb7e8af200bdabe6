"""One adapter per engine, so that the same scenes can be given to all of them.

An adapter is a class with a `name`, made from a scene. It has `step(dt)`; `positions` (n x 2, m),
`angles` (rad), `velocities` (n x 2, m/s) and `angular_velocities` of all bodies in the scene's
order, as float64; `push(handle, force, torque)` for the next step (N, N m); `bodies`, the engine's
own handles; `read_all()`, the engine's fastest bulk read-out of positions; `read_one(handle)`, how
a user asks for one position; and `first_hit(start, end)`, whether a ray meets anything. An
engine that takes many rays in one call also has `hits_of(starts, ends)`, how many of them hit.

Segments of a body that follow each other are a chain, with what moves on the left of it; engines
that have chains are given one.
"""

import importlib
from itertools import pairwise

from engine2d import Segment

NAMES = ("engine2d", "pymunk", "pyb2d3")


def load_engines():
    """Adapters by name, of those engines that are installed."""
    found = {}
    for name in NAMES:
        try:
            module = importlib.import_module(f"benchmarks.engines.{name}_engine")
        except ImportError:
            continue
        found[name] = module.Engine
    return found


def chain_of(shapes):
    """The points of a body's segments if each begins where the one before ends, else None."""
    if len(shapes) < 2 or not all(isinstance(shape, Segment) for shape in shapes):
        return None
    ends = [shape.points.tolist() for shape in shapes]
    if any(a[1] != b[0] for a, b in pairwise(ends)):
        return None
    return [ends[0][0], *(end for _, end in ends)]
