"""The stages of a particle step; each reads what the one before it wrote.

The equations are in docs/maths/particles.md, the collision kernels themselves in grains.pxd.
"""

from libc.math cimport fabs

from enginecore.cells cimport AHEAD, pair_key, pop, prefetch

cdef double SKIN = 0.6            # of the typical radius: how far a particle may stray
cdef double SKIN_OWN = 4.0        # radii: small particles get a skin no wider than SKIN times this
cdef double ALONG_PLANE = 1e-14   # of its length: what a way may point into the plane it is along
cdef Py_ssize_t BLOCK = 256       # particles that go through several stages while in the cache
cdef enum:
    HOLD_PASSES = 8               # planes that a put-back particle may slide along in one step
    LAST_ID = 0x7FFFFFFF          # no particle has this index; also the mask of an index in a key
    NUDGES = 8                    # attempts to get rid of a rounding error's depth


cdef void load(Step* step, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Copy the state into grains and kick: v += g h/2."""
    cdef int dim = step.dim
    cdef Py_ssize_t i
    cdef Grain* a
    for i in range(begin, end):
        a = &step.grains[i]
        a.x = read_vec(&step.x[i * dim], dim)
        a.v = moved(read_vec(&step.v[i * dim], dim), step.g, 0.5 * step.h)
        a.r = step.r[i]
        a.m = step.m[i]


cdef void strike_planes(Step* step, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Strike particles against planes, in order: at once if sequential, else into the sums."""
    cdef Py_ssize_t i, k
    cdef Grain* a
    cdef Jolt jolt
    cdef Touch touch
    for i in range(begin, end):
        a = &step.grains[i]
        if not step.sequential:
            step.sums[i].v = step.sums[i].x = Vec(0.0, 0.0, 0.0)
        for k in range(step.n_planes):
            touch = touch_plane(a, &step.planes[k], &step.law, &jolt)
            step.counts.contacts += touch != APART
            if touch != IMPACT:
                continue
            step.counts.impacts += 1
            if step.sequential:
                a.v = moved(a.v, jolt.v, 1.0)
                a.x = moved(a.x, jolt.x, 1.0)
            else:
                step.sums[i].v = moved(step.sums[i].v, jolt.v, 1.0)
                step.sums[i].x = moved(step.sums[i].x, jolt.x, 1.0)


cdef bint any_strayed(const Step* step, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(begin, end):
        if strayed(&step.grains[i], &step.balls[i]):
            return True
    return False


cdef bint arrive(Step* step) noexcept nogil:
    """All before the pairs: load, kick, planes. True if somebody left the skin."""
    cdef Py_ssize_t begin = 0, end
    cdef bint stale = False
    while begin < step.n:
        end = min(begin + BLOCK, step.n)
        load(step, begin, end)
        strike_planes(step, begin, end)
        stale = stale or any_strayed(step, begin, end)
        begin = end
    return stale


cdef inline void share_jolt(Grain* a, Grain* b, const Jolt* jolt) noexcept nogil:
    """Give a and b their parts by mass, so that momentum and the centre of mass stay."""
    cdef double share = b.m / (a.m + b.m)
    a.v = moved(a.v, jolt.v, share)
    a.x = moved(a.x, jolt.x, share)
    share = a.m / (a.m + b.m)
    b.v = moved(b.v, jolt.v, -share)
    b.x = moved(b.x, jolt.x, -share)


cdef inline int64_t row_after(const int32_t* partner, int64_t begin, int64_t end,
                              int32_t j) noexcept nogil:
    """Where the partners > j begin in a row."""
    cdef int64_t middle
    while begin < end:
        middle = (begin + end) // 2
        if partner[middle] > j:
            end = middle
        else:
            begin = middle + 1
    return begin


cdef bint strike_pairs(Step* step, const int64_t* start, const int32_t* partner, Queue* late,
                       Cursor* at) noexcept nogil:
    """Strike the pairs after `at`, listed or late, in order, each jolt applied at once.

    False as soon as a particle has left its skin: `at` is then the pair struck last.
    """
    cdef Grain* grains = step.grains
    cdef const Ball* balls = step.balls
    cdef Counts* counts = &step.counts
    cdef Py_ssize_t i
    cdef int64_t k
    cdef int32_t j, last
    cdef Jolt jolt
    cdef Touch touch
    for i in range(at.i, step.n):
        last = at.j if i == at.i else <int32_t>i
        k = row_after(partner, start[i], start[i + 1], last) if i == at.i else start[i]
        while True:
            # the next partner, from the row or from the queue; the same may be in both
            j = partner[k] if k < start[i + 1] else LAST_ID
            if late.count > 0 and late.keys[0] <= pair_key(i, j):
                j = <int32_t>(pop(late) & LAST_ID)
            elif k < start[i + 1]:
                prefetch(&grains[partner[k + AHEAD]])
                k += 1
            else:
                break
            if j <= last:
                continue
            last = j
            counts.pairs_tested += 1
            touch = touch_pair(&grains[i], &grains[j], &step.law, &jolt)
            counts.contacts += touch != APART
            if touch != IMPACT:
                continue
            counts.impacts += 1
            share_jolt(&grains[i], &grains[j], &jolt)
            if strayed(&grains[i], &balls[i]) or strayed(&grains[j], &balls[j]):
                at.i = i
                at.j = j
                return False
    return True


cdef void sum_pairs(Step* step, const int64_t* start, const int32_t* partner) noexcept nogil:
    """Add the jolts of the listed pairs, all from one state, to the sums."""
    cdef const Grain* grains = step.grains
    cdef Jolt* sums = step.sums
    cdef Py_ssize_t i
    cdef int64_t k
    cdef int32_t j
    cdef double share
    cdef Jolt jolt
    cdef Touch touch
    for i in range(step.n):
        for k in range(start[i], start[i + 1]):
            prefetch(&grains[partner[k + AHEAD]])
            j = partner[k]
            touch = touch_pair(&grains[i], &grains[j], &step.law, &jolt)
            step.counts.contacts += touch != APART
            if touch == IMPACT:
                step.counts.impacts += 1
                share = grains[j].m / (grains[i].m + grains[j].m)
                sums[i].v = moved(sums[i].v, jolt.v, share)
                sums[i].x = moved(sums[i].x, jolt.x, share)
                share = grains[i].m / (grains[i].m + grains[j].m)
                sums[j].v = moved(sums[j].v, jolt.v, -share)
                sums[j].x = moved(sums[j].x, jolt.x, -share)
    step.counts.pairs_tested += start[step.n]


cdef void drift(Step* step, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Apply the sums if there are any; x += h v; the second half kick, v += g h/2."""
    cdef Py_ssize_t i
    cdef Grain* a
    for i in range(begin, end):
        a = &step.grains[i]
        if not step.sequential:
            a.v = moved(a.v, step.sums[i].v, 1.0)
            a.x = moved(a.x, step.sums[i].x, 1.0)
        a.x = moved(a.x, a.v, step.h)
        a.v = moved(a.v, step.g, 0.5 * step.h)


cdef Vec slide(Vec x0, Vec x1, const Plane* planes, Py_ssize_t n_planes) noexcept nogil:
    """Walk from x0 towards x1 and along every plane met that x0 is in front of."""
    cdef Vec at = x0, way = sub(x1, x0)
    cdef const Plane* met
    cdef double down, share, nearest, parallel
    cdef Py_ssize_t k
    cdef int _walk
    for _walk in range(HOLD_PASSES):
        met = NULL
        nearest = 1.0
        # along a plane, rounding leaves a little of the way pointing into it
        parallel = ALONG_PLANE * (fabs(way.x) + fabs(way.y) + fabs(way.z))
        for k in range(n_planes):
            down = -dot(way, planes[k].n)
            if down > parallel and height(&planes[k], x0) >= 0.0:
                share = max(height(&planes[k], at), 0.0) / down
                if share < nearest:
                    nearest = share
                    met = &planes[k]
        at = moved(at, way, nearest)
        if met == NULL:
            break
        way = scaled(way, 1.0 - nearest)
        way = moved(way, met.n, -dot(way, met.n))
    return at


cdef bint lost(Vec x0, Vec x, const Plane* planes, Py_ssize_t n_planes) noexcept nogil:
    """Whether x is behind a plane that x0 is in front of."""
    cdef Py_ssize_t k
    for k in range(n_planes):
        if height(&planes[k], x) < 0.0 and height(&planes[k], x0) >= 0.0:
            return True
    return False


cdef Vec put_back(Vec x0, Vec x1, const Plane* planes, Py_ssize_t n_planes) noexcept nogil:
    """A place near x1 that is not behind any plane that x0 is in front of; x0 if need be."""
    cdef Vec at = slide(x0, x1, planes, n_planes)
    cdef double depth, grain
    cdef int attempt
    cdef Py_ssize_t k
    # What rounding left behind a plane must go too: the next step would take it for the outside.
    for attempt in range(NUDGES):
        if not lost(x0, at, planes, n_planes):
            return at
        grain = 1e-16 * (1 << attempt) * (fabs(at.x) + fabs(at.y) + fabs(at.z))
        for k in range(n_planes):
            depth = -height(&planes[k], at)
            if depth > 0.0 and height(&planes[k], x0) >= 0.0:
                at = moved(at, planes[k].n, depth + grain)
    return x0 if lost(x0, at, planes, n_planes) else at


cdef void hold(Step* step, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """No particle is lost: who was in front of a plane at the start is so at the end."""
    cdef Py_ssize_t i
    cdef Grain* a
    cdef Vec x0
    for i in range(begin, end):
        a = &step.grains[i]
        x0 = read_vec(&step.x[i * step.dim], step.dim)
        if lost(x0, a.x, step.planes, step.n_planes):
            a.x = put_back(x0, a.x, step.planes, step.n_planes)
            step.counts.rescued += 1


cdef inline bint fits(Vec a, double limit) noexcept nogil:
    return fabs(a.x) <= limit and fabs(a.y) <= limit and fabs(a.z) <= limit


cdef Py_ssize_t depart(Step* step) noexcept nogil:
    """All after the pairs: drift, kick, no loss. The first particle out of range, n if none."""
    cdef Py_ssize_t begin = 0, end, i
    while begin < step.n:
        end = min(begin + BLOCK, step.n)
        drift(step, begin, end)
        hold(step, begin, end)
        for i in range(begin, end):
            if not (fits(step.grains[i].x, step.limit) and fits(step.grains[i].v, step.limit)):
                return i
        begin = end
    return step.n


cdef void store(const Step* step, double* x, double* v) noexcept nogil:
    """Copy grains back into the state."""
    cdef int dim = step.dim
    cdef Py_ssize_t i
    for i in range(step.n):
        write_vec(step.grains[i].x, dim, &x[i * dim])
        write_vec(step.grains[i].v, dim, &v[i * dim])


cdef void wrap(Step* step) noexcept nogil:
    """Give every particle its skin, for the neighbour search."""
    cdef const Grain* a
    cdef Py_ssize_t i
    for i in range(step.n):
        a = &step.grains[i]
        step.balls[i].reach = a.r + SKIN * min(step.typical, SKIN_OWN * a.r)
        place(a, &step.balls[i])
