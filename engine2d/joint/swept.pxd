"""Contacts of islands whose joints are solved by factors: they are swept around them.

docs/maths/joints.md.
"""

from libc.math cimport fabs

from engine2d.joint.assembly_step cimport Linked, Swept
from engine2d.joint.link cimport Rider
from engine2d.body cimport Motion
from engine2d.solve.row cimport Row
from engine2d.vec2 cimport length
from engine2d.solve.small_step cimport SUB_STEPS


cdef inline double threshold(const Linked* s) noexcept nogil:
    """m/s: what approaches slower does not bounce."""
    return 2.0 * length(s.ctx.gravity) * s.ctx.dt / SUB_STEPS


cdef inline void push(const Row* row, double p, Motion* a, Motion* b) noexcept nogil:
    """Apply the impulse p of a row."""
    a.v.x += a.inv_m * p * row.ja[0]
    a.v.y += a.inv_m * p * row.ja[1]
    a.w += a.inv_I * p * row.ja[2]
    b.v.x += b.inv_m * p * row.jb[0]
    b.v.y += b.inv_m * p * row.jb[1]
    b.w += b.inv_I * p * row.jb[2]

cdef inline double slip(const Row* row, const Motion* a, const Motion* b) noexcept nogil:
    """m/s: the rate of a contact's row, which has one direction for both bodies."""
    return (row.ja[0] * (a.v.x - b.v.x) + row.ja[1] * (a.v.y - b.v.y) + row.ja[2] * a.w
            + row.jb[2] * b.w)


cdef inline double change(Row* row, double p, double d, Motion* a, Motion* b) noexcept nogil:
    """Give the row of a contact the impulse p; returns the change of its rate (m/s), with its
    response d (1/kg)."""
    cdef double by = p - row.p, x, y
    if by == 0.0:
        return 0.0
    x, y = by * row.ja[0], by * row.ja[1]
    a.v.x += a.inv_m * x
    a.v.y += a.inv_m * y
    a.w += a.inv_I * by * row.ja[2]
    b.v.x -= b.inv_m * x
    b.v.y -= b.inv_m * y
    b.w += b.inv_I * by * row.jb[2]
    row.p = p
    return fabs(by) * d

# m/s: of a row with the velocities that riders have.
cdef double rate_at(const Row* row, const Rider* a, const Rider* b) noexcept nogil

# Bring a contact up to date: its gap, the rates of its two rows.
cdef void look_at(Linked* s, Swept* t, Row* rows) noexcept nogil

# Soft rows of all contacts: open ones may just close, deep ones are pushed apart slowly. In the
# first sub-step it is noted how fast they close. fresh: contacts are up to date; written: their
# rows too, since nothing has moved.
cdef void prepare_contacts(Linked* s, bint first, bint fresh, bint written) noexcept nogil

# What impulses of the contacts change, with the inertias that motions have now: before they are
# swept.
cdef void weigh_contacts(Linked* s) noexcept nogil

# One pass over the contacts, friction first; returns the largest change of a rate (m/s).
cdef double sweep_contacts(Linked* s) noexcept nogil

# Impulses into the contact, and whether it was struck in this step.
cdef void take_contact(Linked* s, const Swept* t, const Row* rows) noexcept nogil

# Book the work of the contacts' impulses; before bodies are moved.
cdef void book_contacts(Linked* s) noexcept nogil
