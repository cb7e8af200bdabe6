"""The audit of small islands; small_energy.pxd has the contract."""

from engine3d.solve.sub_step cimport SubBody, set_speed, sync_spin
from engine3d.vec3 cimport Vec3, add_scaled, dot, scaled, sub, vec3

# Share of an island's kinetic energy that a second may add to it before it is taken back.
cdef double MOST_GAIN = 1e-4
# Times touch: what lifting an island by this much takes is no gain.
cdef double LEAST_GAIN = 1e-3


cdef double energy_of(const SubStep* s) noexcept nogil:
    cdef const SubBody* body
    cdef double out = 0.0, m
    cdef int k
    for k in range(s.n_movable):
        body = &s.bodies[k]
        m = body.root_m * body.root_m
        out += 0.5 * (m * dot(body.v, body.v) + dot(body.L, body.w))
        # from a place of the island: far from the origin digits would be lost
        out -= m * dot(body.outer, sub(body.x, s.origin))
    return out


cdef void take_back_gain(SubStep* s, double before) noexcept nogil:
    cdef SubBody* body
    cdef double gain, kinetic = 0.0, mass = 0.0, m, left
    cdef Vec3 mean = vec3(0.0, 0.0, 0.0)
    cdef int k
    if s.driven:
        return
    gain = energy_of(s) - before - s.work
    if not gain > 0.0:
        return
    for k in range(s.n_movable):
        m = s.bodies[k].root_m * s.bodies[k].root_m
        mean = add_scaled(mean, m, s.bodies[k].v)
        mass += m
    # what leans on something fixed has no velocity of its own to keep
    mean = scaled(1.0 / mass, mean) if s.n_bodies == s.n_movable else vec3(0.0, 0.0, 0.0)
    for k in range(s.n_movable):
        body = &s.bodies[k]
        m = body.root_m * body.root_m
        kinetic += 0.5 * (m * dot(sub(body.v, mean), sub(body.v, mean)) + dot(body.L, body.w))
    if not gain > MOST_GAIN * s.h / s.ctx.tol.root * kinetic + (
            LEAST_GAIN * mass * s.force * s.ctx.tol.touch):
        return
    s.ctx.counters.energy_audits += 1
    left = (1.0 - gain / kinetic) ** 0.5 if gain < kinetic else 0.0
    for k in range(s.n_movable):
        body = &s.bodies[k]
        body.v = add_scaled(mean, left, sub(body.v, mean))
        body.L = scaled(left, body.L)
        body.turn = s.turn
        sync_spin(body)
        set_speed(body)
