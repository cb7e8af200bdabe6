"""Impacts at one moment; docs/maths/exact.md.

Contacts of one pair of bodies along one normal are struck as one, at the centre of pressure of an
impact without restitution; different pairs one after another, the fastest first. What is left, and
whatever does not bounce, is solved together: an LCP for the impulses, which never adds energy.
"""

from libc.math cimport fabs
from libc.stdint cimport int32_t
from libc.string cimport memset

from enginecore.scalar cimport greater, lesser
from engine2d.exact.joints cimport (
    add_stiff_rows, book_motors, driven_work, is_struck, measure_joints)
from engine2d.exact.link cimport measure_link, velocity_at, write_normal_row, write_slip_row
from engine2d.exact.modes cimport (
    assemble, find_free_accelerations, row_acceleration, row_rate, solve_bounded, solve_soft)
from engine2d.exact.run cimport HitRecord, RunBody, RunLink, RunRow
from engine2d.impact cimport ImpactInput, ImpactOutput, strike, strike_held
from engine2d.vec2 cimport Vec2, add, cross, dot, length, scaled, sub, vec2

# Cosine of the angle within which normals are the same.
cdef double SAME_NORMAL = 1.0 - 1e-9
# A bounce lower than this many tolerances is none.
cdef double LOW_BOUNCE = 5.0
# Tolerances by which a link that rests in a wide band has sunk in.
cdef double BAND_SUNK = 0.25
# Of the resting speed: slower ones that have sunk in are left alone.
cdef double SLOWLY = 1e-6
cdef enum:
    MOST_GROUPED = 8
    LEAST_BLOWS = 20        # at one moment, and so many more for each link
    BLOWS_PER_LINK = 10
# Paths of hits that are no single blow.
cdef int TOGETHER = -1
cdef int PARADOX = -2
# Of the square of its trace: with a smaller determinant K has one direction only.
cdef double ONE_WAY_YIELD = 1e-12
# Of the slip: the approach with which an impulse without collision begins.
cdef double HARDLY = 1e-13


cdef struct Group:
    int count
    int32_t members[MOST_GROUPED]
    Vec2 points[MOST_GROUPED]     # m
    Vec2 normal                   # as the struck link has it
    double share[MOST_GROUPED]


# ----------------------------------------------------------------------------------- small parts

cdef inline int32_t identity(const Run* run, int32_t row) noexcept nogil:
    """Which body it is; all that do not move are one."""
    return row if run.bodies[row].at >= 0 else -1


cdef inline bint same_bodies(const Run* run, const RunLink* x, const RunLink* y) noexcept nogil:
    cdef int32_t xa = identity(run, x.a), xb = identity(run, x.b)
    cdef int32_t ya = identity(run, y.a), yb = identity(run, y.b)
    return (xa == ya and xb == yb) or (xa == yb and xb == ya)


cdef inline bint is_closed(const Run* run, const RunLink* link) noexcept nogil:
    """Whether it touches, and does not only rest in a wide band."""
    return link.at.gap <= run.touch


cdef inline bint approaches(const Run* run, const RunLink* link) noexcept nogil:
    """Whether a link is to be struck. In a wide band slow ones rest until they sink in."""
    cdef double slow = run.slow
    if run.wide:
        slow = greater(slow, run.band_speed * (
            1.0 if link.at.gap > -BAND_SUNK * run.tol else SLOWLY))
    return is_closed(run, link) and -link.vn > slow


cdef void store_velocities(const Run* run, double* y) noexcept nogil:
    cdef int32_t i
    cdef const RunBody* body
    for i in range(run.n_moving):
        body = &run.bodies[run.moving[i]]
        y[body.at + 3], y[body.at + 4], y[body.at + 5] = body.v.x, body.v.y, body.w


