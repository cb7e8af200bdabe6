"""A grid over fat boxes: hashed cells of several sizes, no bound on space.

Each box sits in one cell, the one with its low corner, of the level whose cells are just wider than
itself. A box that left its fat box changes seats and looks into the cells around it, in each level
that is in use; nobody else does anything. docs/maths/broad_phase.md, section 4.
"""

import numpy as np

from libc.math cimport fabs, frexp, ldexp
from libc.string cimport memcpy

from enginecore.boxes cimport Boxes, LIVE, MOVED, overlap
from enginecore.broad_phase cimport Counts
from enginecore.memory cimport address, grown
from enginecore.pair_table cimport Pairs, end_pairs, note_begun
from enginecore.scalar cimport greater

cdef enum:
    MANY = 256           # cells and boxes that one box may look into on its own
    FEW_WIDE = 64        # wide boxes for which looking at every box is cheaper than a tree
    MOST_MOVED = 4       # share of boxes (1 in 4) beyond which a search by all is cheaper
    FINEST = 48          # powers of two that a cell may be smaller than its distance from 0 m

cdef double FARTHEST_CELL = 2.0 ** 52    # FINEST keeps cells within it, and doubles exact


# ---- cells --------------------------------------------------------------------------------------

cdef inline int64_t cell_index(double x, double per_metre) noexcept nogil:
    """The cell of coordinate x (m) along one axis; exact, since per_metre is a power of two."""
    cdef double q = x * per_metre
    cdef int64_t c
    if not q < FARTHEST_CELL:       # what is not a number as well: no search may be endless
        q = FARTHEST_CELL
    if q < -FARTHEST_CELL:
        q = -FARTHEST_CELL
    c = <int64_t>q
    return c - 1 if q < <double>c else c


cdef inline uint64_t row_offset(int64_t y, int64_t z, int level) noexcept nogil:
    """Where the row of cells (y, z) of a level starts in the ring of buckets."""
    cdef uint64_t h = (<uint64_t>y * <uint64_t>0x9E3779B97F4A7C15
                       + <uint64_t>z * <uint64_t>0xC2B2AE3D27D4EB4F
                       + <uint64_t>level * <uint64_t>0x165667B19E3779F9)
    h = (h ^ (h >> 32)) * <uint64_t>0xD6E8FEB86659FD93
    return h ^ (h >> 32)


cdef int level_of(const Box* box, int axes) noexcept nogil:
    """The level whose cells are wider than the box, but at most twice as wide.

    Boxes that are tiny for their distance from the origin sit in wider cells: the number of a
    cell must be exact.
    """
    cdef double widest = 0.0, farthest = 0.0
    cdef int axis, power, finest
    for axis in range(axes):
        widest = greater(widest, box.high[axis] - box.low[axis])
        farthest = greater(farthest, greater(fabs(box.low[axis]), fabs(box.high[axis])))
    frexp(widest, &power)        # widest < 2**power, also before the subtraction was rounded
    frexp(farthest, &finest)
    if widest == 0.0 or power < finest - FINEST:
        power = finest - FINEST
    return min(max(power - LEAST_POWER, 0), LEVELS - 1)


cdef void start_level(Cells* cells, int level) noexcept nogil:
    """Take a level into the list of those in use."""
    cdef int k = cells.n_used
    while k > 0 and cells.used[k - 1] > level:
        cells.used[k] = cells.used[k - 1]
        k -= 1
    cells.used[k] = level
    cells.n_used += 1


cdef void close_level(Cells* cells, int level) noexcept nogil:
    """Take a level out of the list of those in use."""
    cdef int k, kept = 0
    for k in range(cells.n_used):
        if cells.used[k] != level:
            cells.used[kept] = cells.used[k]
            kept += 1
    cells.n_used = kept


cdef inline uint64_t bucket_of(const Cells* cells, const Box* box, int level) noexcept nogil:
    cdef double per_metre = cells.levels[level].per_metre
    return (row_offset(cell_index(box.low[1], per_metre), cell_index(box.low[2], per_metre), level)
            + <uint64_t>cell_index(box.low[0], per_metre)) & cells.mask


