"""Near pairs among balls of any sizes, in linear time, at any place in space.

Each ball sits in one cell of the grid of its size class. A cell maps to a bucket by a hash that
keeps the cells of a row (along the first axis) next to each other; different rows may share
buckets, which costs a few distance tests and nothing else. docs/maths/particles.md, section 6.
"""

import numpy as np

from libc.math cimport frexp
from libc.stdlib cimport qsort

from enginecore.memory cimport address
from enginecore.status cimport check

cdef enum:
    SHORT_ROW = 24                 # rows up to this length are sorted by insertion

cdef double FARTHEST_CELL = 2.0 ** 44   # cells farther out share the last one; keeps int64 safe
# Rounding of x * per_metre may shift a cell border by 2**44 * 2**-52 cells: wider cells absorb it.
cdef double CELL_SLACK = 1.0 + 2.0 ** -6
cdef double MANY_CELLS = 256.0          # cells that one ball may always visit
cdef double TEST_SLACK = 1.0 + 1e-9     # on squared distances: rounding must never drop a pair


cdef inline int64_t cell_index(double x, double per_metre) noexcept nogil:
    """The cell of coordinate x (m) along one axis; a NaN falls in the first cell."""
    cdef double q = x * per_metre
    cdef int64_t c
    if not q > -FARTHEST_CELL:
        q = -FARTHEST_CELL
    if q > FARTHEST_CELL:
        q = FARTHEST_CELL
    c = <int64_t>q
    return c - 1 if q < <double>c else c


cdef inline uint64_t row_offset(int64_t y, int64_t z, int level) noexcept nogil:
    """Where the row of cells (y, z) of a level starts in the ring of buckets."""
    cdef uint64_t h = (<uint64_t>y * <uint64_t>0x9E3779B97F4A7C15
                       + <uint64_t>z * <uint64_t>0xC2B2AE3D27D4EB4F
                       + <uint64_t>level * <uint64_t>0x165667B19E3779F9)
    h = (h ^ (h >> 32)) * <uint64_t>0xD6E8FEB86659FD93
    return h ^ (h >> 32)


cdef void choose_levels(Grid* g, const Ball* balls) noexcept nogil:
    """Fill g.level and g.levels: class k holds reaches in (largest / 2**(k+1), largest / 2**k]."""
    cdef double largest = 0.0
    cdef double widest[MAX_LEVELS]
    cdef int power, k
    cdef Py_ssize_t i
    for i in range(g.n):
        largest = max(largest, balls[i].reach)
    for k in range(MAX_LEVELS):
        widest[k] = 0.0
    g.n_levels = 1
    for i in range(g.n):
        frexp(largest / balls[i].reach, &power)
        k = min(power - 1, MAX_LEVELS - 1)
        g.level[i] = k
        widest[k] = max(widest[k], balls[i].reach)
        g.n_levels = max(g.n_levels, k + 1)
    for k in range(g.n_levels):
        g.levels[k].widest = widest[k]
        g.levels[k].per_metre = 1.0 / (2.0 * CELL_SLACK * widest[k]) if widest[k] > 0.0 else 0.0


cdef void fill_buckets(Grid* g, const Ball* balls) noexcept nogil:
    """Counting sort of the balls by bucket into g.entries, g.first."""
    cdef int32_t* first = g.first
    cdef double per_metre
    cdef int64_t buckets = <int64_t>g.mask + 1, b
    cdef uint64_t offset
    cdef Py_ssize_t i
    cdef Entry* entry
    for b in range(buckets + 1):
        first[b] = 0
        if b < buckets:
            g.head[b] = NOBODY
    for i in range(g.n):
        g.next[i] = UNMOVED
        per_metre = g.levels[g.level[i]].per_metre
        offset = row_offset(cell_index(balls[i].x[1], per_metre),
                            cell_index(balls[i].x[2], per_metre), g.level[i])
        b = (offset + <uint64_t>cell_index(balls[i].x[0], per_metre)) & g.mask
        g.bucket[i] = <int32_t>b
        first[b] += 1
    # ends of the buckets; placing backwards turns them into beginnings and keeps ids ascending
    for b in range(1, buckets + 1):
        first[b] += first[b - 1]
    for i in range(g.n - 1, -1, -1):
        if i >= AHEAD:
            prefetch(&g.entries[first[g.bucket[i - AHEAD]]])
        first[g.bucket[i]] -= 1
        entry = &g.entries[first[g.bucket[i]]]
        entry.x[0] = balls[i].x[0]
        entry.x[1] = balls[i].x[1]
        entry.x[2] = balls[i].x[2]
        entry.reach = balls[i].reach
        entry.id = <int32_t>i
        entry.level = g.level[i]


