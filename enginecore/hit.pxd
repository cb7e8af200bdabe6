"""Where, along which normal and how fast contacts were struck in a step, in any dimension."""

from libc.stdint cimport int32_t

# The fastest blow at a contact in a step, at its moment. The plane has two components.
ctypedef struct Hit:
    double point[3]    # m
    double normal[3]   # unit, from B into A
    double speed       # m/s, of approach

# Of the step so far; contacts count them from 1.
ctypedef struct HitList:
    Hit* hits
    int32_t n
    int32_t room


cdef inline Hit* note_hit(HitList* list, int32_t* which, double speed) noexcept nogil:
    """Where a blow is to be written by whose contact keeps `which` (0: none so far); NULL if a
    faster one stands there, or there is no room."""
    cdef Hit* hit
    if which[0] == 0 and list.n < list.room:
        list.n += 1
        which[0] = list.n
    elif not 0 < which[0] <= list.n or speed <= list.hits[which[0] - 1].speed:
        return NULL
    hit = &list.hits[which[0] - 1]
    hit.speed = speed
    return hit


cdef class HitLog:
    """Owns the list of a world's step."""

    cdef HitList list
    cdef object array

    # Make room for one hit of each of so many contacts, besides those that are there.
    cdef int reserve(self, int32_t contacts) except -1 nogil
    cdef int grow(self, int32_t room) except -1 with gil
