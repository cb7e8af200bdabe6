"""The bodies of a world as rows, handles and lists of shapes, in any dimension."""

from libc.stdint cimport int32_t, int64_t

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
    cdef void carry_row(self, int32_t row, int32_t to) noexcept
    cdef void settle(self) noexcept
    cdef int drop(self, int32_t row) except -1
    cdef void touch(self, int32_t shape) noexcept nogil
    cdef void unlink_shape(self, int32_t id) noexcept
    cdef object ids_of(self, int32_t row)
    cdef void wake(self, int32_t row) noexcept nogil
    cdef void wake_all(self) noexcept nogil
    cdef int check_idle(self, str what) except -1
    cdef int enter(self, str what) except -1
    # An engine's own: the settings of a body; inverse masses from masses, kind and flags; a body
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
