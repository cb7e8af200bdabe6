"""Taking the state of a world and giving it back, bit for bit, in any dimension."""

from libc.stdint cimport int32_t

from enginecore.body_store cimport BodyStore
from enginecore.world cimport World


cdef class Snapshot:
    cdef Keeper keeper
    cdef BodyStore store         # the store it was taken from; None once pickled
    cdef dict state

    cdef tuple pickled(self)


cdef class Keeper:
    """Takes and gives back the states of one engine's worlds; an engine's own derives from it."""

    cdef object version          # of what is written by pickle; another one is refused
    cdef tuple sizes             # of all that is kept as bytes: they tell one layout from another
    cdef type snapshot_type
    cdef type body_type

    cdef int check_layout(self, object version, object sizes) except -1
    cdef Snapshot rebuilt(self, object version, object sizes, object state)
    cdef dict written(self, dict state)
    cdef list new_handles(self, BodyStore store, dict state, Swap swap)
    cdef int write_state(self, World world, dict state, list handles, bint foreign) except -1
    # An engine's own: rows brought up to date; what its worlds have besides; a state without
    # addresses, and one that was read checked; room for a state; what it has besides written back;
    # shapes that are those of another store's.
    cdef int settle(self, World world) except -1
    cdef dict own_state(self, World world)
    cdef int strip(self, dict state) except -1
    cdef dict checked(self, object state)
    cdef int make_room(self, World world, dict state) except -1
    cdef int write_own(self, World world, dict state) except -1
    cdef int adopt_shapes(self, World world, dict state) except -1
    cdef int finish(self, World world) except -1


cdef class Swap:
    """Exchanges handles of a snapshot for marks, or for the handles of a world that it goes to."""

    cdef dict state              # the snapshot's
    cdef BodyStore source        # the store that its handles are of; None: they are marks
    cdef object origin           # its World, if it lives
    cdef World target            # whose handles take their place; None: marks do
    cdef type body_type
    cdef list handles            # the target's to be, by id

    cdef int32_t id_of(self, object value) except -4
    cdef object other(self, int32_t id)


# Bytes from memory, as an array; and back.
cdef object copy_of(const void* data, Py_ssize_t size)
cdef int fill(void* into, object data) except -1
