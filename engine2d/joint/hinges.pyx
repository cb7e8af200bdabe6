"""Pins and nothing else; hinges.pxd has the contract, docs/maths/joints.md why."""

from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t

from enginecore.assembly cimport Factor, solve_blocks
from enginecore.scalar cimport greater
from enginecore.assembly_store cimport EARLIER, NO_FACTOR, Coupling
from engine2d.joint.assemblies cimport (
    KEPT_LEAVES, KEPT_SHARE, factor_system, open_system, rounded, rounding_of)
from engine2d.joint.link cimport LATE, stiffen_riders, turn_of
from engine2d.pose cimport rotate
from engine2d.vec2 cimport add, dot, length, sub, vec2

# Leaves what tension adds to an inertia rounded to 2^-20: the inertia of what is at rest does not
# follow the rounding of its forces, and its factor stays the same.
cdef double ROUNDED_SHARE = 1.5 * 2.0 ** 32


cdef double put_hinge(JointData* joint, const Assembly* a, int32_t n, int32_t rider_a,
                      int32_t rider_b, const Rider* riders, Hinge* hinges) noexcept nogil:
    cdef Hinge* hinge = &hinges[a.f.place[n]]
    hinge.joint, hinge.a, hinge.b = joint, rider_a, rider_b
    hinge.local_a = sub(joint.anchor_a, riders[rider_a].start.center)
    hinge.local_b = sub(joint.anchor_b, riders[rider_b].start.center)
    return greater(length(hinge.local_a), length(hinge.local_b))


# ---- velocities -------------------------------------------------------------------------------

cdef inline Vec2 anchor_rate(Vec2 v, double w, Vec2 d) noexcept nogil:
    """m/s: of an anchor with arm d."""
    return vec2(v.x - w * d.y, v.y + w * d.x)


cdef inline Vec2 turning_of(const Rider* body, Vec2 d) noexcept nogil:
    """m/s: what the bias c has of an arm d (m) at mid-step. With (c, s) the half turn, the terms of
    J_end - J_mid and J_mid - J_start are w ((c - 1) d' - s d) and w ((1 - c) d' - s d)."""
    cdef double along = -body.w * body.half.y
    cdef double across = body.w * (2.0 * LATE - 1.0) * (body.half.x - 1.0)
    return vec2(along * d.x - across * d.y, along * d.y + across * d.x)


cdef void predict_turns(Rider* riders, int32_t n, double h) noexcept nogil:
    cdef int32_t k
    cdef Rider* body
    for k in range(n):
        body = &riders[k]
        body.half = vec2(1.0, 0.0) if body.through else turn_of(0.5 * h * body.w)
        body.mid.q = rotate(body.half, body.start.q)


cdef void prepare_hinges(Hinge* hinges, int32_t n, const Rider* riders,
                         double h) noexcept nogil:
    cdef int32_t k
    cdef Hinge* hinge
    cdef const Rider* a
    cdef const Rider* b
    for k in range(n):
        hinge = &hinges[k]
        a, b = &riders[hinge.a], &riders[hinge.b]
        hinge.da, hinge.db = rotate(a.mid.q, hinge.local_a), rotate(b.mid.q, hinge.local_b)
        hinge.bias = sub(turning_of(b, hinge.db), turning_of(a, hinge.da))
        hinge.p = vec2(h * hinge.joint.f[0], h * hinge.joint.f[1])


cdef double stiffen_hinges(const Hinge* hinges, int32_t n, Rider* riders, int32_t n_riders,
                           double h, Motion* motions) noexcept nogil:
    cdef int32_t k
    cdef const Hinge* hinge
    cdef double per_h = 1.0 / h
    for k in range(n_riders):
        riders[k].stiffness = 0.0
    for k in range(n):
        hinge = &hinges[k]
        riders[hinge.a].stiffness -= dot(hinge.p, hinge.da) * per_h
        riders[hinge.b].stiffness += dot(hinge.p, hinge.db) * per_h
    return stiffen_riders(riders, n_riders, h, ROUNDED_SHARE, motions)


cdef inline void push(const Hinge* hinge, Vec2 p, Motion* a, Motion* b) noexcept nogil:
    """Apply an impulse (N s) to b, and its opposite to a."""
    a.v.x -= a.inv_m * p.x
    a.v.y -= a.inv_m * p.y
    a.w -= a.inv_I * (hinge.da.x * p.y - hinge.da.y * p.x)
    b.v.x += b.inv_m * p.x
    b.v.y += b.inv_m * p.y
    b.w += b.inv_I * (hinge.db.x * p.y - hinge.db.y * p.x)


