"""Kinematics of links; docs/maths/exact.md has the formulas."""

from libc.math cimport INFINITY, M_PI, atan2, cos, fabs, sin

from enginecore.scalar cimport greater
from engine2d.collide.geometry cimport (
    OUTLINE, Feature, Geometry, count_features, edge_along, feature_at)
from engine2d.collide.narrow_phase cimport Touch, refresh
from engine2d.pose cimport rotate, unrotate
from engine2d.vec2 cimport cross, dot, scaled, sub, vec2

# rad. A corner that points inwards by more has a wall behind it: nothing passes it.
cdef double INNER = 1e-6
# rad. A sector this near to a full turn has no ends.
cdef double FULL = 2.0 * M_PI - 1e-8
# Share of a shape's reach that a corner counts as round, where an angle becomes a length.
cdef double CORNER_SHARE = 0.1


cdef void load_state(Run* run, const double* y) noexcept nogil:
    """Places and velocities of all that moves; see link.pxd."""
    cdef int32_t i
    cdef RunBody* body
    cdef const double* s
    for i in range(run.n_moving):
        body = &run.bodies[run.moving[i]]
        s = y + body.at
        body.x = vec2(s[0], s[1])
        body.angle = s[2]
        body.v = vec2(s[3], s[4])
        body.w = s[5]
        body.pose.q = vec2(cos(s[2]), sin(s[2]))
        body.pose.p = sub(body.x, rotate(body.pose.q, body.local_center))


# ------------------------------------------------------------------------------------- features

cdef inline bint ends_flat(const Feature* after, const Feature* other) noexcept nogil:
    """Whether what follows a round feature is an edge that cannot touch `other` alone: before it
    would, something else of its shape has."""
    return after.r == INFINITY and (other.r == INFINITY or other.r < 0.0)


cdef bint is_watched(const Geometry* g, int32_t f, const Feature* own, const Feature* other,
                     bint last) noexcept nogil:
    """Whether a contact of feature f ends at this end of it (in the order of the run)."""
    cdef Feature beside
    cdef int32_t n = count_features(g), k
    if own.r != INFINITY and own.sweep > FULL:
        return False
    k = (f + 1) % n if last else (f + n - 1) % n
    feature_at(g, k, &beside)
    if g.kind == OUTLINE and f % 2 == 1 and beside.sweep < 0.0:
        if beside.sweep < -INNER:
            return False
        k = (k + 1) % n if last else (k + n - 1) % n
        feature_at(g, k, &beside)
    return own.r == INFINITY or not ends_flat(&beside, other)


cdef int watch(const Geometry* g, int32_t f, const Feature* own,
               const Feature* other) noexcept nogil:
    """The two bits of a feature's ends: by normals, anticlockwise, for a circle, along its run for
    an edge. Normals of a concave arc turn the other way round than its run."""
    cdef bint first = is_watched(g, f, own, other, False)
    cdef bint last = is_watched(g, f, own, other, True)
    if own.r < 0.0:
        first, last = last, first
    return (1 if first else 0) + (2 if last else 0)


cdef bint set_features(const RunPair* pair, int32_t f1, int32_t f2, RunLink* link) noexcept nogil:
    """Features of a link; see link.pxd."""
    cdef Touch* at = &link.at
    feature_at(pair.ga, f1, &link.g1)
    feature_at(pair.gb, f2, &link.g2)
    at.f1 = f1
    at.f2 = f2
    at.r1 = link.g1.r
    at.r2 = link.g2.r
    at.c1 = link.g1.c
    at.c2 = link.g2.c
    at.n = vec2(0.0, 0.0)
    at.normal = vec2(0.0, 1.0)
    if link.g1.sweep < 0.0 or link.g2.sweep < 0.0:
        return False
    if at.r1 == INFINITY:
        at.n = link.g1.low
        if not 0.0 <= at.r2 < INFINITY:
            return False
    elif at.r2 == INFINITY:
        at.n = link.g2.low
        if not at.r1 >= 0.0:
            return False
    elif (at.r1 < 0.0 and at.r2 < 0.0) or at.r1 + at.r2 == 0.0:
        return False
    elif (at.r1 < 0.0 or at.r2 < 0.0) and at.r1 + at.r2 > 0.0:
        return False
    link.watched = <unsigned char>(watch(pair.ga, f1, &link.g1, &link.g2)
                                   + 4 * watch(pair.gb, f2, &link.g2, &link.g1))
    return True


# ----------------------------------------------------------------------------------- kinematics

