"""Resting contact: the matrix A and the vector b of d'' = A f + b (docs/maths/contact_force.md)."""

from engine3d.vec3 cimport Mat3, Vec3

# What the equation needs of a body. An immovable one has inv_m = 0 and inv_I = 0; it may move.
ctypedef struct ContactBody:
    double inv_m    # 1/kg
    Mat3 inv_I      # 1/(kg m^2), about the centre of mass, world axes
    Vec3 x          # m, centre of mass
    Vec3 v          # m/s
    Vec3 w          # rad/s
    Vec3 force      # N, all but the contacts
    Vec3 moment     # N m, torque about the centre of mass, less w x (I w)

# A contact of body a with body b: a vertex of a on a face of b, or an edge of each.
ctypedef struct ContactPoint:
    int a, b
    int vf          # 1: vertex and face, 0: edge and edge
    int unused
    Vec3 point      # m
    Vec3 normal     # unit, out of b into a
    Vec3 ea, eb     # directions of the edges, of any length; not looked at for vertex and face

# N', 1/s: the normal turns with the face, or with both edges.
cdef Vec3 normal_rate(const ContactBody* bodies, const ContactPoint* c) noexcept nogil

# Gap velocity d' of a contact, m/s.
cdef double gap_velocity(const ContactBody* bodies, const ContactPoint* c) noexcept nogil

# A (m*m, 1/kg): change of gap acceleration i per unit force j. Symmetric.
cdef void fill_A(const ContactBody* bodies, const ContactPoint* contacts, Py_ssize_t m,
                 double* A) noexcept nogil

# b (m, m/s^2): gap accelerations without contact forces.
cdef void fill_b(const ContactBody* bodies, const ContactPoint* contacts, Py_ssize_t m,
                 double* b) noexcept nogil