cdef void leave_bucket(Cells* cells, int32_t id) noexcept nogil:
    cdef Seat* seat = &cells.seats[id]
    if seat.previous == NOBODY:
        cells.heads[seat.bucket] = seat.next
    else:
        cells.seats[seat.previous].next = seat.next
    if seat.next != NOBODY:
        cells.seats[seat.next].previous = seat.previous


cdef void enter_bucket(Cells* cells, int32_t id, uint64_t bucket) noexcept nogil:
    cdef Seat* seat = &cells.seats[id]
    seat.bucket = <int32_t>bucket
    seat.previous = NOBODY
    seat.next = cells.heads[bucket]
    if seat.next != NOBODY:
        cells.seats[seat.next].previous = id
    cells.heads[bucket] = id


cdef void leave_level(Cells* cells, int32_t id) noexcept nogil:
    cdef Link* link = &cells.links[id]
    cdef Level* level = &cells.levels[cells.seats[id].level]
    if link.previous == NOBODY:
        level.head = link.next
    else:
        cells.links[link.previous].next = link.next
    if link.next != NOBODY:
        cells.links[link.next].previous = link.previous
    level.n -= 1
    if level.n == 0:
        close_level(cells, cells.seats[id].level)
    cells.seats[id].level = NOBODY


cdef void enter_level(Cells* cells, int32_t id, int into) noexcept nogil:
    cdef Link* link = &cells.links[id]
    cdef Level* level = &cells.levels[into]
    if level.n == 0:
        start_level(cells, into)
    link.previous = NOBODY
    link.next = level.head
    if level.head != NOBODY:
        cells.links[level.head].previous = id
    level.head = id
    level.n += 1
    cells.seats[id].level = into


cdef void take_seats(Cells* cells, const Boxes* boxes) noexcept nogil:
    """Seat every moved box where it is now; unseat removed ones."""
    cdef Py_ssize_t k
    cdef int32_t id
    cdef int level
    cdef uint64_t bucket
    cdef Seat* seat
    for k in range(boxes.n_moved):
        id = boxes.moved[k]
        seat = &cells.seats[id]
        if not boxes.state[id] & LIVE:
            if seat.level != NOBODY:
                leave_bucket(cells, id)
                leave_level(cells, id)
            continue
        seat.box = boxes.fat[id]
        level = level_of(&boxes.fat[id], boxes.axes)
        bucket = bucket_of(cells, &boxes.fat[id], level)
        if seat.level == level and <uint64_t>seat.bucket == bucket:
            continue
        if seat.level != NOBODY:
            leave_bucket(cells, id)
        if seat.level != level:
            if seat.level != NOBODY:
                leave_level(cells, id)
            enter_level(cells, id, level)
        enter_bucket(cells, id, bucket)


# ---- search -------------------------------------------------------------------------------------

cdef inline void meet(const Cells* cells, const Boxes* boxes, int32_t a, int32_t b,
                      Pairs* pairs) noexcept nogil:
    """Note the pair if it is new; where both have moved, only from the lower id."""
    if (overlap(&cells.seats[a].box, &cells.seats[b].box)
            and not (boxes.state[b] & MOVED and b <= a)
            and not overlap(&boxes.before[a], &boxes.before[b])):
        note_begun(pairs, a, b)


cdef inline double cells_around(const Cells* cells, const Box* box, int level, int axes,
                                int64_t* low, int64_t* high) noexcept nogil:
    """The cells of a level, per axis, with the low corners of all boxes that may overlap.

    A box of the level is narrower than a cell, so its corner is at most one cell before this box.
    Returns how many cells these are: a double, for they may be very many.
    """
    cdef double per_metre = cells.levels[level].per_metre, count = 1.0
    cdef int axis
    for axis in range(3):
        low[axis] = high[axis] = 0
        if axis < axes:
            low[axis] = cell_index(box.low[axis], per_metre) - 1
            high[axis] = cell_index(box.high[axis], per_metre)
            count *= <double>(high[axis] - low[axis] + 1)
    return count


