"""Resting contact: the matrix A and the vector b of d'' = A f + b.

Gap accelerations d'' of m contacts as a function of the contact forces f, for straight and circular
edges in any mix by one formula in the signed radii. docs/maths/contact_force.md.
"""

import numpy as np

from libc.math cimport INFINITY

from engine2d.vec2 cimport Vec2, add, cross, dot, scaled, sub, turn, vec2

from enginecore.arguments import as_rows, finite_rows, row_numbers, unit_rows

cdef double curvature_term(double vt, double w1, double w2, double r1, double r2) noexcept nogil:
    """What curvature and turning add to N.(P1'' - P2''); see contact_force.pxd."""
    cdef double dw = w1 - w2
    if r2 == INFINITY:
        return 2.0 * w2 * vt - r1 * dw * dw
    if r1 == INFINITY:
        return 2.0 * w1 * vt - r2 * dw * dw
    return (vt * vt + 2.0 * vt * (r1 * w1 + r2 * w2) - r1 * r2 * dw * dw) / (r1 + r2)


cdef inline Vec2 point_velocity(const ContactBody* body, Vec2 point) noexcept nogil:
    return add(body.v, turn(body.w, sub(point, body.x)))


cdef inline Vec2 point_acceleration(const ContactBody* body, Vec2 point) noexcept nogil:
    """P'' of the material point there, without contact forces."""
    cdef Vec2 r = sub(point, body.x)
    return sub(add(scaled(body.inv_m, body.force), turn(body.inv_I * body.torque, r)),
               scaled(body.w * body.w, r))


cdef double gap_velocity(const ContactBody* bodies, const ContactPoint* c) noexcept nogil:
    """N.(P1' - P2')."""
    return dot(c.normal, sub(point_velocity(&bodies[c.body1], c.point),
                             point_velocity(&bodies[c.body2], c.point)))


cdef void fill_b(const ContactBody* bodies, const ContactPoint* contacts, Py_ssize_t m,
                 double* b) noexcept nogil:
    """Gap accelerations without contact forces; see contact_force.pxd."""
    cdef const ContactPoint* c
    cdef const ContactBody* one
    cdef const ContactBody* two
    cdef Vec2 slip, tangent
    cdef Py_ssize_t i
    for i in range(m):
        c = &contacts[i]
        one = &bodies[c.body1]
        two = &bodies[c.body2]
        tangent = vec2(-c.normal.y, c.normal.x)
        slip = sub(point_velocity(one, c.point), point_velocity(two, c.point))
        b[i] = (dot(c.normal, sub(point_acceleration(one, c.point),
                                  point_acceleration(two, c.point)))
                + curvature_term(dot(tangent, slip), one.w, two.w, c.r1, c.r2))


cdef void fill_A(const ContactBody* bodies, const ContactPoint* contacts, Py_ssize_t m,
                 double* A) noexcept nogil:
    """Gap acceleration i per unit force j; see contact_force.pxd."""
    cdef Py_ssize_t i, j
    for i in range(m):
        for j in range(i + 1):
            A[i * m + j] = A[j * m + i] = (share(bodies, contacts, i, j, contacts[i].body1, 1.0)
                                           + share(bodies, contacts, i, j, contacts[i].body2, -1.0))


cdef inline double share(const ContactBody* bodies, const ContactPoint* contacts, Py_ssize_t i,
                         Py_ssize_t j, int body, double sign) noexcept nogil:
    """What force j adds to gap acceleration i through this body, one of contact i's two.

    sign: 1 if the body is contact i's first, -1 if it is the second.
    """
    cdef const ContactPoint* ci = &contacts[i]
    cdef const ContactPoint* cj = &contacts[j]
    cdef const ContactBody* b = &bodies[body]
    cdef double push = 0.0
    if cj.body1 == body:
        push += 1.0
    if cj.body2 == body:
        push -= 1.0
    if push == 0.0:
        return 0.0
    return sign * push * (b.inv_m * dot(ci.normal, cj.normal)
                          + b.inv_I * cross(sub(ci.point, b.x), ci.normal)
                          * cross(sub(cj.point, b.x), cj.normal))


# ------------------------------------------------------------------------------- the Python face

def assemble(mass, inertia, x, v, w, force, torque, body1, body2, point, normal, r1, r2, *,
             extra="none", dt=None, gap=0.0):
    """A (m x m, 1/kg) and b (m, m/s^2) of the gap accelerations d'' = A f + b.

    Of n bodies: mass (kg) and inertia (kg m^2), None or inf for immovable ones; x centre of mass
    (n x 2, m), v (n x 2, m/s), w (n, rad/s); force (n x 2, N) and torque (n, N m) without the
    contacts. Of m contacts: body1 and body2, numbers of bodies; point (m x 2, m); unit normal out
    of body2 into body1 (m x 2); signed radii of the two edges r1, r2 (m; 0 corner, > 0 convex,
    < 0 concave arc, None or inf straight).

    extra: what is asked for beyond d'' >= 0, over a step dt (s), of the gap's velocity v (m/s)
    and its length gap (m): "none"; "velocity", v/dt is added to b; "velocity_and_distance",
    (2 v dt + gap)/dt^2.
    """
    bodies = read_bodies(mass, inertia, x, v, w, force, torque)
    contacts = read_contacts(body1, body2, point, normal, r1, r2, len(bodies))
    cdef Py_ssize_t m = len(contacts)
    A, b = np.zeros((m, m)), np.zeros(m)
    if m == 0:
        return A, b + extra_acceleration(extra, np.zeros(0), gap, dt)
    cdef const char[::1] body_bytes = bodies.view(np.int8)
    cdef const char[::1] contact_bytes = contacts.view(np.int8)
    cdef double[:, ::1] matrix = A
    cdef double[::1] vector = b
    cdef const ContactBody* c_bodies = <const ContactBody*> &body_bytes[0]
    cdef const ContactPoint* c_contacts = <const ContactPoint*> &contact_bytes[0]
    with nogil:
        fill_A(c_bodies, c_contacts, m, &matrix[0, 0])
        fill_b(c_bodies, c_contacts, m, &vector[0])
    velocity = np.array([gap_velocity(c_bodies, &c_contacts[i]) for i in range(m)])
    return A, b + extra_acceleration(extra, velocity, gap, dt)


