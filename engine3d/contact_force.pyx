"""Resting contact: the matrix A and the vector b of d'' = A f + b.

Gap accelerations d'' of m contacts, vertex on face or edge on edge, as a function of the contact
forces f (Baraff's appendix D, corrected). docs/maths/contact_force.md.
"""

import numpy as np

from engine3d.vec3 cimport Vec3, add, apply, cross, dot, length, scaled, sub

from enginecore.arguments import as_rows, finite_rows, row_numbers, unit_rows

# The edges may be off their right angle to the normal by this much (cosine).
cdef double ANGLE_TOLERANCE = 1e-6


cdef inline Vec3 point_velocity(const ContactBody* body, Vec3 point) noexcept nogil:
    return add(body.v, cross(body.w, sub(point, body.x)))


cdef inline Vec3 point_acceleration(const ContactBody* body, Vec3 point) noexcept nogil:
    """The acceleration of the material point there, without contact forces."""
    cdef Vec3 r = sub(point, body.x)
    return add(add(scaled(body.inv_m, body.force), cross(apply(&body.inv_I, body.moment), r)),
               cross(body.w, cross(body.w, r)))


cdef Vec3 normal_rate(const ContactBody* bodies, const ContactPoint* c) noexcept nogil:
    """N'; see contact_force.pxd."""
    cdef Vec3 wa = bodies[c.a].w, wb = bodies[c.b].w, across, change
    cdef double size
    if c.vf:
        return cross(wb, c.normal)
    # N = +- ea x eb / |ea x eb|: the change of the product, less its part along N.
    across = cross(c.ea, c.eb)
    size = length(across) if dot(across, c.normal) > 0.0 else -length(across)
    change = add(cross(cross(wa, c.ea), c.eb), cross(c.ea, cross(wb, c.eb)))
    return scaled(1.0 / size, sub(change, scaled(dot(change, c.normal), c.normal)))


cdef double gap_velocity(const ContactBody* bodies, const ContactPoint* c) noexcept nogil:
    """N.(P_a' - P_b')."""
    return dot(c.normal, sub(point_velocity(&bodies[c.a], c.point),
                             point_velocity(&bodies[c.b], c.point)))


cdef void fill_b(const ContactBody* bodies, const ContactPoint* contacts, Py_ssize_t m,
                 double* b) noexcept nogil:
    """Gap accelerations without contact forces; see contact_force.pxd."""
    cdef const ContactPoint* c
    cdef Py_ssize_t i
    for i in range(m):
        c = &contacts[i]
        b[i] = (dot(c.normal, sub(point_acceleration(&bodies[c.a], c.point),
                                  point_acceleration(&bodies[c.b], c.point)))
                + 2.0 * dot(normal_rate(bodies, c), sub(point_velocity(&bodies[c.a], c.point),
                                                        point_velocity(&bodies[c.b], c.point))))


cdef void fill_A(const ContactBody* bodies, const ContactPoint* contacts, Py_ssize_t m,
                 double* A) noexcept nogil:
    """Gap acceleration i per unit force j; see contact_force.pxd."""
    cdef Py_ssize_t i, j
    for i in range(m):
        for j in range(i + 1):
            A[i * m + j] = A[j * m + i] = (share(bodies, contacts, i, j, contacts[i].a, 1.0)
                                           + share(bodies, contacts, i, j, contacts[i].b, -1.0))


cdef inline double share(const ContactBody* bodies, const ContactPoint* contacts, Py_ssize_t i,
                         Py_ssize_t j, int body, double sign) noexcept nogil:
    """What force j adds to gap acceleration i through this body, one of contact i's two.

    sign: 1 if the body is contact i's a, -1 if it is its b.
    """
    cdef const ContactPoint* ci = &contacts[i]
    cdef const ContactPoint* cj = &contacts[j]
    cdef const ContactBody* b = &bodies[body]
    cdef Vec3 moment_i, moment_j
    cdef double push = 0.0
    if cj.a == body:
        push += 1.0
    if cj.b == body:
        push -= 1.0
    if push == 0.0:
        return 0.0
    moment_i = cross(sub(ci.point, b.x), ci.normal)
    moment_j = cross(sub(cj.point, b.x), cj.normal)
    return sign * push * (b.inv_m * dot(ci.normal, cj.normal)
                          + dot(moment_i, apply(&b.inv_I, moment_j)))


# ------------------------------------------------------------------------------- the Python face

def assemble(mass, inertia, x, v, w, force, torque, a, b, point, normal, ea, eb, vf):
    """A (m x m, 1/kg) and b (m, m/s^2) of the gap accelerations d'' = A f + b.

    Of n bodies: mass (kg), None or inf for immovable ones; inertia tensors in world axes (3 x 3
    each, kg m^2; not looked at for immovable ones); x centre of mass (n x 3, m), v (n x 3, m/s),
    w (n x 3, rad/s); force (n x 3, N) and torque (n x 3, N m) without the contacts. Of m contacts:
    a and b, numbers of bodies; point (m x 3, m); unit normal out of b into a (m x 3); vf: True for
    a vertex of a on a face of b, False for an edge on an edge, which lie along ea (on a) and eb
    (on b; m x 3, not looked at where vf is True).
    """
    bodies = read_bodies(mass, inertia, x, v, w, force, torque)
    contacts = read_contacts(a, b, point, normal, ea, eb, vf, len(bodies))
    cdef Py_ssize_t m = len(contacts)
    matrix, vector = np.zeros((m, m)), np.zeros(m)
    if m == 0:
        return matrix, vector
    cdef const char[::1] body_bytes = bodies.view(np.int8)
    cdef const char[::1] contact_bytes = contacts.view(np.int8)
    cdef double[:, ::1] A = matrix
    cdef double[::1] right = vector
    cdef const ContactBody* c_bodies = <const ContactBody*> &body_bytes[0]
    cdef const ContactPoint* c_contacts = <const ContactPoint*> &contact_bytes[0]
    with nogil:
        fill_A(c_bodies, c_contacts, m, &A[0, 0])
        fill_b(c_bodies, c_contacts, m, &right[0])
    return matrix, vector


