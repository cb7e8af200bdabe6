"""One adapter per engine in space, so that the same scenes can be given to all of them.

An adapter is a class with a `name`, made from a scene of `benchmarks.scenes3d` and a step (s). It
has `step()`; `positions` (n x 3, m), `orientations` (n x 4; w, x, y, z) and `velocities` (n x 3,
m/s) of all bodies in the scene's order, as float64.
"""

import importlib

NAMES = ("engine3d", "pybullet", "mujoco")


def load_engines(names=NAMES):
    """Adapters by name, of those engines that are installed."""
    found = {}
    for name in names:
        try:
            module = importlib.import_module(f"benchmarks.engines3d.{name}_engine")
        except ImportError:
            continue
        found[name] = module.Engine
    return found