cdef double closing_acceleration(Run* run, const RunLink* link) noexcept nogil:
    """m/s^2, of the gap when no link pushes; < 0: it closes."""
    cdef RunRow row
    write_normal_row(run, link, &row)
    find_free_accelerations(run)
    return row_acceleration(run, &row)


cdef bint bounces(Run* run, const RunLink* link, double* tail) noexcept nogil:
    """Whether a blow has its restitution and boost: not where it would not bounce higher than some
    tolerances.

    tail: s, how long the endless bounces then left out would have taken; < 0: none were.
    """
    cdef double a, bounce = link.e + run.pairs[link.pair].boost, rebound = -bounce * link.vn
    tail[0] = -1.0
    if bounce == 0.0:
        return False
    a = closing_acceleration(run, link)
    if a < 0.0 and rebound * rebound < 2.0 * LOW_BOUNCE * run.tol * -a:
        if bounce < 1.0:
            tail[0] = 2.0 * rebound / (-a * (1.0 - bounce))
        return False
    return True


cdef void record(Run* run, const RunLink* link, Vec2 point, Vec2 impulse, double speed,
                 double loss, int path, double settles) noexcept nogil:
    """Note a hit, as long as there is room."""
    cdef HitRecord* out
    run.impact_loss -= loss
    if run.n_hits >= run.hit_room:
        return
    out = &run.hits[run.n_hits]
    run.n_hits += 1
    out.time = run.t
    out.pair = link.pair
    out.flipped = False
    out.point = point
    out.normal = link.at.normal
    out.impulse = impulse
    out.speed = speed
    out.loss = loss
    out.settles = settles
    out.path = path


cdef void book_driven(Run* run, const RunLink* link, Vec2 point, Vec2 p) noexcept nogil:
    """Work of kinematic bodies and of surfaces that run in a blow that gives A the impulse p."""
    cdef const RunBody* body = &run.bodies[link.a]
    run.impact_driven -= link.drive * dot(p, vec2(-link.at.normal.y, link.at.normal.x))
    if not body.dynamic and body.at >= 0:
        run.impact_driven -= dot(p, velocity_at(body, sub(point, body.x)))
    body = &run.bodies[link.b]
    if not body.dynamic and body.at >= 0:
        run.impact_driven += dot(p, velocity_at(body, sub(point, body.x)))


# ------------------------------------------------------------------------------------- one blow

cdef void gather(Run* run, int32_t struck, Group* out) noexcept nogil:
    """The struck link, and those of the same bodies that face the same way."""
    cdef const RunLink* link = &run.links[struck]
    cdef const RunLink* other
    cdef int32_t k
    cdef double cosine
    out.count = 1
    out.members[0] = struck
    out.points[0] = link.at.point
    out.share[0] = 1.0
    out.normal = link.at.normal
    for k in range(run.n_links):
        other = &run.links[k]
        if k == struck or out.count == MOST_GROUPED or not same_bodies(run, link, other):
            continue
        cosine = dot(other.at.normal, out.normal)
        if identity(run, other.a) != identity(run, link.a):
            cosine = -cosine
        if cosine > SAME_NORMAL and is_closed(run, other):
            out.members[out.count] = k
            out.points[out.count] = other.at.point
            out.count += 1


cdef Vec2 find_pressure(Run* run, Group* group) noexcept nogil:
    """The centre of pressure of a group struck without restitution."""
    cdef Vec2 center = vec2(0.0, 0.0)
    cdef double total = 0.0
    cdef int k, m = 0
    cdef int32_t first[MOST_GROUPED]
    for k in range(group.count):
        first[k] = m
        m = add_rows(run, &run.links[group.members[k]], m)
    m = run.n_rows = add_stiff_rows(run, m, False)
    for k in range(m):
        run.b[k] = row_rate(run, &run.rows[k])
        run.f[k] = 0.0
    assemble(run)
    if solve_bounded(run):
        for k in range(group.count):
            total += run.f[first[k]]
    if not total > 0.0:
        group.count = 1
        return group.points[0]
    for k in range(group.count):
        group.share[k] = run.f[first[k]] / total
        center = add(center, scaled(group.share[k], sub(group.points[k], group.points[0])))
    return add(group.points[0], center)