cdef void measure_link(Run* run, RunLink* link) noexcept nogil:
    """Place, gap, rates and velocity terms; see link.pxd."""
    cdef const RunBody* a = &run.bodies[link.a]
    cdef const RunBody* b = &run.bodies[link.b]
    cdef const RunPair* pair = &run.pairs[link.pair]
    cdef Touch* at = &link.at
    cdef Vec2 n, t, u1, u2, apart, u, far_a, far_b
    cdef double size, across, turning
    refresh(at, &a.pose, &b.pose)
    n = at.normal
    t = vec2(-n.y, n.x)
    # arms of the centres of the two circles (or points of edges) from the centres of mass
    u1 = rotate(a.pose.q, sub(at.c1, a.local_center))
    u2 = rotate(b.pose.q, sub(at.c2, b.local_center))
    apart = sub(a.x, b.x)
    if at.r2 == INFINITY:
        far_a, far_b = u1, add(apart, u1)
        u = sub(velocity_at(a, far_a), velocity_at(b, far_b))
        link.bias_n = 2.0 * b.w * dot(t, u)
        turning = b.w
    elif at.r1 == INFINITY:
        far_a, far_b = sub(u2, apart), u2
        u = sub(velocity_at(a, far_a), velocity_at(b, far_b))
        link.bias_n = 2.0 * a.w * dot(t, u)
        turning = a.w
    else:
        far_a, far_b = u1, u2
        u = sub(velocity_at(a, far_a), velocity_at(b, far_b))
        size = at.gap + at.r1 + at.r2
        across = dot(t, u)
        link.bias_n = across * across / size if size != 0.0 else 0.0
        turning = across / size if size != 0.0 else 0.0
    link.bias_n += b.w * b.w * dot(n, far_b) - a.w * a.w * dot(n, far_a)
    link.vn = dot(n, u)
    # the slip is that of the bodies' points at the contact
    u1 = sub(at.point, a.x)
    u2 = sub(at.point, b.x)
    link.vt = dot(t, sub(velocity_at(a, u1), velocity_at(b, u2)))
    link.bias_t = b.w * b.w * dot(t, u2) - a.w * a.w * dot(t, u1)
    link.drive = 0.0
    if pair.runs:
        # the normal turns at one rate, the surfaces with their bodies
        u1 = rotate(a.pose.q, pair.surface_a)
        u2 = rotate(b.pose.q, pair.surface_b)
        link.drive = dot(t, sub(u1, u2))
        link.vt += link.drive
        link.bias_t += (a.w - turning) * dot(n, u1) - (b.w - turning) * dot(n, u2)
    if pair.rolling > 0.0:
        measure_rolling(run, link)


cdef void measure_rolling(const Run* run, RunLink* link) noexcept nogil:
    """How fast a link rolls; the smaller of the round edges does, as in a step."""
    cdef const RunBody* a = &run.bodies[link.a]
    cdef const RunBody* b = &run.bodies[link.b]
    cdef double r = INFINITY
    if 0.0 < link.at.r1 < r:
        r = link.at.r1
    if 0.0 < link.at.r2 < r:
        r = link.at.r2
    link.rolling = link.round = link.vr = 0.0
    if r < INFINITY and a.inv_I + b.inv_I > 0.0:
        link.rolling, link.round = run.pairs[link.pair].rolling, r
        link.vr = r * (a.w - b.w)
        link.roll_metric = r * r * (a.inv_I + b.inv_I)


cdef inline double angle_from_middle(const Feature* f, Vec2 normal) noexcept nogil:
    """rad, anticlockwise, from the middle of a feature's normals to one of them."""
    cdef Vec2 middle = rotate(vec2(cos(0.5 * f.sweep), sin(0.5 * f.sweep)), f.low)
    return atan2(cross(middle, normal), dot(middle, normal))