cdef inline int64_t note(const Grid* g, int32_t a, int32_t b, int64_t count) noexcept nogil:
    """Store the pair (a, b) if there is room."""
    if count < g.capacity:
        g.found[count].low = min(a, b)
        g.found[count].high = max(a, b)
    return count + 1


cdef inline int64_t test_run(const Grid* g, const Entry* a, int64_t begin, int64_t end,
                             int64_t count) noexcept nogil:
    """Test ball a against entries begin to end; store the near ones, return the new count."""
    cdef const Entry* b
    cdef double dx, dy, dz, reach
    cdef int64_t k
    for k in range(begin, end):
        b = &g.entries[k]
        dx = a.x[0] - b.x[0]
        dy = a.x[1] - b.x[1]
        dz = a.x[2] - b.x[2]
        reach = a.reach + b.reach
        if dx * dx + dy * dy + dz * dz <= reach * reach * TEST_SLACK and a.id != b.id:
            count = note(g, a.id, b.id, count)
    return count


cdef inline int64_t test_row(const Grid* g, const Entry* a, int64_t x, int width, uint64_t offset,
                             int64_t count) noexcept nogil:
    """Test ball a against cells x to x + width - 1 of the row at `offset`."""
    cdef uint64_t b = (offset + <uint64_t>x) & g.mask
    cdef int k
    if b + <uint64_t>width <= g.mask:
        return test_run(g, a, g.first[b], g.first[b + <uint64_t>width], count)
    for k in range(width):      # the ring of buckets closes inside this run
        b = (offset + <uint64_t>(x + k)) & g.mask
        count = test_run(g, a, g.first[b], g.first[b + 1], count)
    return count


cdef inline int64_t search_level(const Grid* g, Py_ssize_t k, int level, bint half,
                                 int64_t count) noexcept nogil:
    """Test entry k against the cells of a level around it; `half`: only those after its own."""
    cdef const Entry* a = &g.entries[k]
    cdef double per_metre = g.levels[level].per_metre
    cdef int64_t x = cell_index(a.x[0], per_metre)
    cdef int64_t y = cell_index(a.x[1], per_metre)
    cdef int64_t z = cell_index(a.x[2], per_metre)
    cdef int64_t dy, dz
    cdef int64_t sy = 1 if g.dim > 1 else 0
    cdef int64_t sz = 1 if g.dim > 2 else 0
    cdef uint64_t b
    for dz in range(0 if half else -sz, sz + 1):
        for dy in range(0 if half and dz == 0 else -sy, sy + 1):
            if half and dz == 0 and dy == 0:
                # its own row: the rest of its bucket, then the next cell
                b = (row_offset(y, z, level) + <uint64_t>x) & g.mask
                count = test_run(g, a, k + 1, g.first[b + 1], count)
                count = test_row(g, a, x + 1, 1, row_offset(y, z, level), count)
            else:
                count = test_row(g, a, x - 1, 3, row_offset(y + dy, z + dz, level), count)
    return count


cdef int64_t search(const Grid* g, int64_t limit) noexcept nogil:
    """Store near pairs in g.found while there is room (twice, now and then); return how many.

    A pair of one class is met from the earlier of its two cells, a pair of two classes from the
    smaller ball. Stops early beyond `limit`.
    """
    cdef int64_t count = 0
    cdef Py_ssize_t k
    cdef int level
    for k in range(g.n):
        count = search_level(g, k, g.entries[k].level, True, count)
        for level in range(g.entries[k].level):
            if g.levels[level].widest > 0.0:
                count = search_level(g, k, level, False, count)
        if count > limit:
            return count
    return count


cdef inline bint near(const Ball* a, const Ball* b) noexcept nogil:
    cdef double dx = a.x[0] - b.x[0]
    cdef double dy = a.x[1] - b.x[1]
    cdef double dz = a.x[2] - b.x[2]
    cdef double reach = a.reach + b.reach
    return dx * dx + dy * dy + dz * dz <= reach * reach * TEST_SLACK


cdef void cells_around(const Grid* g, const Ball* ball, int level, int64_t* low,
                       int64_t* high) noexcept nogil:
    """The box of cells of a level, per axis, that hold every ball near this one."""
    cdef double far = (ball.reach + g.levels[level].widest) * CELL_SLACK
    cdef int axis
    for axis in range(3):
        low[axis] = cell_index(ball.x[axis] - far, g.levels[level].per_metre)
        high[axis] = cell_index(ball.x[axis] + far, g.levels[level].per_metre)
        if axis >= g.dim:
            low[axis] = high[axis] = 0