cdef int add_rows(Run* run, const RunLink* link, int m) noexcept nogil:
    """Rows of a link's impulses from m on; returns where the next ones go."""
    write_normal_row(run, link, &run.rows[m])
    if link.mu == 0.0:
        return m + 1
    write_slip_row(run, link, &run.rows[m + 1])
    run.rows[m + 1].normal = m
    run.rows[m + 1].mu = link.mu
    return m + 2


cdef void load_impact(const Run* run, const RunLink* link, Vec2 point, double e,
                      ImpactInput* out) noexcept nogil:
    cdef const RunBody* a = &run.bodies[link.a]
    cdef const RunBody* b = &run.bodies[link.b]
    out.e, out.mu, out.f = e, link.mu, link.at.normal
    out.a.inv_m, out.a.inv_I, out.a.v, out.a.w = a.inv_m, a.inv_I, a.v, a.w
    out.b.inv_m, out.b.inv_I, out.b.v, out.b.w = b.inv_m, b.inv_I, b.v, b.w
    out.a.r = sub(point, a.x)
    out.b.r = sub(point, b.x)


cdef inline Vec2 along(const RunLink* link) noexcept nogil:
    """T, the tangent of a link."""
    return vec2(-link.at.normal.y, link.at.normal.x)


cdef inline Vec2 relative_velocity(const Run* run, const RunLink* link, Vec2 point) noexcept nogil:
    """Of A against B at a point, as their surfaces feel it."""
    cdef const RunBody* a = &run.bodies[link.a]
    cdef const RunBody* b = &run.bodies[link.b]
    return add(sub(velocity_at(a, sub(point, a.x)), velocity_at(b, sub(point, b.x))),
               scaled(link.drive, along(link)))


cdef void take_blow(Run* run, const RunLink* link, const ImpactOutput* out) noexcept nogil:
    cdef RunBody* a = &run.bodies[link.a]
    cdef RunBody* b = &run.bodies[link.b]
    if a.dynamic:
        a.v, a.w = out.vA, out.wA
    if b.dynamic:
        b.v, b.w = out.vB, out.wB


# ------------------------------------------------------------------------- bodies that joints hold

cdef inline bint is_held(const Run* run, const RunLink* link) noexcept nogil:
    """Whether joints hold one of a link's bodies, so that others feel a blow too."""
    cdef int32_t k
    for k in range(run.n_joints):
        if not run.joints[k].broken and (
                run.joints[k].a == link.a or run.joints[k].a == link.b
                or run.joints[k].b == link.a or run.joints[k].b == link.b):
            return True
    return False


cdef bint feel_impulse(Run* run, const RunLink* link, Vec2 point, Vec2 p) noexcept nogil:
    """What an impulse p on A at a point, and back on B, gives to all bodies with what their joints
    do about it: into run.felt. False if that failed."""
    cdef const RunBody* a = &run.bodies[link.a]
    cdef const RunBody* b = &run.bodies[link.b]
    cdef double* felt = run.felt
    cdef int32_t i
    cdef RunRow* row
    memset(felt, 0, 3 * (run.n_bodies + 1) * sizeof(double))
    add_felt(a, felt + 3 * link.a, p.x, p.y, cross(sub(point, a.x), p))
    add_felt(b, felt + 3 * link.b, -p.x, -p.y, -cross(sub(point, b.x), p))
    run.n_rows = add_stiff_rows(run, 0, False)
    if run.n_rows == 0:
        return True
    for i in range(run.n_rows):
        row = &run.rows[i]
        run.b[i] = felt_rate(row.ja, felt + 3 * row.a) + felt_rate(row.jb, felt + 3 * row.b)
    assemble(run)
    if not solve_soft(run):
        return False
    for i in range(run.n_rows):
        row = &run.rows[i]
        add_felt(&run.bodies[row.a], felt + 3 * row.a, run.f[i] * row.pa[0], run.f[i] * row.pa[1],
                 run.f[i] * row.pa[2])
        add_felt(&run.bodies[row.b], felt + 3 * row.b, run.f[i] * row.pb[0], run.f[i] * row.pb[1],
                 run.f[i] * row.pb[2])
    return True


