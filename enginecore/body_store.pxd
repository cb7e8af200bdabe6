"""The bodies of a world as rows, handles and lists of shapes, in any dimension."""

from libc.stdint cimport int32_t, int64_t, uint32_t

from enginecore.body_head cimport BodyHead, BodySettings
from enginecore.broad_phase cimport BroadPhase
from enginecore.handle_table cimport HandleTable

# What an engine keeps of a shape begins like this.
ctypedef struct ShapeHead:
    int32_t body           # row of its body; -1: no such shape
    int32_t next_shape     # of the same body; -1: none


cdef class BodyStore:
    """Rows in the order of adding. An engine's store derives from it: it makes the arrays, says
    where heads of bodies and shapes are (`point_at_heads`), and moves its rows (`carry_row`)."""

    cdef char* body_heads        # of row 0; those of others follow, body_size bytes apart
    cdef char* shape_heads       # of shape 0, likewise
    cdef Py_ssize_t body_size
    cdef Py_ssize_t shape_size
    cdef int32_t n_bodies        # rows, removed ones among them until they are settled
    cdef int32_t n_removed       # rows whose body is gone
    cdef int32_t capacity        # rows there is room for
    cdef int32_t shape_capacity
    cdef object arrays           # numpy arrays by name: they own the memory
    cdef HandleTable table       # of bodies
    cdef list shape_objects      # Shape by shape id
    cdef list shape_handles      # BodyShape by shape id, or None: made when asked for
    cdef type shape_type         # BodyShape of the engine
    cdef Py_ssize_t data_size    # bytes, of what an engine measures of a body
    cdef int64_t shape_edits     # grows when shapes of bodies there are change
    cdef BroadPhase phase
    cdef int64_t edits           # grows with every change that the pairs must hear of
    cdef bint disturbed          # a body that is not dynamic was moved or changed: see wake
    cdef bint busy               # a call is under way that nothing may interrupt
    # handles by id that a state still to be read refers to; None: it is there
    cdef dict pending
    cdef object world            # weak reference to the World, for handles that are copied

    cdef int point_at_heads(self, void* bodies, Py_ssize_t body_size, void* shapes,
                            Py_ssize_t shape_size) except -1
    cdef void carry_row(self, int32_t row, int32_t to) noexcept nogil
    cdef void settle(self) noexcept nogil
    cdef int drop(self, int32_t row) except -1
    cdef void touch(self, int32_t shape) noexcept nogil
    cdef void unlink_shape(self, int32_t id) noexcept
    cdef object ids_of(self, int32_t row)
    cdef int reserve_shapes(self, int32_t capacity) except -1
    cdef int32_t attach_shape(self, object shape, int32_t row) except -1
    cdef int replace_shape(self, int32_t id, object shape, bint is_alike) except -1
    cdef int drop_shape(self, int32_t id) except -1
    cdef bint has_shape(self, int32_t id, uint32_t generation) noexcept
    cdef void wake(self, int32_t row) noexcept nogil
    cdef void wake_all(self) noexcept nogil
    cdef void wake_dynamic(self, int32_t id) noexcept nogil
    cdef int check_idle(self, str what) except -1
    cdef int enter(self, str what) except -1
    # -- an engine's own
    # The array of shapes is new.
    cdef int point_at_shapes(self, void* shapes) except -1
    # Shapes at the API boundary, whole and within bounds, as values.
    cdef tuple whole_shapes(self, tuple shapes)
    # Mass, centre and inertia of a body with these shapes, into data_size bytes; nothing else is
    # written. Give a body what was measured; its frame stays, and moves on as it did.
    cdef int measure_again(self, int32_t row, tuple shapes, void* out) except -1
    cdef void set_mass_of(self, int32_t row, const void* data) noexcept
    # Give the body in a row one more shape and return its id; its mass is the caller's.
    cdef int32_t add_shape(self, object shape, int32_t row) except -1
    # Let a shape be another one for the stages; is_alike: of the same form and mass.
    cdef int renew_shape(self, int32_t id, object shape, bint is_alike) except -1
    # What tells a shape from others that had its id.
    cdef uint32_t generation_of(self, int32_t shape) noexcept
    # The settings of a body; inverse masses from masses, kind and flags; a body
    # was put elsewhere by its user.
    cdef BodySettings* settings_of(self, int32_t row) noexcept nogil
    cdef void set_masses(self, int32_t row) noexcept nogil
    cdef void moved(self, int32_t row) noexcept nogil


cdef inline BodyHead* head_at(BodyStore store, int32_t row) noexcept nogil:
    """The head of the body in a row."""
    return <BodyHead*> (store.body_heads + row * store.body_size)


cdef inline ShapeHead* shape_at(BodyStore store, int32_t id) noexcept nogil:
    """The head of the shape with an id."""
    return <ShapeHead*> (store.shape_heads + id * store.shape_size)
