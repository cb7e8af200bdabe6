"""Joints within a sub-step; link.pxd has the contract, docs/maths/joints.md why."""

from libc.math cimport INFINITY, fabs, sqrt, tan
from libc.string cimport memset

from enginecore.scalar cimport greater, lesser
from engine2d.joint.joint cimport (
    ACROSS, DRAG, DRIVE, RIGID, SOFT, STOP, class_of, energy_of_rows)
from engine2d.pose cimport rotate
from engine2d.solve.books cimport book_normal
from engine2d.solve.row cimport INSIDE
from engine2d.vec2 cimport Vec2, add, cross, dot, scaled, sub, vec2

# a^2 = h^2 stiffness / inertia up to which a body under tension swings stably, and how much of what
# is beyond is added to its inertia.
cdef double NO_STIFFENING = 0.25
cdef double ADDED = 0.5
# Share of the change of turning in the last sub-step that a stiff body is relieved of.
cdef double CALMED = 0.25
# Share of its response by which a row gives where joints are redundant: far below what places are
# corrected by, and far above rounding.
cdef double LOOSE = 1e-10
# a = h w of a spring up to which its period is exact, and the range over which the mid-point rule
# gives way to the implicit one beyond.
cdef double EXACT = 1.0


cdef void predict(Rider* riders, int32_t n, double h) noexcept nogil:
    cdef int32_t k
    cdef Rider* body
    for k in range(n):
        body = &riders[k]
        body.mid = body.end = body.start
        body.half = vec2(1.0, 0.0)
        if body.through:
            continue
        body.mid.x = add(body.start.x, scaled(0.5 * h, body.v))
        body.end.x = add(body.start.x, scaled(h, body.v))
        body.mid.angle += 0.5 * h * body.w
        body.end.angle += h * body.w
        if body.w != 0.0:
            body.half = turn_of(0.5 * h * body.w)
            body.mid.q = rotate(body.start.q, body.half)
            body.end.q = rotate(body.mid.q, body.half)


# ---- rows -------------------------------------------------------------------------------------

cdef inline double rate_of(const JointRow* row, const Rider* a, const Rider* b) noexcept nogil:
    return (row.ja[0] * a.v.x + row.ja[1] * a.v.y + row.ja[2] * a.w
            + row.jb[0] * b.v.x + row.jb[1] * b.v.y + row.jb[2] * b.w)


cdef inline double rate_after(const JointRow* row, const Motion* a,
                              const Motion* b) noexcept nogil:
    return (row.ja[0] * a.v.x + row.ja[1] * a.v.y + row.ja[2] * a.w
            + row.jb[0] * b.v.x + row.jb[1] * b.v.y + row.jb[2] * b.w)


cdef inline double response(const JointRow* row, const Rider* a, const Rider* b) noexcept nogil:
    """J M^-1 Jt, 1/kg."""
    return (a.inv_m * (row.ja[0] * row.ja[0] + row.ja[1] * row.ja[1])
            + a.inv_I * row.ja[2] * row.ja[2]
            + b.inv_m * (row.jb[0] * row.jb[0] + row.jb[1] * row.jb[1])
            + b.inv_I * row.jb[2] * row.jb[2])


cdef inline double row_response(const Row* row, const Rider* a, const Rider* b) noexcept nogil:
    """Likewise."""
    return (a.inv_m * (row.ja[0] * row.ja[0] + row.ja[1] * row.ja[1])
            + a.inv_I * row.ja[2] * row.ja[2]
            + b.inv_m * (row.jb[0] * row.jb[0] + row.jb[1] * row.jb[1])
            + b.inv_I * row.jb[2] * row.jb[2])


cdef inline double implicit_share(double a) noexcept nogil:
    """How far the mid-point rule has given way to the implicit one at a = h w: from 0 to 1."""
    return greater(lesser(a - EXACT, 1.0), 0.0)


cdef inline double taken_from(double a) noexcept nogil:
    """The share of inertia that is taken away at a = h w for the period to be the true one."""
    cdef double t = 0.5 * lesser(a, EXACT)
    if not t > 1e-4:
        return 0.0
    t = t / tan(t)
    return 1.0 - t * t