cdef inline void add_felt(const RunBody* body, double* felt, double x, double y,
                          double turn) noexcept nogil:
    felt[0] += body.inv_m * x
    felt[1] += body.inv_m * y
    felt[2] += body.inv_I * turn


cdef inline double felt_rate(const double* j, const double* felt) noexcept nogil:
    return j[0] * felt[0] + j[1] * felt[1] + j[2] * felt[2]


cdef inline Vec2 felt_at(const Run* run, int32_t row, Vec2 point) noexcept nogil:
    """The velocity that a body's point at `point` was given."""
    cdef const double* felt = run.felt + 3 * row
    cdef Vec2 arm = sub(point, run.bodies[row].x)
    return vec2(felt[0] - felt[2] * arm.y, felt[1] + felt[2] * arm.x)


cdef bint find_yield(Run* run, const RunLink* link, Vec2 point, double* K) noexcept nogil:
    """K of a contact whose bodies joints hold; False if that failed."""
    cdef int k
    cdef Vec2 u
    for k in range(2):
        if not feel_impulse(run, link, point, vec2(0.0, 1.0) if k else vec2(1.0, 0.0)):
            return False
        u = sub(felt_at(run, link.a, point), felt_at(run, link.b, point))
        K[k], K[2 + k] = u.x, u.y
    return True


cdef void take_felt(Run* run) noexcept nogil:
    """Give all bodies what they felt, and book what joints did about it (their f)."""
    cdef int32_t i
    cdef const double* felt
    cdef RunBody* body
    for i in range(run.n_rows):
        run.impact_driven += driven_work(run, &run.rows[i], run.f[i])
    book_motors(run)
    for i in range(run.n_moving):
        body = &run.bodies[run.moving[i]]
        felt = run.felt + 3 * run.moving[i]
        if body.dynamic:
            body.v = add(body.v, vec2(felt[0], felt[1]))
            body.w += felt[2]


cdef void shorten(const double* K, double mu, Vec2 n, Vec2* p) noexcept nogil:
    """Take from an impulse what moves nothing, as far as friction allows: a body on a hinge yields
    along one direction only, and what it bears across that is rounding, which can be huge."""
    cdef Vec2 z = vec2(K[1], -K[0]) if K[0] > K[3] else vec2(K[3], -K[2]), short
    cdef double size = length(z), share = 0.0, before, after
    cdef int k
    cdef Vec2[3] sides
    if not size > 0.0 or K[0] * K[3] - K[1] * K[2] > ONE_WAY_YIELD * (K[0] + K[3]) * (K[0] + K[3]):
        return
    z = scaled(1.0 / size, z)
    short = sub(p[0], scaled(dot(p[0], z), z))
    # the cone of friction, and no pull
    sides[0] = vec2(mu * n.x - n.y, mu * n.y + n.x)
    sides[1] = vec2(mu * n.x + n.y, mu * n.y - n.x)
    sides[2] = n
    for k in range(3):
        before, after = dot(short, sides[k]), dot(p[0], sides[k])
        if before < 0.0:
            share = greater(share, lesser(-before / (after - before), 1.0) if after > 0.0 else 1.0)
    p[0] = add(scaled(1.0 - share, short), scaled(share, p[0]))


