"""The audit of small islands; small_energy.pxd has the contract."""

from enginecore.scalar cimport greater
from engine3d.joint.link_step cimport spring_energy
from engine3d.solve.integrate cimport spin_of
from engine3d.solve.sub_step cimport SubBody, set_speed, sync_spin
from engine3d.vec3 cimport Vec3, add_scaled, dot, length, scaled, sub, vec3

# Share of an island's kinetic energy that a second may add to it before it is taken back.
cdef double MOST_GAIN = 1e-4
# Times touch: what lifting an island by this much takes is no gain.
cdef double LEAST_GAIN = 1e-3
# Share of its kinetic energy that the step of an island with joints may gain: what swings on joints
# and springs gains and loses within a bound. Of blows the share that is rounding.
cdef double STEP_GAIN = 5e-4
# Times the fastest point of an island: what an unsolved problem makes faster was thrown by it.
cdef double THROWN = 2.0


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


cdef double kinetic_of(const SubStep* s) noexcept nogil:
    cdef const SubBody* body
    cdef double out = 0.0
    cdef int k
    for k in range(s.n_movable):
        body = &s.bodies[k]
        out += 0.5 * (body.root_m * body.root_m * dot(body.v, body.v) + dot(body.L, body.w))
    return out


cdef double mass_of(const SubStep* s) noexcept nogil:
    cdef double mass = 0.0
    cdef int k
    for k in range(s.n_movable):
        mass += s.bodies[k].root_m * s.bodies[k].root_m
    return mass


cdef Vec3 common_velocity(const SubStep* s) noexcept nogil:
    """m/s; what leans on something fixed has no velocity of its own to keep."""
    cdef Vec3 mean = vec3(0.0, 0.0, 0.0)
    cdef double m, mass = 0.0
    cdef int k
    if s.n_bodies > s.n_movable:
        return mean
    for k in range(s.n_movable):
        m = s.bodies[k].root_m * s.bodies[k].root_m
        mean = add_scaled(mean, m, s.bodies[k].v)
        mass += m
    return scaled(1.0 / mass, mean)


cdef double kinetic_about(const SubStep* s, Vec3 mean) noexcept nogil:
    cdef const SubBody* body
    cdef double out = 0.0, m
    cdef int k
    for k in range(s.n_movable):
        body = &s.bodies[k]
        m = body.root_m * body.root_m
        out += 0.5 * (m * dot(sub(body.v, mean), sub(body.v, mean)) + dot(body.L, body.w))
    return out


cdef void take_back_gain(SubStep* s, double before) noexcept nogil:
    cdef double gain
    if s.driven:
        return
    gain = energy_of(s) - before - s.work
    if not gain > 0.0:
        return
    if not gain > MOST_GAIN * s.h / s.ctx.tol.root * kinetic_about(s, common_velocity(s)) + (
            LEAST_GAIN * mass_of(s) * s.force * s.ctx.tol.touch):
        return
    slow_down(s, gain)


cdef void take_back_step(SubStep* s, double before) noexcept nogil:
    cdef double gain
    if s.powered:
        return
    gain = energy_of(s) + spring_energy(s) - before
    if gain > STEP_GAIN * kinetic_about(s, common_velocity(s)) + (
            LEAST_GAIN * mass_of(s) * s.force * s.ctx.tol.touch):
        slow_down(s, gain)


cdef void slow_thrown(SubStep* s) noexcept nogil:
    cdef SubBody* body
    cdef double most = 0.0, speed, share
    cdef int k, i
    if s.n_bodies == s.n_movable:
        return
    for k in range(s.n_bodies):
        body = &s.bodies[k]
        most = greater(most, body.speed)
        if body.movable:
            most = greater(most, length(body.free_v) + body.bounding_radius * length(
                spin_of(&body.pose.r, &body.inv_I, body.free_L)))
    for k in range(s.n_movable):
        body = &s.bodies[k]
        speed = length(body.new_v) + length(body.new_w) * body.bounding_radius
        if not speed > THROWN * most:
            continue
        share = THROWN * most / speed
        body.thrown = True
        body.new_v, body.new_w = scaled(share, body.new_v), scaled(share, body.new_w)
        for i in range(6):
            s.V[6 * k + i] *= share


cdef void slow_down(SubStep* s, double gain) noexcept nogil:
    cdef SubBody* body
    cdef Vec3 mean = common_velocity(s)
    cdef double kinetic = kinetic_about(s, mean), left
    cdef int k
    s.ctx.counters.energy_audits += 1
    left = (1.0 - gain / kinetic) ** 0.5 if gain < kinetic else 0.0
    for k in range(s.n_movable):
        body = &s.bodies[k]
        body.v = add_scaled(mean, left, sub(body.v, mean))
        body.L = scaled(left, body.L)
        body.turn = s.turn
        sync_spin(body)
        set_speed(body)