cdef void soften(const JointRow* at, double D, double u, double h, Row* out) noexcept nogil:
    """A spring and a damper: exact in period up to EXACT, stable at any stiffness.

    The impulse is that of the mid-point rule, -h k (C + h (u + u')/4), with as much of the inertia
    taken away as makes its period the true one; rest is where it should be. Beyond, the rule
    becomes the implicit one, -h k (C + h u').
    """
    cdef double k = at.stiffness, c = at.damping, a = h * sqrt(k * D), theta, taken, q, alpha
    theta = implicit_share(a)
    taken = taken_from(a) * (1.0 - theta) / D
    alpha = 0.25 * (1.0 - theta)
    q = h * h * k * (0.25 + 0.75 * theta) - taken + 0.5 * h * c * (1.0 + theta)
    if not (q > 0.0 and D > 0.0):
        disable(out)
        return
    out.soft = 1.0 / q
    out.bias += out.soft * (h * k * (at.C + h * alpha * u) + taken * u
                            + 0.5 * h * c * (1.0 - theta) * u)


cdef inline void disable(Row* row) noexcept nogil:
    """A row that does nothing."""
    cdef int k
    for k in range(3):
        row.ja[k] = row.jb[k] = 0.0
    row.bias = row.soft = row.p = 0.0


cdef inline void write_row(const JointRow* at, Row* out) noexcept nogil:
    cdef int k
    for k in range(3):
        out.ja[k], out.jb[k] = at.ja[k], at.jb[k]
    out.soft = out.mu = 0.0
    out.lo, out.hi = -INFINITY, INFINITY
    out.normal = -1


cdef double prepare_links(Link* links, int32_t n, const Rider* riders, double h, double touch,
                          Row* rows) noexcept nogil:
    cdef int32_t k
    cdef double moved = 0.0
    for k in range(n):
        links[k].plain = is_plain(&links[k])
        if links[k].plain:
            moved = greater(moved, prepare_pin(&links[k], &riders[links[k].a], &riders[links[k].b],
                                               h, &rows[links[k].first]))
            continue
        moved = greater(moved, prepare_link(&links[k], &riders[links[k].a], &riders[links[k].b], h,
                                            touch, &rows[links[k].first]))
    return moved


# ---- pins -------------------------------------------------------------------------------------
#
# Bridges, chains and nets are pins and nothing else: their rows are written without asking the
# table of kinds three times. With d an arm at mid-step, (c, s) the half turn and v = z x w d, the
# terms of J_end - J_mid and J_mid - J_start are w ((c - 1) d' - s d) and w ((1 - c) d' - s d).

cdef inline Vec2 arm_of(const Frame* frame, Vec2 anchor) noexcept nogil:
    return rotate(frame.q, sub(anchor, frame.center))


cdef inline Vec2 half_turn(const Rider* body) noexcept nogil:
    """Cosine and sine of the angle from start to mid, and from mid to end."""
    return vec2(dot(body.start.q, body.mid.q), cross(body.start.q, body.mid.q))


cdef inline Vec2 turning_of(const Rider* body, Vec2 half, Vec2 d) noexcept nogil:
    """m/s: what the bias c has of an arm d (m) at mid-step."""
    cdef double along = -body.w * half.y
    cdef double across = body.w * (2.0 * LATE - 1.0) * (half.x - 1.0)
    return vec2(along * d.x - across * d.y, along * d.y + across * d.x)


cdef inline Vec2 start_rate(const Rider* body, Vec2 half, Vec2 d) noexcept nogil:
    """m/s: of an anchor when the sub-step began; d (m) is its arm at mid-step."""
    d = rotate(vec2(half.x, -half.y), d)
    return vec2(body.v.x - body.w * d.y, body.v.y + body.w * d.x)


cdef inline void write_pin(const Link* link, Vec2 da, Vec2 db, Vec2 bias, Row* rows) noexcept nogil:
    """The two rows of a pin with these arms (m)."""
    cdef int i
    cdef Row* out
    rows[0].ja[0], rows[0].ja[1], rows[0].ja[2] = -1.0, 0.0, da.y
    rows[0].jb[0], rows[0].jb[1], rows[0].jb[2] = 1.0, 0.0, -db.y
    rows[1].ja[0], rows[1].ja[1], rows[1].ja[2] = 0.0, -1.0, -da.x
    rows[1].jb[0], rows[1].jb[1], rows[1].jb[2] = 0.0, 1.0, db.x
    rows[0].bias, rows[1].bias = bias.x, bias.y
    for i in range(2):
        out = &rows[i]
        out.soft = out.mu = 0.0
        out.lo, out.hi = -INFINITY, INFINITY
        out.a, out.b, out.normal = link.a, link.b, -1