cdef bint hit(Run* run, const RunLink* link, Vec2 point, double e, double approach,
              ImpactOutput* out) noexcept nogil:
    """One blow at a point, with `approach` (m/s) more than there is; False if that failed."""
    cdef ImpactInput given
    cdef double[4] K
    cdef Vec2 u
    if not is_held(run, link):
        load_impact(run, link, point, e, &given)
        # as the surfaces feel it, and as the bodies have it then
        u = sub(scaled(link.drive, along(link)), scaled(approach, link.at.normal))
        given.a.v = add(given.a.v, u)
        strike(&given, out)
        out.vA = sub(out.vA, u)
        take_blow(run, link, out)
        return True
    if not find_yield(run, link, point, K):
        return False
    u = sub(relative_velocity(run, link, point), scaled(approach, link.at.normal))
    strike_held(e, link.mu, link.at.normal, K, u, out)
    shorten(K, link.mu, link.at.normal, &out.p)
    if not feel_impulse(run, link, point, out.p):
        return False
    take_felt(run)
    return True


cdef bint kick(Run* run, const RunLink* link, Vec2 point, double approach,
               ImpactOutput* out) noexcept nogil:
    """Part two bodies faster than the blow did, by the pair's boost times their speed of approach;
    False if that failed."""
    cdef Vec2 n = link.at.normal
    cdef double k, j, after = dot(relative_velocity(run, link, point), n)
    cdef int32_t i
    if not feel_impulse(run, link, point, n):
        return False
    k = dot(n, sub(felt_at(run, link.a, point), felt_at(run, link.b, point)))
    if not k > 0.0:
        return True
    j = run.pairs[link.pair].boost * approach / k
    run.impact_driven += j * (after + 0.5 * j * k)
    out.p = add(out.p, scaled(j, n))
    for i in range(run.n_rows):
        run.f[i] *= j
    for i in range(3 * (run.n_bodies + 1)):
        run.felt[i] *= j
    take_felt(run)
    return True


cdef void strike_group(Run* run, int32_t struck, bint springs, double tail) noexcept nogil:
    """One blow at a link and what faces the same way; springs: with restitution and boost."""
    cdef RunLink* link = &run.links[struck]
    cdef Group group
    cdef ImpactOutput out
    cdef Vec2 point, before, after
    cdef double loss
    cdef int k
    gather(run, struck, &group)
    point = group.points[0]
    if group.count > 1:
        point = find_pressure(run, &group)
    before = relative_velocity(run, link, point)
    if not dot(before, link.at.normal) < 0.0:
        group.count = 1
        group.share[0] = 1.0
        point = group.points[0]
        before = relative_velocity(run, link, point)
    if not hit(run, link, point, link.e if springs else 0.0, 0.0, &out):
        run.failed = True
        return
    after = relative_velocity(run, link, point)
    loss = -0.5 * dot(out.p, add(before, after))
    if springs and run.pairs[link.pair].boost > 0.0 and not kick(
            run, link, point, -dot(before, link.at.normal), &out):
        run.failed = True
        return
    run.count.impacts += 1
    record(run, link, point, out.p, -dot(before, link.at.normal), loss, out.path,
           -1.0 if tail < 0.0 else run.t + tail)
    book_driven(run, link, point, out.p)
    for k in range(group.count):
        run.links[group.members[k]].hit += group.share[k] * dot(out.p, link.at.normal)
    measure_all(run)


cdef void measure_all(Run* run) noexcept nogil:
    cdef int32_t k
    for k in range(run.n_links):
        measure_link(run, &run.links[k])
    measure_joints(run)


# ------------------------------------------------------------------------------------- together