BODY_DTYPE = np.dtype([("inv_m", "f8"), ("inv_I", "f8", (3, 3)), ("x", "f8", 3), ("v", "f8", 3),
                       ("w", "f8", 3), ("force", "f8", 3), ("moment", "f8", 3)])
CONTACT_DTYPE = np.dtype([("a", "i4"), ("b", "i4"), ("vf", "i4"), ("unused", "i4"),
                          ("point", "f8", 3), ("normal", "f8", 3), ("ea", "f8", 3),
                          ("eb", "f8", 3)])
if BODY_DTYPE.itemsize != sizeof(ContactBody) or CONTACT_DTYPE.itemsize != sizeof(ContactPoint):
    raise ImportError("engine3d.contact_force: the compiler pads structs differently from numpy")


cdef object read_bodies(mass, inertia, x, v, w, force, torque):
    """The bodies as an array of ContactBody."""
    positions = finite_rows("x", x, (3,), None)
    n = len(positions)
    bodies = np.zeros(n, BODY_DTYPE)
    masses = as_rows("mass", mass, none=np.inf)
    if masses.shape != (n,) or not (masses > 0.0).all():
        raise ValueError(f"mass must be {n} numbers > 0, None or inf if immovable, got {mass!r}")
    if len(inertia) != n:
        raise ValueError(f"inertia must be {n} tensors, got {len(inertia)}")
    bodies["x"] = positions
    bodies["v"] = finite_rows("v", v, (3,), n)
    bodies["w"] = finite_rows("w", w, (3,), n)
    bodies["force"] = finite_rows("force", force, (3,), n)
    bodies["moment"] = finite_rows("torque", torque, (3,), n)
    for i in np.flatnonzero(np.isfinite(masses)):
        tensor = as_rows("inertia", inertia[i], (3, 3))
        if not is_inertia(tensor):
            raise ValueError("inertia must be symmetric and positive definite, "
                             f"got {inertia[i]!r} for body {i}")
        bodies["inv_m"][i] = 1.0 / masses[i]
        bodies["inv_I"][i] = np.linalg.inv(tensor)
        # (I w)' = torque: what is left of it after the tensor itself has turned
        bodies["moment"][i] -= np.cross(bodies["w"][i], tensor @ bodies["w"][i])
    return bodies


cdef bint is_inertia(tensor) except -1:
    return (tensor.ndim == 2 and np.isfinite(tensor).all()
            and np.abs(tensor - tensor.T).max() <= 1e-9 * np.abs(tensor).max()
            and np.linalg.eigvalsh(tensor).min() > 0.0)


cdef object read_contacts(a, b, point, normal, ea, eb, vf, n):
    """The contacts as an array of ContactPoint."""
    points = finite_rows("point", point, (3,), None)
    m = len(points)
    contacts = np.zeros(m, CONTACT_DTYPE)
    contacts["a"], contacts["b"] = row_numbers("a", a, m, n), row_numbers("b", b, m, n)
    same = np.flatnonzero(contacts["a"] == contacts["b"])
    if same.size:
        raise ValueError(f"a and b of contact {same[0]} are the same body")
    flags = np.asarray(vf)
    if flags.shape != (m,) or (m and flags.dtype.kind not in "biu"):
        raise ValueError(f"vf must be {m} truth values, got {vf!r}")
    contacts["vf"] = flags.astype(bool)
    contacts["point"] = points
    contacts["normal"] = unit_rows("normal", normal, 3, m)
    edges = np.flatnonzero(contacts["vf"] == 0)
    if edges.size:
        read_edges(contacts, edges, ea, eb, m)
    return contacts


cdef int read_edges(contacts, edges, ea, eb, m) except -1:
    """Fill in the directions of the edges of edge/edge contacts."""
    for name, value in (("ea", ea), ("eb", eb)):
        if len(value) != m:
            raise ValueError(f"{name} must have {m} rows, got {len(value)}")
        contacts[name][edges] = finite_rows(name, [value[i] for i in edges], (3,), len(edges))
    across = np.cross(contacts["ea"][edges], contacts["eb"][edges])
    size = np.linalg.norm(across, axis=1)
    along = np.abs(np.einsum("ni,ni->n", across, contacts["normal"][edges]))
    bad = np.flatnonzero(~((size > 0.0) & (along >= size * (1.0 - ANGLE_TOLERANCE))))
    if bad.size:
        raise ValueError(f"ea and eb of contact {edges[bad[0]]} must be at right angles to the "
                         "normal and not parallel")
    return 0
