"""Floors in separate pieces: the piece that a body comes on to next (docs/maths/time_of_impact.md).

A disc that rolls, or a corner that slides, over pieces that go on from each other at a small angle
meets the next one's edge, and neither its end nor its side: these are inside the floor. The pieces
know nothing of each other; where a body is, and how it moves, tells.
"""

from libc.stdint cimport int32_t

from engine2d.collide.narrow_phase cimport Touch
from engine2d.contact cimport Contact, Pair
from engine2d.solve.step_context cimport StepContext

cdef enum Coming:
    NOT_COMING = 0
    COMING = 1
    COMING_BELOW = 2    # hardly above the end: on a straight way it may meet that, or the side

# Whether a disc or a corner of one shape of a pair (of A if on_b) is above the line of an edge of
# the other one, which cannot be pushed, beyond its end or hardly past it, and comes towards it at a
# small angle. Then its n touches (1 or 2) are with that edge: touches[0] is, or becomes, the only
# one. old: the pair's contacts of last time.
cdef Coming comes_on(const StepContext* ctx, Pair* pair, const Contact* old, bint on_b,
                     Touch* touches, int32_t n) noexcept nogil
