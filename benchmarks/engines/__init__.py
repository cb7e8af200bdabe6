"""One adapter per engine, so that the same scenes can be given to all of them.

An adapter is a class with a `name`, made from a scene. It has `step(dt)`; `positions` (n x 2, m),
`angles` (rad), `velocities` (n x 2, m/s) and `angular_velocities` of all bodies in the scene's
order, as float64; `bodies`, the engine's own handles; `read_all()`, the engine's fastest bulk
read-out of positions; `read_one(handle)`, how a user asks for one position; and
`first_hit(start, end)`, whether a ray meets anything. An engine that takes many rays in one call
also has `hits_of(starts, ends)`, how many of them hit.
"""

import importlib

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
