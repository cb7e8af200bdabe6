"""What joints do in the sub-steps of an island; link_step.pxd has the contract, joints3d.md why."""

from libc.math cimport INFINITY, fabs, sqrt, tan
from libc.string cimport memcpy, memset

from enginecore.scalar cimport greater, lesser
from engine3d.joint.assembly_solve cimport hold_rigid, solve_swept
from engine3d.joint.joint cimport (
    ACROSS, DRAG, DRIVE, HINGE, MOST_ROWS, RIGID, SOFT, STOP, Frame, JointData, JointRow, class_of)
from engine3d.joint.link cimport LINKED_SUB_STEPS, Link, LinkMemory, Rider
from engine3d.mass cimport from_principal, principal
from engine3d.quat cimport matrix_of, turned_by
from engine3d.solve.cone cimport BOUNDED, Bounded
from engine3d.solve.solver_direct cimport solve_cones
from engine3d.solve.sub_step cimport SubBody, set_speed, sync_spin
from engine3d.vec3 cimport (
    Mat3, add, add_scaled, apply, apply_transposed, cross, diagonal, dot, length, scaled, sub,
    times, vec3)

# The bias c is so much of the change of J in the second half of a sub-step, and the rest of that in
# the first: with the second half alone a free chain that spins gains energy.
cdef double LATE = 5.0 / 6.0
# a^2 = h^2 stiffness / inertia up to which a body under tension swings stably, and how much of what
# is beyond is added to its inertia.
cdef double NO_STIFFENING = 0.25
cdef double ADDED = 0.5
# Share of the change of turning in the last sub-step that a stiff body is relieved of.
cdef double CALMED = 0.25
# a = h w of a spring up to which its period is exact; beyond, the mid-point rule gives way to the
# implicit one.
cdef double EXACT = 1.0
# Change of a root of inertia that asks for another solve, and how many there are at most.
cdef double CHANGED = 0.1
# rad: how far a body may turn in a sub-step; the c terms, expansions of the rotation, mean little
# beyond.
cdef double MOST_TURN = 0.1
# Share of its response that a row gives where joints close a loop: what hinges hold twice would
# otherwise have forces without bound. Places are corrected anyway.
cdef double LOOP_GIVE = 1e-7
# Share of what the direct solver takes for nothing: sweeps that change less are the last.
cdef double NO_CHANGE = 1e-4
# Shares of the largest response to a blow: along the normal below which joints hold what closes,
# and that every way has at least.
cdef double JAMMED = 1e-6
cdef double LEAST_RESPONSE = 1e-7
cdef enum:
    MOST_SOLVES = 3
    MOST_SUB_STEPS = 16


# ---- in and out -------------------------------------------------------------------------------

cdef void gather_links(SubStep* s, const int32_t* joint_rows, int n,
                       const int32_t* local_row, int32_t world) noexcept nogil:
    cdef LinkMemory* m = s.links
    cdef JointData* joint
    cdef Link* link
    cdef int32_t a, b
    cdef int k
    m.n, m.n_cones, m.is_held, m.give = n, 0, False, 0.0
    for k in range(s.n_bodies):
        memset(&m.riders[k], 0, sizeof(Rider))
        if s.bodies[k].movable:
            m.riders[k].last_w = s.ctx.bodies[s.bodies[k].row].last_w
        clear_tension(&m.riders[k])
        # all that is immovable is one
        m.riders[k].group = k if k < s.n_movable else s.n_movable
    for k in range(n):
        joint, link = &m.joints[joint_rows[k]], &m.links[k]
        link.joint = joint
        m.link_of[joint_rows[k]] = k
        link.a = world if joint.head.a < 0 else local_row[joint.head.a]
        link.b = world if joint.head.b < 0 else local_row[joint.head.b]
        link.first, link.n = m.n_cones, joint.head.n_rows
        m.n_cones += cones_of(joint.head.n_rows)
        m.riders[link.a].joined = m.riders[link.b].joined = True
        if not (s.bodies[link.a].movable and s.bodies[link.b].movable):
            m.is_held = True
        a, b = root_of(m.riders, link.a), root_of(m.riders, link.b)
        if a == b:
            m.give = LOOP_GIVE
        m.riders[a].group = b


cdef int32_t root_of(Rider* riders, int32_t k) noexcept nogil:
    while riders[k].group != k:
        riders[k].group = riders[riders[k].group].group
        k = riders[k].group
    return k


cdef int count_sub_steps(const SubStep* s, double dt) noexcept nogil:
    """So many more sub-steps as the fastest turning asks for: a power of two."""
    cdef int k, n = LINKED_SUB_STEPS
    cdef double fastest = 0.0
    for k in range(s.n_bodies):
        if s.links.riders[k].joined:
            fastest = greater(fastest, length(s.bodies[k].w))
    while n < MOST_SUB_STEPS and fastest * dt > MOST_TURN * n:
        n *= 2
    return n


