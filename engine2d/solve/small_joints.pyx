"""Joints of small islands; small_joints.pxd has the contract, docs/maths/joints.md why."""

from libc.stdint cimport int64_t

from enginecore.scalar cimport greater
from engine2d.joint.joint cimport Frame
from engine2d.joint.link cimport (
    Rider, calm, cap_drags, loosen, position_rows, prepare_links, spring_energy, stiffen,
    swing_energy, take_links)
from engine2d.pose cimport Pose, to_world
from engine2d.solve.small_energy cimport has_given, hold_back, keep_free, kinematic_work
from engine2d.solve.small_step cimport SUB_STEPS
from engine2d.solve.solver_direct cimport solve_rows
from engine2d.solve.sub_step cimport SubBody, go_back

# Relative change of an inertia under tension that asks for another solve, and how many there are.
cdef double STIFFENED = 0.2
cdef enum:
    MOST_SOLVES = 3


cdef inline Frame frame_at(const SubBody* body, const Pose* pose, double turned) noexcept nogil:
    cdef Frame out
    out.q, out.center, out.angle = pose.q, body.local_center, body.angle + turned
    out.x = to_world(pose, body.local_center)
    return out


cdef void see_riders(SubStep* s) noexcept nogil:
    cdef int k
    cdef const SubBody* body
    cdef Rider* out
    for k in range(s.n_bodies):
        body, out = &s.bodies[k], &s.riders[k]
        out.start = frame_at(body, &body.pose, 0.0)
        out.start.x = body.x
        out.v, out.w, out.inv_m, out.inv_I = body.v, body.w, body.inv_m, body.inv_I
        out.movable, out.row = body.movable, body.row


cdef inline double held_energy(const SubStep* s) noexcept nogil:
    """J, of springs, less what swings: by the sub-steps of a step that nothing cuts short, so that
    pieces of a step agree on it."""
    return (spring_energy(s.links, s.n_links, s.riders)
            - swing_energy(s.links, s.n_links, s.riders, s.ctx.dt / SUB_STEPS))


cdef void open_springs(SubStep* s) noexcept nogil:
    see_riders(s)
    s.work += held_energy(s)
    s.torn = position_rows(s.links, s.n_links, s.riders, NULL)


cdef void close_springs(SubStep* s) noexcept nogil:
    see_riders(s)
    s.work -= held_energy(s)


cdef void prepare_joints(SubStep* s) noexcept nogil:
    cdef int k
    cdef const SubBody* body
    cdef Rider* out
    cdef double t
    see_riders(s)
    for k in range(s.n_bodies):
        body, out = &s.bodies[k], &s.riders[k]
        t = body.consumed if body.waits and body.consumed < s.h else s.h
        out.mid = frame_at(body, &body.mid, 0.5 * t * body.w)
        out.end = frame_at(body, &body.end, t * body.w)
    s.drift = greater(s.drift, prepare_links(s.links, s.n_links, s.riders, s.h,
                                             s.ctx.tol.touch, s.rows))


cdef void solve_linked(SubStep* s) noexcept nogil:
    cdef int k, _solve, n = 2 * s.n_contacts + s.n_link_rows
    cdef double changed
    cdef int64_t failures = s.ctx.counters.direct_failures
    stiffen(s.links, s.n_links, s.riders, s.n_bodies, s.h, s.rows, s.motions)
    calm(s.riders, s.n_bodies, s.h, s.motions)
    keep_free(s)
    solve_rows(s.rows, n, s.motions, s.n_bodies, s.drift, s.direct, &s.ctx.counters)
    for _solve in range(MOST_SOLVES):
        changed = stiffen(s.links, s.n_links, s.riders, s.n_bodies, s.h, s.rows, s.motions)
        if not cap_drags(s.links, s.n_links, s.h, s.rows) and changed < STIFFENED:
            break
        go_back(s)
        failures = s.ctx.counters.direct_failures
        solve_rows(s.rows, n, s.motions, s.n_bodies, s.drift, s.direct, &s.ctx.counters)
    if s.ctx.counters.direct_failures > failures and has_given(s):
        solve_again(s, n)
    # what joints and bodies that move by themselves give is no gain
    s.work += take_links(s.links, s.n_links, s.riders, s.motions, s.rows, s.h, s.threshold,
                         &s.ctx.books)
    s.work += kinematic_work(s)
    for k in range(s.n_movable):
        s.riders[k].last_w = s.bodies[k].w
    for k in range(s.n_links):
        s.bodies[s.links[k].a].bears = s.bodies[s.links[k].b].bears = True
        s.bodies[s.links[k].a].unsteady = s.bodies[s.links[k].b].unsteady = True


cdef void solve_again(SubStep* s, int n) noexcept nogil:
    """Where nothing solved the rows and those that hold gave energy: joints give a little, and if
    that does no good all count less."""
    cdef int64_t failures = s.ctx.counters.direct_failures
    go_back(s)
    loosen(s.links, s.n_links, s.riders, s.rows)
    solve_rows(s.rows, n, s.motions, s.n_bodies, s.drift, s.direct, &s.ctx.counters)
    if s.ctx.counters.direct_failures > failures and has_given(s):
        hold_back(s)
