"""Sort and sweep with coherence: the ends of boxes in sorted lists that hardly change.

An insertion sort repairs last step's order. Two boxes begin or cease to overlap only if an end of
one passes an end of the other, so looking at each swap finds every change of the pair table in time
O(n + swaps). When so much has moved that swaps would cost more than sorting anew, the lists are
sorted from scratch and swept once: O(n log n + k). docs/maths/broad_phase.md, sections 2 and 3.
"""

import numpy as np

from libc.string cimport memcpy

from enginecore.boxes cimport LISTED, LIVE, overlap
from enginecore.memory cimport address
from enginecore.pair_table cimport (
    end_pairs, end_pairs_of_removed, note_begun, note_ended,
)

cdef enum:
    RUN = 16             # ends that the merge sort sorts by insertion first
    PATIENCE = 4         # swaps per end and doubling of their number before sorting anew
    CROWDED = 128        # tests per box in a sweep beyond which the tree is asked instead


# ---- kernels ------------------------------------------------------------------------------------

cdef inline bint precedes(const End* a, const End* b) noexcept nogil:
    """The order of ends. At the same place low ends come first: closed intervals overlap."""
    return a.value < b.value or (a.value == b.value and (a.tag & 1) < (b.tag & 1))


cdef inline double value_of(const Boxes* boxes, int axis, int32_t tag) noexcept nogil:
    """Where an end is now."""
    return boxes.fat[tag >> 1].high[axis] if tag & 1 else boxes.fat[tag >> 1].low[axis]


cdef void list_boxes(Lists* lists, Boxes* boxes) noexcept nogil:
    """Drop the ends of removed boxes, append those of new ones."""
    cdef Py_ssize_t n = 0, k
    cdef int axis
    cdef int32_t id
    cdef End* ends
    for axis in range(boxes.axes):
        ends = lists.ends[axis]
        n = 0
        for k in range(lists.n):
            if boxes.state[ends[k].tag >> 1] & LIVE:
                ends[n] = ends[k]
                n += 1
    lists.n = n
    for k in range(boxes.n_moved):
        id = boxes.moved[k]
        if not boxes.state[id] & LIVE:
            boxes.state[id] &= ~<int>LISTED
        elif not boxes.state[id] & LISTED:
            boxes.state[id] |= LISTED
            for axis in range(boxes.axes):
                lists.ends[axis][lists.n].tag = id << 1
                lists.ends[axis][lists.n + 1].tag = id << 1 | 1
            lists.n += 2


cdef inline void judge(const Boxes* boxes, int32_t low_tag, int32_t high_tag, bint began,
                       Pairs* pairs) noexcept nogil:
    """A low end has passed a high end: note what that has changed between their boxes."""
    cdef int32_t a = low_tag >> 1, b = high_tag >> 1
    cdef bint now = overlap(&boxes.fat[a], &boxes.fat[b])
    cdef bint before
    if now != began:
        return               # another axis keeps them apart, or has not let go of them
    before = overlap(&boxes.before[a], &boxes.before[b])
    if now and not before:
        note_begun(pairs, a, b)
    elif before and not now:
        note_ended(pairs, a, b)


cdef Py_ssize_t insert_ends(Lists* lists, const Boxes* boxes, int axis, Py_ssize_t at,
                            int64_t patience, Pairs* pairs, Counts* counts) noexcept nogil:
    """Insertion sort of one list from place `at` on; note the changes that its swaps show.

    Returns the place at which it stopped: the end of the list, or where room for changes or
    patience (counts.swaps > patience) ran out.
    """
    cdef End* ends = lists.ends[axis]
    cdef End end
    cdef Py_ssize_t k, j
    for k in range(at, lists.n):
        end.tag = ends[k].tag
        end.value = value_of(boxes, axis, end.tag)
        j = k
        if k > 0 and precedes(&end, &ends[k - 1]):
            if (pairs.n_begun + k > pairs.room or pairs.n_ended + k > pairs.room
                    or counts.swaps > patience):
                return k
            while j > 0 and precedes(&end, &ends[j - 1]):
                if (end.tag ^ ends[j - 1].tag) & 1:
                    counts.tested += 1
                    if end.tag & 1:
                        judge(boxes, ends[j - 1].tag, end.tag, False, pairs)
                    else:
                        judge(boxes, end.tag, ends[j - 1].tag, True, pairs)
                ends[j] = ends[j - 1]
                j -= 1
            counts.swaps += k - j
        ends[j] = end
    return lists.n


