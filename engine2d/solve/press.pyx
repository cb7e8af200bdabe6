"""Bodies that are pressed; press.pxd has the contract, docs/maths/fixed_step.md why."""

from libc.math cimport fabs

from enginecore.scalar cimport greater, lesser
from engine2d.body cimport Motion
from engine2d.solve.row cimport Row
from engine2d.solve.small_step cimport SUB_STEPS
from engine2d.solve.sub_step cimport LEAST_APPROACH, SubBody, is_driver
from engine2d.vec2 cimport length, vec2

# Share of its speed: where a contact closes faster after the solve, a kinematic body has no room.
cdef double NO_ROOM = 0.05
# Times its speed: what it presses does not become faster, or it has no room.
cdef double THROWN = 2.0
# Of that, in a sub-step of a whole step: in a shorter one less, or many of them throw it.
cdef double BY_A_LITTLE = 0.1


cdef inline bint is_thrown(const SubStep* s, const SubBody* body, const Motion* now, double h,
                           double most) noexcept nogil:
    """Whether a solve has made a body faster than a bound (m/s), and not by a little, nor by what
    external forces give in a time h (s)."""
    cdef double v = length(now.v), w = 0.5 * fabs(now.w) * body.bounding_radius
    cdef double little = BY_A_LITTLE * most * lesser(SUB_STEPS * s.h / s.ctx.dt, 1.0)
    return (v > greater(most, length(body.v) + h * length(body.outer) + little)
            or w > greater(most, 0.5 * fabs(body.w) * body.bounding_radius + little))


cdef double press_speed(const SubStep* s) noexcept nogil:
    cdef double most = 0.0
    cdef bint several = False
    cdef int k
    for k in range(s.n_movable, s.n_bodies):
        several = several or s.bodies[k].row != s.bodies[s.n_movable].row
        if is_driver(s, &s.bodies[k]):
            most = greater(most, s.bodies[k].speed)
    return most if several else 0.0


cdef bint has_thrown(const SubStep* s, double speed) noexcept nogil:
    cdef Motion now
    cdef int k
    for k in range(s.n_movable):
        now.v, now.w = s.bodies[k].v, s.bodies[k].w
        if is_thrown(s, &s.saved[k], &now, 0.0, THROWN * speed):
            return True
    return False


cdef bint is_jammed(const SubStep* s, int n) noexcept nogil:
    cdef const Row* row
    cdef const Motion* a
    cdef const Motion* b
    cdef double most = press_speed(s)
    cdef int k
    if most <= LEAST_APPROACH * s.ctx.root:
        return False
    for k in range(s.n_movable):
        # nearly without room: out of a narrowing gap bodies come as fast as one likes
        if is_thrown(s, &s.bodies[k], &s.motions[k], s.h, THROWN * most):
            return True
    for k in range(0, n, 2):
        row = &s.rows[k]
        a, b = &s.motions[row.a], &s.motions[row.b]
        if (row.ja[0] * a.v.x + row.ja[1] * a.v.y + row.ja[2] * a.w + row.jb[0] * b.v.x
                + row.jb[1] * b.v.y + row.jb[2] * b.w + row.bias < -NO_ROOM * most):
            return True
    return False


cdef void let_stand(SubStep* s) noexcept nogil:
    cdef SubBody* body
    cdef int k
    s.jammed = True
    for k in range(s.n_movable, s.n_bodies):
        body = &s.bodies[k]
        if is_driver(s, body):
            body.v, body.w, body.speed = vec2(0.0, 0.0), 0.0, 0.0
            s.motions[k].v, s.motions[k].w = body.v, 0.0