def extra_acceleration(extra, velocity, gap, dt):
    """What to add to b so that residual gap velocities (m/s) and gaps (m) vanish over dt (s).

    extra: "none", "velocity" or "velocity_and_distance", as in assemble.
    """
    if extra == "none":
        return np.zeros(len(velocity))
    if extra not in ("velocity", "velocity_and_distance"):
        raise ValueError("extra must be 'none', 'velocity' or 'velocity_and_distance', "
                         f"got {extra!r}")
    if not isinstance(dt, (int, float, np.number)) or not 0.0 < dt < np.inf:
        raise ValueError(f"dt must be finite and > 0, got {dt!r}")
    if extra == "velocity":
        return velocity / dt
    if not np.isfinite(gap).all():
        raise ValueError(f"gap must be finite, got {gap!r}")
    return (2.0 * velocity * dt + gap) / (dt * dt)


BODY_DTYPE = np.dtype([("inv_m", "f8"), ("inv_I", "f8"), ("x", "f8", 2), ("v", "f8", 2),
                       ("w", "f8"), ("force", "f8", 2), ("torque", "f8")])
CONTACT_DTYPE = np.dtype([("body1", "i4"), ("body2", "i4"), ("point", "f8", 2),
                          ("normal", "f8", 2), ("r1", "f8"), ("r2", "f8")])
if BODY_DTYPE.itemsize != sizeof(ContactBody) or CONTACT_DTYPE.itemsize != sizeof(ContactPoint):
    raise ImportError("engine2d.contact_force: the compiler pads structs differently from numpy")


cdef object read_bodies(mass, inertia, x, v, w, force, torque):
    """The bodies as an array of ContactBody."""
    positions = finite_rows("x", x, (2,), None)
    n = len(positions)
    bodies = np.zeros(n, BODY_DTYPE)
    masses = as_rows("mass", mass, none=np.inf)
    if masses.shape != (n,) or not (masses > 0.0).all():
        raise ValueError(f"mass must be {n} numbers > 0, None or inf if immovable, got {mass!r}")
    movable = np.isfinite(masses)
    inertias = as_rows("inertia", inertia, none=np.inf)
    if inertias.shape != (n,) or not (inertias[movable] > 0.0).all():
        raise ValueError(f"inertia must be {n} numbers > 0 for movable bodies, got {inertia!r}")
    bodies["inv_m"][movable] = 1.0 / masses[movable]
    bodies["inv_I"][movable] = 1.0 / inertias[movable]
    bodies["x"] = positions
    bodies["v"] = finite_rows("v", v, (2,), n)
    bodies["w"] = finite_rows("w", w, (), n)
    bodies["force"] = finite_rows("force", force, (2,), n)
    bodies["torque"] = finite_rows("torque", torque, (), n)
    return bodies


cdef object read_contacts(body1, body2, point, normal, r1, r2, n):
    """The contacts as an array of ContactPoint."""
    points = finite_rows("point", point, (2,), None)
    m = len(points)
    contacts = np.zeros(m, CONTACT_DTYPE)
    contacts["body1"] = row_numbers("body1", body1, m, n)
    contacts["body2"] = row_numbers("body2", body2, m, n)
    both = np.flatnonzero(contacts["body1"] == contacts["body2"])
    if both.size:
        raise ValueError(f"body1 and body2 of contact {both[0]} are the same body")
    contacts["point"] = points
    contacts["normal"] = unit_rows("normal", normal, 2, m)
    contacts["r1"], contacts["r2"] = radii("r1", r1, m), radii("r2", r2, m)
    flat = np.isinf(contacts["r1"]) & np.isinf(contacts["r2"])
    bad = np.flatnonzero(flat | (contacts["r1"] + contacts["r2"] == 0.0))
    if bad.size:
        raise ValueError(f"r1 and r2 of contact {bad[0]} are two straight edges, or add up to 0: "
                         f"got {contacts['r1'][bad[0]]} and {contacts['r2'][bad[0]]}")
    return contacts


cdef object radii(str name, value, m):
    array = as_rows(name, value, none=np.inf)
    if array.shape != (m,) or np.isnan(array).any() or (array == -np.inf).any():
        raise ValueError(f"{name} must be {m} radii, None or inf if straight, got {value!r}")
    return array
