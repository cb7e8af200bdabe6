"""Random impacts of ordinary bodies, as arrays for collide_many; the same ones every time."""

import numpy as np


def random_impacts(n, width, seed=1):
    """Arguments of collide_many for n impacts in the plane (width 2) or in space (3).

    Bodies of 0.3 to 3 kg and about 1 m, speeds of a few m/s, any restitution, friction up to 1.5;
    a quarter of them against something immovable. All are approaching.
    """
    rng = np.random.default_rng(seed)
    normals = rng.normal(size=(n, width))
    arguments = {
        "e": rng.uniform(0.0, 1.0, n),
        "mu": rng.uniform(0.0, 1.5, n),
        "f": normals / np.linalg.norm(normals, axis=1, keepdims=True),
    }
    spins = (n,) if width == 2 else (n, 3)
    for which in "AB":
        mass = 10.0 ** rng.uniform(-0.5, 0.5, n)
        arguments["m" + which] = mass
        arguments["I" + which] = random_inertia(rng, mass, width)
        arguments["r" + which] = rng.uniform(-1.0, 1.0, (n, width))
        arguments["v" + which] = rng.normal(0.0, 3.0, (n, width))
        arguments["w" + which] = rng.normal(0.0, 3.0, spins)
    arguments["mB"][rng.random(n) < 0.25] = np.inf
    turn_towards(arguments, width)
    return arguments


def random_inertia(rng, mass, width):
    """Moments with radii of gyration from 0.3 to 1 m; in space, tensors in random axes."""
    if width == 2:
        return mass * rng.uniform(0.3, 1.0, len(mass)) ** 2
    axes = np.linalg.qr(rng.normal(size=(len(mass), 3, 3)))[0]
    moments = mass[:, None] * rng.uniform(0.3, 1.0, (len(mass), 3)) ** 2
    return np.einsum("nik,nk,njk->nij", axes, moments, axes)


def turn_towards(arguments, width):
    """Turn the motions of those round that would part."""

    def contact(which):
        r, v, w = (arguments[name + which] for name in "rvw")
        turned = np.column_stack([-w * r[:, 1], w * r[:, 0]]) if width == 2 else np.cross(w, r)
        return v + turned

    parting = np.einsum("ni,ni->n", contact("A") - contact("B"), arguments["f"]) > 0.0
    for name in ("vA", "wA", "vB", "wB"):
        arguments[name][parting] *= -1.0
