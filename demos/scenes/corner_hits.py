"""Boxes that strike others with a corner, each pair for itself: impacts whose answer is known."""

import math

import numpy as np

from demos.scenes.scene import Body, Scene
from engine2d import Box

APART = 12.0  # m, between pairs
GAP = 2e-4  # m, before they strike


def corner_hits(count=500, seed=1):
    """Pairs: a tilted box comes down on a flat one, which is fixed in every second pair.

    sizes: for each pair the arguments of engine2d.impact.collide, and where its bodies are in the
    scene.
    """
    rng = np.random.default_rng(seed)
    across = math.ceil(math.sqrt(count))
    bodies, cases = [], []
    for k in range(count):
        at = np.array([k % across, k // across]) * APART - 0.5 * APART * across
        pair, case = corner_hit(rng, fixed=k % 2 == 0)
        for body in pair:
            place = tuple((at + body.position).tolist())
            bodies.append(Body(body.shapes, place, body.angle, body.velocity,
                               body.angular_velocity, body.kind))  # fmt: skip
        cases.append(case)
    return Scene("corner hits", tuple(bodies), gravity=(0.0, 0.0), sizes={"cases": cases})


def corner_hit(rng, fixed):
    """The two bodies, their contact at the origin, and the arguments of the impact."""
    e, mu = float(rng.uniform(0.0, 1.0)), float(rng.uniform(0.1, 1.0))
    w, h = rng.uniform(0.4, 1.6, 2)
    # tilted so that one corner is clearly the lowest
    angle = math.radians(rng.uniform(15.0, 75.0))
    c, s = math.cos(angle), math.sin(angle)
    local = np.array([-0.5 * w, -0.5 * h])
    arm = np.array([c * local[0] - s * local[1], s * local[0] + c * local[1]])
    if arm[1] > -0.5 * math.hypot(w, h) * 0.2:
        return corner_hit(rng, fixed)
    v = np.array([rng.uniform(-4.0, 4.0), rng.uniform(-5.0, -1.0)])
    turn = float(rng.uniform(-4.0, 4.0))
    approach = -(v[1] + turn * arm[0])
    if approach < 1.5:  # Box2D does not bounce below 1 m/s
        return corner_hit(rng, fixed)
    plate = Box(6.0, 1.0, density=float(rng.uniform(0.3, 3.0)), friction=mu, restitution=e)
    x = float(rng.uniform(-2.0, 2.0))
    striker = Box(float(w), float(h), friction=mu, restitution=e)
    over = np.array([0.0, GAP])
    pair = (
        Body((plate,), position=(x, -0.5), kind="static" if fixed else "dynamic"),
        Body((striker,), tuple((over - arm).tolist()), angle, tuple(v.tolist()), turn),
    )
    case = {
        "e": e, "mu": mu, "f": (0.0, 1.0),
        "mA": striker.mass, "IA": striker.inertia, "rA": tuple(arm.tolist()),
        "vA": tuple(v.tolist()), "wA": turn,
        "mB": math.inf if fixed else plate.mass,
        "IB": math.inf if fixed else plate.inertia,
        "rB": (-x, 0.5), "vB": (0.0, 0.0), "wB": 0.0,
    }  # fmt: skip
    return pair, case