cdef double prepare_pin(const Link* link, const Rider* a, const Rider* b, double h,
                        Row* rows) noexcept nogil:
    """`prepare_link` of a plain pin."""
    cdef const JointData* joint = link.joint
    cdef Vec2 da = arm_of(&a.mid, joint.anchor_a), db = arm_of(&b.mid, joint.anchor_b), moved
    cdef Vec2 half_a = half_turn(a), half_b = half_turn(b)
    write_pin(link, da, db, sub(turning_of(b, half_b, db), turning_of(a, half_a, da)), rows)
    rows[0].p, rows[1].p = h * joint.f[0], h * joint.f[1]
    rows[0].mode, rows[1].mode = joint.mode[0], joint.mode[1]
    moved = sub(start_rate(b, half_b, db), start_rate(a, half_a, da))
    return greater(fabs(moved.x), fabs(moved.y))


cdef double place_pin(const Link* link, const Rider* a, const Rider* b, Row* rows) noexcept nogil:
    """`position_rows` of a plain pin."""
    cdef const JointData* joint = link.joint
    cdef Vec2 da = arm_of(&a.start, joint.anchor_a), db = arm_of(&b.start, joint.anchor_b)
    cdef Vec2 C = sub(add(b.start.x, db), add(a.start.x, da))
    if rows != NULL:
        write_pin(link, da, db, C, rows)
        rows[0].p = rows[1].p = 0.0
        rows[0].mode = rows[1].mode = INSIDE
    return greater(fabs(C.x), fabs(C.y))


cdef double take_pin(const Link* link, const Rider* a, const Rider* b, const Motion* new_a,
                     const Motion* new_b, const Row* rows, double h,
                     Books* books) noexcept nogil:
    """`take_links` of a plain pin."""
    cdef JointData* joint = link.joint
    cdef Vec2 p = vec2(rows[0].p, rows[1].p), before, after
    cdef double done = 0.0
    joint.f[0], joint.f[1] = p.x / h, p.y / h
    joint.mode[0], joint.mode[1] = <signed char>rows[0].mode, <signed char>rows[1].mode
    joint.force = add(joint.force, p)
    before = sub(anchor_rate(b.v, b.w, rows[1].jb[2], -rows[0].jb[2]),
                 anchor_rate(a.v, a.w, -rows[1].ja[2], rows[0].ja[2]))
    after = sub(anchor_rate(new_b.v, new_b.w, rows[1].jb[2], -rows[0].jb[2]),
                anchor_rate(new_a.v, new_a.w, -rows[1].ja[2], rows[0].ja[2]))
    books.normal += 0.5 * dot(p, add(before, after))
    if not a.movable:
        done += dot(p, anchor_rate(a.v, a.w, -rows[1].ja[2], rows[0].ja[2]))
    if not b.movable:
        done -= dot(p, anchor_rate(b.v, b.w, rows[1].jb[2], -rows[0].jb[2]))
    books.driven += done
    return done


cdef inline Vec2 anchor_rate(Vec2 v, double w, double dx, double dy) noexcept nogil:
    return vec2(v.x - w * dy, v.y + w * dx)