cdef bint look_around(const Cells* cells, const Boxes* boxes, int32_t id, Pairs* pairs,
                      Counts* counts) noexcept nogil:
    """Note the new pairs of one moved box; False, and nothing noted, if it is too wide for that."""
    cdef int64_t low[3]
    cdef int64_t high[3]
    cdef int64_t n_before = pairs.n_begun, x, y, z
    cdef double count, budget = MANY
    cdef const Box* box = &cells.seats[id].box
    cdef uint64_t offset
    cdef int32_t other
    cdef int k, level
    for k in range(cells.n_used):
        level = cells.used[k]
        count = cells_around(cells, box, level, boxes.axes, low, high)
        budget -= count if count < cells.levels[level].n else cells.levels[level].n
        if budget < 0.0:
            pairs.n_begun = n_before
            return False
        if count >= cells.levels[level].n:
            # few boxes in this level: a floor, some walls
            other = cells.levels[level].head
            while other != NOBODY:
                counts.tested += 1
                meet(cells, boxes, id, other, pairs)
                other = cells.links[other].next
            continue
        for z in range(low[2], high[2] + 1):
            for y in range(low[1], high[1] + 1):
                offset = row_offset(y, z, level)
                for x in range(low[0], high[0] + 1):
                    other = cells.heads[(offset + <uint64_t>x) & cells.mask]
                    while other != NOBODY:
                        counts.tested += 1
                        meet(cells, boxes, id, other, pairs)
                        other = cells.seats[other].next
    return True


cdef Py_ssize_t search_moved(Cells* cells, const Boxes* boxes, Py_ssize_t at, Pairs* pairs,
                             Counts* counts) noexcept nogil:
    """Note the new pairs of moved boxes from place `at` of the list on; list the wide ones.

    Returns where it stopped: the end, or where room ran out; cells.needed says how much is.
    """
    cdef Py_ssize_t k
    cdef int64_t n_before
    for k in range(at, boxes.n_moved):
        if not boxes.state[boxes.moved[k]] & LIVE:
            continue
        n_before = pairs.n_begun
        if not look_around(cells, boxes, boxes.moved[k], pairs, counts):
            cells.wide[cells.n_wide] = boxes.moved[k]
            cells.n_wide += 1
        if pairs.n_begun > pairs.room:
            cells.needed = pairs.n_begun
            pairs.n_begun = n_before
            return k
    return boxes.n_moved


cdef void search_all(const Cells* cells, const Boxes* boxes, int32_t id, Pairs* pairs,
                     Counts* counts) noexcept nogil:
    """Note the new pairs of one moved box by looking at every box."""
    cdef Py_ssize_t other
    for other in range(boxes.n):
        if boxes.state[other] & LIVE:
            meet(cells, boxes, id, <int32_t>other, pairs)
    counts.tested += boxes.n


# ---- search by all -------------------------------------------------------------------------------

cdef void line_up(Cells* cells) noexcept nogil:
    """Copy all seated boxes into entries, bucket by bucket."""
    cdef int32_t* heads = cells.heads
    cdef Py_ssize_t n = 0
    cdef uint64_t b
    cdef int32_t id
    for b in range(cells.mask + 1):
        cells.first[b] = <int32_t>n
        id = heads[b]
        while id != NOBODY:
            cells.entries[n].box = cells.seats[id].box
            cells.entries[n].id = id
            cells.entries[n].level = cells.seats[id].level
            n += 1
            id = cells.seats[id].next
    cells.first[cells.mask + 1] = <int32_t>n
    cells.n_entries = n


cdef inline bint overlap_flat(const Box* a, const Box* b) noexcept nogil:
    """overlap, in the plane or along a line: the third axis says nothing there."""
    return ((a.low[0] <= b.high[0]) & (b.low[0] <= a.high[0])
            & (a.low[1] <= b.high[1]) & (b.low[1] <= a.high[1]))


cdef inline void meet_run(const Cells* cells, const Boxes* boxes, const Entry* a, Py_ssize_t begin,
                          Py_ssize_t end, Pairs* pairs, Counts* counts) noexcept nogil:
    """Note the new pairs of a with entries begin to end."""
    cdef Py_ssize_t k
    cdef const Entry* b
    cdef bint flat = boxes.axes < 3
    counts.tested += end - begin
    for k in range(begin, end):
        b = &cells.entries[k]
        if ((overlap_flat(&a.box, &b.box) if flat else overlap(&a.box, &b.box)) and a.id != b.id
                and not overlap(&boxes.before[a.id], &boxes.before[b.id])):
            note_begun(pairs, a.id, b.id)


