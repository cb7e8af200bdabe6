"""What every broad phase shares: boxes with ids, their pairs, and queries about them.

A subclass says in `search` how pairs are found; everything else is here, so that all of them answer
alike. docs/maths/broad_phase.md.
"""

import operator
from typing import NamedTuple

import numpy as np

from libc.string cimport memcmp

from enginecore.arguments cimport read_number
from enginecore.box_arguments cimport LARGEST, fill_box, read_boxes, read_points
from enginecore.boxes cimport LIVE, accept_moves, mark_moved, move_box, overlap, set_nowhere
from enginecore.box_query cimport (
    Hit, Ray, cast_ray, cast_rays, collect, find_overlaps, look_near, set_sweep, sort_hits,
)
from enginecore.box_tree cimport Tree
from enginecore.memory cimport address, grown
from enginecore.pair_table cimport note_begun

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

cdef void move_rows(Boxes* boxes, const int64_t* ids, const double* lows, const double* highs,
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
            id = <int32_t>ids[k]
        for axis in range(axes):
            box.low[axis] = lows[k * axes + axis]
            box.high[axis] = highs[k * axes + axis]
        move_box(boxes, id, &box)


cdef int64_t read_id(value) except? -1:
    """An id, whether or not there is such a box."""
    try:
        id = operator.index(value)
    except TypeError:
        raise TypeError(f"id must be a whole number, got {value!r}") from None
    if not 0 <= id < MOST:
        raise ValueError(f"id must be that of a box that is there, got {value!r}")
    return id


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
        fat = read_number(margin, "margin")
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
        """Begin a call, unless another thread is in one; the caller ends it by busy = False.

        Arguments are read before this: reading them may run other threads, or any code at all.
        """
        if self.capacity == 0:
            raise TypeError(f"{what}: {type(self).__name__} was not initialised")
        if self.busy:
            raise RuntimeError(f"{what}: another call on the same {type(self).__name__} is "
                               "under way")
        self.busy = True
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
        self.has_removed = True
        self.boxes.state[id] &= ~<int>LIVE
        self.n_live -= 1
        set_nowhere(&self.boxes.tight[id])
        set_nowhere(&self.boxes.fat[id])
        mark_moved(&self.boxes, id)
        return 0

    cdef int check_id(self, int64_t id) except -1:
        if not 0 <= id < self.boxes.n or not self.boxes.state[id] & LIVE:
            raise ValueError(f"id must be that of a box that is there, got {id}")
        return 0

    def add(self, low, high):
        """Add a box and return its id."""
        cdef Box box
        low, high = read_boxes("low", low, "high", high, self.boxes.axes, False)
        fill_box(&box, <const double*>address(low), <const double*>address(high), self.boxes.axes)
        self.enter("add")
        try:
            return self.insert(&box)
        finally:
            self.busy = False

    def add_many(self, lows, highs):
        """Add a box for each row and return their ids."""
        cdef Box box
        cdef Py_ssize_t k, axes = self.boxes.axes
        lows, highs = read_boxes("lows", lows, "highs", highs, self.boxes.axes, True)
        ids = np.empty(lows.shape[0], np.int32)
        cdef int32_t[::1] out = ids
        cdef const double* low = <const double*>address(lows)
        cdef const double* high = <const double*>address(highs)
        self.enter("add_many")
        try:
            # all or none: nothing may fail once the first is in
            if self.boxes.n + out.shape[0] > MOST:
                raise MemoryError(f"more than {MOST} boxes")
            if self.boxes.n + out.shape[0] > self.capacity:
                self.reserve(max(2 * self.capacity, self.boxes.n + out.shape[0]))
            for k in range(out.shape[0]):
                fill_box(&box, &low[k * axes], &high[k * axes], self.boxes.axes)
                out[k] = self.insert(&box)
        finally:
            self.busy = False
        return ids

    def remove(self, id):
        """Remove a box."""
        cdef int64_t which = read_id(id)
        self.enter("remove")
        try:
            self.check_id(which)
            self.discard(<int32_t>which)
        finally:
            self.busy = False

    def update(self, lows=None, highs=None, ids=None):
        """Move boxes and bring the pairs up to date."""
        cdef const int64_t* rows = NULL
        cdef const double* low = NULL
        cdef const double* high = NULL
        cdef Py_ssize_t n = -1, wanted = -1
        if lows is not None or highs is not None or ids is not None:
            lows, highs = read_boxes("lows", lows, "highs", highs, self.boxes.axes, True)
            n = lows.shape[0]
            low = <const double*>address(lows)
            high = <const double*>address(highs)
        if ids is not None:
            try:
                ids = iter(ids)
            except TypeError:
                raise TypeError(f"ids must be a list of ids, got {ids!r}") from None
            ids = np.array([read_id(id) for id in ids], np.int64)
            rows = <const int64_t*>address(ids)
            wanted = ids.size
        self.enter("update")
        try:
            if n >= 0:
                self.move_all(rows, wanted, low, high, n)
            with nogil:
                self.refresh()
        finally:
            self.busy = False

    cdef int move_all(self, const int64_t* ids, Py_ssize_t wanted, const double* lows,
                      const double* highs, Py_ssize_t n) except -1:
        """Move box ids[k] to row k; ids NULL: the live boxes, ascending."""
        cdef Py_ssize_t k
        if ids == NULL:
            wanted = self.n_live
        for k in range(wanted if ids != NULL else 0):
            self.check_id(ids[k])
        if n != wanted:
            raise ValueError(f"lows must have a row for each of the {wanted} boxes, got {n}")
        with nogil:
            move_rows(&self.boxes, ids, lows, highs, n)
        return 0

    cdef int refresh(self) except -1 nogil:
        """The stage: bring the pair table up to date with all that was added, removed, moved."""
        cdef bint is_done = False
        self.table.p.n_begun = self.table.p.n_ended = 0
        self.counts = Counts(self.boxes.n_moved, 0, 0, 0)
        if self.boxes.n_moved == 0:
            return 0
        try:
            self.search()
            self.table.settle()
            is_done = True
        finally:
            if not is_done:     # no memory: the table stays, and the next refresh tries again
                self.table.p.n_begun = self.table.p.n_ended = 0
        accept_moves(&self.boxes)
        return self.free_removed() if self.has_removed else 0

    cdef int free_removed(self) except -1 with gil:
        """The ids of removed boxes can be given out again."""
        self.free.extend(self.removed)
        self.removed = []
        self.has_removed = False
        return 0

    cdef int search(self) except -1 nogil:
        """Note in the table what began and what ended among boxes.moved; a subclass knows how."""
        return 0

    cdef int search_tree(self, const int32_t* ids, Py_ssize_t n) except -1 with gil:
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

    # -- states

    cdef object save(self):
        """All boxes and ids, for `load`; what was not yet taken into the pairs is so in both."""
        cdef Py_ssize_t line = sizeof(Box) // sizeof(double), n = self.boxes.n
        b = self.buffers
        return (b["tight"][:n * line].copy(), b["fat"][:n * line].copy(),
                b["before"][:n * line].copy(), b["state"][:n] & LIVE, tuple(self.free),
                tuple(self.removed))

    cdef int load(self, object saved) except -1:
        """Become what was saved, here or in another broad phase of as many axes: boxes, ids, pairs.
        """
        tight, fat, before, live, free, removed = saved
        cdef Py_ssize_t n = live.size, id, most = max(n, self.boxes.n)
        cdef const uint8_t* alive = <const uint8_t*>address(live)
        if n > self.capacity:
            self.reserve(max(n, 2 * self.capacity))
        for id in range(self.boxes.n, most):
            set_nowhere(&self.boxes.fat[id])
            set_nowhere(&self.boxes.before[id])
            self.boxes.state[id] = 0
        self.boxes.n = most
        # first the boxes that the pairs were found with, then what has moved since
        known = (before.reshape(-1, 6)[:, 0] <= before.reshape(-1, 6)[:, 3]).astype(np.uint8)
        self.removed = []
        self.has_removed = False
        self.n_live = int(np.count_nonzero(known))
        self.place(<const Box*>address(before), <const Box*>address(before),
                   <const uint8_t*>address(known), n)
        self.refresh()
        self.place(<const Box*>address(tight), <const Box*>address(fat), alive, n)
        self.n_live = int(np.count_nonzero(live))
        self.removed = list(removed)
        self.has_removed = len(self.removed) > 0
        # ids that were not known then are given out after those that were free, in their order
        self.free = [*range(most - 1, n - 1, -1), *free]
        # a tree that was asked in between does not know boxes that are back where they were
        self.tree.t.built = False
        return 0

    cdef void place(self, const Box* tight, const Box* fat, const uint8_t* live,
                    Py_ssize_t n) noexcept nogil:
        """Let the boxes be the first n of these where they live, and nowhere else."""
        cdef Py_ssize_t id
        for id in range(self.boxes.n):
            if id < n and live[id]:
                self.boxes.state[id] |= LIVE
                self.boxes.tight[id] = tight[id]
                self.boxes.fat[id] = fat[id]
            else:
                self.boxes.state[id] &= ~<int>LIVE
                set_nowhere(&self.boxes.tight[id])
                set_nowhere(&self.boxes.fat[id])
            if memcmp(&self.boxes.fat[id], &self.boxes.before[id], sizeof(Box)) != 0:
                mark_moved(&self.boxes, <int32_t>id)

    # -- answers

    def pairs(self):
        """The pairs of the last update."""
        return self.list_pairs("pairs", self.table.p.keys, &self.table.p.n)

    @property
    def begun(self):
        """The pairs that the last update began."""
        return self.list_pairs("begun", self.table.p.begun, &self.table.p.n_begun)

    @property
    def ended(self):
        """The pairs that the last update ended."""
        return self.list_pairs("ended", self.table.p.ended, &self.table.p.n_ended)

    cdef object list_pairs(self, str what, const int64_t* keys, const int64_t* n):
        """Pairs as an array (n, 2)."""
        self.enter(what)
        try:
            return self.table.as_array(keys, n[0])
        finally:
            self.busy = False

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
        low, high = read_boxes("low", low, "high", high, self.boxes.axes, False)
        fill_box(&box, <const double*>address(low), <const double*>address(high), self.boxes.axes)
        self.enter("overlapping")
        try:
            self.prepare_questions()
            count = find_overlaps(&self.tree.t, self.boxes.tight, &box, NULL, 0)
            ids = np.empty(count, np.int32)
            find_overlaps(&self.tree.t, self.boxes.tight, &box, <int32_t*>address(ids), count)
        finally:
            self.busy = False
        ids.sort()
        return ids

    def ray(self, start, end):
        """Ids of the boxes that the line from start to end meets, and where."""
        start = read_points("start", start, self.boxes.axes, False)
        end = read_points("end", end, self.boxes.axes, False)
        _, ids, t = self.rays(start[None, :], end[None, :])
        return ids, t

    def rays(self, starts, ends):
        """Many rays at once."""
        cdef Py_ssize_t n, at = 0
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
        self.enter("rays")
        try:
            self.prepare_questions()
            while True:
                with nogil:
                    at = cast_rays(tree, &self.boxes, from_, to, at, n, begin, &self.found)
                if at == n:
                    break
                self.reserve_found(2 * self.found.n)
            ids, t = self.split_hits(begin[n])
        finally:
            self.busy = False
        return first, ids, t

    def sweep_box(self, low, high, way):
        """Ids of the boxes that a moving box meets, and when."""
        cdef Box box
        cdef Ray ray
        low, high = read_boxes("low", low, "high", high, self.boxes.axes, False)
        way = read_points("way", way, self.boxes.axes, False)
        fill_box(&box, <const double*>address(low), <const double*>address(high), self.boxes.axes)
        set_sweep(&box, <const double*>address(way), self.boxes.axes, &ray)
        self.enter("sweep_box")
        try:
            self.prepare_questions()
            while True:
                self.found.n = 0
                cast_ray(&self.tree.t, &self.boxes, &ray, collect, &self.found)
                if self.found.n <= self.found.room:
                    break
                self.reserve_found(self.found.n)
            sort_hits(self.found.hits, self.found.n)
            return self.split_hits(self.found.n)
        finally:
            self.busy = False

    def near(self, point, distance):
        """Ids of the boxes within a distance of a point, nearest first, and how far they are."""
        cdef double at[3]
        cdef double reach = read_number(distance, "distance")
        cdef int axis
        point = read_points("point", point, self.boxes.axes, False)
        if not 0.0 <= reach <= LARGEST:
            raise ValueError(f"distance must be within [0, {LARGEST:g}], got {distance!r}")
        for axis in range(3):
            at[axis] = point[axis] if axis < self.boxes.axes else 0.0
        self.enter("near")
        try:
            self.prepare_questions()
            while True:
                self.found.n = 0
                look_near(&self.tree.t, &self.boxes, at, reach * reach, collect, &self.found)
                if self.found.n <= self.found.room:
                    break
                self.reserve_found(self.found.n)
            sort_hits(self.found.hits, self.found.n)
            ids, squares = self.split_hits(self.found.n)
        finally:
            self.busy = False
        return ids, np.sqrt(squares)

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
        return self.corners("tight", read_id(id))

    def fat_box(self, id):
        """Low and high corner of the box that the pairs are found with."""
        return self.corners("fat", read_id(id))

    cdef object corners(self, str name, int64_t id):
        """A box of one of the tables as two tuples."""
        self.check_id(id)
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
