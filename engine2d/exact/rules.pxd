"""Rules of a pair under the exact clock: one-way shapes, and what is let through until it parts.

docs/maths/rules.md has what they mean; a step does the same (engine2d/contact.pyx).
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t

from enginecore.scalar cimport lesser
from engine2d.constants cimport FRONT
from engine2d.exact.run cimport MOST_VOID, Run, RunPair
from engine2d.pose cimport rotate
from engine2d.vec2 cimport Vec2, dot


cdef inline double margin_of_front(const Run* run, const RunPair* pair, Vec2 normal) noexcept nogil:
    """By how much the cosine between a one-way shape's push and its front is above the least;
    < 0: it is met from behind. normal: of the contact, from B into A."""
    cdef double out = INFINITY
    if pair.through_a.x != 0.0 or pair.through_a.y != 0.0:
        out = -dot(rotate(run.bodies[pair.a].pose.q, pair.through_a), normal) - FRONT
    if pair.through_b.x != 0.0 or pair.through_b.y != 0.0:
        out = lesser(out, dot(rotate(run.bodies[pair.b].pose.q, pair.through_b), normal) - FRONT)
    return out


cdef inline bint is_behind(const Run* run, const RunPair* pair, Vec2 normal) noexcept nogil:
    """Whether a one-way shape is not met from its one side by a contact with this normal."""
    return pair.one_way and margin_of_front(run, pair, normal) < 0.0


cdef inline bint is_unwanted(const RunPair* pair, int32_t f1, int32_t f2) noexcept nogil:
    """Whether the user's filter does not want the contact of two features."""
    cdef int k
    for k in range(pair.n_void):
        if pair.void_features[2 * k] == f1 and pair.void_features[2 * k + 1] == f2:
            return True
    return pair.all_void


cdef inline void leave_out(RunPair* pair, int32_t f1, int32_t f2) noexcept nogil:
    """The user's filter does not want the contact of two features."""
    if pair.n_void == MOST_VOID:
        pair.all_void = True
        return
    pair.void_features[2 * pair.n_void] = f1
    pair.void_features[2 * pair.n_void + 1] = f2
    pair.n_void += 1