cdef void mark_driven(SubStep* s) noexcept nogil:
    cdef const JointData* joint
    cdef int k
    # without contacts energy swings to and fro within its bound: taking back what it gains alone
    # would be a loss
    s.driven = s.driven or s.n_contacts == 0
    for k in range(s.links.n):
        joint = s.links.links[k].joint
        if (joint.head.stiffness > 0.0 or joint.head.damping > 0.0 or joint.head.most > 0.0
                or joint.head.friction > 0.0 or joint.head.kind == DRAG):
            s.driven = True


cdef bint has_motors(const SubStep* s) noexcept nogil:
    cdef const JointData* joint
    cdef int k
    for k in range(s.links.n):
        joint = s.links.links[k].joint
        if joint.head.kind == DRAG or (joint.head.most > 0.0 and joint.head.rate != 0.0):
            return True
    return False


cdef double spring_energy(const SubStep* s) noexcept nogil:
    cdef JointRow[MOST_ROWS] now
    cdef const Link* link
    cdef Frame a, b
    cdef double out = 0.0
    cdef int k, i, n
    for k in range(s.links.n):
        link = &s.links.links[k]
        if link.joint.head.stiffness > 0.0 and link.joint.head.kind != DRAG:
            a, b = frame_at(&s.bodies[link.a], 0.0), frame_at(&s.bodies[link.b], 0.0)
            n = class_of(link.joint.head.kind).rows(link.joint, &a, &b, now)
            for i in range(n):
                if now[i].kind == SOFT:
                    out += 0.5 * now[i].stiffness * now[i].C * now[i].C
    return out


cdef void scatter_links(SubStep* s) noexcept nogil:
    cdef int k
    for k in range(s.n_movable):
        s.ctx.bodies[s.bodies[k].row].last_w = s.links.riders[k].last_w


cdef inline void clear_tension(Rider* body) noexcept nogil:
    body.tense = False
    body.root = body.inv_root = diagonal(1.0, 1.0, 1.0)


cdef inline Frame frame_at(const SubBody* body, double t) noexcept nogil:
    """Where a sub-step body is after t seconds with the velocity it has."""
    cdef Frame out
    out.x, out.center, out.q, out.r = body.x, body.local_center, body.q, body.pose.r
    if t != 0.0:
        out.x = add_scaled(body.x, t, body.v)
        if body.w.x != 0.0 or body.w.y != 0.0 or body.w.z != 0.0:
            out.q = turned_by(body.q, scaled(t, body.w))
            out.r = matrix_of(out.q)
    return out


# ---- rows -------------------------------------------------------------------------------------

cdef inline double side_rate(const double* j, const SubBody* body) noexcept nogil:
    return (j[0] * body.v.x + j[1] * body.v.y + j[2] * body.v.z
            + j[3] * body.w.x + j[4] * body.w.y + j[5] * body.w.z)


cdef inline double rate_of(const JointRow* row, const SubBody* a, const SubBody* b) noexcept nogil:
    return side_rate(row.ja, a) + side_rate(row.jb, b)


cdef inline double new_rate(const double* j, const SubBody* body) noexcept nogil:
    return (j[0] * body.new_v.x + j[1] * body.new_v.y + j[2] * body.new_v.z
            + j[3] * body.new_w.x + j[4] * body.new_w.y + j[5] * body.new_w.z)


cdef inline void write_side(const double* j, const SubBody* body, double* out) noexcept nogil:
    """A row's side, whitened halfway through the sub-step; 0 for what is immovable."""
    cdef Vec3 turn
    if not body.movable:
        return
    turn = apply(&body.root, apply_transposed(&body.mid.r, vec3(j[3], j[4], j[5])))
    out[0], out[1], out[2] = j[0] / body.root_m, j[1] / body.root_m, j[2] / body.root_m
    out[3], out[4], out[5] = turn.x, turn.y, turn.z


cdef inline double size_of(const double* j) noexcept nogil:
    cdef double out = 0.0
    cdef int k
    for k in range(12):
        out += j[k] * j[k]
    return out


cdef void begin_cones(const SubStep* s, const Link* link, Cone* cones,
                      Bounded* boxes) noexcept nogil:
    """Empty cones of a joint: no row moves anything."""
    cdef int k, r
    for k in range(cones_of(link.n)):
        memset(&cones[k], 0, sizeof(Cone))
        memset(&boxes[k], 0, sizeof(Bounded))
        cones[k].box = &boxes[k]
        cones[k].a = link.a if s.bodies[link.a].movable else s.n_movable
        cones[k].b = link.b if s.bodies[link.b].movable else s.n_movable
        cones[k].mode = BOUNDED
        for r in range(3):
            boxes[k].lo[r], boxes[k].hi[r] = -INFINITY, INFINITY


