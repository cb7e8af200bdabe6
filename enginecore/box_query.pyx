"""Questions about boxes, asked of their tree: what overlaps, what a ray meets, what is near.

All leave out what the fat boxes of the tree rule out and then decide by the boxes as given, so the
answers do not depend on margins, nor on the tree. docs/maths/broad_phase.md, section 5.
"""

from libc.math cimport fabs
from libc.stdlib cimport qsort

from enginecore.box_tree cimport Node
from enginecore.boxes cimport LIVE, overlap
from enginecore.scalar cimport greater, lesser

cdef enum:
    DEPTH = 64           # levels of a balanced tree, and then some
    SHORT = 32           # lists of hits up to this length are sorted by insertion

# Four roundings separate t from its exact value; a ray must not miss the box it grazes.
cdef double SLACK = 1.0 + 2.0 ** -48
cdef double LEAST_WAY = 1e-290       # m; what moves less along an axis keeps its coordinate


# ---- boxes --------------------------------------------------------------------------------------

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


# ---- rays, and boxes that move ------------------------------------------------------------------

cdef void set_ray(const double* start, const double* end, int axes, Ray* ray) noexcept nogil:
    """The ray from start to end (m), `axes` numbers each."""
    cdef double way[3]
    cdef Box box
    cdef int axis
    for axis in range(3):
        box.low[axis] = box.high[axis] = start[axis] if axis < axes else 0.0
        way[axis] = end[axis] - start[axis] if axis < axes else 0.0
    set_sweep(&box, way, axes, ray)


cdef void set_sweep(const Box* box, const double* way, int axes, Ray* ray) noexcept nogil:
    """The box, moving by `way` (m, `axes` numbers)."""
    cdef bint forward
    cdef int axis
    for axis in range(3):
        ray.per_metre[axis] = 0.0
        if axis < axes and fabs(way[axis]) > LEAST_WAY:
            ray.per_metre[axis] = 1.0 / way[axis]
        forward = ray.per_metre[axis] >= 0.0
        ray.ahead[axis] = box.high[axis] if forward else box.low[axis]
        ray.behind[axis] = box.low[axis] if forward else box.high[axis]
        ray.entry[axis] = axis if forward else 3 + axis
        ray.exit[axis] = 3 + axis if forward else axis


cdef inline bint enters(const Ray* ray, const Box* box, double limit, double* t) noexcept nogil:
    """Whether the ray meets the box at some t <= limit; t: where it enters, or 0 from inside."""
    cdef const double* side = &box.low[0]      # low and high: six numbers in a row
    cdef double near = 0.0, far = limit
    cdef int axis
    for axis in range(3):
        if ray.per_metre[axis] != 0.0:
            near = greater(near, (side[ray.entry[axis]] - ray.ahead[axis]) * ray.per_metre[axis])
            far = lesser(far, (side[ray.exit[axis]] - ray.behind[axis]) * ray.per_metre[axis])
        elif ray.ahead[axis] < side[axis] or ray.behind[axis] > side[3 + axis]:
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
    cdef int32_t at, first, second
    cdef bint left, right, swap
    # what is not in the tree
    for at in range(tree.n_apart):
        if enters(ray, &boxes.tight[tree.apart[at]], limit, &t):
            limit = meet(context, tree.apart[at], lesser(t, 1.0), limit)
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
                limit = meet(context, tree.nodes[at].id, lesser(t, 1.0), limit)
            continue
        # the nearer child goes on top
        first = at + 1
        second = tree.nodes[first].skip
        left = enters(ray, &tree.nodes[first].box, limit, &t)
        right = enters(ray, &tree.nodes[second].box, limit, &u)
        swap = right and u < t
        if right and not swap:
            stack[depth] = second
            entry[depth] = u
            depth += 1
        if left:
            stack[depth] = first
            entry[depth] = t
            depth += 1
        if swap:
            stack[depth] = second
            entry[depth] = u
            depth += 1


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


# ---- nearness -----------------------------------------------------------------------------------

cdef inline double squared_distance(const double* point, const Box* box) noexcept nogil:
    """From a point (three numbers, m) to the nearest point of a box, m^2."""
    cdef double total = 0.0, gap
    cdef int axis
    for axis in range(3):
        gap = greater(greater(box.low[axis] - point[axis], point[axis] - box.high[axis]), 0.0)
        total += gap * gap
    return total


cdef void look_near(const Tree* tree, const Boxes* boxes, const double* point, double limit,
                    Meet meet, void* context) noexcept nogil:
    """Show the boxes within a squared distance (limit, m^2) of a point (three numbers) to `meet`,
    roughly nearest first; its t and limit are squared distances."""
    cdef int32_t stack[DEPTH]
    cdef int depth = 0
    cdef double t, u
    cdef int32_t at, first, second
    for at in range(tree.n_apart):
        t = squared_distance(point, &boxes.tight[tree.apart[at]])
        if t <= limit and boxes.state[tree.apart[at]] & LIVE:
            limit = meet(context, tree.apart[at], t, limit)
    if tree.n_nodes:
        stack[0] = 0
        depth = 1
    while depth:
        depth -= 1
        at = stack[depth]
        if squared_distance(point, &tree.nodes[at].box) > limit:
            continue
        if tree.nodes[at].id >= 0:
            t = squared_distance(point, &boxes.tight[tree.nodes[at].id])
            if t <= limit and boxes.state[tree.nodes[at].id] & LIVE:
                limit = meet(context, tree.nodes[at].id, t, limit)
            continue
        # the nearer child goes on top
        first = at + 1
        second = tree.nodes[first].skip
        t = squared_distance(point, &tree.nodes[first].box)
        u = squared_distance(point, &tree.nodes[second].box)
        stack[depth] = second if t <= u else first
        stack[depth + 1] = first if t <= u else second
        depth += 2


# ---- lists of hits ------------------------------------------------------------------------------

cdef double collect(void* hits, int32_t id, double t, double limit) noexcept nogil:
    """A Meet that keeps all boxes; hits is a Hits."""
    cdef Hits* all_hits = <Hits*>hits
    if all_hits.n < all_hits.room:
        all_hits.hits[all_hits.n].t = t
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
    """Sort by t, then by id."""
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
