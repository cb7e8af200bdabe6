"""Position projection; small_push.pxd has the contract, docs/maths/fixed_step.md why."""

from libc.math cimport INFINITY, fabs, isfinite
from libc.stdint cimport int64_t
from libc.string cimport memset

from enginecore.scalar cimport greater, lesser
from engine2d.body cimport INITIAL_OVERLAP, Place
from engine2d.collide.facing cimport faces
from engine2d.collide.narrow_phase cimport refresh
from engine2d.contact cimport VOID, Contact
from engine2d.joint.link cimport forget_piece, position_rows, spring_energy
from engine2d.solve.energy cimport Frame, Momentum, rigid_frame
from engine2d.solve.integrate cimport turn_by
from engine2d.solve.rest cimport STILL
from engine2d.solve.row cimport AT_LOW, Row
from engine2d.solve.small_energy cimport kinetic_of, momentum_of, outer_work_of_push
from engine2d.solve.small_joints cimport see_riders
from engine2d.solve.solver_direct cimport solve_rows
from engine2d.solve.sub_step cimport SubBody, SubContact, is_driver, shift, write_axes
from engine2d.vec2 cimport Vec2, add, dot, length, scaled, sub, vec2

# m, the most that a sub-step pushes an overlap apart, for bodies of about a metre; and in long ones
# m/s.
cdef double MOST_PUSH = 0.02
cdef double PUSH_SPEED = 2.4
# Times that: no body goes farther in a correction; where nothing solved it, a push may be anything.
cdef double FARTHEST_PUSH = 2.0
# Times the error that it corrects: what a correction that was solved may leave: bodies turn on
# arcs and not along its rows.
cdef double MOST_BENT = 2.0
# A correction of which less than so much is left did no good.
cdef double LEAST_SHARE = 0.1
# m: overlaps below this are corrected slowly where that lifts bodies, for bodies of about a metre.
cdef double SHALLOW = 0.01
# Times the error before, and m or rad: a correction that leaves more did harm, and is taken back.
cdef double MOST_GROWN = 2.0
cdef double HARM = 1e-4
# m or rad: errors of joints below this are rounding; beyond the other one a correction is not
# enough.
cdef double NO_ERROR = 1e-11
cdef double ERROR_LEFT = 1e-7
cdef enum:
    MOST_PROJECTIONS = 12


cdef double refresh_all(SubStep* s) noexcept nogil:
    """Bring all contacts up to date, but those that stand still; the least gap."""
    cdef SubContact* m
    cdef Contact* c
    cdef double least = INFINITY
    cdef int k
    for k in range(s.n_contacts):
        m = &s.contacts[k]
        c = &s.ctx.contacts[m.contact]
        if not (m.ready and m.fresh
                and s.bodies[m.a].speed + s.bodies[m.b].speed <= STILL * s.ctx.root):
            refresh(&c.at, &s.bodies[m.a].pose, &s.bodies[m.b].pose)
            m.fresh = True
            m.ready = False
        if c.at.gap < -s.ctx.tol.slop and c.is_void != VOID and not faces(
                s.ctx, c, &s.bodies[m.a].pose, &s.bodies[m.b].pose):
            c.is_void = VOID
        if c.is_void != VOID and not is_left_alone(s, m):
            least = lesser(c.at.gap, least)
    return least


cdef inline bint is_left_alone(const SubStep* s, const SubContact* m) noexcept nogil:
    """Whether an overlap is not corrected: a kinematic body is in it that found no room."""
    return m.yields or (s.jammed and (is_driver(s, &s.bodies[m.a])
                                      or is_driver(s, &s.bodies[m.b])))


cdef void push_apart(SubStep* s) noexcept nogil:
    cdef double most = greater(MOST_PUSH * s.ctx.unit, PUSH_SPEED * s.ctx.root * s.h)
    cdef double least = refresh_all(s)
    if s.n_links > 0:
        push_linked(s, most, least)
        return
    if not least < -s.ctx.tol.slop:
        return
    s.ctx.counters.projections += 1
    write_push_rows(s, most)
    solve_rows(s.rows, s.n_contacts, s.motions, s.n_bodies, 0.0, s.direct, &s.ctx.counters)
    go_share(s, share_of_push(s, most, least, -1.0))
    refresh_all(s)


cdef void write_push_rows(SubStep* s, double most) noexcept nogil:
    """One row a contact: its gap after a displacement; at rest to begin with."""
    cdef Contact* c
    cdef Row* n
    cdef Row spare
    cdef SubContact* m
    cdef int k
    for k in range(s.n_contacts):
        m = &s.contacts[k]
        c = &s.ctx.contacts[m.contact]
        n = &s.rows[k]
        memset(n, 0, sizeof(Row))
        write_axes(&c.at, &s.bodies[m.a], &s.bodies[m.a].pose, &s.bodies[m.b],
                   &s.bodies[m.b].pose, n, &spare)
        n.bias = most
        if c.is_void != VOID and not is_left_alone(s, m):
            n.bias = greater(c.at.gap, -most)
        n.hi = INFINITY
        n.a, n.b, n.normal, n.mode = m.a, m.b, -1, AT_LOW
        m.ready = False
    for k in range(s.n_bodies):
        s.motions[k].v = vec2(0.0, 0.0)
        s.motions[k].w = 0.0