cdef void start_hinges(const Hinge* hinges, int32_t n, Motion* motions) noexcept nogil:
    cdef int32_t k
    for k in range(n):
        push(&hinges[k], hinges[k].p, &motions[hinges[k].a], &motions[hinges[k].b])


cdef double take_hinges(const Hinge* hinges, int32_t n, const Rider* riders, const Motion* motions,
                        double h, Books* books) noexcept nogil:
    cdef int32_t k
    cdef const Hinge* hinge
    cdef const Rider* a
    cdef const Rider* b
    cdef Vec2 p, before_a, before_b, after
    cdef double done, work = 0.0, normal = 0.0, per_h = 1.0 / h
    for k in range(n):
        hinge = &hinges[k]
        a, b, p = &riders[hinge.a], &riders[hinge.b], hinge.p
        hinge.joint.f[0], hinge.joint.f[1] = p.x * per_h, p.y * per_h
        hinge.joint.force = add(hinge.joint.force, p)
        before_a = anchor_rate(a.v, a.w, hinge.da)
        before_b = anchor_rate(b.v, b.w, hinge.db)
        after = sub(anchor_rate(motions[hinge.b].v, motions[hinge.b].w, hinge.db),
                    anchor_rate(motions[hinge.a].v, motions[hinge.a].w, hinge.da))
        normal += 0.5 * dot(p, add(sub(before_b, before_a), after))
        if not (a.movable and b.movable):
            done = 0.0 if a.movable else dot(p, before_a)
            done -= 0.0 if b.movable else dot(p, before_b)
            work += done
    books.normal += normal
    books.driven += work
    return work


cdef double place_hinges(Hinge* hinges, int32_t n, const Rider* riders) noexcept nogil:
    cdef int32_t k
    cdef Hinge* hinge
    cdef const Rider* a
    cdef const Rider* b
    cdef double worst = 0.0
    for k in range(n):
        hinge = &hinges[k]
        a, b = &riders[hinge.a], &riders[hinge.b]
        hinge.da, hinge.db = rotate(a.start.q, hinge.local_a), rotate(b.start.q, hinge.local_b)
        hinge.bias = sub(add(b.start.x, hinge.db), add(a.start.x, hinge.da))
        hinge.p = vec2(0.0, 0.0)
        worst = greater(worst, greater(fabs(hinge.bias.x), fabs(hinge.bias.y)))
    return worst


# ---- their system -----------------------------------------------------------------------------

cdef inline void couple(Vec2 i, Vec2 j, double sign, const Motion* body, double rounding,
                        double* out) noexcept nogil:
    """Add what two pins with these arms have in common through a body; sign: -1 where it is a of
    one and b of the other."""
    cdef double m = sign * body.inv_m, I = sign * body.inv_I, by = rounding * body.inv_m
    out[0] += rounded(m + I * i.y * j.y, by)
    out[1] += rounded(-I * i.y * j.x, by)
    out[2] += rounded(-I * i.x * j.y, by)
    out[3] += rounded(m + I * i.x * j.x, by)


cdef inline void weigh(const Hinge* hinge, const Motion* a, const Motion* b,
                       double* out) noexcept nogil:
    """The diagonal block of a pin."""
    cdef double m = a.inv_m + b.inv_m, I = a.inv_I, J = b.inv_I
    cdef Vec2 x = hinge.da, y = hinge.db
    out[0] = m + I * x.y * x.y + J * y.y * y.y
    out[1] = out[2] = -(I * x.x * x.y + J * y.x * y.y)
    out[3] = m + I * x.x * x.x + J * y.x * y.x


cdef inline void meet(Vec2 i, Vec2 j, double sign, const Motion* body, double* out) noexcept nogil:
    """`couple` of two pins, not rounded."""
    cdef double m = sign * body.inv_m, I = sign * body.inv_I
    out[0] += m + I * i.y * j.y
    out[1] -= I * i.y * j.x
    out[2] -= I * i.x * j.y
    out[3] += m + I * i.x * j.x


