"""What every broad phase shares: boxes with ids, their pairs, and questions about them.

A subclass says in `search` how pairs are found; everything else is here, so that all of them answer
alike. docs/maths/broad_phase.md.
"""

import operator
from typing import NamedTuple

import numpy as np

from libc.math cimport fabs
from libc.stdint cimport uint8_t

from enginecore.arguments import as_rows

from enginecore.boxes cimport LIVE, MOVED, mark_moved, move_box, overlap, set_nowhere
from enginecore.box_tree cimport (
    Hit, Ray, Tree, cast_ray, collect, find_overlaps, set_ray, sort_hits,
)
from enginecore.cells cimport address
from enginecore.pair_table cimport grown, note_begun

cdef double LARGEST = 1e100          # m, of any coordinate: differences and products stay finite
cdef Py_ssize_t MOST = 1 << 29       # boxes; ids must leave room for a bit and a doubling
cdef enum:
    FIRST_ROOM = 16                  # boxes that a new broad phase has room for


class Stats(NamedTuple):
    boxes: int
    pairs: int
    begun: int
    ended: int
    moved: int
    swaps: int
    tested: int
    rebuilds: int


# ---- kernels ------------------------------------------------------------------------------------

cdef void accept_moves(Boxes* boxes) noexcept nogil:
    """The pair table knows the fat boxes as they are now."""
    cdef Py_ssize_t k
    cdef int32_t id
    for k in range(boxes.n_moved):
        id = boxes.moved[k]
        boxes.before[id] = boxes.fat[id]
        boxes.state[id] &= ~<int>MOVED
    boxes.n_moved = 0


cdef void move_rows(Boxes* boxes, const int32_t* ids, const double* lows, const double* highs,
                    Py_ssize_t n) noexcept nogil:
    """Move box ids[k] to row k of lows and highs; ids NULL: the live boxes, ascending."""
    cdef int axes = boxes.axes, axis
    cdef Py_ssize_t k
    cdef int32_t id = -1
    cdef Box box
    for axis in range(3):
        box.low[axis] = box.high[axis] = 0.0
    for k in range(n):
        if ids == NULL:
            id += 1
            while not boxes.state[id] & LIVE:
                id += 1
        else:
            id = ids[k]
        for axis in range(axes):
            box.low[axis] = lows[k * axes + axis]
            box.high[axis] = highs[k * axes + axis]
        move_box(boxes, id, &box)


cdef Py_ssize_t cast_rays(const Tree* tree, const Boxes* boxes, const double* starts,
                          const double* ends, Py_ssize_t at, Py_ssize_t n, int64_t* first,
                          Hits* out) noexcept nogil:
    """Store the hits of rays `at` to n - 1, each ray's in order; first[k]: where ray k's begin.

    Returns n, or the ray at which room ran out: out.n then says how much it needs.
    """
    cdef int axes = boxes.axes
    cdef Ray ray
    cdef Py_ssize_t k
    for k in range(at, n):
        out.n = first[k]
        set_ray(&starts[k * axes], &ends[k * axes], axes, &ray)
        cast_ray(tree, boxes, &ray, collect, out)
        if out.n > out.room:
            return k
        sort_hits(&out.hits[first[k]], out.n - first[k])
        first[k + 1] = out.n
    return n


cdef Py_ssize_t first_bad(const double* values, Py_ssize_t n) noexcept nogil:
    """The first number that is not finite or too large; n if there is none."""
    cdef Py_ssize_t k
    for k in range(n):
        if not fabs(values[k]) <= LARGEST:
            return k
    return n


cdef Py_ssize_t first_reversed(const double* lows, const double* highs,
                               Py_ssize_t n) noexcept nogil:
    """The first k with low > high; n if there is none."""
    cdef Py_ssize_t k
    for k in range(n):
        if lows[k] > highs[k]:
            return k
    return n


# ---- reading arguments --------------------------------------------------------------------------

cdef object read_points(str name, value, int axes, bint many):
    """One point (axes,) or points (n, axes), finite, as a contiguous float64 array."""
    cdef Py_ssize_t bad
    array = as_rows(name, value, (axes,))
    if (array.ndim == 2) != many:
        wanted = f"(n, {axes})" if many else f"({axes},)"
        raise ValueError(f"{name} must have shape {wanted}, got {array.shape}")
    bad = first_bad(<const double*>address(array), array.size)
    if bad < array.size:
        raise ValueError(f"{name} must be within [-{LARGEST:g}, {LARGEST:g}], "
                         f"got {array.reshape(-1).item(bad)!r}{in_row(bad, axes, many)}")
    return array


cdef str in_row(Py_ssize_t k, int axes, bint many):
    return f" in row {k // axes}" if many else ""


