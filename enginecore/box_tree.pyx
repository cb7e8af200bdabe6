"""A balanced tree over the fat boxes, for questions: what overlaps a box, what does a ray meet.

Boxes that have moved are refitted in place, from their leaf upwards; boxes that are new are kept
apart, few enough to be looked at one by one. When too many are apart, or boxes have strayed so far
that the tree has become a poor one, it is built anew. docs/maths/broad_phase.md, section 5.
"""

import numpy as np

from libc.math cimport fabs
from libc.stdlib cimport qsort

from enginecore.boxes cimport LIVE, STALE, overlap, unite
from enginecore.cells cimport address
from enginecore.pair_table cimport grown
from enginecore.scalar cimport greater, lesser
from enginecore.status cimport check

cdef enum:
    DEPTH = 64           # levels of a balanced tree, and then some
    JUMP = 8             # wear of a box that has left its old place altogether
    WORN = 4             # wear per leaf at which the tree is built anew
    FEW_APART = 16       # boxes that may always be apart
    SHORT = 32           # lists of hits up to this length are sorted by insertion

# Four roundings separate t from its exact value; a ray must not miss the box it grazes.
cdef double SLACK = 1.0 + 2.0 ** -48
cdef double LEAST_RISE = 1e-290      # m; a ray that rises less along an axis is parallel to it


# ---- building -----------------------------------------------------------------------------------

cdef inline double middle(const Boxes* boxes, int32_t id, int axis) noexcept nogil:
    """Twice the centre of a box."""
    return boxes.fat[id].low[axis] + boxes.fat[id].high[axis]


cdef int widest_axis(const Boxes* boxes, const int32_t* order, Py_ssize_t n) noexcept nogil:
    """The axis along which the centres of n boxes spread the most."""
    cdef double low, high, at, widest = -1.0
    cdef int axis, best = 0
    cdef Py_ssize_t k
    for axis in range(boxes.axes):
        low = high = middle(boxes, order[0], axis)
        for k in range(1, n):
            at = middle(boxes, order[k], axis)
            low = lesser(low, at)
            high = greater(high, at)
        if high - low > widest:
            widest = high - low
            best = axis
    return best