cdef inline void meet_row(const Cells* cells, const Boxes* boxes, const Entry* a, int64_t x,
                          int64_t end, uint64_t offset, Pairs* pairs,
                          Counts* counts) noexcept nogil:
    """Note the new pairs of a with the boxes in cells x to end of a row."""
    cdef uint64_t b
    while x <= end:
        b = (offset + <uint64_t>x) & cells.mask
        if b + <uint64_t>(end - x) <= cells.mask:
            meet_run(cells, boxes, a, cells.first[b], cells.first[b + <uint64_t>(end - x) + 1],
                     pairs, counts)
            return
        # the ring of buckets closes inside this run
        meet_run(cells, boxes, a, cells.first[b], cells.first[b + 1], pairs, counts)
        x += 1


cdef void meet_peers(const Cells* cells, const Boxes* boxes, Py_ssize_t k, Pairs* pairs,
                     Counts* counts) noexcept nogil:
    """Note the new pairs of entry k with boxes of its own level in its own cell or a later one."""
    cdef const Entry* a = &cells.entries[k]
    cdef int64_t low[3]
    cdef int64_t high[3]
    cdef int64_t y, z
    cdef uint64_t offset
    cells_around(cells, &a.box, a.level, boxes.axes, low, high)
    # its own row: the rest of its bucket, then the cells after its own; low is one cell before
    if boxes.axes == 1:
        low[1] = low[2] = -1
    elif boxes.axes == 2:
        low[2] = -1
    offset = row_offset(low[1] + 1, low[2] + 1, a.level)
    meet_run(cells, boxes, a, k + 1,
             cells.first[((offset + <uint64_t>(low[0] + 1)) & cells.mask) + 1], pairs, counts)
    meet_row(cells, boxes, a, low[0] + 2, high[0], offset, pairs, counts)
    # the rows after it in its layer, then the layers after that
    for y in range(low[1] + 2, high[1] + 1):
        meet_row(cells, boxes, a, low[0], high[0], row_offset(y, low[2] + 1, a.level), pairs,
                 counts)
    for z in range(low[2] + 2, high[2] + 1):
        for y in range(low[1], high[1] + 1):
            meet_row(cells, boxes, a, low[0], high[0], row_offset(y, z, a.level), pairs, counts)


cdef void meet_larger(const Cells* cells, const Boxes* boxes, Py_ssize_t k, int level,
                      Pairs* pairs, Counts* counts) noexcept nogil:
    """Note the new pairs of entry k with boxes of a level of wider cells."""
    cdef const Entry* a = &cells.entries[k]
    cdef int64_t low[3]
    cdef int64_t high[3]
    cdef int64_t y, z
    cdef int32_t other
    if cells_around(cells, &a.box, level, boxes.axes, low, high) < cells.levels[level].n:
        for z in range(low[2], high[2] + 1):
            for y in range(low[1], high[1] + 1):
                meet_row(cells, boxes, a, low[0], high[0], row_offset(y, z, level), pairs, counts)
        return
    other = cells.levels[level].head
    while other != NOBODY:
        counts.tested += 1
        if (overlap(&a.box, &cells.seats[other].box)
                and not overlap(&boxes.before[a.id], &boxes.before[other])):
            note_begun(pairs, a.id, other)
        other = cells.links[other].next


cdef Py_ssize_t search_by_all(Cells* cells, const Boxes* boxes, Py_ssize_t at, Pairs* pairs,
                              Counts* counts) noexcept nogil:
    """Note the new pairs of entries from place `at` on: of each with its peers in later cells and
    with all that is larger, so that every pair is met once. Returns as search_moved does."""
    cdef Py_ssize_t k
    cdef int64_t n_before
    cdef int i
    for k in range(at, cells.n_entries):
        n_before = pairs.n_begun
        meet_peers(cells, boxes, k, pairs, counts)
        i = cells.n_used - 1
        while i >= 0 and cells.used[i] > cells.entries[k].level:
            meet_larger(cells, boxes, k, cells.used[i], pairs, counts)
            i -= 1
        if pairs.n_begun > pairs.room:
            cells.needed = pairs.n_begun
            pairs.n_begun = n_before
            return k
    return cells.n_entries