cdef inline void write_row(const SubStep* s, const Link* link, const JointRow* at,
                           double* out) noexcept nogil:
    write_side(at.ja, &s.bodies[link.a], out)
    write_side(at.jb, &s.bodies[link.b], out + 6)


cdef void soften(const JointRow* at, double D, double u, double h, double* j, double* bias,
                 double* soft) noexcept nogil:
    """A spring and a damper: exact in period up to EXACT, stable at any stiffness.

    The impulse is that of the mid-point rule, -h k (C + h (u + u')/4), with as much of the inertia
    taken away as makes its period the true one; rest is where it should be. Beyond, the rule
    becomes the implicit one, -h k (C + h u').
    """
    cdef double k = at.stiffness, c = at.damping, a = h * sqrt(k * D), t, theta, taken, q, alpha
    theta = greater(lesser(a - EXACT, 1.0), 0.0)
    t = 0.5 * lesser(a, EXACT)
    taken = 0.0
    if t > 1e-4:
        t = t / tan(t)
        taken = (1.0 - t * t) * (1.0 - theta) / D
    alpha = 0.25 * (1.0 - theta)
    q = h * h * k * (0.25 + 0.75 * theta) - taken + 0.5 * h * c * (1.0 + theta)
    if not (q > 0.0 and D > 0.0):
        memset(j, 0, 12 * sizeof(double))
        return
    soft[0] = 1.0 / q
    bias[0] += soft[0] * (h * k * (at.C + h * alpha * u) + taken * u
                          + 0.5 * h * c * (1.0 - theta) * u)