cdef void split(const Boxes* boxes, int axis, int32_t* order, Py_ssize_t n,
                Py_ssize_t half) noexcept nogil:
    """Reorder so that the first `half` boxes have their centres below those of the rest."""
    cdef Py_ssize_t left = 0, right = n - 1, i, j
    cdef double pivot
    cdef int32_t swap
    while left < right:
        pivot = middle(boxes, order[(left + right) // 2], axis)
        i = left
        j = right
        while i <= j:
            while middle(boxes, order[i], axis) < pivot:
                i += 1
            while middle(boxes, order[j], axis) > pivot:
                j -= 1
            if i <= j:
                swap = order[i]
                order[i] = order[j]
                order[j] = swap
                i += 1
                j -= 1
        if half <= j:
            right = j
        elif half >= i:
            left = i
        else:
            return


cdef void build_below(Tree* tree, const Boxes* boxes, int32_t* order, int32_t n, int32_t at,
                      int32_t parent) noexcept nogil:
    """Make node `at` and all below it from n boxes."""
    cdef Node* node = &tree.nodes[at]
    cdef int32_t half = n // 2
    cdef int32_t second = at + 2 * half
    node.parent = parent
    node.skip = at + 2 * n - 1
    if n == 1:
        node.id = order[0]
        node.box = boxes.fat[order[0]]
        tree.leaf[order[0]] = at
        return
    node.id = INNER
    split(boxes, widest_axis(boxes, order, n), order, n, half)
    build_below(tree, boxes, order, half, at + 1, at)
    build_below(tree, boxes, order + half, n - half, second, at)
    unite(&tree.nodes[at + 1].box, &tree.nodes[second].box, &node.box)


cdef void build(Tree* tree, const Boxes* boxes) noexcept nogil:
    """Make the tree from all live boxes."""
    cdef Py_ssize_t id
    tree.n_leaves = tree.n_apart = 0
    tree.wear = 0
    tree.built = True
    for id in range(boxes.n):
        tree.leaf[id] = NOT_IN_TREE
        if boxes.state[id] & LIVE:
            tree.order[tree.n_leaves] = <int32_t>id
            tree.n_leaves += 1
    tree.n_nodes = 2 * tree.n_leaves - 1 if tree.n_leaves else 0
    if tree.n_leaves:
        build_below(tree, boxes, tree.order, tree.n_leaves, 0, NOT_IN_TREE)


# ---- keeping up ---------------------------------------------------------------------------------

cdef void refit_leaf(Tree* tree, const Boxes* boxes, int32_t id) noexcept nogil:
    """Take over one box that has changed."""
    cdef int32_t at = tree.leaf[id]
    cdef Node* node = &tree.nodes[at]
    cdef Box* box
    cdef Box* other
    node.box = boxes.fat[id]
    while node.parent != NOT_IN_TREE:
        at = node.parent
        node = &tree.nodes[at]
        box = &tree.nodes[at + 1].box
        other = &tree.nodes[tree.nodes[at + 1].skip].box
        unite(box, other, &node.box)


cdef void refit_all(Tree* tree, const Boxes* boxes) noexcept nogil:
    """Take over all boxes. Children come after their parents, hence the order."""
    cdef int32_t at
    cdef Node* node
    for at in range(tree.n_nodes - 1, -1, -1):
        node = &tree.nodes[at]
        if node.id >= 0:
            node.box = boxes.fat[node.id]
        else:
            unite(&tree.nodes[at + 1].box, &tree.nodes[tree.nodes[at + 1].skip].box, &node.box)


cdef Py_ssize_t sort_out(Tree* tree, const Boxes* boxes) noexcept nogil:
    """Put new boxes apart, add up the wear; return how many leaves have changed."""
    cdef Py_ssize_t k, changed = 0
    cdef int32_t id
    for k in range(boxes.n_stale):
        id = boxes.stale[k]
        if tree.leaf[id] >= 0:
            changed += 1
            tree.wear += (1 if overlap(&tree.nodes[tree.leaf[id]].box, &boxes.fat[id]) else JUMP)
        elif tree.leaf[id] == NOT_IN_TREE and boxes.state[id] & LIVE:
            tree.leaf[id] = APART
            tree.apart[tree.n_apart] = id
            tree.n_apart += 1
    return changed


# ---- questions ----------------------------------------------------------------------------------

cdef int64_t find_overlaps(const Tree* tree, const Box* exact, const Box* box, int32_t* out,
                           int64_t room) noexcept nogil:
    """Store ids of boxes of `exact` (tight or fat ones) that overlap `box` while there is room.

    Returns how many there are, in no order that means anything.
    """
    cdef const Node* node
    cdef int32_t at = 0, id
    cdef int64_t n = 0
    while at < tree.n_nodes:
        node = &tree.nodes[at]
        if not overlap(&node.box, box):
            at = node.skip
            continue
        at += 1
        if node.id >= 0 and overlap(&exact[node.id], box):
            if n < room:
                out[n] = node.id
            n += 1
    for at in range(tree.n_apart):
        id = tree.apart[at]
        if overlap(&exact[id], box):
            if n < room:
                out[n] = id
            n += 1
    return n


cdef void set_ray(const double* start, const double* end, int axes, Ray* ray) noexcept nogil:
    """The ray from start to end (m), `axes` numbers each."""
    cdef double rise
    cdef int axis
    for axis in range(3):
        ray.start[axis] = start[axis] if axis < axes else 0.0
        rise = end[axis] - start[axis] if axis < axes else 0.0
        ray.per_metre[axis] = 1.0 / rise if fabs(rise) > LEAST_RISE else 0.0
        ray.entry[axis] = axis if rise > 0.0 else 3 + axis
        ray.exit[axis] = 3 + axis if rise > 0.0 else axis


cdef inline bint enters(const Ray* ray, const Box* box, double limit, double* t) noexcept nogil:
    """Whether the ray meets the box at some t <= limit; t: where it enters, or 0 from inside."""
    cdef const double* side = &box.low[0]      # low and high: six numbers in a row
    cdef double near = 0.0, far = limit
    cdef int axis
    for axis in range(3):
        if ray.per_metre[axis] != 0.0:
            near = greater(near, (side[ray.entry[axis]] - ray.start[axis]) * ray.per_metre[axis])
            far = lesser(far, (side[ray.exit[axis]] - ray.start[axis]) * ray.per_metre[axis])
        elif ray.start[axis] < side[axis] or ray.start[axis] > side[3 + axis]:
            return False
    t[0] = near
    return near <= far * SLACK


cdef void cast_ray(const Tree* tree, const Boxes* boxes, const Ray* ray, Meet meet,
                   void* context) noexcept nogil:
    """Show the boxes that the ray meets to `meet`, roughly in order of entry."""
    cdef int32_t stack[DEPTH]
    cdef double entry[DEPTH]
    cdef int depth = 0
    cdef double limit = 1.0, t, u
    cdef int32_t at, first, second, swap
    cdef bint left, right
    # what is not in the tree
    for at in range(tree.n_apart):
        if enters(ray, &boxes.tight[tree.apart[at]], limit, &t):
            limit = meet(context, tree.apart[at], t, limit)
    if tree.n_nodes and enters(ray, &tree.nodes[0].box, limit, &t):
        stack[0] = 0
        entry[0] = t
        depth = 1
    while depth:
        depth -= 1
        at = stack[depth]
        if entry[depth] > limit * SLACK:
            continue
        if tree.nodes[at].id >= 0:
            if enters(ray, &boxes.tight[tree.nodes[at].id], limit, &t):
                limit = meet(context, tree.nodes[at].id, t, limit)
            continue
        # the nearer child goes on top
        first = at + 1
        second = tree.nodes[first].skip
        left = enters(ray, &tree.nodes[first].box, limit, &t)
        right = enters(ray, &tree.nodes[second].box, limit, &u)
        if left and right and t <= u:
            swap = first
            first = second
            second = swap
            t, u = u, t
        if left:
            stack[depth] = first
            entry[depth] = t
            depth += 1
        if right:
            stack[depth] = second
            entry[depth] = u
            depth += 1


cdef double collect(void* hits, int32_t id, double t, double limit) noexcept nogil:
    """A Meet that keeps all boxes; hits is a Hits."""
    cdef Hits* all_hits = <Hits*>hits
    if all_hits.n < all_hits.room:
        all_hits.hits[all_hits.n].t = lesser(t, 1.0)
        all_hits.hits[all_hits.n].id = id
    all_hits.n += 1
    return limit


cdef int compare(const void* a, const void* b) noexcept nogil:
    cdef const Hit* p = <const Hit*>a
    cdef const Hit* q = <const Hit*>b
    if p.t != q.t:
        return -1 if p.t < q.t else 1
    return -1 if p.id < q.id else 1 if p.id > q.id else 0


cdef void sort_hits(Hit* hits, int64_t n) noexcept nogil:
    """Sort by entry, then by id."""
    cdef int64_t i, j
    cdef Hit hit
    if n > SHORT:
        qsort(hits, n, sizeof(Hit), &compare)
        return
    for i in range(1, n):
        hit = hits[i]
        j = i
        while j > 0 and compare(&hits[j - 1], &hit) > 0:
            hits[j] = hits[j - 1]
            j -= 1
        hits[j] = hit


# ---- memory -------------------------------------------------------------------------------------

cdef class BoxTree:

    def __cinit__(self):
        if sizeof(Node) != 64:
            raise ImportError("enginecore.box_tree: a node does not fill a cache line")
        self.buffers = {"leaf": np.zeros(0, np.int32), "apart": np.zeros(0, np.int32)}
        self.reserve(1)

    cdef int reserve(self, Py_ssize_t capacity) except -1:
        """Make room for ids below `capacity`."""
        cdef object b = self.buffers
        cdef Py_ssize_t line = sizeof(Node), known = self.capacity
        if capacity <= known:
            return 0
        nodes = np.zeros((2 * capacity + 1) * line, np.uint8)
        leaf, apart = grown(b["leaf"], capacity), grown(b["apart"], capacity)
        leaf[known:] = NOT_IN_TREE
        order = np.zeros(capacity, np.int32)
        b.update(nodes=nodes, leaf=leaf, apart=apart, order=order)
        self.t.nodes = <Node*>((<size_t>address(nodes) + line - 1) // line * line)
        self.t.leaf = <int32_t*>address(leaf)
        self.t.apart = <int32_t*>address(apart)
        self.t.order = <int32_t*>address(order)
        self.t.built = False         # the nodes are gone
        self.t.n_nodes = 0
        self.capacity = capacity
        return 0

    cdef void settle(self, Boxes* boxes) noexcept nogil:
        """Bring the tree up to date; the caller has reserved room."""
        cdef Tree* tree = &self.t
        cdef Py_ssize_t k, changed
        check(self.capacity >= boxes.n)
        if boxes.n_stale == 0 and tree.built:
            return
        changed = sort_out(tree, boxes) if tree.built else 0
        if (not tree.built or tree.wear > <int64_t>WORN * tree.n_leaves
                or <int64_t>tree.n_apart * tree.n_apart
                > FEW_APART * FEW_APART + <int64_t>4 * tree.n_leaves):
            build(tree, boxes)
        elif changed * 4 > tree.n_leaves:
            refit_all(tree, boxes)
        else:
            for k in range(boxes.n_stale):
                if tree.leaf[boxes.stale[k]] >= 0:
                    refit_leaf(tree, boxes, boxes.stale[k])
        for k in range(boxes.n_stale):
            boxes.state[boxes.stale[k]] &= ~<int>STALE
        boxes.n_stale = 0
