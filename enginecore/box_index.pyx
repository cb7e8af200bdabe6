"""Boxes for queries alone: a table with its tree, which no search for pairs knows."""

import numpy as np

from libc.stdint cimport uint8_t

from enginecore.box_query cimport Hit
from enginecore.boxes cimport LIVE, mark_stale, set_nowhere
from enginecore.memory cimport address, grown
from enginecore.scalar cimport greater
from enginecore.status cimport check

# A fat box is larger than the shape's by this share of its widest side: what moves less does not
# change the tree. More, and queries look at more boxes than they need.
cdef double LOOSE = 0.1
cdef enum:
    FIRST_ROOM = 16                  # boxes that a new index has room for


cdef inline bint holds(const Box* fat, const Box* tight) noexcept nogil:
    """Whether fat holds tight and is not more than three times as wide as it must be."""
    cdef int axis
    cdef double wide = 0.0, far = 0.0
    for axis in range(3):
        if not (fat.low[axis] <= tight.low[axis] and tight.high[axis] <= fat.high[axis]):
            return False
        wide = greater(wide, tight.high[axis] - tight.low[axis])
        far = greater(far, fat.high[axis] - fat.low[axis])
    return far <= (1.0 + 6.0 * LOOSE) * wide


cdef class BoxIndex:

    def __cinit__(self, int axes=2):
        self.boxes.axes = axes
        self.tree = BoxTree()
        self.buffers = {name: np.zeros(0) for name in ("tight", "fat")}
        self.buffers["state"] = np.zeros(0, np.uint8)
        self.buffers["stale"] = np.zeros(0, np.int32)
        self.reserve(FIRST_ROOM)
        self.reserve_found(1)

    cdef int reserve(self, Py_ssize_t capacity) except -1:
        """Make room for ids below `capacity`."""
        cdef Py_ssize_t line = sizeof(Box) // sizeof(double)
        if capacity <= self.capacity:
            return 0
        capacity = max(capacity, 2 * self.capacity)
        self.tree.reserve(capacity)
        longer = {name: grown(self.buffers[name],
                              capacity * (line if name in ("tight", "fat") else 1))
                  for name in ("tight", "fat", "state", "stale")}
        self.buffers.update(longer)
        self.boxes.tight = <Box*> address(longer["tight"])
        self.boxes.fat = <Box*> address(longer["fat"])
        self.boxes.state = <uint8_t*> address(longer["state"])
        self.boxes.stale = <int32_t*> address(longer["stale"])
        self.capacity = capacity
        return 0

    cdef int reserve_found(self, int64_t room) except -1:
        """Make room for that many hits; those that are there are lost."""
        if room <= self.found.room:
            return 0
        room = room + room // 2 + 64
        self.buffers["found"] = np.zeros(room * sizeof(Hit), np.uint8)
        self.found.hits = <Hit*> address(self.buffers["found"])
        self.found.room = room
        return 0

    cdef void put(self, int32_t id, const Box* tight) noexcept nogil:
        """Let a box be here, whether or not there was one with this id; room is there."""
        cdef Boxes* boxes = &self.boxes
        cdef double wide = 0.0
        cdef int axis
        check(0 <= id < self.capacity)
        while boxes.n <= id:
            set_nowhere(&boxes.tight[boxes.n])
            set_nowhere(&boxes.fat[boxes.n])
            boxes.state[boxes.n] = 0
            boxes.n += 1
        boxes.tight[id] = tight[0]
        if boxes.state[id] & LIVE and holds(&boxes.fat[id], tight):
            return
        boxes.state[id] |= LIVE
        for axis in range(boxes.axes):
            wide = greater(wide, tight.high[axis] - tight.low[axis])
        boxes.fat[id] = tight[0]
        for axis in range(boxes.axes):
            boxes.fat[id].low[axis] -= LOOSE * wide
            boxes.fat[id].high[axis] += LOOSE * wide
        mark_stale(boxes, id)

    cdef void drop(self, int32_t id) noexcept nogil:
        """Let there be no box with this id."""
        cdef Boxes* boxes = &self.boxes
        if id >= boxes.n or not boxes.state[id] & LIVE:
            return
        boxes.state[id] &= ~<int>LIVE
        set_nowhere(&boxes.tight[id])
        set_nowhere(&boxes.fat[id])
        mark_stale(boxes, id)

    cdef void settle(self) noexcept nogil:
        """Bring the tree up to date, so that it can be asked."""
        self.tree.settle(&self.boxes)