cdef void fill_box(Box* box, const double* low, const double* high, int axes) noexcept nogil:
    cdef int axis
    for axis in range(3):
        box.low[axis] = low[axis] if axis < axes else 0.0
        box.high[axis] = high[axis] if axis < axes else 0.0


# ---- the face -----------------------------------------------------------------------------------

cdef class BroadPhase:

    def __cinit__(self, *args, **options):
        # even one that was never initialised is a valid one of no boxes
        self.boxes.axes = 1
        self.table = PairTable()
        self.tree = BoxTree()
        self.free, self.removed = [], []
        self.buffers = {"state": np.zeros(0, np.uint8), "moved": np.zeros(0, np.int32),
                        "stale": np.zeros(0, np.int32)}
        for name in ("tight", "fat", "before"):
            self.buffers[name] = np.zeros(0)

    def __init__(self, axes=2, margin=0.0):
        cdef double fat
        if type(self) is BroadPhase:
            raise TypeError("BroadPhase has no search: make a SortAndSweep or a HashedGrid")
        if self.capacity:
            raise TypeError(f"{type(self).__name__} cannot be initialised twice")
        if axes not in (1, 2, 3):
            raise ValueError(f"axes must be 1, 2 or 3, got {axes!r}")
        try:
            fat = margin
        except TypeError:
            raise TypeError(f"margin must be a number, got {margin!r}") from None
        if not 0.0 <= fat <= LARGEST:
            raise ValueError(f"margin must be within [0, {LARGEST:g}], got {margin!r}")
        self.boxes.axes = axes
        self.boxes.margin = fat
        self.reserve(FIRST_ROOM)

    cdef int reserve(self, Py_ssize_t capacity) except -1:
        """Make room for ids below `capacity`."""
        cdef object b = self.buffers
        cdef Py_ssize_t line = sizeof(Box) // sizeof(double)
        self.tree.reserve(capacity)
        longer = {name: grown(b[name], capacity * (line if name in ("tight", "fat", "before")
                                                   else 1))
                  for name in ("tight", "fat", "before", "state", "moved", "stale")}
        b.update(longer)
        self.boxes.tight = <Box*>address(b["tight"])
        self.boxes.fat = <Box*>address(b["fat"])
        self.boxes.before = <Box*>address(b["before"])
        self.boxes.state = <uint8_t*>address(b["state"])
        self.boxes.moved = <int32_t*>address(b["moved"])
        self.boxes.stale = <int32_t*>address(b["stale"])
        self.capacity = capacity
        return 0

    cdef int reserve_found(self, int64_t room) except -1:
        """Make room for that many hits (or ids), keeping those that are there."""
        if room <= self.found.room:
            return 0
        room = room + room // 2 + 64
        longer = np.zeros(room * sizeof(Hit), np.uint8)
        if self.found.room:
            longer[:self.found.room * sizeof(Hit)] = self.buffers["found"]
        self.buffers["found"] = longer
        self.found.hits = <Hit*>address(longer)
        self.found.room = room
        return 0

    cdef int enter(self, str what) except -1:
        """Refuse to touch what another thread is working on."""
        if self.capacity == 0:
            raise TypeError(f"{what}: {type(self).__name__} was not initialised")
        if self.busy:
            raise RuntimeError(f"{what}: another call on the same {type(self).__name__} is "
                               "under way")
        return 0

    # -- boxes

    cdef int32_t insert(self, const Box* tight) except -1:
        """Add a box; its pairs begin with the next refresh."""
        cdef int32_t id
        if self.free:
            id = self.free.pop()
        else:
            if self.boxes.n == self.capacity:
                if self.capacity >= MOST:
                    raise MemoryError(f"more than {MOST} boxes")
                self.reserve(2 * self.capacity)
            id = <int32_t>self.boxes.n
            self.boxes.n += 1
        set_nowhere(&self.boxes.fat[id])
        set_nowhere(&self.boxes.before[id])
        self.boxes.state[id] |= LIVE
        self.n_live += 1
        move_box(&self.boxes, id, tight)
        return id

    cdef int discard(self, int32_t id) except -1:
        """Remove a live box; its pairs end with the next refresh, and then its id is free."""
        self.removed.append(id)
        self.boxes.state[id] &= ~<int>LIVE
        self.n_live -= 1
        set_nowhere(&self.boxes.tight[id])
        set_nowhere(&self.boxes.fat[id])
        mark_moved(&self.boxes, id)
        return 0

    cdef int32_t read_id(self, value) except -1:
        try:
            id = operator.index(value)
        except TypeError:
            raise TypeError(f"id must be a whole number, got {value!r}") from None
        if not 0 <= id < self.boxes.n or not self.boxes.state[<Py_ssize_t>id] & LIVE:
            raise ValueError(f"id must be that of a box that is there, got {value!r}")
        return id

    cdef object read_boxes(self, lows, highs, str low_name, str high_name, bint many):
        """Low and high corners as two contiguous arrays, low <= high."""
        cdef Py_ssize_t bad
        low = read_points(low_name, lows, self.boxes.axes, many)
        high = read_points(high_name, highs, self.boxes.axes, many)
        if low.shape != high.shape:
            raise ValueError(f"{high_name} must have as many rows as {low_name}, "
                             f"got {high.shape[0]} and {low.shape[0]}")
        bad = first_reversed(<const double*>address(low), <const double*>address(high), low.size)
        if bad < low.size:
            raise ValueError(f"{low_name} must not exceed {high_name}, "
                             f"got {low.reshape(-1).item(bad)!r} > {high.reshape(-1).item(bad)!r}"
                             f"{in_row(bad, self.boxes.axes, many)}")
        return low, high

    def add(self, low, high):
        """Add a box and return its id."""
        cdef Box box
        self.enter("add")
        low, high = self.read_boxes(low, high, "low", "high", False)
        fill_box(&box, <const double*>address(low), <const double*>address(high), self.boxes.axes)
        return self.insert(&box)

    def add_many(self, lows, highs):
        """Add a box for each row and return their ids."""
        cdef Box box
        cdef Py_ssize_t k, axes = self.boxes.axes
        self.enter("add_many")
        lows, highs = self.read_boxes(lows, highs, "lows", "highs", True)
        ids = np.empty(lows.shape[0], np.int32)
        cdef int32_t[::1] out = ids
        cdef const double* low = <const double*>address(lows)
        cdef const double* high = <const double*>address(highs)
        if self.boxes.n + out.shape[0] > self.capacity:
            # all or none: nothing may fail once the first is in
            if self.boxes.n + out.shape[0] > MOST:
                raise MemoryError(f"more than {MOST} boxes")
            self.reserve(max(2 * self.capacity, self.boxes.n + out.shape[0]))
        for k in range(out.shape[0]):
            fill_box(&box, &low[k * axes], &high[k * axes], self.boxes.axes)
            out[k] = self.insert(&box)
        return ids

    def remove(self, id):
        """Remove a box."""
        self.enter("remove")
        self.discard(self.read_id(id))

    def update(self, lows=None, highs=None, ids=None):
        """Move boxes and bring the pairs up to date."""
        cdef const int32_t* rows = NULL
        cdef const double* low
        cdef const double* high
        cdef Py_ssize_t n
        self.enter("update")
        if lows is None and highs is None and ids is None:
            self.refresh()
            return
        lows, highs = self.read_boxes(lows, highs, "lows", "highs", True)
        n = lows.shape[0]
        if ids is not None:
            ids = np.array([self.read_id(id) for id in ids], np.int32)
            rows = <const int32_t*>address(ids)
        if n != (self.n_live if ids is None else ids.size):
            raise ValueError(f"lows must have a row for each of the "
                             f"{self.n_live if ids is None else ids.size} boxes, got {n}")
        low = <const double*>address(lows)
        high = <const double*>address(highs)
        with nogil:
            move_rows(&self.boxes, rows, low, high, n)
        self.refresh()

    cdef int refresh(self) except -1:
        """The stage: bring the pair table up to date with all that was added, removed, moved."""
        self.table.p.n_begun = self.table.p.n_ended = 0
        self.counts = Counts(self.boxes.n_moved, 0, 0, 0)
        if self.boxes.n_moved == 0:
            return 0
        self.busy = True
        try:
            self.search()
            self.table.settle()
            accept_moves(&self.boxes)
            self.free.extend(self.removed)
            self.removed = []
        finally:
            self.busy = False
        return 0

    cdef int search(self) except -1:
        """Note in the table what began and what ended among boxes.moved."""
        raise NotImplementedError

    cdef int search_tree(self, const int32_t* ids, Py_ssize_t n) except -1:
        """Note in the table what began with the boxes given, by asking the tree."""
        cdef int64_t count, k
        cdef Py_ssize_t i
        cdef int32_t a, b
        cdef int32_t* out
        self.prepare_questions()
        for i in range(n):
            a = ids[i]
            count = find_overlaps(&self.tree.t, self.boxes.fat, &self.boxes.fat[a],
                                  <int32_t*>self.found.hits, 2 * self.found.room)
            if count > 2 * self.found.room:
                self.reserve_found(count)
                find_overlaps(&self.tree.t, self.boxes.fat, &self.boxes.fat[a],
                              <int32_t*>self.found.hits, count)
            self.table.reserve_changes(self.table.p.n_begun + count)
            out = <int32_t*>self.found.hits
            self.counts.tested += count
            for k in range(count):
                b = out[k]
                if b != a and not overlap(&self.boxes.before[a], &self.boxes.before[b]):
                    note_begun(&self.table.p, a, b)
        return 0

    # -- answers

    def pairs(self):
        """The pairs of the last update."""
        return self.table.as_array(self.table.p.keys, self.table.p.n)

    @property
    def begun(self):
        """The pairs that the last update began."""
        return self.table.as_array(self.table.p.begun, self.table.p.n_begun)

    @property
    def ended(self):
        """The pairs that the last update ended."""
        return self.table.as_array(self.table.p.ended, self.table.p.n_ended)

    @property
    def stats(self):
        """Counts of the last update."""
        return Stats(self.n_live, self.table.p.n, self.table.p.n_begun, self.table.p.n_ended,
                     self.counts.moved, self.counts.swaps, self.counts.tested,
                     self.counts.rebuilds)

    cdef int prepare_questions(self) except -1:
        """Bring the tree up to date, so that it can be asked without the GIL."""
        self.tree.reserve(self.capacity)
        self.reserve_found(1)
        self.tree.settle(&self.boxes)
        return 0

    def overlapping(self, low, high):
        """Ids of the boxes that overlap a box."""
        cdef Box box
        cdef int64_t count
        self.enter("overlapping")
        low, high = self.read_boxes(low, high, "low", "high", False)
        fill_box(&box, <const double*>address(low), <const double*>address(high), self.boxes.axes)
        self.prepare_questions()
        count = find_overlaps(&self.tree.t, self.boxes.tight, &box, NULL, 0)
        ids = np.empty(count, np.int32)
        find_overlaps(&self.tree.t, self.boxes.tight, &box, <int32_t*>address(ids), count)
        ids.sort()
        return ids

    def ray(self, start, end):
        """Ids of the boxes that the line from start to end meets, and where."""
        self.enter("ray")
        start = read_points("start", start, self.boxes.axes, False)
        end = read_points("end", end, self.boxes.axes, False)
        _, ids, t = self.rays(start[None, :], end[None, :])
        return ids, t

    def rays(self, starts, ends):
        """Many rays at once."""
        cdef Py_ssize_t n, at = 0
        self.enter("rays")
        starts = read_points("starts", starts, self.boxes.axes, True)
        ends = read_points("ends", ends, self.boxes.axes, True)
        if starts.shape != ends.shape:
            raise ValueError(f"ends must have as many rows as starts, got {ends.shape[0]} and "
                             f"{starts.shape[0]}")
        n = starts.shape[0]
        first = np.zeros(n + 1, np.int64)
        cdef const double* from_ = <const double*>address(starts)
        cdef const double* to = <const double*>address(ends)
        cdef int64_t* begin = <int64_t*>address(first)
        cdef const Tree* tree = &self.tree.t
        self.prepare_questions()
        self.busy = True
        try:
            while True:
                with nogil:
                    at = cast_rays(tree, &self.boxes, from_, to, at, n, begin, &self.found)
                if at == n:
                    break
                self.reserve_found(2 * self.found.n)
        finally:
            self.busy = False
        ids, t = self.split_hits(begin[n])
        return first, ids, t

    cdef object split_hits(self, int64_t n):
        """The hits found as an array of ids and an array of t."""
        cdef int64_t k
        ids, t = np.empty(n, np.int32), np.empty(n)
        cdef int32_t[::1] id_out = ids
        cdef double[::1] t_out = t
        for k in range(n):
            id_out[k] = self.found.hits[k].id
            t_out[k] = self.found.hits[k].t
        return ids, t

    def box(self, id):
        """Low and high corner of a box, as it was given."""
        return self.corners("tight", self.read_id(id))

    def fat_box(self, id):
        """Low and high corner of the box that the pairs are found with."""
        return self.corners("fat", self.read_id(id))

    cdef object corners(self, str name, int32_t id):
        """A box of one of the tables as two tuples."""
        row = self.buffers[name].reshape(-1, 2, 3)[id, :, :self.boxes.axes]
        return tuple(row[0].tolist()), tuple(row[1].tolist())

    @property
    def ids(self):
        """Ids of all boxes, ascending."""
        state = self.buffers["state"][:self.boxes.n]
        return np.flatnonzero(state & LIVE).astype(np.int32)

    @property
    def axes(self):
        """1, 2 or 3."""
        return self.boxes.axes

    @property
    def margin(self):
        """How much larger fat boxes are, m."""
        return self.boxes.margin

    def __len__(self):
        return self.n_live

    def __repr__(self):
        return (f"<{type(self).__name__}: {self.n_live} boxes, {self.table.p.n} pairs, "
                f"{self.boxes.axes} axes, margin {self.boxes.margin:g} m>")