cdef double prepare_link(Link* link, const Rider* a, const Rider* b, double h, double touch,
                         Row* rows) noexcept nogil:
    """Rows of one joint; returns how fast those that hold have moved."""
    cdef JointRow[MOST_ROWS] early, late
    cdef JointData* joint = link.joint
    cdef JointRow* at
    cdef Row* out
    cdef int i
    cdef double moved = 0.0, u0, c
    class_of(joint.head.kind).rows(joint, &a.start, &b.start, early)
    class_of(joint.head.kind).rows(joint, &a.end, &b.end, late)
    class_of(joint.head.kind).rows(joint, &a.mid, &b.mid, link.at)
    for i in range(link.n):
        at, out = &link.at[i], &rows[i]
        at.C = early[i].C
        u0 = rate_of(&early[i], a, b)
        link.old_rate[i] = rate_of(at, a, b)
        c = (LATE * (rate_of(&late[i], a, b) - link.old_rate[i])
             + (1.0 - LATE) * (link.old_rate[i] - u0))
        write_row(at, out)
        out.a, out.b = link.a, link.b
        out.bias, out.p, out.mode = c, h * joint.f[i], joint.mode[i]
        if at.kind == RIGID:
            moved = greater(moved, fabs(u0))
        elif at.kind == STOP:
            out.lo = 0.0
            if at.C > touch:
                out.bias = at.C / h
        elif at.kind == SOFT:
            # the bound of a drag is one of a vector: cap_drags
            link.turning[i] = c
            soften(at, response(at, a, b), link.old_rate[i], h, out)
        elif at.kind == DRIVE:
            out.bias -= at.rate
            out.lo, out.hi = -h * at.most, h * at.most
        else:
            disable(out)
    return moved


# ---- stiffness of tension ---------------------------------------------------------------------

cdef inline double grown(double a2) noexcept nogil:
    """By which share of itself an inertia grows under a^2 = h^2 stiffness / inertia."""
    return ADDED * greater(a2 - NO_STIFFENING, 0.0)


cdef double stiffen(Link* links, int32_t n, Rider* riders, int32_t n_riders, double h, Row* rows,
                    Motion* motions) noexcept nogil:
    cdef int32_t k
    cdef int i
    cdef Link* link
    cdef Row* row
    cdef double worst = 0.0
    for k in range(n_riders):
        riders[k].stiffness = 0.0
    for k in range(n):
        link = &links[k]
        row = &rows[link.first]
        if link.plain:
            riders[link.a].stiffness += (row[0].p * row[1].ja[2] - row[1].p * row[0].ja[2]) / h
            riders[link.b].stiffness += (row[0].p * row[1].jb[2] - row[1].p * row[0].jb[2]) / h
            continue
        for i in range(link.n):
            row = &rows[link.first + i]
            if link.at[i].kind != ACROSS:
                riders[link.a].stiffness -= row.p / h * link.at[i].ha
                riders[link.b].stiffness -= row.p / h * link.at[i].hb
            else:
                worst = greater(worst, stiffen_across(link, i, riders, h, rows))
    return greater(worst, stiffen_riders(riders, n_riders, h, 0.0, motions))


cdef double stiffen_riders(const Rider* riders, int32_t n_riders, double h, double rounding,
                           Motion* motions) noexcept nogil:
    cdef int32_t k
    cdef double worst = 0.0, inv, share
    for k in range(n_riders):
        share = grown(h * h * riders[k].stiffness * riders[k].inv_I)
        if share == 0.0 and motions[k].inv_I == riders[k].inv_I:
            continue
        if riders[k].inv_I > 0.0:
            inv = riders[k].inv_I / (1.0 + ((share + rounding) - rounding))
            worst = greater(worst, fabs(inv / motions[k].inv_I - 1.0))
            motions[k].inv_I = inv
    return worst


cdef double stiffen_across(Link* link, int i, const Rider* riders, double h,
                           Row* rows) noexcept nogil:
    """The way across a line under tension: inertia that resists a change of its rate. Returns the
    relative change against what it was."""
    cdef const JointRow* at = &link.at[i]
    cdef Row* row = &rows[link.first + i]
    # rows across follow the line that they are across
    cdef double stiffness = -rows[link.first].p / h * at.ha
    cdef double D = response(at, &riders[link.a], &riders[link.b])
    cdef double share = grown(h * h * stiffness * D), before
    before = D / row.soft if row.soft > 0.0 else 0.0
    if share > 0.0:
        write_row(at, row)
        row.soft = D / share
        row.bias = -link.old_rate[i]
    else:
        disable(row)
    return fabs(share - before) / (1.0 + before)


cdef void calm(const Rider* riders, int32_t n, double h, Motion* motions) noexcept nogil:
    cdef int32_t k
    cdef double share
    for k in range(n):
        if riders[k].inv_I > 0.0 and riders[k].stiffness > 0.0:
            share = grown(h * h * riders[k].stiffness * riders[k].inv_I)
            motions[k].w -= CALMED * share / (1.0 + share) * (riders[k].w - riders[k].last_w)