# ---- the owner ----------------------------------------------------------------------------------

cdef class HashedGrid(BroadPhase):

    def __cinit__(self, *args, **options):
        cdef int k
        if sizeof(Seat) != 64:
            raise ImportError("enginecore.grid: a seat does not fill a cache line")
        b = self.buffers
        b["links"] = np.zeros(0, np.int32)
        b["levels"] = np.zeros(LEVELS * sizeof(Level), np.uint8)
        b["used"] = np.zeros(LEVELS, np.int32)
        self.cells.levels = <Level*>address(b["levels"])
        self.cells.used = <int32_t*>address(b["used"])
        for k in range(LEVELS):
            self.cells.levels[k].per_metre = ldexp(1.0, -(k + LEAST_POWER))
            self.cells.levels[k].head = NOBODY

    cdef int reserve(self, Py_ssize_t capacity) except -1:
        cdef object b = self.buffers
        cdef Py_ssize_t buckets = 4, id, known = self.capacity, line = sizeof(Seat)
        cdef Seat* seat
        while buckets < 2 * capacity:
            buckets *= 2
        seats = np.zeros((capacity + 1) * line, np.uint8)
        links = grown(b["links"], capacity * (sizeof(Link) // sizeof(int32_t)))
        heads = np.full(buckets, NOBODY, np.int32)
        first = np.zeros(buckets + 1, np.int32)
        entries = np.zeros(capacity * sizeof(Entry), np.uint8)
        wide = np.zeros(capacity, np.int32)
        BroadPhase.reserve(self, capacity)
        seat = <Seat*>((<size_t>address(seats) + line - 1) // line * line)
        if known:
            memcpy(seat, self.cells.seats, known * line)
        b.update(seats=seats, links=links, heads=heads, wide=wide, first=first, entries=entries)
        self.cells.first = <int32_t*>address(first)
        self.cells.entries = <Entry*>address(entries)
        self.cells.seats = seat
        self.cells.links = <Link*>address(links)
        self.cells.heads = <int32_t*>address(heads)
        self.cells.wide = <int32_t*>address(wide)
        self.cells.mask = <uint64_t>(buckets - 1)
        for id in range(capacity):
            seat = &self.cells.seats[id]
            if id >= known:
                seat.level = NOBODY
            elif seat.level != NOBODY:
                enter_bucket(&self.cells, <int32_t>id,
                             bucket_of(&self.cells, &seat.box, seat.level))
        return 0

    cdef int search(self) except -1 nogil:
        take_seats(&self.cells, &self.boxes)
        if self.boxes.n_moved * MOST_MOVED > self.n_live:
            self.search_all_boxes()
        else:
            self.search_moved_boxes()
        self.table.reserve_changes(self.table.p.n)
        end_pairs(&self.table.p, &self.boxes)
        return 0

    cdef int search_all_boxes(self) except -1 nogil:
        """Note the begun pairs when most have moved: in one pass along memory."""
        cdef Py_ssize_t at = 0
        line_up(&self.cells)
        while True:
            at = search_by_all(&self.cells, &self.boxes, at, &self.table.p, &self.counts)
            if at == self.cells.n_entries:
                return 0
            self.table.reserve_changes(2 * self.cells.needed)

    cdef int search_moved_boxes(self) except -1 nogil:
        """Note the begun pairs when few have moved: of each on its own."""
        cdef Py_ssize_t at = 0, k
        self.cells.n_wide = 0
        while True:
            at = search_moved(&self.cells, &self.boxes, at, &self.table.p, &self.counts)
            if at == self.boxes.n_moved:
                break
            self.table.reserve_changes(2 * self.cells.needed)
        if self.cells.n_wide > FEW_WIDE:
            return self.search_tree(self.cells.wide, self.cells.n_wide)
        for k in range(self.cells.n_wide):
            self.table.reserve_changes(self.table.p.n_begun + self.n_live)
            search_all(&self.cells, &self.boxes, self.cells.wide[k], &self.table.p, &self.counts)
        return 0
