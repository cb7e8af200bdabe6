# distutils: include_dirs = engine3d/solve enginecore
"""The audit of large islands; large_energy.pxd has the contract."""

from libc.math cimport sqrt
from libc.string cimport memset

from enginecore.body_head cimport DYNAMIC
from engine3d.solve.momentum cimport Rigid, rigid_motion, slow_about
from engine3d.vec3 cimport add_scaled, dot, length, scaled, sub

# Share of the kinetic energy that a second may add.
cdef double MOST_GAIN = 1e-4
# Times touch: what lifting all by this much takes is no gain.
cdef double LEAST_GAIN = 10.0


cdef double energy_of(const StepContext* ctx, const int32_t* rows, int32_t n,
                      Vec3 origin) noexcept nogil:
    cdef double out = potential_of(ctx, rows, n, origin)
    cdef int32_t k
    for k in range(n):
        out += kinetic_of(ctx, rows[k])
    return out


cdef inline double kinetic_of(const StepContext* ctx, int32_t row) noexcept nogil:
    return 0.5 * (ctx.bodies[row].mass * dot(ctx.motions[row].v, ctx.motions[row].v)
                  + dot(ctx.motions[row].L, ctx.motions[row].w))


cdef double potential_of(const StepContext* ctx, const int32_t* rows, int32_t n,
                         Vec3 origin) noexcept nogil:
    """J, of gravity and users' forces."""
    cdef double out = 0.0
    cdef int32_t k, row
    cdef Vec3 a
    for k in range(n):
        row = rows[k]
        a = add_scaled(scaled(ctx.bodies[row].gravity_scale, ctx.gravity), ctx.motions[row].inv_m,
                       ctx.bodies[row].force)
        out -= ctx.bodies[row].mass * dot(a, sub(ctx.places[row].x, origin))
    return out


cdef bint is_driven(const StepContext* ctx, const int32_t* rows, int32_t n, const int32_t* pairs,
                    int32_t n_pairs, bint* is_alone) noexcept nogil:
    """Whether torques or bodies that move by themselves may add energy; is_alone: nothing that
    cannot be moved takes part."""
    cdef int32_t k, row
    cdef int side
    is_alone[0] = True
    for k in range(n):
        if length(ctx.bodies[rows[k]].torque) != 0.0:
            return True
    for k in range(n_pairs):
        for side in range(2):
            row = ctx.pairs[pairs[k]].b if side else ctx.pairs[pairs[k]].a
            if ctx.heads[row].kind != DYNAMIC:
                is_alone[0] = False
                if length(ctx.motions[row].v) != 0.0 or length(ctx.motions[row].w) != 0.0:
                    return True
    return False


cdef void take_back_gain(StepContext* ctx, const int32_t* rows, int32_t n, const int32_t* pairs,
                         int32_t n_pairs, Vec3 origin, double before) noexcept nogil:
    cdef double gain = energy_of(ctx, rows, n, origin) - before, kinetic = 0.0, mass = 0.0, left
    cdef Rigid common
    cdef int32_t k
    cdef bint is_alone = True
    if not gain > 0.0 or is_driven(ctx, rows, n, pairs, n_pairs, &is_alone):
        return
    memset(&common, 0, sizeof(Rigid))
    for k in range(n):
        mass += ctx.bodies[rows[k]].mass
        kinetic += kinetic_of(ctx, rows[k])
    if is_alone:
        # what momenta ask for stays
        common = rigid_motion(ctx, rows, n)
        kinetic -= common.energy
    if not gain > MOST_GAIN * ctx.dt / ctx.tol.root * kinetic + mass * length(ctx.gravity) * (
            LEAST_GAIN * ctx.tol.touch):
        return
    ctx.counters.energy_audits += 1
    # what shall be left, and not what is too much: that may be 1e15 times as large
    left = before - potential_of(ctx, rows, n, origin) - common.energy
    slow_about(ctx, rows, n, &common, sqrt(left / kinetic) if left > 0.0 else 0.0)
