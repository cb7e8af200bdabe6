"""The equation of resting contact, a = A f + b, for the state a world is in."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine2d import contact_force
from enginecore import lcp

if TYPE_CHECKING:
    from engine2d.contact_list import ContactList
    from engine2d.world import World


_Array = NDArray[np.float64]


class ContactSystem(NamedTuple):
    """A (1/kg) and b (m/s^2), the forces f (N) that solve it, and the contacts of its rows.

    With friction there are two rows for each contact: first all normals, then all tangents.
    """

    A: NDArray[np.float64]
    b: NDArray[np.float64]
    f: NDArray[np.float64]
    contacts: ContactList
    solution: lcp.Solution


def contact_system(world: World, extra: str, dt: float, friction: bool) -> ContactSystem:
    """Assemble and solve the problem; see World.contact_system."""
    contacts = world.contacts
    rows, bodies = contacts.arrays, world.bodies
    numbers = {body.id: k for k, body in enumerate(bodies)}
    body1 = np.array([numbers[id] for id in rows["body_a"]], int)
    body2 = np.array([numbers[id] for id in rows["body_b"]], int)
    mass = np.array([body.mass for body in bodies])
    inertia = np.array([body.inertia for body in bodies])
    # external forces; what cannot move needs none
    load = np.zeros((len(bodies), 3))
    for k, body in enumerate(bodies):
        if body.kind == "dynamic":
            weight = body.mass * body.gravity_scale * np.array(world.gravity)
            load[k] = *(weight + body.force), body.torque
    A, b = contact_force.assemble(
        mass,
        inertia,
        world.centers,
        world.velocities,
        world.angular_velocities,
        load[:, :2],
        load[:, 2],
        body1,
        body2,
        rows["point"],
        rows["normal"],
        rows["r1"],
        facing_radii(rows),
        extra=extra,
        dt=dt,
        gap=rows["gap"],
    )
    if not friction:
        solution = lcp.solve(A, b)
        return ContactSystem(A, b, solution.x, contacts, solution)
    A, b = with_tangents(world, rows, body1, body2, 1.0 / mass, 1.0 / inertia, load, b, extra, dt)
    n = len(rows)
    normal = np.concatenate([np.full(n, -1), np.arange(n)])
    mu = np.concatenate([np.zeros(n), rows["friction"]])
    solution = lcp.solve(A, b, friction=(normal, mu))
    return ContactSystem(A, b, solution.x, contacts, solution)


def facing_radii(rows: NDArray[np.void]) -> _Array:
    """The radii of the second edges (m). Of two corners the second counts as an edge across their
    normal: the line between two points that touch turns without bound."""
    return np.where((rows["r1"] == 0.0) & (rows["r2"] == 0.0), np.inf, rows["r2"])


def with_tangents(
    world: World,
    rows: NDArray[np.void],
    body1: NDArray[np.int_],
    body2: NDArray[np.int_],
    inv_mass: _Array,
    inv_inertia: _Array,
    load: _Array,
    b_normal: _Array,
    extra: str,
    dt: float,
) -> tuple[_Array, _Array]:
    """A and b with the friction rows below the normal ones.

    A tangent row is T.(P1'' - P2''): the points' accelerations along the edge, with T = z x N held.
    """
    tangent = np.stack([-rows["normal"][:, 1], rows["normal"][:, 0]], axis=1)
    arm1, arm2 = rows["point"] - world.centers[body1], rows["point"] - world.centers[body2]
    n, count = len(rows), len(inv_mass)
    J = np.zeros((2 * n, count, 3))
    for half, direction in enumerate((rows["normal"], tangent)):
        at = half * n + np.arange(n)
        J[at, body1, :2] += direction
        J[at, body2, :2] -= direction
        J[at, body1, 2] += cross(arm1, direction)
        J[at, body2, 2] -= cross(arm2, direction)
    weights = np.stack([inv_mass, inv_mass, inv_inertia], axis=1)
    A = np.einsum("ikc,kc,jkc->ij", J, weights, J)
    w = world.angular_velocities
    turning = (-(w[body1] ** 2)[:, None] * arm1 + (w[body2] ** 2)[:, None] * arm2) * tangent
    slip = np.einsum("ikc,kc->i", J[n:, :, :2], world.velocities) + J[n:, :, 2] @ w
    b = np.einsum("ikc,kc,kc->i", J[n:], weights, load) + turning.sum(axis=1)
    # friction is to end the slip within dt, whichever extra is asked for of the gaps
    if extra != "none":
        b = b + slip / dt
    return A, np.concatenate([b_normal, b])


def cross(a: _Array, b: _Array) -> _Array:
    """The z component of a x b, row by row."""
    return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
