"""Shapes of bodies as users hold them, in any dimension."""

from libc.stdint cimport int32_t, uint32_t

from enginecore.body_store cimport BodyStore


cdef class BodyShape:
    cdef BodyStore rows              # the store, as any dimension knows it; None: of no body
    cdef readonly int32_t id         # its number in the world, free again when it is removed
    cdef readonly uint32_t generation  # tells it from others that had the number
    cdef readonly object body        # the Body it is a shape of
    cdef object last                 # the Shape it was when it was last looked at

    cdef int check(self, str what) except -1
    cdef object known(self)
    cdef int put(self, dict changes) except -1
    # An engine's own: whether it is there; be another shape, is_alike: of the same form and mass;
    # leave the body; a shape that was given, as a value.
    cdef bint is_there(self) noexcept
    cdef int become(self, object shape, bint is_alike) except -1
    cdef int leave(self) except -1
    cdef object read(self, object value)
    cdef bint weighs(self, dict changes) except -1
