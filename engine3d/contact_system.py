"""The equation of resting contact, a = A f + b, for the state a world is in."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, NamedTuple, SupportsIndex, cast

import numpy as np
from numpy.typing import NDArray

from engine3d import contact_force
from enginecore import lcp

if TYPE_CHECKING:
    from engine3d.contact_list import ContactList
    from engine3d.world import World

_Array = NDArray[np.float64]
# as in collide/narrow_phase.pxd: feature of A, feature of B
POINT_POINT, POINT_FACE, FACE_POINT, LINE_LINE = 0, 1, 2, 5
EXTRAS = ("none", "velocity", "velocity_and_distance")


def read_directions(value: object, name: str) -> int:
    """The number of directions of a polyhedral cone; 0: none. Errors name the argument."""
    try:
        # True and False say whether, not how many
        if isinstance(value, bool):
            raise TypeError
        count = operator.index(cast(SupportsIndex, value))
    except TypeError:
        wanted = f"{name} must be an integer: 0 or from 3 to 64 directions"
        raise TypeError(f"{wanted}, got {value!r}") from None
    if count not in (0, *range(3, 65)):
        raise ValueError(f"{name} must be 0 or from 3 to 64 directions, got {value!r}")
    return count


class ContactSystem(NamedTuple):
    """A (1/kg) and b (m/s^2), the forces f (N) that solve it, and the contacts of its rows.

    With friction there are the rows of all normals, then k of each contact's directions; `tangents`
    (contacts x k x 3) are these.
    """

    A: NDArray[np.float64]
    b: NDArray[np.float64]
    f: NDArray[np.float64]
    contacts: ContactList
    solution: lcp.Solution
    tangents: NDArray[np.float64]


def contact_system(
    world: World, extra: str, dt: float, friction: int, method: str
) -> ContactSystem:
    """Assemble and solve the problem; see World.contact_system."""
    if extra not in EXTRAS:
        raise ValueError(f"extra must be one of {', '.join(EXTRAS)}, got {extra!r}")
    if not (np.isfinite(dt) and dt > 0.0):
        raise ValueError(f"dt must be a number > 0, got {dt!r}")
    friction = read_directions(friction, "friction")
    contacts = world.contacts
    rows, bodies = contacts.arrays, world.bodies
    numbers = {body.id: k for k, body in enumerate(bodies)}
    first = np.array([numbers[id] for id in rows["body_a"]], int)
    second = np.array([numbers[id] for id in rows["body_b"]], int)
    mass = np.array([body.mass for body in bodies])
    spins = [body.rotation @ _inertia(body.inertia) @ body.rotation.T for body in bodies]
    force, torque = np.zeros((len(bodies), 3)), np.zeros((len(bodies), 3))
    for k, body in enumerate(bodies):
        if body.kind == "dynamic":
            force[k] = body.mass * body.gravity_scale * np.array(world.gravity) + body.force
            torque[k] = body.torque
    features = contacts._features
    kind = features["kind"]
    # a corner of B on a face of A is a corner of A on a face of B, seen from the other side
    turned = kind == FACE_POINT
    a, b = np.where(turned, second, first), np.where(turned, first, second)
    normal = np.where(turned[:, None], -rows["normal"], rows["normal"])
    point = np.array(rows["point"])
    # of a ball on a face its centre moves as the corner does, at its distance
    point = np.where((kind == POINT_FACE)[:, None], features["c1"], point)
    point = np.where(turned[:, None], features["c2"], point)
    state = (mass, np.array(spins), world.centers, world.velocities, world.angular_velocities)
    A, rhs = contact_force.assemble(
        *state,
        force,
        torque,
        a,
        b,
        point,
        normal,
        features["d1"],
        features["d2"],
        kind != LINE_LINE,
    )
    if len(rows):
        bend_balls(rows, features, state, first, second, rhs)
        speed = relative_velocity(state, first, second, rows["point"])
        speed = np.einsum("ij,ij->i", rows["normal"], speed)
        if extra == "velocity":
            rhs = rhs + speed / dt
        elif extra == "velocity_and_distance":
            rhs = rhs + (2.0 * speed * dt + rows["gap"]) / dt**2
    if friction == 0 or not len(rows):
        solution = lcp.solve(A, rhs, method=method)
        empty = np.zeros((len(rows), friction, 3))
        return ContactSystem(A, rhs, solution.x, contacts, solution, empty)
    tangents = directions(rows["normal"], friction)
    A, rhs = with_tangents(rows, state, first, second, force, torque, tangents, A, rhs, extra, dt)
    n, k = len(rows), friction
    system = lcp.friction_lcp(A[:n, :n], A[:n, n:], A[n:, n:], rows["friction"])
    solution = lcp.solve(system, np.concatenate([rhs, np.zeros(n)]), method=method)
    return ContactSystem(A, rhs, solution.x[: n * (k + 1)], contacts, solution, tangents)


def _inertia(tensor: _Array) -> _Array:
    """An inertia to multiply with; that of what cannot turn is not looked at."""
    return tensor if np.isfinite(tensor).all() else np.eye(3)


def relative_velocity(
    state: tuple[_Array, ...], a: NDArray[np.int_], b: NDArray[np.int_], point: _Array
) -> _Array:
    """Of the points of A against those of B (m x 3, m/s)."""
    _, _, x, v, w = state
    one = v[a] + np.cross(w[a], point - x[a])
    two = v[b] + np.cross(w[b], point - x[b])
    return np.asarray(one - two)


def bend_balls(
    rows: NDArray[np.void],
    features: NDArray[np.void],
    state: tuple[_Array, ...],
    a: NDArray[np.int_],
    b: NDArray[np.int_],
    rhs: _Array,
) -> None:
    """Two balls, or a ball in a hollow one: the normal turns as their centres pass each other.

    With the centres' difference D and its rate u, d'' = n.D'' +- |u across n|^2 / |D|.
    """
    _, _, x, v, w = state
    for k in np.flatnonzero(features["kind"] == POINT_POINT):
        c1, c2, n = features["c1"][k], features["c2"][k], rows["normal"][k]
        apart = c1 - c2
        size = float(np.linalg.norm(apart))
        if size == 0.0:
            continue
        u = v[a[k]] + np.cross(w[a[k]], c1 - x[a[k]]) - v[b[k]] - np.cross(w[b[k]], c2 - x[b[k]])
        across = u - (u @ n) * n
        # the points of the surface were taken for corners of faces
        point = rows["point"][k]
        wa, wb = w[a[k]], w[b[k]]
        turn = np.cross(wa, np.cross(wa, c1 - point)) - np.cross(wb, np.cross(wb, c2 - point))
        slip = v[a[k]] + np.cross(wa, point - x[a[k]]) - v[b[k]] - np.cross(wb, point - x[b[k]])
        face = -2.0 * np.cross(wb, n) @ slip
        rhs[k] += n @ turn + np.sign(n @ apart) * (across @ across) / size + face


def directions(normal: _Array, k: int) -> _Array:
    """k unit vectors across each normal, evenly round it (contacts x k x 3)."""
    out = np.zeros((len(normal), k, 3))
    for row, n in enumerate(normal):
        u = np.cross(n, np.eye(3)[np.argmin(np.abs(n))])
        u /= np.linalg.norm(u)
        turn = 2.0 * np.pi * np.arange(k) / k
        out[row] = np.outer(np.cos(turn), u) + np.outer(np.sin(turn), np.cross(n, u))
    return out


def with_tangents(
    rows: NDArray[np.void],
    state: tuple[_Array, ...],
    a: NDArray[np.int_],
    b: NDArray[np.int_],
    force: _Array,
    torque: _Array,
    tangents: _Array,
    A: _Array,
    rhs: _Array,
    extra: str,
    dt: float,
) -> tuple[_Array, _Array]:
    """A and b with the rows of friction below the normal ones: T.(P1'' - P2''), T held."""
    mass, inertia, x, _, w = state
    n, k = len(rows), tangents.shape[1]
    inv = np.where(np.isfinite(mass), 1.0 / mass, 0.0)
    inv_spin = [np.linalg.inv(I) if m > 0.0 else np.zeros((3, 3)) for I, m in zip(inertia, inv)]
    lines = np.concatenate([rows["normal"][:, None], tangents], axis=1)
    J = np.zeros((n * (k + 1), len(mass), 6))
    for row in range(n):
        for which, sign in ((a[row], 1.0), (b[row], -1.0)):
            arm = rows["point"][row] - x[which]
            at = [row, *range(n + row * k, n + (row + 1) * k)]
            J[at, which, :3] += sign * lines[row]
            J[at, which, 3:] += sign * np.cross(arm, lines[row])
    weighted = np.zeros_like(J)
    weighted[:, :, :3] = J[:, :, :3] * inv[:, None]
    weighted[:, :, 3:] = np.einsum("ikc,kcd->ikd", J[:, :, 3:], np.array(inv_spin))
    whole = np.einsum("ikc,jkc->ij", weighted, J)
    whole[:n, :n] = A
    gyro = np.array([np.cross(wi, I @ wi) for wi, I in zip(w, inertia)]).reshape(-1, 3)
    load = np.concatenate([force, torque - gyro], axis=1)
    more = np.einsum("ikc,kc->i", weighted[n:], load)
    for row in range(n):
        pa, pb = rows["point"][row] - x[a[row]], rows["point"][row] - x[b[row]]
        turn = np.cross(w[a[row]], np.cross(w[a[row]], pa)) - np.cross(
            w[b[row]], np.cross(w[b[row]], pb)
        )
        more[row * k : (row + 1) * k] += tangents[row] @ turn
    # friction is to end the slip within dt, whichever extra is asked for of the gaps
    if extra != "none" and n:
        slip = relative_velocity(state, a, b, rows["point"])
        more = more + np.einsum("ikc,ic->ik", tangents, slip).ravel() / dt
    return whole, np.concatenate([rhs, more])