cdef void find_margins(const Run* run, const RunLink* link, double* margins,
                       double* rates) noexcept nogil:
    """How far the ends of the features are; see link.pxd."""
    cdef const RunBody* a = &run.bodies[link.a]
    cdef const RunBody* b = &run.bodies[link.b]
    cdef const RunPair* pair = &run.pairs[link.pair]
    cdef const Touch* at = &link.at
    cdef Vec2 n = at.normal, t = vec2(-n.y, n.x), u1, u2, apart = sub(a.x, b.x), u, along, place
    cdef double turning, size, foot, foot_rate
    u1 = rotate(a.pose.q, sub(at.c1, a.local_center))
    u2 = rotate(b.pose.q, sub(at.c2, b.local_center))
    # how fast the normal turns
    if at.r2 == INFINITY:
        turning = b.w
        along = rotate(b.pose.q, edge_along(link.g2.low))
        place = add(apart, u1)
        foot = dot(along, sub(place, u2))
        foot_rate = dot(along, sub(velocity_at(a, u1), velocity_at(b, place)))
        put_edge(&margins[B_FIRST], NULL if rates == NULL else &rates[B_FIRST], foot, foot_rate,
                 link.g2.length)
    elif at.r1 == INFINITY:
        turning = a.w
        along = rotate(a.pose.q, edge_along(link.g1.low))
        place = sub(u2, apart)
        foot = dot(along, sub(place, u1))
        foot_rate = dot(along, sub(velocity_at(b, u2), velocity_at(a, place)))
        put_edge(&margins[A_FIRST], NULL if rates == NULL else &rates[A_FIRST], foot, foot_rate,
                 link.g1.length)
    else:
        u = sub(velocity_at(a, u1), velocity_at(b, u2))
        size = at.gap + at.r1 + at.r2
        turning = dot(t, u) / size if size != 0.0 else 0.0
    if at.r1 != INFINITY:
        put_circle(&margins[A_FIRST], NULL if rates == NULL else &rates[A_FIRST], &link.g1,
                   unrotate(a.pose.q, scaled(-1.0, n)), turning - a.w, pair.ga.bounding_radius)
    if at.r2 != INFINITY:
        put_circle(&margins[B_FIRST], NULL if rates == NULL else &rates[B_FIRST], &link.g2,
                   unrotate(b.pose.q, n), turning - b.w, pair.gb.bounding_radius)


cdef inline void put_edge(double* margins, double* rates, double foot, double foot_rate,
                          double size) noexcept nogil:
    margins[0] = foot
    margins[1] = size - foot
    if rates != NULL:
        rates[0] = foot_rate
        rates[1] = -foot_rate


cdef inline void put_circle(double* margins, double* rates, const Feature* f, Vec2 normal,
                            double turning, double reach) noexcept nogil:
    cdef double size = greater(fabs(f.r), CORNER_SHARE * reach), angle
    if f.sweep > FULL:
        margins[0] = margins[1] = INFINITY
        angle = 0.0
    else:
        angle = angle_from_middle(f, normal)
        margins[0] = size * (0.5 * f.sweep + angle)
        margins[1] = size * (0.5 * f.sweep - angle)
    if rates != NULL:
        rates[0] = size * turning
        rates[1] = -size * turning


# ----------------------------------------------------------------------------------------- rows

cdef inline void write_row(const Run* run, const RunLink* link, Vec2 axis,
                           RunRow* row) noexcept nogil:
    cdef const RunBody* a = &run.bodies[link.a]
    cdef const RunBody* b = &run.bodies[link.b]
    row.a = link.a
    row.b = link.b
    row.ja[0], row.ja[1] = axis.x, axis.y
    row.ja[2] = cross(sub(link.at.point, a.x), axis)
    row.jb[0], row.jb[1] = -axis.x, -axis.y
    row.jb[2] = -cross(sub(link.at.point, b.x), axis)
    row.pa[0], row.pa[1], row.pa[2] = row.ja[0], row.ja[1], row.ja[2]
    row.pb[0], row.pb[1], row.pb[2] = row.jb[0], row.jb[1], row.jb[2]
    row.metric = (a.inv_m + b.inv_m + a.inv_I * row.ja[2] * row.ja[2]
                  + b.inv_I * row.jb[2] * row.jb[2])
    row.normal = -1
    row.mu = 0.0
    row.drive = 0.0


cdef void write_normal_row(const Run* run, const RunLink* link, RunRow* row) noexcept nogil:
    """The row of the gap; see link.pxd."""
    write_row(run, link, link.at.normal, row)
    row.bias = link.bias_n
    row.low = 0.0
    row.high = INFINITY


cdef void write_slip_row(const Run* run, const RunLink* link, RunRow* row) noexcept nogil:
    """The row of the slip; see link.pxd."""
    write_row(run, link, vec2(-link.at.normal.y, link.at.normal.x), row)
    row.bias = link.bias_t
    row.drive = link.drive
    row.low = -INFINITY
    row.high = INFINITY


cdef void write_roll_row(const Run* run, const RunLink* link, RunRow* row) noexcept nogil:
    """The row of the rolling; see link.pxd."""
    cdef int k
    row.a, row.b = link.a, link.b
    for k in range(3):
        row.ja[k] = row.jb[k] = row.pa[k] = row.pb[k] = 0.0
    row.ja[2] = row.pa[2] = link.round
    row.jb[2] = row.pb[2] = -link.round
    row.bias = row.drive = 0.0
    row.metric = link.roll_metric
    row.low, row.high = -INFINITY, INFINITY
    row.normal, row.mu = -1, 0.0
