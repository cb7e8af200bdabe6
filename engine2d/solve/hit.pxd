"""Where, along which normal and how fast contacts were struck in a step: told as events."""

from libc.stdint cimport int32_t

from engine2d.contact_data cimport STRUCK, Contact
from engine2d.vec2 cimport Vec2

# The fastest blow at a contact in a step, at its moment.
ctypedef struct Hit:
    Vec2 point      # m
    Vec2 normal     # unit, from B into A
    double speed    # m/s, of approach

# Of the step so far; `Contact.hit` counts them from 1.
ctypedef struct HitList:
    Hit* hits
    int32_t n
    int32_t room


cdef inline void mark_struck(HitList* list, Contact* c, double speed, Vec2 point,
                             Vec2 normal) noexcept nogil:
    """A contact was struck at a speed of approach (m/s): the fastest blow of the step is told."""
    cdef Hit* hit
    c.flags = c.flags | STRUCK
    if c.hit == 0 and list.n < list.room:
        list.n += 1
        c.hit = list.n
    elif not 0 < c.hit <= list.n or speed <= list.hits[c.hit - 1].speed:
        return
    hit = &list.hits[c.hit - 1]
    hit.speed, hit.point, hit.normal = speed, point, normal


cdef class HitLog:
    """Owns the list of a world's step."""

    cdef HitList list
    cdef object array

    # Make room for one hit of each of so many contacts, besides those that are there.
    cdef int reserve(self, int32_t contacts) except -1
