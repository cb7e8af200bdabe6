"""A balanced tree over the fat boxes, for the queries of box_query.

Boxes that have moved are refitted in place, from their leaf upwards; boxes that are new are kept
apart, few enough to be looked at one by one. When too many are apart, or boxes have strayed so far
that the tree has become a poor one, it is built anew. docs/maths/broad_phase.md, section 5.
"""

import numpy as np

from enginecore.boxes cimport LIVE, STALE, overlap, unite
from enginecore.memory cimport address, grown
from enginecore.scalar cimport greater, lesser
from enginecore.status cimport check

cdef enum:
    JUMP = 8             # wear of a box that has left its old place altogether
    WORN = 4             # wear per leaf at which the tree is built anew
    FEW_APART = 16       # boxes that may always be apart


# ---- building -----------------------------------------------------------------------------------

cdef int widest_axis(const Item* items, Py_ssize_t n, int axes) noexcept nogil:
    """The axis along which the centres of n boxes spread the most."""
    cdef double low, high, widest = -1.0
    cdef int axis, best = 0
    cdef Py_ssize_t k
    for axis in range(axes):
        low = high = items[0].middle[axis]
        for k in range(1, n):
            low = lesser(low, items[k].middle[axis])
            high = greater(high, items[k].middle[axis])
        if high - low > widest:
            widest = high - low
            best = axis
    return best


cdef void split(Item* items, Py_ssize_t n, int axis, Py_ssize_t half) noexcept nogil:
    """Reorder so that the first `half` boxes have their centres below those of the rest."""
    cdef Py_ssize_t left = 0, right = n - 1, i, j
    cdef double pivot
    cdef Item swap
    while left < right:
        pivot = items[(left + right) // 2].middle[axis]
        i = left
        j = right
        while i <= j:
            while items[i].middle[axis] < pivot:
                i += 1
            while items[j].middle[axis] > pivot:
                j -= 1
            if i <= j:
                swap = items[i]
                items[i] = items[j]
                items[j] = swap
                i += 1
                j -= 1
        if half <= j:
            right = j
        elif half >= i:
            left = i
        else:
            return


cdef void build_below(Tree* tree, const Boxes* boxes, Item* items, int32_t n, int32_t at,
                      int32_t parent) noexcept nogil:
    """Make node `at` and all below it from n boxes."""
    cdef Node* node = &tree.nodes[at]
    cdef int32_t half = n // 2
    cdef int32_t second = at + 2 * half
    node.parent = parent
    node.skip = at + 2 * n - 1
    if n == 1:
        node.id = items[0].id
        node.box = boxes.fat[node.id]
        tree.leaf[node.id] = at
        return
    node.id = INNER
    split(items, n, widest_axis(items, n, boxes.axes), half)
    build_below(tree, boxes, items, half, at + 1, at)
    build_below(tree, boxes, items + half, n - half, second, at)
    unite(&tree.nodes[at + 1].box, &tree.nodes[second].box, &node.box)


cdef void build(Tree* tree, const Boxes* boxes) noexcept nogil:
    """Make the tree from all live boxes."""
    cdef Py_ssize_t id
    cdef Item* item
    cdef int axis
    tree.n_leaves = tree.n_apart = 0
    tree.wear = 0
    tree.built = True
    for id in range(boxes.n):
        tree.leaf[id] = NOT_IN_TREE
        if boxes.state[id] & LIVE:
            item = &tree.items[tree.n_leaves]
            item.id = <int32_t>id
            for axis in range(3):
                item.middle[axis] = boxes.fat[id].low[axis] + boxes.fat[id].high[axis]
            tree.n_leaves += 1
    tree.n_nodes = 2 * tree.n_leaves - 1 if tree.n_leaves else 0
    if tree.n_leaves:
        build_below(tree, boxes, tree.items, tree.n_leaves, 0, NOT_IN_TREE)


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
        items = np.zeros(capacity * sizeof(Item), np.uint8)
        b.update(nodes=nodes, leaf=leaf, apart=apart, items=items)
        self.t.nodes = <Node*>((<size_t>address(nodes) + line - 1) // line * line)
        self.t.leaf = <int32_t*>address(leaf)
        self.t.apart = <int32_t*>address(apart)
        self.t.items = <Item*>address(items)
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
