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
    cdef bint is_there(self) noexcept
    # An engine's own: a shape that was given, as a value; whether changes are of the body's mass.
    cdef object read(self, object value)
    cdef bint weighs(self, dict changes) except -1

# The handle of a shape by id; body: of the body it is or was of.
cdef BodyShape shape_of(BodyStore store, int32_t id, object body)

# The same of one that may have gone since then: its generation and what it was.
cdef BodyShape shape_then(BodyStore store, int32_t id, uint32_t generation, object body,
                          object shape)
