"""What heads of bodies, shapes, pairs and joints must be in a state that was read from a pickle, in
any dimension; ValueError else (enginecore.state_check)."""

from libc.stdint cimport int32_t, int64_t, uint8_t

from enginecore.body_head cimport BodyHead

# Items of an array that begin with a head: that of item k is `size` bytes times k from the first.
ctypedef struct Items:
    char* first
    Py_ssize_t size
    int32_t n

# Kind, flags, island, and how long a body has been at rest.
cdef int check_body_head(const BodyHead* head, int32_t row) except -1

# Shapes are whole, and every one that is there is in the list of one body. live: by shape id,
# whether it has a box; kind: the engine's Shape.
cdef int check_shape_heads(Items bodies, Items shapes, const uint8_t* live, list objects,
                           type kind) except -1

# Pairs are of two shapes, in their order, and share n_contacts out among them, at most `most` each.
# has_room: pairs have places of their own for contacts, more than they have contacts.
cdef int check_pair_heads(Items pairs, int32_t n_ids, int64_t n_contacts, int32_t most,
                          int32_t flags, bint has_room, list objects) except -1

# Joints are of a kind, with bodies of the state and settings within bounds. entries: of bodies.
cdef int check_joint_heads(Items joints, Items entries, int32_t n_kinds, int32_t most_rows,
                           double farthest) except -1
