"""Resting contact: the matrix A and the vector b of d'' = A f + b (docs/maths/contact_force.md)."""

from engine2d.vec2 cimport Vec2

# What the equation needs of a body. An immovable one has inv_m = inv_I = 0; it may move.
ctypedef struct ContactBody:
    double inv_m    # 1/kg
    double inv_I    # 1/(kg m^2), about the centre of mass
    Vec2 x          # m, centre of mass
    Vec2 v          # m/s
    double w        # rad/s
    Vec2 force      # N, all but the contacts
    double torque   # N m, about the centre of mass

# A contact of body2's boundary with body1. Radii are signed: 0 corner, > 0 convex arc, < 0 concave
# arc, infinite straight edge; the centres are point + r1 normal and point - r2 normal.
ctypedef struct ContactPoint:
    int body1, body2
    Vec2 point      # m
    Vec2 normal     # unit, out of body2 into body1
    double r1, r2   # m

# What curvature and turning add to N.(P1'' - P2''): one formula for every pair of edges, m/s^2.
# vt is the slip speed T.(P1' - P2'), T the normal turned by 90 degrees.
cdef double curvature_term(double vt, double w1, double w2, double r1, double r2) noexcept nogil

# Gap velocity d' of a contact, m/s.
cdef double gap_velocity(const ContactBody* bodies, const ContactPoint* c) noexcept nogil

# A (m*m, 1/kg): change of gap acceleration i per unit force j. Symmetric.
cdef void fill_A(const ContactBody* bodies, const ContactPoint* contacts, Py_ssize_t m,
                 double* A) noexcept nogil

# b (m, m/s^2): gap accelerations without contact forces.
cdef void fill_b(const ContactBody* bodies, const ContactPoint* contacts, Py_ssize_t m,
                 double* b) noexcept nogil