cdef bint strike_together(Run* run, bint stops_slips) noexcept nogil:
    """Impulses without restitution for all links, at once; those that part need none.

    stops_slips: slips that friction would end within a few tolerances are ended, whatever friction
    that takes. False if that failed, or there is no such slip.
    """
    cdef int32_t k, m = 0, i
    cdef bint found = not stops_slips
    cdef RunLink* link
    cdef RunRow* row
    cdef RunBody* body
    for k in range(run.n_links):
        link = &run.links[k]
        link.row = -1
        if is_closed(run, link):
            link.row = m
            m = add_rows(run, link, m)
            if stops_slips and is_slow_slip(run, link):
                link.held = 1
                run.rows[m - 1].normal = -1
                found = True
    if not found:
        return False
    run.n_rows = add_stiff_rows(run, m, True)
    # what a motor of any force turns at is no rest: b of joints is theirs
    for i in range(m):
        run.b[i] = row_rate(run, &run.rows[i])
        run.f[i] = 0.0
    if run.n_rows == 0:
        return True
    assemble(run)
    if not solve_bounded(run):
        return False
    run.count.together += 1
    note_together(run)
    note_joint_blows(run, m)
    for i in range(run.n_rows):
        row = &run.rows[i]
        body = &run.bodies[row.a]
        if body.dynamic:
            body.v = add(body.v, scaled(body.inv_m * run.f[i], vec2(row.pa[0], row.pa[1])))
            body.w += body.inv_I * row.pa[2] * run.f[i]
        body = &run.bodies[row.b]
        if body.dynamic:
            body.v = add(body.v, scaled(body.inv_m * run.f[i], vec2(row.pb[0], row.pb[1])))
            body.w += body.inv_I * row.pb[2] * run.f[i]
    measure_all(run)
    return True


cdef inline bint is_slow_slip(const Run* run, const RunLink* link) noexcept nogil:
    """Whether friction ends a slip within a few tolerances."""
    return link.mu > 0.0 and link.vt * link.vt < (
        2.0 * LOW_BOUNCE * run.tol * lesser(link.mu, 1.0) * run.pull)


cdef bint stop_slips(Run* run, double* y) noexcept nogil:
    """End slow slips where they jam; see blows.pxd."""
    measure_all(run)
    if run.wide or not strike_together(run, True):
        return False
    store_velocities(run, y)
    return True


cdef void note_joint_blows(Run* run, int32_t first) noexcept nogil:
    """Book what impulses of joints, the rows from `first` on, are about to do."""
    cdef int32_t i, j, n = run.n_rows
    cdef double before, after
    for i in range(first, n):
        before = row_rate(run, &run.rows[i])
        after = before
        for j in range(n):
            after += run.A[i * n + j] * run.f[j]
        run.impact_loss += 0.5 * run.f[i] * (before + after)
        run.impact_driven += driven_work(run, &run.rows[i], run.f[i])
    run.impact_loss -= book_motors(run)


cdef void note_together(Run* run) noexcept nogil:
    """Record the hits of impulses that are about to act: rates before are b, after w = A f + b."""
    cdef int32_t k, i, j, n = run.n_rows, rows
    cdef RunLink* link
    cdef Vec2 p, normal
    cdef double loss, after
    for k in range(run.n_links):
        link = &run.links[k]
        if link.row < 0 or not run.f[link.row] > 0.0:
            continue
        loss = 0.0
        rows = 1 if link.mu == 0.0 else 2
        for i in range(link.row, link.row + rows):
            after = run.b[i]
            for j in range(n):
                after += run.A[i * n + j] * run.f[j]
            loss -= 0.5 * run.f[i] * (run.b[i] + after)
        normal = link.at.normal
        p = scaled(run.f[link.row], normal)
        if rows == 2:
            p = add(p, scaled(run.f[link.row + 1], vec2(-normal.y, normal.x)))
        link.hit += run.f[link.row]
        book_driven(run, link, link.at.point, p)
        if -link.vn > run.slow:
            record(run, link, link.at.point, p, -link.vn, loss, TOGETHER, -1.0)
        else:
            run.impact_loss -= loss


# ---------------------------------------------------------------------------------------- all

cdef int32_t fastest(const Run* run) noexcept nogil:
    """The link that approaches fastest, the first of equals; -1: none does."""
    cdef int32_t k, best = -1
    for k in range(run.n_links):
        if approaches(run, &run.links[k]) and (
                best < 0 or run.links[k].vn < run.links[best].vn * (1.0 + 1e-12)):
            best = k
    return best