cdef void loosen(const Link* links, int32_t n, const Rider* riders, Row* rows) noexcept nogil:
    cdef int32_t k
    cdef int i
    cdef const Link* link
    for k in range(n):
        link = &links[k]
        for i in range(link.n):
            if link.plain or link.at[i].kind == RIGID:
                rows[link.first + i].soft = LOOSE * row_response(&rows[link.first + i],
                                                                 &riders[link.a], &riders[link.b])
                rows[link.first + i].p = 0.0
                rows[link.first + i].mode = INSIDE


cdef void forget_piece(Link* links, int32_t n) noexcept nogil:
    cdef int32_t k
    cdef JointData* joint
    for k in range(n):
        joint = links[k].joint
        joint.head.work = links[k].worked
        memset(joint.f, 0, sizeof(joint.f))
        memset(joint.mode, INSIDE, sizeof(joint.mode))


cdef bint cap_drags(const Link* links, int32_t n, double h, Row* rows) noexcept nogil:
    cdef int32_t k
    cdef Row* row
    cdef double size, most
    cdef bint found = False
    cdef int i
    for k in range(n):
        if links[k].joint.head.kind != DRAG:
            continue
        row = &rows[links[k].first]
        most = h * links[k].joint.head.most
        size = sqrt(row[0].p * row[0].p + row[1].p * row[1].p)
        if size > most * (1.0 + 1e-9):
            found = True
            for i in range(2):
                row[i].hi = fabs(row[i].p) * most / size
                row[i].lo = -row[i].hi
    return found


# ---- after the solve --------------------------------------------------------------------------

cdef inline double side_rate(const double* j, const Rider* body) noexcept nogil:
    return j[0] * body.v.x + j[1] * body.v.y + j[2] * body.w


cdef inline void set_goal(Link* link, int i, const Rider* a, const Rider* b, const Row* row,
                          double after, double h) noexcept nogil:
    """Where a spring's rule has it, that went on at the rate `after` (m/s); one whose force is at
    its bound has no such rule."""
    cdef const JointRow* at = &link.at[i]
    link.goal[i] = at.C + h * (after + link.turning[i])
    link.implicit[i] = (implicit_share(h * sqrt(at.stiffness * response(at, a, b)))
                        if row.lo < row.p < row.hi else 0.0)


cdef void book_row(const JointRow* at, const Row* row, double before, double after, double h,
                   double threshold, bint drags, Books* books) noexcept nogil:
    """Book the work of a joint's row whose rate went from `before` to `after` (m/s or rad/s)."""
    cdef double turning
    if at.kind == DRIVE:
        books.motors += 0.5 * row.p * (before + after)
    elif at.kind == RIGID:
        books.normal += 0.5 * row.p * (before + after)
    elif at.kind == STOP:
        # rows are those of mid-step: at its ends what turns them is part of the rate
        turning = 0.0 if row.bias == at.C / h else row.bias
        book_normal(books, row.p, before + after, before - turning, after + turning,
                    threshold)
    elif drags:
        books.applied += 0.5 * row.p * (before + after)
    else:
        books.springs -= 0.25 * h * at.damping * (before + after) * (before + after)


cdef double take_links(Link* links, int32_t n, const Rider* riders, const Motion* motions,
                       const Row* rows, double h, double threshold,
                       Books* books) noexcept nogil:
    cdef int32_t k
    cdef int i
    cdef Link* link
    cdef JointData* joint
    cdef const JointRow* at
    cdef const Row* row
    cdef Vec2 arm
    cdef double work = 0.0, done, after
    cdef int drives
    for k in range(n):
        link = &links[k]
        joint = link.joint
        if link.plain:
            work += take_pin(link, &riders[link.a], &riders[link.b], &motions[link.a],
                             &motions[link.b], &rows[link.first], h, books)
            continue
        drives = 0
        arm = rotate(riders[link.b].mid.q, sub(joint.anchor_b, riders[link.b].mid.center))
        for i in range(link.n):
            at, row = &link.at[i], &rows[link.first + i]
            joint.f[i], joint.mode[i] = row.p / h, <signed char>row.mode
            link.implicit[i] = 0.0
            drives += at.kind == DRIVE
            if row.p == 0.0 or at.kind == ACROSS:
                continue
            joint.force.x += row.p * at.jb[0]
            joint.force.y += row.p * at.jb[1]
            joint.torque += row.p * (at.jb[2] - cross(arm, vec2(at.jb[0], at.jb[1])))
            after = rate_after(at, &motions[link.a], &motions[link.b])
            done = 0.5 * row.p * (link.old_rate[i] + after)
            if at.kind == DRIVE or at.kind == SOFT:
                if at.kind == DRIVE:
                    joint.head.work += done
                    work += done
                else:
                    set_goal(link, i, &riders[link.a], &riders[link.b], row, after, h)
            if at.kind == DRIVE and joint.head.friction > 0.0 and (
                    drives == (2 if joint.head.most > 0.0 else 1)):
                # the motor is the first of two
                books.friction += done
            else:
                book_row(at, row, link.old_rate[i], after, h, threshold,
                         joint.head.kind == DRAG, books)
            done = 0.0
            if not riders[link.a].movable:
                done -= row.p * side_rate(at.ja, &riders[link.a])
            if not riders[link.b].movable:
                done -= row.p * side_rate(at.jb, &riders[link.b])
            work += done
            books.driven += done
    return work