cdef int64_t search_box(const Grid* g, const Ball* balls, const Entry* a, int level,
                        int64_t count) noexcept nogil:
    """Test a moved ball against all balls of a level, wherever those are now."""
    cdef int64_t low[3]
    cdef int64_t high[3]
    cdef int64_t x, y, z
    cdef uint64_t b
    cdef int32_t other
    cells_around(g, &balls[a.id], level, low, high)
    for z in range(low[2], high[2] + 1):
        for y in range(low[1], high[1] + 1):
            for x in range(low[0], high[0] + 1):
                b = (row_offset(y, z, level) + <uint64_t>x) & g.mask
                count = test_run(g, a, g.first[b], g.first[b + 1], count)
                other = g.head[b]
                while other >= 0:
                    if other != a.id and near(&balls[a.id], &balls[other]):
                        count = note(g, a.id, other, count)
                    other = g.next[other]
    return count


cdef int64_t search_moved(const Grid* g, const Ball* balls, int32_t moved) noexcept nogil:
    """Store the pairs of one ball in g.found while there is room; return how many.

    Some may come twice, and some may be near no longer; none is missed.
    """
    cdef Entry a
    cdef int64_t low[3]
    cdef int64_t high[3]
    cdef int64_t count = 0
    cdef double cells = 0.0     # a double: the product may be huge
    cdef int level
    cdef Py_ssize_t i
    # A ball far larger than others would visit many cells: then look at every ball instead.
    for level in range(g.n_levels):
        if g.levels[level].widest > 0.0:
            cells_around(g, &balls[moved], level, low, high)
            cells += (1.0 + high[0] - low[0]) * (1.0 + high[1] - low[1]) * (1.0 + high[2] - low[2])
    if cells > MANY_CELLS + <double>g.n:
        for i in range(g.n):
            if i != moved and near(&balls[moved], &balls[i]):
                count = note(g, moved, <int32_t>i, count)
        return count
    a.x[0] = balls[moved].x[0]
    a.x[1] = balls[moved].x[1]
    a.x[2] = balls[moved].x[2]
    a.reach = balls[moved].reach
    a.id = moved
    a.level = g.level[moved]
    for level in range(g.n_levels):
        if g.levels[level].widest > 0.0:
            count = search_box(g, balls, &a, level, count)
    return count


cdef void link_moved(Grid* g, const Ball* balls, int32_t moved) noexcept nogil:
    """Chain a moved ball to the bucket where it is now."""
    cdef double per_metre = g.levels[g.level[moved]].per_metre
    cdef int32_t* link
    cdef uint64_t b
    if g.next[moved] != UNMOVED:
        link = &g.head[g.bucket[moved]]
        while link[0] != moved:
            link = &g.next[link[0]]
        link[0] = g.next[moved]
    b = row_offset(cell_index(balls[moved].x[1], per_metre),
                   cell_index(balls[moved].x[2], per_metre), g.level[moved])
    b = (b + <uint64_t>cell_index(balls[moved].x[0], per_metre)) & g.mask
    g.bucket[moved] = <int32_t>b
    g.next[moved] = g.head[b]
    g.head[b] = moved


