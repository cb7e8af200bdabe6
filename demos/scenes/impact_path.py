"""The way of the impulse during an impact in the plane, and a rod dropped on the ground.

engine2d.impact.collide gives the end of that way; here it is walked from corner to corner, to show
it and to check it (docs/maths/impact2d.md).
"""

import math
from typing import NamedTuple

import numpy as np

from demos.scenes.scene import Body, Scene
from engine2d import Box

LENGTH, THICK = 1.6, 0.12  # m, of the rod
DROP = 0.8  # m, from its lower end to the ground


class Knot(NamedTuple):
    """A corner of the way: impulse (N s), velocity (m/s) and work (J) so far, in compression?"""

    p_t: float
    p_n: float
    u_t: float
    u_n: float
    work: float
    compression: bool  # of the piece that begins here
    slips: bool


def impulse_path(e, mu, K, u):
    """Knots from first touch to release. K (1/kg): u = u0 + K p, rows and columns (t, n)."""
    (k_tt, k_tn), (_, k_nn) = K
    p_t = p_n = work = spent = 0.0
    u_t, u_n = u
    compression, slips = True, u_t != 0.0
    knots = []
    while len(knots) < 8:
        # friction against the slip, or as much as holds the contact, or all there is
        hold = -k_tn / k_tt
        slope = -math.copysign(mu, u_t) if slips else max(-mu, min(mu, hold))
        sliding = slips or abs(hold) > mu
        a_t, a_n = k_tt * slope + k_tn, k_tn * slope + k_nn
        knots.append(Knot(p_t, p_n, u_t, u_n, work, compression, sliding))
        stop = -u_t / a_t if slips and u_t * a_t < 0.0 else math.inf
        if compression:
            turn = -u_n / a_n if a_n > 0.0 else math.inf
        else:
            left = e * e * spent - (work + spent)
            turn = (math.sqrt(max(u_n * u_n + 2.0 * a_n * left, 0.0)) - u_n) / a_n
        d = min(stop, turn)
        if not math.isfinite(d):
            break
        work += u_n * d + 0.5 * a_n * d * d
        p_t, p_n, u_t, u_n = p_t + slope * d, p_n + d, u_t + a_t * d, u_n + a_n * d
        if stop <= turn:
            u_t, slips = 0.0, False
        if turn <= stop:
            if not compression:
                break
            compression, u_n, spent = False, 0.0, -work
    knots.append(Knot(p_t, p_n, u_t, u_n, work, False, False))
    return knots


def rod_impact(angle, slip, g):
    """Inverse masses K at the rod's lower end when it lands, and all that collide wants."""
    m = LENGTH * THICK
    inertia = m * (LENGTH**2 + THICK**2) / 12.0
    corners = np.array([(x * LENGTH, y * THICK) for x in (-0.5, 0.5) for y in (-0.5, 0.5)])
    c, s = math.cos(angle), math.sin(angle)
    corners = corners @ np.array([[c, s], [-s, c]])
    x, y = corners[corners[:, 1].argmin()]
    v = (slip, -math.sqrt(2.0 * g * DROP))
    K = np.array([[1 / m + y * y / inertia, -x * y / inertia],
                  [-x * y / inertia, 1 / m + x * x / inertia]])  # fmt: skip
    rod = {"mA": m, "IA": inertia, "rA": (x, y), "vA": v, "wA": 0.0}
    ground = {"mB": None, "IB": None, "rB": (0, 0), "vB": (0, 0), "wB": 0.0}
    return K, v, {"f": (0.0, 1.0), **rod, **ground}


def rod_drop(angle, slip):
    """The rod above the ground, at `angle` (rad) to it, moving sideways at `slip` (m/s)."""
    low = 0.5 * LENGTH * abs(math.sin(angle)) + 0.5 * THICK * abs(math.cos(angle))
    ground = Body((Box(40.0, 8.0),), position=(0.0, -4.0), kind="static")
    rod = Body((Box(LENGTH, THICK),), position=(0.0, DROP + low), angle=angle, velocity=(slip, 0.0))
    return Scene("rod", (ground, rod), sizes={"drop": DROP})