cdef double spring_energy(const Link* links, int32_t n, const Rider* riders) noexcept nogil:
    cdef JointRow[MOST_ROWS] now
    cdef int32_t k
    cdef const Link* link
    cdef double sum = 0.0
    for k in range(n):
        link = &links[k]
        if link.joint.head.stiffness > 0.0:
            class_of(link.joint.head.kind).rows(link.joint, &riders[link.a].start,
                                                &riders[link.b].start, now)
            sum += energy_of_rows(link.joint, now, link.n)
    return sum


cdef double swing_energy(const Link* links, int32_t n, const Rider* riders,
                         double h) noexcept nogil:
    cdef JointRow[MOST_ROWS] now
    cdef int32_t k
    cdef int i
    cdef const Link* link
    cdef const Rider* a
    cdef const Rider* b
    cdef double sum = 0.0, D, w, rate
    for k in range(n):
        link = &links[k]
        if not link.joint.head.stiffness > 0.0:
            continue
        a, b = &riders[link.a], &riders[link.b]
        class_of(link.joint.head.kind).rows(link.joint, &a.start, &b.start, now)
        for i in range(link.n):
            if now[i].kind != SOFT or not fabs(now[i].stiffness * now[i].C) < now[i].most:
                continue
            D = response(&now[i], a, b)
            w = h * sqrt(now[i].stiffness * D)
            if 0.0 < w <= EXACT:
                rate = side_rate(now[i].ja, a) + side_rate(now[i].jb, b)
                sum += 0.5 * taken_from(w) / D * rate * rate
    return sum


cdef double position_rows(Link* links, int32_t n, const Rider* riders, Row* rows) noexcept nogil:
    cdef JointRow[MOST_ROWS] now
    cdef int32_t k
    cdef int i
    cdef Link* link
    cdef Row* out
    cdef double worst = 0.0
    for k in range(n):
        link = &links[k]
        link.plain = is_plain(link)
        if link.plain:
            worst = greater(worst, place_pin(link, &riders[link.a], &riders[link.b],
                                             &rows[link.first] if rows != NULL else NULL))
            continue
        class_of(link.joint.head.kind).rows(link.joint, &riders[link.a].start,
                                            &riders[link.b].start, now)
        for i in range(link.n):
            if now[i].kind == RIGID:
                worst = greater(worst, fabs(now[i].C))
            elif now[i].kind == STOP:
                worst = greater(worst, -now[i].C)
            elif now[i].kind == SOFT and link.implicit[i] > 0.0:
                worst = greater(worst, link.implicit[i] * fabs(now[i].C - link.goal[i]))
            if rows == NULL:
                continue
            out = &rows[link.first + i]
            memset(out, 0, sizeof(Row))
            write_row(&now[i], out)
            out.a, out.b, out.mode = link.a, link.b, INSIDE
            out.bias = now[i].C
            if now[i].kind == STOP:
                out.lo = 0.0
            elif now[i].kind == SOFT and link.implicit[i] > 0.0:
                out.bias = link.implicit[i] * (now[i].C - link.goal[i])
                link.implicit[i] = 0.0
            elif now[i].kind != RIGID:
                disable(out)
    return worst