cdef double prepare_link(SubStep* s, Link* link, Cone* cones, Bounded* boxes) noexcept nogil:
    """Rows of one joint; returns how fast those that hold have moved (m/s)."""
    cdef LinkMemory* m = s.links
    cdef JointRow[MOST_ROWS] early, late
    cdef JointData* joint = link.joint
    cdef const Rider* ra = &m.riders[link.a]
    cdef const Rider* rb = &m.riders[link.b]
    cdef const SubBody* a = &s.bodies[link.a]
    cdef const SubBody* b = &s.bodies[link.b]
    cdef JointRow* at
    cdef Cone* out
    cdef Bounded* box
    cdef int i, r
    cdef double moved = 0.0, u0, c, h = s.h
    class_of(joint.head.kind).rows(joint, &ra.start, &rb.start, early)
    class_of(joint.head.kind).rows(joint, &ra.end, &rb.end, late)
    class_of(joint.head.kind).rows(joint, &ra.mid, &rb.mid, link.at)
    begin_cones(s, link, cones, boxes)
    for i in range(link.n):
        at, out, box, r = &link.at[i], &cones[i // 3], &boxes[i // 3], i % 3
        at.C = early[i].C
        u0 = rate_of(&early[i], a, b)
        link.old_rate[i] = rate_of(at, a, b)
        c = (LATE * (rate_of(&late[i], a, b) - link.old_rate[i])
             + (1.0 - LATE) * (link.old_rate[i] - u0))
        if at.kind == ACROSS:
            continue
        write_row(s, link, at, out.j[r])
        out.bias[r], out.p[r] = c, h * joint.f[i]
        if at.kind == RIGID:
            moved = greater(moved, fabs(u0))
            box.soft[r] = m.give * size_of(out.j[r])
        elif at.kind == STOP:
            box.lo[r] = 0.0
            if at.C > s.ctx.tol.touch:
                out.bias[r] = at.C / h
        elif at.kind == SOFT:
            # the bound of a drag is one of a vector: cap_drags
            soften(at, size_of(out.j[r]), link.old_rate[i], h, out.j[r], &out.bias[r],
                   &box.soft[r])
        elif at.kind == DRIVE:
            out.bias[r] -= at.rate
            box.lo[r], box.hi[r] = -h * at.most, h * at.most
        if not a.movable:
            out.bias[r] += side_rate(at.ja, a)
        if not b.movable:
            out.bias[r] += side_rate(at.jb, b)
    return moved


# ---- stiffness of tension ---------------------------------------------------------------------

cdef inline void add_stiffness(Mat3* K, Vec3 F, Vec3 r) noexcept nogil:
    """What a force F at an arm r does to turning: (F.r) 1 - (F rt + r Ft)/2."""
    cdef double d = dot(F, r)
    K.x.x += d - F.x * r.x
    K.y.y += d - F.y * r.y
    K.z.z += d - F.z * r.z
    K.x.y -= 0.5 * (F.x * r.y + F.y * r.x)
    K.x.z -= 0.5 * (F.x * r.z + F.z * r.x)
    K.y.z -= 0.5 * (F.y * r.z + F.z * r.y)
    K.y.x, K.z.x, K.z.y = K.x.y, K.x.z, K.y.z


cdef inline double frobenius(const Mat3* m) noexcept nogil:
    return sqrt(dot(m.x, m.x) + dot(m.y, m.y) + dot(m.z, m.z))


cdef inline double grown(double a2) noexcept nogil:
    """By which share of itself an inertia grows under a^2 = h^2 stiffness / inertia."""
    return ADDED * greater(a2 - NO_STIFFENING, 0.0)


cdef Mat3 similar(const Mat3* left, const Mat3* m) noexcept nogil:
    """left m leftt."""
    cdef Mat3 half = times(left, m), turned
    turned.x = vec3(dot(half.x, left.x), dot(half.x, left.y), dot(half.x, left.z))
    turned.y = vec3(dot(half.y, left.x), dot(half.y, left.y), dot(half.y, left.z))
    turned.z = vec3(dot(half.z, left.x), dot(half.z, left.y), dot(half.z, left.z))
    return turned


cdef double set_root(const SubStep* s, const SubBody* sub_body, Rider* body) noexcept nogil:
    """The root of the whitened inertia that tension gives a body; the change of it."""
    cdef Mat3 rt, a2, axes, old = body.root
    cdef Vec3 e, grow
    cdef double h2 = s.h * s.h, size
    size = frobenius(&sub_body.root)
    if h2 * size * size * frobenius(&body.stiffness) <= NO_STIFFENING:
        clear_tension(body)
    else:
        # root Rt K R root, in the body's frame
        rt.x = vec3(sub_body.mid.r.x.x, sub_body.mid.r.y.x, sub_body.mid.r.z.x)
        rt.y = vec3(sub_body.mid.r.x.y, sub_body.mid.r.y.y, sub_body.mid.r.z.y)
        rt.z = vec3(sub_body.mid.r.x.z, sub_body.mid.r.y.z, sub_body.mid.r.z.z)
        a2 = similar(&rt, &body.stiffness)
        a2 = similar(&sub_body.root, &a2)
        principal(&a2, &e, &axes)
        grow = vec3(sqrt(1.0 + grown(h2 * e.x)), sqrt(1.0 + grown(h2 * e.y)),
                    sqrt(1.0 + grown(h2 * e.z)))
        body.root = from_principal(&axes, grow)
        body.inv_root = from_principal(&axes, vec3(1.0 / grow.x, 1.0 / grow.y, 1.0 / grow.z))
        body.tense = True
    old.x, old.y, old.z = sub(old.x, body.root.x), sub(old.y, body.root.y), sub(old.z, body.root.z)
    return frobenius(&old) / frobenius(&body.root)


cdef inline void turn_row(const Mat3* m, double* j) noexcept nogil:
    cdef Vec3 t = apply(m, vec3(j[3], j[4], j[5]))
    j[3], j[4], j[5] = t.x, t.y, t.z


cdef double stiffen(SubStep* s, int n_contacts, Cone* cones) noexcept nogil:
    """The inertia that tension adds, from the present impulses: into the cones and rows across
    lines. Returns the largest relative change of any."""
    cdef LinkMemory* m = s.links
    cdef Rider* body
    cdef Mat3 old
    cdef double worst = 0.0
    cdef int k
    for k in range(s.n_movable):
        m.riders[k].turned = False
        m.riders[k].stiffness = diagonal(0.0, 0.0, 0.0)
    for k in range(m.n):
        worst = greater(worst, add_tension(s, &m.links[k], &cones[m.links[k].first]))
    for k in range(s.n_movable):
        body = &m.riders[k]
        if not body.joined:
            continue
        old = body.root
        worst = greater(worst, set_root(s, &s.bodies[k], body))
        body.change = times(&body.inv_root, &old)
        body.turned = (body.change.x.x != 1.0 or body.change.y.y != 1.0
                       or body.change.z.z != 1.0 or body.tense)
    turn_cones(s.cones, n_contacts, m.riders, s.n_movable)
    turn_cones(cones, m.n_cones, m.riders, s.n_movable)
    return worst


cdef void turn_cones(Cone* cones, int n, const Rider* riders, int n_movable) noexcept nogil:
    """Rows of bodies that have another root."""
    cdef int i, r, a, b
    for i in range(n):
        a, b = cones[i].a, cones[i].b
        for r in range(3):
            if a < n_movable and riders[a].turned:
                turn_row(&riders[a].change, cones[i].j[r])
            if b < n_movable and riders[b].turned:
                turn_row(&riders[b].change, cones[i].j[r] + 6)


cdef double add_tension(SubStep* s, Link* link, Cone* cones) noexcept nogil:
    """Stiffness of the two bodies of a joint; of lines also that across. The relative change."""
    cdef LinkMemory* m = s.links
    cdef const JointRow* at
    cdef double f, worst = 0.0
    cdef int i
    for i in range(link.n):
        at = &link.at[i]
        f = cones[i // 3].p[i % 3] / s.h
        if at.kind == ACROSS:
            worst = greater(worst, stiffen_across(s, link, i, cones))
        elif f != 0.0:
            add_stiffness(&m.riders[link.a].stiffness,
                          vec3(f * at.ja[0], f * at.ja[1], f * at.ja[2]), at.arm_a)
            add_stiffness(&m.riders[link.b].stiffness,
                          vec3(f * at.jb[0], f * at.jb[1], f * at.jb[2]), at.arm_b)
    return worst


cdef double stiffen_across(SubStep* s, Link* link, int i, Cone* cones) noexcept nogil:
    """A way across a line under tension: inertia that resists a change of its rate. Returns the
    relative change against what it was."""
    cdef LinkMemory* m = s.links
    cdef const JointRow* at = &link.at[i]
    cdef Cone* out = &cones[i // 3]
    cdef int r = i % 3
    # rows across follow the line that they are across
    cdef double stiffness = -cones[0].p[0] / s.h * at.bend, before = 0.0, D, share
    cdef double[12] j
    memset(j, 0, sizeof(j))
    write_row(s, link, at, j)
    D = size_of(j)
    if out.box.soft[r] > 0.0:
        before = D / out.box.soft[r]
    share = grown(s.h * s.h * stiffness * D)
    if share > 0.0:
        memcpy(out.j[r], j, sizeof(j))
        # as the other rows of the cone are now; stiffen turns them all on
        turn_row(&m.riders[link.a].inv_root, out.j[r])
        turn_row(&m.riders[link.b].inv_root, out.j[r] + 6)
        out.box.soft[r] = D / share
        out.bias[r] = -link.old_rate[i]
        if not s.bodies[link.a].movable:
            out.bias[r] += side_rate(at.ja, &s.bodies[link.a])
        if not s.bodies[link.b].movable:
            out.bias[r] += side_rate(at.jb, &s.bodies[link.b])
    else:
        memset(out.j[r], 0, sizeof(j))
        out.bias[r] = out.box.soft[r] = out.p[r] = 0.0
    return fabs(share - before) / (1.0 + before)


cdef void load_velocities(SubStep* s, bint calm) noexcept nogil:
    """V of all bodies in their present roots; what tension makes stiff is calmed."""
    cdef Rider* body
    cdef const SubBody* sub_body
    cdef Vec3 u, more
    cdef double* V
    cdef int k
    for k in range(s.n_movable):
        body, sub_body = &s.links.riders[k], &s.bodies[k]
        V = s.V + 6 * k
        memcpy(V, body.free, 6 * sizeof(double))
        if not body.tense:
            continue
        u = vec3(V[3], V[4], V[5])
        if calm:
            more = apply(&sub_body.inv_root, apply_transposed(
                &sub_body.mid.r, sub(sub_body.w, body.last_w)))
            more = sub(more, apply(&body.inv_root, apply(&body.inv_root, more)))
            u = add_scaled(u, -CALMED, more)
        u = apply(&body.root, u)
        V[3], V[4], V[5] = u.x, u.y, u.z
    memset(s.V + 6 * s.n_movable, 0, 6 * sizeof(double))


cdef bint cap_drags(SubStep* s, Cone* cones) noexcept nogil:
    """Whether the vector force or torque of a drag is beyond its bound; then its rows get bounds
    that hold it."""
    cdef LinkMemory* m = s.links
    cdef Cone* out
    cdef double size, most
    cdef bint found = False
    cdef int k, i, r
    for k in range(m.n):
        if m.links[k].joint.head.kind != DRAG:
            continue
        for i in range(cones_of(m.links[k].n)):
            out = &cones[m.links[k].first + i]
            most = s.h * (m.links[k].joint.head.most if i == 0
                          else m.links[k].joint.head.most_torque)
            size = sqrt(out.p[0] * out.p[0] + out.p[1] * out.p[1] + out.p[2] * out.p[2])
            if size > most * (1.0 + 1e-9):
                found = True
                for r in range(3):
                    out.box.hi[r] = fabs(out.p[r]) * most / size
                    out.box.lo[r] = -out.box.hi[r]
    return found


cdef void solve_links(SubStep* s, int n) noexcept nogil:
    cdef LinkMemory* m = s.links
    cdef Cone* cones = &s.cones[n]
    cdef Rider* body
    cdef Vec3 u
    cdef double* V
    cdef double changed
    cdef int k, _solve
    for k in range(s.n_bodies):
        body = &m.riders[k]
        body.start = frame_at(&s.bodies[k], 0.0)
        if body.joined:
            body.mid, body.end = frame_at(&s.bodies[k], 0.5 * s.h), frame_at(&s.bodies[k], s.h)
        clear_tension(body)
        if k < s.n_movable:
            memcpy(body.free, s.V + 6 * k, 6 * sizeof(double))
    for k in range(m.n):
        s.drift = greater(s.drift, prepare_link(s, &m.links[k], &cones[m.links[k].first],
                                                &m.boxes[m.links[k].first]))
    stiffen(s, n, cones)
    for _solve in range(1 + MOST_SOLVES):
        load_velocities(s, True)
        if m.sparse:
            s.ctx.counters.sweeps += solve_swept(s.cones, n, m, s.V, NO_CHANGE * s.direct.least)
        else:
            solve_cones(s.cones, n + m.n_cones, s.V, s.n_movable, s.drift, s.direct,
                        &s.ctx.counters.direct)
        # as solved: the roots may change below
        for k in range(s.n_movable):
            if m.riders[k].tense:
                V = s.V + 6 * k
                u = apply(&m.riders[k].inv_root, vec3(V[3], V[4], V[5]))
                V[3], V[4], V[5] = u.x, u.y, u.z
        if _solve == MOST_SOLVES:
            break
        changed = stiffen(s, n, cones)
        if not cap_drags(s, cones) and changed < CHANGED:
            break
    s.joint_cones = n


cdef void take_links(SubStep* s) noexcept nogil:
    cdef LinkMemory* m = s.links
    cdef Cone* cones = &s.cones[s.joint_cones]
    cdef const JointRow* at
    cdef Link* link
    cdef Rider* body
    cdef SubBody* sub_body
    cdef JointData* joint
    cdef Vec3 arm, f, t
    cdef double p
    cdef const double* V
    cdef int k, i
    for k in range(s.n_movable):
        body, sub_body = &m.riders[k], &s.bodies[k]
        V = s.V + 6 * k
        body.last_w = sub_body.w
        if not body.joined and not sub_body.bears:
            continue
        sub_body.bears = True
        sub_body.impulse_L = apply(&sub_body.mid.r, apply(&sub_body.inv_root, vec3(
            V[3] - body.free[3], V[4] - body.free[4], V[5] - body.free[5])))
    for k in range(m.n):
        link = &m.links[k]
        joint = link.joint
        arm = apply(&m.riders[link.b].mid.r, sub(joint.anchor_b, m.riders[link.b].mid.center))
        for i in range(link.n):
            at = &link.at[i]
            p = cones[link.first + i // 3].p[i % 3]
            joint.f[i] = p / greater(s.h, s.least_h)
            if p == 0.0 or at.kind == ACROSS:
                continue
            f = vec3(p * at.jb[0], p * at.jb[1], p * at.jb[2])
            t = vec3(p * at.jb[3], p * at.jb[4], p * at.jb[5])
            joint.force = add(joint.force, f)
            joint.torque = add(joint.torque, sub(t, cross(arm, f)))
            if at.kind == DRIVE:
                joint.head.work += 0.5 * p * (link.old_rate[i] + side_after(s, link.a, at.ja)
                                              + side_after(s, link.b, at.jb))


cdef inline double side_after(const SubStep* s, int32_t k, const double* j) noexcept nogil:
    return new_rate(j, &s.bodies[k]) if s.bodies[k].movable else side_rate(j, &s.bodies[k])


# ---- places -----------------------------------------------------------------------------------

cdef void note_turns(SubStep* s, Link* link, const Frame* a, const Frame* b) noexcept nogil:
    """The angle of a joint that turns, so that turns count."""
    if link.joint.head.kind == HINGE:
        link.joint.head.held = class_of(link.joint.head.kind).measure(link.joint, a, b)


cdef double link_error(const SubStep* s) noexcept nogil:
    cdef JointRow[MOST_ROWS] now
    cdef LinkMemory* m = s.links
    cdef Link* link
    cdef Frame a, b
    cdef double worst = 0.0
    cdef int k, i
    for k in range(m.n):
        link = &m.links[k]
        a, b = frame_at(&s.bodies[link.a], 0.0), frame_at(&s.bodies[link.b], 0.0)
        note_turns(<SubStep*> s, link, &a, &b)
        class_of(link.joint.head.kind).rows(link.joint, &a, &b, now)
        for i in range(link.n):
            if now[i].kind == RIGID:
                worst = greater(worst, fabs(now[i].C))
            elif now[i].kind == STOP:
                worst = greater(worst, -now[i].C)
    return worst


cdef int position_cones(SubStep* s, Cone* out) noexcept nogil:
    cdef JointRow[MOST_ROWS] now
    cdef LinkMemory* m = s.links
    cdef Link* link
    cdef Frame a, b
    cdef Cone* cone
    cdef int k, i, r
    for k in range(m.n):
        link = &m.links[k]
        a, b = frame_at(&s.bodies[link.a], 0.0), frame_at(&s.bodies[link.b], 0.0)
        class_of(link.joint.head.kind).rows(link.joint, &a, &b, now)
        begin_cones(s, link, &out[link.first], &m.boxes[link.first])
        for i in range(link.n):
            cone, r = &out[link.first + i // 3], i % 3
            if now[i].kind != RIGID and now[i].kind != STOP:
                continue
            write_row(s, link, &now[i], cone.j[r])
            cone.bias[r] = now[i].C
            cone.box.soft[r] = m.give * size_of(cone.j[r])
            if now[i].kind == STOP:
                cone.box.lo[r] = 0.0
    return m.n_cones


# ---- blows ------------------------------------------------------------------------------------

cdef void feel_blow(SubStep* s, int32_t a, int32_t b, Vec3 point,
                    ImpactInput* given) noexcept nogil:
    cdef LinkMemory* m = s.links
    cdef SubBody* body
    cdef Vec3 e, arm, turn, u
    cdef Vec3[3] column
    cdef Mat3 K, axes
    cdef Vec3 size
    cdef double[3] value
    cdef Vec3[3] way
    cdef double* V
    cdef int k, i, side, least = 0
    cdef double most
    cdef Py_ssize_t stride = 6 * (s.n_movable + 1)
    u = sub(add(given.a.v, cross(given.a.w, given.a.r)),
            add(given.b.v, cross(given.b.w, given.b.r)))
    for k in range(s.n_bodies):
        s.bodies[k].mid, s.bodies[k].x_mid = s.bodies[k].pose, s.bodies[k].x
    for i in range(3):
        V = m.felt + i * stride
        memset(V, 0, stride * sizeof(double))
        e = vec3(1.0 if i == 0 else 0.0, 1.0 if i == 1 else 0.0, 1.0 if i == 2 else 0.0)
        for side in range(2):
            body = &s.bodies[b if side else a]
            if not body.movable:
                continue
            k = b if side else a
            arm = sub(point, body.x)
            turn = apply(&body.root, apply_transposed(&body.pose.r, cross(arm, e)))
            V[6 * k] += (-1.0 if side else 1.0) * e.x / body.root_m
            V[6 * k + 1] += (-1.0 if side else 1.0) * e.y / body.root_m
            V[6 * k + 2] += (-1.0 if side else 1.0) * e.z / body.root_m
            V[6 * k + 3] += -turn.x if side else turn.x
            V[6 * k + 4] += -turn.y if side else turn.y
            V[6 * k + 5] += -turn.z if side else turn.z
        blow_cones(s, s.cones)
        if m.sparse:
            hold_rigid(s.cones, m, V, i == 0)
        else:
            solve_cones(s.cones, m.n_cones, V, s.n_movable, 0.0, s.direct,
                        &s.ctx.counters.direct)
        for k in range(m.n_cones):
            memcpy(m.felt_p + 9 * k + 3 * i, s.cones[k].p, 3 * sizeof(double))
        column[i] = sub(point_change(s, a, point, V), point_change(s, b, point, V))
    K.x = vec3(column[0].x, 0.5 * (column[1].x + column[0].y), 0.5 * (column[2].x + column[0].z))
    K.y = vec3(K.x.y, column[1].y, 0.5 * (column[2].y + column[1].z))
    K.z = vec3(K.x.z, K.y.z, column[2].z)
    # a body that is struck beside its centre has any response that is wanted
    principal(&K, &size, &axes)
    value[0], value[1], value[2] = size.x, size.y, size.z
    most = greater(size.x, greater(size.y, size.z))
    if not dot(given.f, apply(&K, given.f)) > JAMMED * most:
        # joints hold what closes: no blow moves it, and resting contact bears it
        u = vec3(0.0, 0.0, 0.0)
    for i in range(3):
        way[i] = vec3((&axes.x.x)[i], (&axes.y.x)[i], (&axes.z.x)[i])
        # a way that joints leave no response at all: the law asks for one
        value[i] = greater(value[i], LEAST_RESPONSE * most)
        if value[i] < value[least]:
            least = i
    i, k = (least + 1) % 3, (least + 2) % 3
    memset(&given.a, 0, sizeof(given.a))
    memset(&given.b, 0, sizeof(given.b))
    given.a.v = u
    given.a.inv_m = value[least]
    given.a.r = way[least]
    # way[least] x way[i] is along way[k]
    add_square(&given.a.inv_I, value[i] - value[least], way[k])
    add_square(&given.a.inv_I, value[k] - value[least], way[i])


cdef inline void add_square(Mat3* m, double size, Vec3 n) noexcept nogil:
    m.x = add_scaled(m.x, size * n.x, n)
    m.y = add_scaled(m.y, size * n.y, n)
    m.z = add_scaled(m.z, size * n.z, n)


cdef void hold_velocities(SubStep* s) noexcept nogil:
    cdef LinkMemory* m = s.links
    cdef JointRow[MOST_ROWS] now
    cdef SubBody* body
    cdef Link* link
    cdef Frame a, b
    cdef const double* V
    cdef int k, i
    for k in range(s.n_bodies):
        s.bodies[k].mid, s.bodies[k].x_mid = s.bodies[k].pose, s.bodies[k].x
    blow_cones(s, s.cones)
    for k in range(m.n):
        link = &m.links[k]
        a, b = frame_at(&s.bodies[link.a], 0.0), frame_at(&s.bodies[link.b], 0.0)
        class_of(link.joint.head.kind).rows(link.joint, &a, &b, now)
        for i in range(link.n):
            if now[i].kind == RIGID:
                s.cones[link.first + i // 3].bias[i % 3] = rate_of(
                    &now[i], &s.bodies[link.a], &s.bodies[link.b])
    memset(s.V, 0, 6 * (s.n_movable + 1) * sizeof(double))
    hold_rigid(s.cones, m, s.V, True)
    for k in range(s.n_movable):
        body, V = &s.bodies[k], s.V + 6 * k
        if m.riders[k].joined:
            add_whitened(body, V[0], V[1], V[2], vec3(V[3], V[4], V[5]))


cdef inline void add_whitened(SubBody* body, double x, double y, double z,
                              Vec3 turn) noexcept nogil:
    """Add a change of whitened velocities to a body's motion."""
    body.v = vec3(body.v.x + x / body.root_m, body.v.y + y / body.root_m,
                  body.v.z + z / body.root_m)
    body.L = add(body.L, apply(&body.pose.r, apply(&body.inv_root, turn)))
    sync_spin(body)
    set_speed(body)


cdef void blow_cones(SubStep* s, Cone* out) noexcept nogil:
    """Rows that hold, for a change of velocities: y = J dv."""
    cdef LinkMemory* m = s.links
    cdef int k, r
    position_cones(s, out)
    for k in range(m.n_cones):
        for r in range(3):
            out[k].bias[r] = 0.0
            if out[k].box.lo[r] == 0.0:
                # a stop is not part of it
                memset(out[k].j[r], 0, sizeof(out[k].j[r]))


cdef inline Vec3 point_change(const SubStep* s, int32_t k, Vec3 point,
                              const double* V) noexcept nogil:
    """What a point of a sub-step body gains of whitened velocities."""
    cdef const SubBody* body = &s.bodies[k]
    cdef Vec3 w
    if not body.movable:
        return vec3(0.0, 0.0, 0.0)
    V += 6 * k
    w = apply(&body.pose.r, apply(&body.root, vec3(V[3], V[4], V[5])))
    return add(vec3(V[0] / body.root_m, V[1] / body.root_m, V[2] / body.root_m),
               cross(w, sub(point, body.x)))


cdef void spread_blow(SubStep* s, Vec3 p) noexcept nogil:
    cdef LinkMemory* m = s.links
    cdef JointRow[MOST_ROWS] now
    cdef SubBody* body
    cdef Link* link
    cdef Frame a, b
    cdef Vec3 f, t, arm
    cdef double q
    cdef const double* V
    cdef const double* P
    cdef double[6] u
    cdef int k, i
    cdef Py_ssize_t stride = 6 * (s.n_movable + 1)
    for k in range(s.n_movable):
        body = &s.bodies[k]
        for i in range(6):
            V = m.felt + 6 * k + i
            u[i] = p.x * V[0] + p.y * V[stride] + p.z * V[2 * stride]
        add_whitened(body, u[0], u[1], u[2], vec3(u[3], u[4], u[5]))
    for k in range(m.n):
        link = &m.links[k]
        a, b = frame_at(&s.bodies[link.a], 0.0), frame_at(&s.bodies[link.b], 0.0)
        class_of(link.joint.head.kind).rows(link.joint, &a, &b, now)
        arm = apply(&b.r, sub(link.joint.anchor_b, b.center))
        for i in range(link.n):
            if now[i].kind != RIGID:
                continue
            P = m.felt_p + 9 * (link.first + i // 3) + i % 3
            q = p.x * P[0] + p.y * P[3] + p.z * P[6]
            f = vec3(q * now[i].jb[0], q * now[i].jb[1], q * now[i].jb[2])
            t = vec3(q * now[i].jb[3], q * now[i].jb[4], q * now[i].jb[5])
            link.joint.force = add(link.joint.force, f)
            link.joint.torque = add(link.joint.torque, sub(t, cross(arm, f)))
