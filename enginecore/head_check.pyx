"""Heads in states that were read; head_check.pxd has the contract."""

from libc.math cimport INFINITY, fabs, isfinite

from enginecore.body_head cimport DYNAMIC
from enginecore.body_store cimport ShapeHead
from enginecore.contact cimport PairHead
from enginecore.handle_table cimport Entry
from enginecore.joint_head cimport JointHead
from enginecore.pair_table cimport high_of, low_of

from enginecore.state_check import refuse

cdef double MOST_TIME = 1e300  # s
cdef enum:
    MOST_FLAGS = 64          # body flags are bits below this
    MOST_ISLANDS = 1 << 30   # islands are those of the last step, which may have had more bodies


cdef int check_body_head(const BodyHead* head, int32_t row) except -1:
    if head.kind > DYNAMIC or head.flags >= MOST_FLAGS:
        refuse(f"kind and flags of body {row} must be those there are", (head.kind, head.flags))
    if not -1 <= head.island < MOST_ISLANDS or not 0.0 <= head.still <= MOST_TIME:
        refuse(f"island and time of rest of body {row} must be within bounds")
    return 0


cdef inline const ShapeHead* shape_of(Items shapes, int64_t id) noexcept nogil:
    return <const ShapeHead*> (shapes.first + id * shapes.size)


cdef int check_shape_heads(Items bodies, Items shapes, const uint8_t* live, list objects,
                           type kind) except -1:
    cdef int32_t id, row, n = 0, n_live = 0
    cdef const ShapeHead* shape
    for id in range(shapes.n):
        shape, item = shape_of(shapes, id), objects[id]
        if item is not None and (not isinstance(item, kind) or item.filter is None):
            refuse(f"shape {id} must be a shape", item)
        if not -1 <= shape.body < bodies.n or not -1 <= shape.next_shape < shapes.n:
            refuse(f"shape {id} must be of a body")
        if (shape.body >= 0) != (live[id] != 0):
            refuse(f"shape {id} must have a box if it is there, and none if it is not")
        if shape.body >= 0 and item is None:
            refuse(f"shape {id} must be there")
        n_live += shape.body >= 0
    for row in range(bodies.n):
        id = (<const BodyHead*> (bodies.first + row * bodies.size)).first_shape
        while id != -1:
            # a list that comes back to itself goes on for longer than there are shapes
            if not 0 <= id < shapes.n or shape_of(shapes, id).body != row or n >= n_live:
                refuse(f"the shapes of body {row} must be its own, each once")
            n += 1
            id = shape_of(shapes, id).next_shape
    if n != n_live:
        refuse("every shape must be one of its body's")
    return 0


cdef int check_pair_heads(Items pairs, int32_t n_ids, int64_t n_contacts, int32_t most,
                          int32_t flags, bint has_room, list objects) except -1:
    cdef int64_t k, i, j, room, last = -1, first = 0
    cdef const PairHead* pair
    for k in range(pairs.n):
        pair = <const PairHead*> (pairs.first + k * pairs.size)
        if pair.key <= last:
            refuse("pairs must be in the order of their shapes")
        last = pair.key
        i, j = low_of(pair.key), high_of(pair.key)
        if not 0 <= i < j < len(objects) or pair.key != (i << 32 | j) or (
                objects[i] is None or objects[j] is None):
            refuse(f"pair {k} must be of two shapes", (i, j))
        if not (0 <= pair.body_a < n_ids and 0 <= pair.body_b < n_ids):
            refuse(f"pair {k} must be of two bodies", (pair.body_a, pair.body_b))
        room = pair.room if has_room else pair.n
        if pair.first != first or not 0 <= pair.n <= room <= most or first > n_contacts - room:
            refuse(f"the contacts of pair {k} must be its own", (pair.first, pair.n, room))
        first += room
        if not 0 <= pair.flags < flags:
            refuse(f"flags of pair {k} must be those there are", pair.flags)
        if not (0.0 <= pair.mu < INFINITY and 0.0 <= pair.e <= 1.0 and 0.0 <= pair.boost < INFINITY
                and pair.recycling_margin == pair.recycling_margin):
            refuse(f"the numbers of pair {k} must be within bounds",
                   (pair.mu, pair.e, pair.boost, pair.recycling_margin))
    if first != n_contacts:
        refuse("every contact must be that of a pair", n_contacts)
    return 0


cdef int check_joint_heads(Items joints, Items entries, int32_t n_kinds, int32_t most_rows,
                           double farthest) except -1:
    cdef int32_t k
    cdef const JointHead* at
    cdef const Entry* table = <const Entry*> entries.first
    for k in range(joints.n):
        at = <const JointHead*> (joints.first + k * joints.size)
        if at.kind >= n_kinds or not 0 <= at.n_rows <= most_rows or at.hard >> most_rows:
            refuse(f"joint {k} must be of a kind", at.kind)
        for body in (at.body_a, at.body_b):
            if body != -1 and not (0 <= body < entries.n and table[<int32_t> body].row >= 0):
                refuse(f"joint {k} must have bodies of the state", body)
        if at.body_a == at.body_b:
            refuse(f"joint {k} must have two bodies", at.body_a)
        if not (fabs(at.reference) <= farthest and fabs(at.ratio) <= farthest
                and fabs(at.rate) <= farthest and fabs(at.held) <= farthest
                and at.low <= at.high):
            refuse(f"numbers of joint {k} must be within bounds")
        if not (0.0 <= at.stiffness < INFINITY and 0.0 <= at.damping < INFINITY
                and 0.0 <= at.turn_stiffness < INFINITY and 0.0 <= at.turn_damping < INFINITY
                and at.friction >= 0.0 and at.most >= 0.0 and at.most_torque >= 0.0
                and at.break_force >= 0.0 and at.break_torque >= 0.0):
            refuse(f"strengths of joint {k} must be >= 0")
        if not isfinite(at.work):
            refuse(f"the work of joint {k} must be finite", at.work)
    return 0