cdef void push(int64_t key, Queue* queue) noexcept nogil:
    """Add a key; the caller has made room."""
    cdef int64_t at = queue.count
    queue.count += 1
    while at > 0 and queue.keys[(at - 1) // 2] > key:
        queue.keys[at] = queue.keys[(at - 1) // 2]
        at = (at - 1) // 2
    queue.keys[at] = key


cdef int64_t pop(Queue* queue) noexcept nogil:
    """Remove and return the smallest key."""
    cdef int64_t smallest = queue.keys[0]
    cdef int64_t at = 0, child
    cdef int64_t key
    queue.count -= 1
    key = queue.keys[queue.count]
    while 2 * at + 1 < queue.count:
        child = 2 * at + 1
        if child + 1 < queue.count and queue.keys[child + 1] < queue.keys[child]:
            child += 1
        if key <= queue.keys[child]:
            break
        queue.keys[at] = queue.keys[child]
        at = child
    queue.keys[at] = key
    return smallest


cdef int compare_ids(const void* a, const void* b) noexcept nogil:
    cdef int32_t i = (<const int32_t*>a)[0], j = (<const int32_t*>b)[0]
    return (i > j) - (i < j)


cdef inline void sort_row(int32_t* row, int64_t length) noexcept nogil:
    """Sort ids ascending."""
    cdef int64_t k, at
    cdef int32_t value
    if length > SHORT_ROW:
        qsort(row, <size_t>length, sizeof(int32_t), compare_ids)
        return
    for k in range(1, length):
        value = row[k]
        at = k
        while at > 0 and row[at - 1] > value:
            row[at] = row[at - 1]
            at -= 1
        row[at] = value


cdef void sort_pairs(const Pair* found, int64_t count, Py_ssize_t n, int64_t* start,
                     int32_t* partner) noexcept nogil:
    """Bring pairs into rows (start, partner) by low, then high, each once."""
    cdef int64_t k, begin, end, kept = 0
    cdef Py_ssize_t i
    for i in range(n + 1):
        start[i] = 0
    for k in range(count):
        start[found[k].low] += 1
    for i in range(1, n + 1):
        start[i] += start[i - 1]
    for k in range(count - 1, -1, -1):
        if k >= AHEAD:
            prefetch(&partner[start[found[k - AHEAD].low]])
        start[found[k].low] -= 1
        partner[start[found[k].low]] = found[k].high
    # rows that share a bucket by chance have shown some pairs twice
    for i in range(n):
        begin = start[i]
        end = start[i + 1]
        sort_row(&partner[begin], end - begin)
        start[i] = kept
        for k in range(begin, end):
            if k == begin or partner[k] != partner[k - 1]:
                partner[kept] = partner[k]
                kept += 1
    start[n] = kept


cdef class PairFinder:

    def __cinit__(self):
        self.buffers = {}
        self.grid.n = -1
        self.grid.capacity = -1
        self.reserve_balls(0)
        self.reserve_pairs(0)

    cdef void reserve_balls(self, Py_ssize_t n):
        """Size every buffer that depends on the number of balls."""
        cdef object b = self.buffers
        cdef Py_ssize_t buckets = 4
        if n == self.grid.n:
            return
        while buckets < 2 * n:
            buckets *= 2
        self.grid.n = -1        # should memory run out below, the next call starts over
        b["bucket"] = np.empty(n, np.int32)
        b["level"] = np.empty(n, np.int32)
        b["first"] = np.empty(buckets + 1, np.int32)
        b["entries"] = np.empty(n * sizeof(Entry), np.uint8)
        b["head"] = np.empty(buckets, np.int32)
        b["next"] = np.empty(n, np.int32)
        b["start"] = np.zeros(n + 1, np.int64)
        self.grid.bucket = <int32_t*>address(b["bucket"])
        self.grid.level = <int32_t*>address(b["level"])
        self.grid.first = <int32_t*>address(b["first"])
        self.grid.entries = <Entry*>address(b["entries"])
        self.grid.head = <int32_t*>address(b["head"])
        self.grid.next = <int32_t*>address(b["next"])
        self.start = <int64_t*>address(b["start"])
        self.grid.mask = <uint64_t>(buckets - 1)
        self.grid.n = n

    cdef void reserve_pairs(self, int64_t count):
        """Size the pair buffers for at least `count`."""
        cdef object b = self.buffers
        if count <= self.grid.capacity:
            return
        count += count // 4 + 64
        self.grid.capacity = -1
        b["found"] = np.empty((count, 2), np.int32)
        # the list in use may be needed still
        partner = np.zeros(count + AHEAD, np.int32)
        if self.partner != NULL:
            partner[:b["partner"].size] = b["partner"]
        b["partner"] = partner
        self.grid.found = <Pair*>address(b["found"])
        self.partner = <int32_t*>address(b["partner"])
        self.grid.capacity = count

    cdef void reserve_late(self, int64_t count):
        """Size the queue for at least `count`, keeping what is in it."""
        if count <= self.late_capacity:
            return
        keys = np.empty(2 * count + 64, np.int64)
        if self.late.count:
            keys[:self.late.count] = self.buffers["late"][:self.late.count]
        self.buffers["late"] = keys
        self.late.keys = <int64_t*>address(keys)
        self.late_capacity = keys.size

    cdef bint find(self, const Ball* balls, Py_ssize_t n, int dim, int64_t limit) except -1:
        """List the near pairs in start, partner; False when there are more than `limit`."""
        cdef int64_t count
        self.reserve_balls(n)
        self.grid.dim = dim
        self.late.count = 0
        self.moves = 0
        with nogil:
            check(1 <= dim <= 3)
            choose_levels(&self.grid, balls)
            fill_buckets(&self.grid, balls)
            count = search(&self.grid, limit)
        if count > limit:
            return False
        if count > self.grid.capacity:
            self.reserve_pairs(count)
            with nogil:
                search(&self.grid, limit)
        with nogil:
            sort_pairs(self.grid.found, count, n, self.start, self.partner)
        return True

    cdef bint move(self, const Ball* balls, int32_t moved, int64_t after, int64_t limit) except -1:
        """Queue the pairs beyond key `after` that ball `moved` is near, now that it has moved.

        False when the queue would exceed `limit`.
        """
        cdef int64_t count, k, key
        with nogil:
            count = search_moved(&self.grid, balls, moved)
        if count > self.grid.capacity:
            self.reserve_pairs(count)
            with nogil:
                search_moved(&self.grid, balls, moved)
        if self.late.count + count > limit:
            return False
        self.reserve_late(self.late.count + count)
        with nogil:
            link_moved(&self.grid, balls, moved)
            for k in range(count):
                key = pair_key(self.grid.found[k].low, self.grid.found[k].high)
                if key > after:
                    push(key, &self.late)
        self.moves += 1
        return True