cdef double share_of_push(const SubStep* s, double most, double least,
                          double solved) noexcept nogil:
    """How much of the correction in s.motions is made: no body goes farther than it may (m), and
    shallow overlaps lift no more than gravity gives from rest in a sub-step. solved: the errors of
    joints (m or rad) for which it was solved, < 0: it was not."""
    cdef double farthest = 0.0, share = 1.0, lift, given = 0.0, bent = 0.0
    cdef int k
    for k in range(s.n_movable):
        bent = greater(bent, s.motions[k].w * s.motions[k].w * s.bodies[k].bounding_radius)
        farthest = greater(farthest, length(s.motions[k].v)
                           + fabs(s.motions[k].w) * s.bodies[k].bounding_radius)
        if s.bodies[k].inv_m > 0.0:
            given += 0.5 * s.h * s.h * dot(s.bodies[k].outer, s.bodies[k].outer) / s.bodies[k].inv_m
    if solved >= 0.0:
        if bent > MOST_BENT * solved:
            share = MOST_BENT * solved / bent
    elif farthest > FARTHEST_PUSH * most:
        share = FARTHEST_PUSH * most / farthest
    lift = -outer_work_of_push(s)
    # what lifts more than that is paid from motion (energy.md, section 5), as far as there is any
    if least <= -SHALLOW * s.ctx.unit:
        given = INFINITY if not isfinite(least) or any_put_in(s) else given + kinetic_of(s)
    if lift * share > given:
        share = given / lift
    return share


cdef bint any_put_in(const SubStep* s) noexcept nogil:
    """Whether bodies of the island were put into each other: others have sunk in."""
    cdef const Contact* c
    cdef int k
    for k in range(s.n_contacts):
        c = &s.ctx.contacts[s.contacts[k].contact]
        if (s.ctx.bodies[c.a].flags | s.ctx.bodies[c.b].flags) & INITIAL_OVERLAP:
            return True
    return False


cdef void go_share(SubStep* s, double share) noexcept nogil:
    """Bring places on by a share of the correction in s.motions."""
    cdef int k
    s.ctx.books.projection -= share * outer_work_of_push(s)
    for k in range(s.n_movable):
        shift(&s.bodies[k], scaled(share, s.motions[k].v), share * s.motions[k].w)


cdef bint solve_push(SubStep* s, double most) noexcept nogil:
    """The correction of overlaps, of each by at most so much (m), and of joints, into s.motions;
    whether it was solved."""
    cdef int64_t failures = s.ctx.counters.direct_failures
    cdef int k
    s.ctx.counters.projections += 1
    refresh_all(s)
    write_push_rows(s, most)
    for k in range(s.n_links):
        s.links[k].first -= s.n_contacts
    position_rows(s.links, s.n_links, s.riders, s.rows)
    for k in range(s.n_links):
        s.links[k].first += s.n_contacts
    solve_rows(s.rows, s.n_contacts + s.n_link_rows, s.motions, s.n_bodies, 0.0, s.direct,
               &s.ctx.counters)
    return s.ctx.counters.direct_failures == failures


cdef void push_linked(SubStep* s, double most, double least) noexcept nogil:
    """`push_apart` with joints: they are held to rounding, overlaps are corrected as they may."""
    cdef int _pass
    cdef bint solved = False
    cdef double worst, share = 0.0, before = INFINITY
    see_riders(s)
    s.lifted -= s.ctx.books.projection + spring_energy(s.links, s.n_links, s.riders)
    for _pass in range(MOST_PROJECTIONS + 1):
        see_riders(s)
        worst = position_rows(s.links, s.n_links, s.riders, NULL)
        if not worst <= greater(MOST_GROWN * before, HARM * s.ctx.unit):
            # too far: half of it, and none where nothing solved it or that does no good
            if not solved or share < LEAST_SHARE:
                go_share(s, -share)
                break
            share *= 0.5
            go_share(s, -share)
            continue
        before = worst
        if _pass == MOST_PROJECTIONS or (not least < -s.ctx.tol.slop and worst <= (
                NO_ERROR if _pass == 0 else ERROR_LEFT) * s.ctx.unit):
            break
        solved = solve_push(s, most if _pass == 0 else 0.0)
        # overlaps are corrected in the first pass, and only as far as they may be
        share = share_of_push(s, most, least if _pass == 0 and least < -s.ctx.tol.slop
                              else -INFINITY, worst + greater(-least, 0.0) if solved else -1.0)
        least = 0.0
        go_share(s, share)
    refresh_all(s)
    see_riders(s)
    s.lifted += s.ctx.books.projection + spring_energy(s.links, s.n_links, s.riders)


cdef void stand_back(SubStep* s) noexcept nogil:
    cdef Frame was, now
    cdef Momentum sum
    cdef SubBody* body
    cdef const Place* place
    cdef Contact* c
    cdef double t = s.start + s.h, turned = 0.0
    cdef Vec2 way = vec2(0.0, 0.0)
    cdef int k
    cdef bint floats = s.n_bodies == s.n_movable
    for k in range(s.n_movable):
        floats = floats and not s.bodies[k].through
    if floats:
        sum = momentum_of(s)
        was, now = rigid_frame(&s.before), rigid_frame(&sum)
        way, turned = scaled(0.5 * t, add(was.v, now.v)), t * now.w
    for k in range(s.n_movable):
        body = &s.bodies[k]
        place = &s.ctx.places[body.row]
        body.x, body.angle, body.pose = place.x, place.angle, place.pose
        if floats:
            shift(body, sub(add(way, turn_by(sub(place.x, was.x), turned)),
                            sub(place.x, was.x)), turned)
        body.speed = length(body.v) + fabs(body.w) * body.bounding_radius
    for k in range(s.n_contacts):
        s.contacts[k].fresh = s.contacts[k].ready = False
        c = &s.ctx.contacts[s.contacts[k].contact]
        if not isfinite(c.fn + c.ft + c.sum_n + c.sum_t):
            c.fn = c.ft = c.sum_n = c.sum_t = 0.0
    refresh_all(s)
    forget_piece(s.links, s.n_links)