cdef void merge(const End* a, Py_ssize_t n_a, const End* b, Py_ssize_t n_b,
                End* out) noexcept nogil:
    """Merge two sorted runs, the first one first where they tie."""
    cdef Py_ssize_t i = 0, j = 0
    while i < n_a and j < n_b:
        if precedes(&b[j], &a[i]):
            out[i + j] = b[j]
            j += 1
        else:
            out[i + j] = a[i]
            i += 1
    if i < n_a:
        memcpy(&out[i + j], &a[i], (n_a - i) * sizeof(End))
    else:
        memcpy(&out[i + j], &b[j], (n_b - j) * sizeof(End))


cdef void sort_run(End* ends, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k, j
    cdef End end
    for k in range(1, n):
        end = ends[k]
        j = k
        while j > 0 and precedes(&end, &ends[j - 1]):
            ends[j] = ends[j - 1]
            j -= 1
        ends[j] = end


cdef void sort_ends(Lists* lists, const Boxes* boxes, int axis) noexcept nogil:
    """Sort one list anew: stable merge sort, O(n log n) whatever the order was."""
    cdef End* source = lists.ends[axis]
    cdef End* target = lists.scratch
    cdef End* swap
    cdef Py_ssize_t n = lists.n, width = RUN, k, middle, last
    for k in range(n):
        source[k].value = value_of(boxes, axis, source[k].tag)
    for k in range((n + RUN - 1) // RUN):
        sort_run(&source[k * RUN], min(<Py_ssize_t>RUN, n - k * RUN))
    while width < n:
        k = 0
        while k < n:
            middle = min(k + width, n)
            last = min(k + 2 * width, n)
            merge(&source[k], middle - k, &source[middle], last - middle, &target[k])
            k = last
        swap = source
        source = target
        target = swap
        width *= 2
    lists.ends[axis] = source
    lists.scratch = target


cdef int64_t count_overlaps(const End* ends, Py_ssize_t n) noexcept nogil:
    """How many pairs of intervals overlap along one sorted list."""
    cdef int64_t total = 0, inside = 0
    cdef Py_ssize_t k
    for k in range(n):
        if ends[k].tag & 1:
            inside -= 1
        else:
            total += inside
            inside += 1
    return total


cdef Py_ssize_t sweep_ends(Lists* lists, const Boxes* boxes, int axis, Py_ssize_t at, Pairs* pairs,
                           Counts* counts) noexcept nogil:
    """Go along one sorted list from place `at` on with the intervals that are open; note begun
    pairs. Returns where it stopped: the end of the list, or where room ran out."""
    cdef const End* ends = lists.ends[axis]
    cdef int32_t id, other
    cdef Py_ssize_t k, i
    for k in range(at, lists.n):
        id = ends[k].tag >> 1
        if ends[k].tag & 1:
            lists.n_active -= 1
            other = lists.active[lists.n_active]
            lists.active[lists.place[id]] = other
            lists.place[other] = lists.place[id]
            continue
        if pairs.n_begun + lists.n_active > pairs.room:
            return k
        counts.tested += lists.n_active
        for i in range(lists.n_active):
            other = lists.active[i]
            if (overlap(&boxes.fat[id], &boxes.fat[other])
                    and not overlap(&boxes.before[id], &boxes.before[other])):
                note_begun(pairs, id, other)
        lists.active[lists.n_active] = id
        lists.place[id] = <int32_t>lists.n_active
        lists.n_active += 1
    return lists.n


# ---- the owner ----------------------------------------------------------------------------------

cdef class SortAndSweep(BroadPhase):

    cdef int reserve(self, Py_ssize_t capacity) except -1:
        cdef object b = self.buffers
        cdef Py_ssize_t size = 2 * capacity * sizeof(End)
        cdef int axis
        lists = [np.zeros(size, np.uint8) for _ in range(4)]
        active, place = np.zeros(capacity, np.int32), np.zeros(capacity, np.int32)
        BroadPhase.reserve(self, capacity)
        # the sort trades lists for scratch, so what is where is known by the pointers alone
        for axis in range(3):
            if self.lists.n:
                memcpy(address(lists[axis]), self.lists.ends[axis], self.lists.n * sizeof(End))
            self.lists.ends[axis] = <End*>address(lists[axis])
        self.lists.scratch = <End*>address(lists[3])
        self.lists.active = <int32_t*>address(active)
        self.lists.place = <int32_t*>address(place)
        b.update(lists=lists, active=active, place=place)
        return 0

    cdef int search(self) except -1 nogil:
        cdef Py_ssize_t known = self.lists.n
        cdef bint coherent = self.coherent
        self.coherent = False            # until the lists are sorted again
        list_boxes(&self.lists, &self.boxes)
        # a new box comes from the far end of the list: several of them are better sorted in
        if coherent and (self.lists.n - known) * 8 <= known and self.sort_by_insertion():
            if self.has_removed:
                self.table.reserve_changes(self.table.p.n + self.table.p.n_ended)
                end_pairs_of_removed(&self.table.p, &self.boxes)
        else:
            self.table.p.n_begun = self.table.p.n_ended = 0
            self.sort_and_sweep()
            self.table.reserve_changes(self.table.p.n)
            end_pairs(&self.table.p, &self.boxes)
        self.coherent = True
        return 0

    cdef int sort_by_insertion(self) except -1 nogil:
        """Repair the lists and note the changes; 0 if too many ends change places."""
        cdef int64_t n = self.lists.n, patience = PATIENCE * n
        cdef Py_ssize_t at
        cdef int axis
        while n > 1:
            patience += PATIENCE * self.lists.n
            n //= 2
        for axis in range(self.boxes.axes):
            at = 0
            while at < self.lists.n:
                at = insert_ends(&self.lists, &self.boxes, axis, at, patience, &self.table.p,
                                 &self.counts)
                if self.counts.swaps > patience:
                    return 0
                if at < self.lists.n:
                    self.table.reserve_changes(self.lists.n + max(self.table.p.n_begun,
                                                                  self.table.p.n_ended))
        return 1

    cdef int sort_and_sweep(self) except -1 nogil:
        """Sort all lists anew, and find the begun pairs along the emptiest axis."""
        cdef int64_t least = -1, count
        cdef int axis, best = 0
        self.counts.rebuilds = 1
        for axis in range(self.boxes.axes):
            sort_ends(&self.lists, &self.boxes, axis)
            count = count_overlaps(self.lists.ends[axis], self.lists.n)
            if least < 0 or count < least:
                least = count
                best = axis
        if least > <int64_t>CROWDED * self.lists.n and self.boxes.axes > 1:
            return self.search_tree(self.boxes.moved, self.boxes.n_moved)
        return self.sweep(best)

    cdef int sweep(self, int axis) except -1 nogil:
        cdef Py_ssize_t at = 0
        self.lists.n_active = 0
        while True:
            at = sweep_ends(&self.lists, &self.boxes, axis, at, &self.table.p, &self.counts)
            if at == self.lists.n:
                return 0
            self.table.reserve_changes(2 * self.table.p.n_begun + self.lists.n)
