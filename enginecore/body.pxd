"""Bodies as users hold them, in any dimension: a handle on the rows of a world's store."""

from libc.stdint cimport int32_t, uint32_t

from enginecore.body_store cimport BodyStore


cdef class Body:
    cdef object __weakref__
    cdef BodyStore rows                # the engine's store, as any dimension knows it
    cdef readonly int32_t id           # its number in the world, free again when it is removed
    cdef readonly uint32_t generation  # tells it from others that had the number
    cdef public object data            # anything of the user's

    cdef int32_t at(self) except -1
    cdef int32_t writable(self, str what) except -1
    cdef int32_t dynamic(self, str what) except -1
    cdef int check_moves(self, int32_t row, str what) except -1
    cdef int set_flag(self, int flag, bint on) except -1
    # An engine's own: whether a row has inertia to turn by; no more turning, and no more forces of
    # the user's; the handle of a shape by its id; one more shape, its id.
    cdef bint has_inertia(self, int32_t row) noexcept
    cdef void stop_turning(self, int32_t row) noexcept
    cdef void forget_forces(self, int32_t row) noexcept
    cdef object shape_of_id(self, int32_t id)
    cdef int32_t attach(self, object shape) except -1
    cdef bint is_shape(self, object value)