cdef void factor_hinges(Assembly* a, const Hinge* hinges, const Motion* motions) noexcept nogil:
    """Factor A = J M^-1 Jt."""
    cdef const Factor* f = a.f
    cdef int32_t k
    cdef const Coupling* c
    cdef const Hinge* i
    cdef const Hinge* j
    cdef double* D
    cdef double* L
    cdef double by = rounding_of(a)
    open_system(a, &D, &L)
    if not a.is_dear:
        for k in range(a.n):
            i = &hinges[k]
            weigh(i, &motions[i.a], &motions[i.b], &D[4 * k])
        for k in range(a.n_couplings):
            c = &a.couplings[k]
            i, j = &hinges[f.place[c.i]], &hinges[f.place[c.j]]
            meet(i.db if c.side_i else i.da, j.db if c.side_j else j.da,
                 1.0 if c.side_i == c.side_j else -1.0, &motions[i.b if c.side_i else i.a],
                 &L[4 * <int64_t>c.block])
        factor_system(a)
        return
    for k in range(a.n):
        i = &hinges[k]
        couple(i.da, i.da, 1.0, &motions[i.a], by, &D[4 * k])
        couple(i.db, i.db, 1.0, &motions[i.b], by, &D[4 * k])
    for k in range(a.n_couplings):
        c = &a.couplings[k]
        i, j = &hinges[f.place[c.i]], &hinges[f.place[c.j]]
        couple(i.db if c.side_i else i.da, j.db if c.side_j else j.da,
               1.0 if c.side_i == c.side_j else -1.0, &motions[i.b if c.side_i else i.a], by,
               &L[c.at])
    factor_system(a)


cdef double rates_of(const Assembly* a, const Hinge* hinges, const Motion* motions) noexcept nogil:
    """-y of all pins into a.x; returns the largest |y| (m/s)."""
    cdef int32_t k
    cdef const Hinge* hinge
    cdef const Motion* one
    cdef const Motion* two
    cdef double x, y, worst = 0.0
    for k in range(a.n):
        hinge = &hinges[k]
        one, two = &motions[hinge.a], &motions[hinge.b]
        x = (one.v.x - one.w * hinge.da.y) - (two.v.x - two.w * hinge.db.y) - hinge.bias.x
        y = (one.v.y + one.w * hinge.da.x) - (two.v.y + two.w * hinge.db.x) - hinge.bias.y
        a.x[2 * k], a.x[2 * k + 1] = x, y
        worst = greater(worst, greater(fabs(x), fabs(y)))
    return worst


cdef void correct(Assembly* a, Hinge* hinges, Motion* motions) noexcept nogil:
    """Solve for the impulses of a.x by the factor there is, and apply them."""
    cdef int32_t k
    cdef Vec2 p
    solve_blocks(a.f, a.x)
    for k in range(a.n):
        p = vec2(a.x[2 * k], a.x[2 * k + 1])
        hinges[k].p = add(hinges[k].p, p)
        push(&hinges[k], p, &motions[hinges[k].a], &motions[hinges[k].b])


cdef double solve_hinges(Assembly* a, Hinge* hinges, Motion* motions,
                         double enough) noexcept nogil:
    cdef double first = rates_of(a, hinges, motions), worst = first, left
    if worst <= enough:
        return first
    # a factor of a tree takes no longer than the solve that would tell whether it is too old
    if a.age == NO_FACTOR or a.age == EARLIER and not a.is_dear:
        factor_hinges(a, hinges, motions)
    while a.age == EARLIER:
        correct(a, hinges, motions)
        left = rates_of(a, hinges, motions)
        if left <= enough or left <= KEPT_LEAVES * first:
            return first
        if left > KEPT_SHARE * worst:
            factor_hinges(a, hinges, motions)
        worst = left
    correct(a, hinges, motions)
    return first


cdef void spread_hinges(Assembly* a, const Hinge* hinges, const Motion* motions,
                        Motion* probe) noexcept nogil:
    cdef int32_t k
    cdef const Hinge* hinge
    cdef Vec2 d
    if a.age == NO_FACTOR or a.age == EARLIER and not a.is_dear:
        factor_hinges(a, hinges, motions)
    for k in range(a.n):
        hinge = &hinges[k]
        d = sub(anchor_rate(probe[hinge.a].v, probe[hinge.a].w, hinge.da),
                anchor_rate(probe[hinge.b].v, probe[hinge.b].w, hinge.db))
        a.x[2 * k], a.x[2 * k + 1] = d.x, d.y
    solve_blocks(a.f, a.x)
    for k in range(a.n):
        push(&hinges[k], vec2(a.x[2 * k], a.x[2 * k + 1]), &probe[hinges[k].a], &probe[hinges[k].b])
