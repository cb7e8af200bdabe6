"""Position projection; small_push.pxd has the contract, docs/maths/solver3d.md why."""

from libc.math cimport INFINITY
from libc.string cimport memset

from enginecore.row_solver cimport LEAST_SCALE
from enginecore.scalar cimport greater, lesser
from engine3d.collide.narrow_phase cimport refresh
from engine3d.joint.assembly_solve cimport solve_swept
from engine3d.joint.link_step cimport link_error, position_cones
from engine3d.quat cimport matrix_of, turned_by
from engine3d.solve.small_rows cimport write_rows
from engine3d.solve.solver_direct cimport solve_cones
from engine3d.solve.sub_step cimport SubBody, SubContact, sync_spin
from engine3d.vec3 cimport Vec3, across, apply, cross, sub, vec3

# Times touch: errors of joints (m, rad) below this are rounding and not corrected; beyond the
# other one a correction is not enough.
cdef double NO_ERROR = 1e-6
cdef double ERROR_LEFT = 1e-2
# m/s: what a body that is pushed out of another may get in a sub-step, times that.
cdef double PUSH_SPEED = 2.4
cdef enum:
    MOST_PROJECTIONS = 6       # where joints hold
    MOST_CORRECTIONS = 2       # of places in a sub-step of a sparse island


cdef void project(SubStep* s) noexcept nogil:
    cdef int k
    if s.links == NULL:
        correct(s, False)
        return
    for k in range(MOST_CORRECTIONS if s.links.sparse else MOST_PROJECTIONS):
        if not correct(s, link_error(s) > (ERROR_LEFT if k > 0 else NO_ERROR) * s.ctx.tol.touch):
            return


cdef bint correct(SubStep* s, bint torn) noexcept nogil:
    """One correction, if something overlaps or is torn: whether it was needed."""
    cdef SubContact* m
    cdef SubBody* body
    cdef const double* V
    cdef double least = INFINITY, most = greater(s.ctx.tol.push, PUSH_SPEED * s.ctx.tol.root * s.h)
    cdef Vec3 turn
    cdef int k, n
    for k in range(s.n_contacts):
        m = &s.contacts[k]
        refresh(&m.c.at, &s.bodies[m.a].pose, &s.bodies[m.b].pose)
        least = lesser(least, m.c.at.gap)
    if not (torn or least < -s.ctx.tol.slop):
        return False
    s.ctx.counters.projections += 1
    for k in range(s.n_bodies):
        body = &s.bodies[k]
        body.mid, body.x_mid = body.pose, body.x
    for k in range(s.n_contacts):
        m = &s.contacts[k]
        m.n = m.c.at.normal
        m.t1 = across(m.n)
        m.t2 = cross(m.n, m.t1)
        m.ra = sub(m.c.at.point, s.bodies[m.a].x)
        m.rb = sub(m.c.at.point, s.bodies[m.b].x)
        write_rows(s, m, &s.cones[k])
        s.cones[k].bias[0] = greater(m.c.at.gap + 0.5 * s.ctx.tol.slop, -most)
        s.cones[k].bias[1] = s.cones[k].bias[2] = 0.0
    memset(s.V, 0, 6 * (s.n_movable + 1) * sizeof(double))
    n = s.n_contacts
    if s.links != NULL:
        n += position_cones(s, &s.cones[n])
    # of this problem the rows are lengths
    s.direct.least = LEAST_SCALE * s.ctx.tol.unit
    if s.links != NULL and s.links.sparse:
        solve_swept(s.cones, s.n_contacts, s.links, s.V, NO_ERROR * s.direct.least)
    else:
        solve_cones(s.cones, n, s.V, s.n_movable, 0.0, s.direct, &s.ctx.counters.direct)
    s.direct.least = LEAST_SCALE * s.ctx.tol.root
    for k in range(s.n_movable):
        body = &s.bodies[k]
        V = s.V + 6 * k
        body.x = vec3(body.x.x + V[0] / body.root_m, body.x.y + V[1] / body.root_m,
                      body.x.z + V[2] / body.root_m)
        turn = apply(&body.pose.r, apply(&body.root, vec3(V[3], V[4], V[5])))
        body.turn = s.turn
        body.q = turned_by(body.q, turn)
        body.pose.r = matrix_of(body.q)
        body.pose.p = sub(body.x, apply(&body.pose.r, body.local_center))
        sync_spin(body)
    return True
