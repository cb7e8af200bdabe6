"""Boxes with sides along the axes, and the table of them that a broad phase looks after.

All boxes are closed: boxes that touch in a face, an edge or a corner overlap.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint8_t

from enginecore.scalar cimport greater, lesser

cdef struct Box:
    double low[3]        # m; axes not in use are 0
    double high[3]       # m, >= low

cdef enum BoxState:      # bits
    LIVE = 1             # added and not removed
    MOVED = 2            # listed in `moved`
    STALE = 4            # listed in `stale`
    LISTED = 8           # a subclass's own mark: it holds entries of this box

cdef struct Boxes:
    Py_ssize_t n         # ids ever given out: 0 to n - 1, free ones among them
    int axes             # 1, 2 or 3
    double margin        # m, by which a fat box is larger on each side
    Box* tight           # n: the boxes as last given
    Box* fat             # n: tight plus margin when the tight one last left it; NOWHERE if not live
    Box* before          # n: the fat boxes that the pair table knows
    uint8_t* state       # n: bits of BoxState
    int32_t* moved       # ids whose fat box differs from `before`, each once
    Py_ssize_t n_moved
    int32_t* stale       # ids whose fat box the query tree has not seen, each once
    Py_ssize_t n_stale

cdef enum:
    LOOSE = 4            # margins by which a fat box may exceed the tight one before it is renewed


cdef inline bint overlap(const Box* a, const Box* b) noexcept nogil:
    """Whether two closed boxes have a point in common."""
    # & and not `and`: which axis parts them cannot be predicted, and a wrong guess costs more
    return ((a.low[0] <= b.high[0]) & (b.low[0] <= a.high[0])
            & (a.low[1] <= b.high[1]) & (b.low[1] <= a.high[1])
            & (a.low[2] <= b.high[2]) & (b.low[2] <= a.high[2]))


cdef inline void set_nowhere(Box* box) noexcept nogil:
    """The box that overlaps nothing, and that adds nothing to a union."""
    cdef int axis
    for axis in range(3):
        box.low[axis] = INFINITY
        box.high[axis] = -INFINITY


cdef inline void unite(const Box* a, const Box* b, Box* out) noexcept nogil:
    """The least box around both."""
    cdef int axis
    for axis in range(3):
        out.low[axis] = lesser(a.low[axis], b.low[axis])
        out.high[axis] = greater(a.high[axis], b.high[axis])


cdef inline bint still_fits(const Box* fat, const Box* tight, double loose) noexcept nogil:
    """Whether fat holds tight, and is larger by at most `loose` on each side."""
    cdef int axis
    for axis in range(3):
        if not (fat.low[axis] <= tight.low[axis] and tight.high[axis] <= fat.high[axis]
                and tight.low[axis] - fat.low[axis] <= loose
                and fat.high[axis] - tight.high[axis] <= loose):
            return False
    return True


cdef inline void mark_stale(Boxes* boxes, int32_t id) noexcept nogil:
    """List a box that the tree has to take over."""
    if not boxes.state[id] & STALE:
        boxes.state[id] |= STALE
        boxes.stale[boxes.n_stale] = id
        boxes.n_stale += 1


cdef inline void mark_moved(Boxes* boxes, int32_t id) noexcept nogil:
    """List a box whose fat box has changed."""
    if not boxes.state[id] & MOVED:
        boxes.state[id] |= MOVED
        boxes.moved[boxes.n_moved] = id
        boxes.n_moved += 1
    mark_stale(boxes, id)


cdef inline void move_box(Boxes* boxes, int32_t id, const Box* tight) noexcept nogil:
    """Give a live box its new place; finite, low <= high, unused axes 0. Engines call this."""
    cdef double margin = boxes.margin
    cdef int axis
    boxes.tight[id] = tight[0]
    if still_fits(&boxes.fat[id], tight, LOOSE * margin):
        return
    boxes.fat[id] = tight[0]
    for axis in range(boxes.axes):
        boxes.fat[id].low[axis] = tight.low[axis] - margin
        boxes.fat[id].high[axis] = tight.high[axis] + margin
    mark_moved(boxes, id)


cdef inline void accept_moves(Boxes* boxes) noexcept nogil:
    """The pair table knows the fat boxes as they are now."""
    cdef Py_ssize_t k
    cdef int32_t id
    for k in range(boxes.n_moved):
        id = boxes.moved[k]
        boxes.before[id] = boxes.fat[id]
        boxes.state[id] &= ~<int>MOVED
    boxes.n_moved = 0