cdef bint has_neighbours(const Run* run, int32_t struck) noexcept nogil:
    """Whether something else touches one of the two bodies that can be moved."""
    cdef const RunLink* link = &run.links[struck]
    cdef const RunLink* other
    cdef int32_t k
    for k in range(run.n_links):
        other = &run.links[k]
        if same_bodies(run, link, other) and fabs(
                dot(other.at.normal, link.at.normal)) > SAME_NORMAL:
            continue
        if run.bodies[link.a].dynamic and (other.a == link.a or other.b == link.a):
            return True
        if run.bodies[link.b].dynamic and (other.a == link.b or other.b == link.b):
            return True
    return False


cdef bint strike_all(Run* run, double* y) noexcept nogil:
    """All blows of a moment; see blows.pxd."""
    cdef int32_t next_one, left = LEAST_BLOWS + BLOWS_PER_LINK * run.n_links
    cdef double tail
    cdef bint springs
    run.failed = False
    measure_all(run)
    if run.n_joints > 0 and is_struck(run) and fastest(run) < 0 and not strike_together(run, False):
        return False
    next_one = fastest(run)
    while next_one >= 0:
        springs = bounces(run, &run.links[next_one], &tail)
        if left == 0 or (not springs and (has_neighbours(run, next_one) or run.n_joints > 0)):
            break
        left -= 1
        strike_group(run, next_one, springs, tail)
        if run.failed:
            return False
        next_one = fastest(run)
    if (next_one >= 0 or is_struck(run)) and not strike_together(run, False):
        # blow by blow without restitution: each takes energy away
        left = 100 * (1 + run.n_links)
        while next_one >= 0 and left > 0:
            left -= 1
            strike_group(run, next_one, False, -1.0)
            next_one = fastest(run)
        if next_one >= 0:
            run.bad_pair = run.links[next_one].pair
            return False
    store_velocities(run, y)
    return True


cdef bint strike_paradox(Run* run, double* y) noexcept nogil:
    """An impulse without collision; see blows.pxd."""
    cdef int32_t k
    cdef RunLink* link
    cdef RunRow normal, slip
    cdef ImpactOutput out
    cdef Vec2 before, after, kn
    cdef double[4] K
    cdef double sign, effect
    measure_all(run)
    for k in range(run.n_links):
        link = &run.links[k]
        if link.mu == 0.0 or fabs(link.vt) <= run.slow or link.vn > run.slow:
            continue
        sign = 1.0 if link.vt > 0.0 else -1.0
        write_normal_row(run, link, &normal)
        write_slip_row(run, link, &slip)
        effect = normal.metric - link.mu * sign * (
            run.bodies[link.a].inv_I * normal.ja[2] * slip.ja[2]
            + run.bodies[link.b].inv_I * normal.jb[2] * slip.jb[2])
        if is_held(run, link) and find_yield(run, link, link.at.point, K):
            kn = link.at.normal
            kn = sub(kn, scaled(link.mu * sign, vec2(-kn.y, kn.x)))
            effect = dot(link.at.normal, vec2(K[0] * kn.x + K[1] * kn.y, K[2] * kn.x + K[3] * kn.y))
        if effect > 0.0:
            continue
        before = relative_velocity(run, link, link.at.point)
        # it begins with hardly any approach
        if not hit(run, link, link.at.point, 0.0, HARDLY * fabs(link.vt) + greater(link.vn, 0.0),
                   &out):
            return False
        after = relative_velocity(run, link, link.at.point)
        run.count.paradoxes += 1
        record(run, link, link.at.point, out.p, 0.0, -0.5 * dot(out.p, add(before, after)),
               PARADOX, -1.0)
        book_driven(run, link, link.at.point, out.p)
        store_velocities(run, y)
        return True
    return False
