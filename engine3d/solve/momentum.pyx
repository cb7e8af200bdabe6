"""Momenta of islands that nothing fixed takes part in; momentum.pxd has the contract."""

from libc.math cimport fabs

from enginecore.body_head cimport DYNAMIC
from engine3d.body cimport BodyData, Motion
from engine3d.solve.integrate cimport momentum_of, sync_spin
from engine3d.vec3 cimport (
    Mat3, add, add_scaled, cross, dot, length, mat3, scaled, sub, times, times_transposed,
    vec3,
)

# Share of the product of its entries that the determinant of a tensor must have to be inverted.
cdef double LEAST_DETERMINANT = 1e-12


cdef bint is_alone(const StepContext* ctx, const int32_t* rows, int32_t n, const int32_t* pairs,
                   int32_t n_pairs) noexcept nogil:
    """Whether nothing fixed, nothing of its user and no damping acts on an island."""
    cdef const BodyData* body
    cdef int32_t k
    for k in range(n_pairs):
        if (ctx.heads[ctx.pairs[pairs[k]].a].kind != DYNAMIC
                or ctx.heads[ctx.pairs[pairs[k]].b].kind != DYNAMIC):
            return False
    for k in range(n):
        body = &ctx.bodies[rows[k]]
        if (body.linear_damping != 0.0 or body.angular_damping != 0.0
                or body.gravity_scale != ctx.bodies[rows[0]].gravity_scale
                or length(body.force) != 0.0 or length(body.torque) != 0.0
                or not body.inv_I.x.x > 0.0):
            return False
    return True


cdef Vec3 common_centre(const StepContext* ctx, const int32_t* rows, int32_t n,
                        double mass) noexcept nogil:
    """m, from the first body's centre, so that digits are kept far from the origin."""
    cdef Vec3 out = vec3(0.0, 0.0, 0.0)
    cdef int32_t k
    for k in range(n):
        out = add_scaled(out, ctx.bodies[rows[k]].mass / mass,
                         sub(ctx.places[rows[k]].x, ctx.places[rows[0]].x))
    return out


cdef Vec3 spin_about(const StepContext* ctx, const int32_t* rows, int32_t n, Vec3 centre,
                     Vec3 drift) noexcept nogil:
    """kg m^2/s about the common centre, that of the common velocity left out."""
    cdef Vec3 out = vec3(0.0, 0.0, 0.0), arm
    cdef const Motion* motion
    cdef int32_t k
    for k in range(n):
        motion = &ctx.motions[rows[k]]
        arm = arm_of(ctx, rows, k, centre)
        out = add(out, add(motion.L, scaled(ctx.bodies[rows[k]].mass,
                                            cross(arm, sub(motion.v, drift)))))
    return out


cdef Totals measure_totals(const StepContext* ctx, const int32_t* rows, int32_t n,
                           const int32_t* pairs, int32_t n_pairs) noexcept nogil:
    cdef Totals out
    cdef int32_t k
    out.mass = 0.0
    out.p = out.spin = vec3(0.0, 0.0, 0.0)
    out.alone = n > 1 and is_alone(ctx, rows, n, pairs, n_pairs)
    if not out.alone:
        return out
    for k in range(n):
        out.mass += ctx.bodies[rows[k]].mass
        out.p = add_scaled(out.p, ctx.bodies[rows[k]].mass, ctx.motions[rows[k]].v)
    out.spin = spin_about(ctx, rows, n, common_centre(ctx, rows, n, out.mass),
                          scaled(1.0 / out.mass, out.p))
    out.p = add_scaled(out.p, out.mass * ctx.dt * ctx.bodies[rows[0]].gravity_scale, ctx.gravity)
    return out


cdef bint solve_three(const Mat3* m, Vec3 b, Vec3* x) noexcept nogil:
    """x of m x = b by Cramer's rule, for a tensor that is not flat."""
    cdef double det = dot(m.x, cross(m.y, m.z))
    if not fabs(det) > LEAST_DETERMINANT * m.x.x * m.y.y * m.z.z:
        return False
    x[0] = scaled(1.0 / det, add(add(scaled(b.x, cross(m.y, m.z)), scaled(b.y, cross(m.z, m.x))),
                                 scaled(b.z, cross(m.x, m.y))))
    return True


cdef Mat3 whole_tensor(const StepContext* ctx, const int32_t* rows, int32_t n,
                       Vec3 centre) noexcept nogil:
    """kg m^2, of all bodies about their common centre."""
    cdef Mat3 out = mat3(vec3(0.0, 0.0, 0.0), vec3(0.0, 0.0, 0.0), vec3(0.0, 0.0, 0.0))
    cdef Mat3 half, tensor
    cdef Vec3 arm
    cdef double m, rr
    cdef int32_t k
    for k in range(n):
        m = ctx.bodies[rows[k]].mass
        half = times(&ctx.places[rows[k]].pose.r, &ctx.bodies[rows[k]].inertia)
        tensor = times_transposed(&half, &ctx.places[rows[k]].pose.r)
        arm = arm_of(ctx, rows, k, centre)
        rr = m * dot(arm, arm)
        out.x = add(add_scaled(out.x, -m * arm.x, arm), add(tensor.x, vec3(rr, 0.0, 0.0)))
        out.y = add(add_scaled(out.y, -m * arm.y, arm), add(tensor.y, vec3(0.0, rr, 0.0)))
        out.z = add(add_scaled(out.z, -m * arm.z, arm), add(tensor.z, vec3(0.0, 0.0, rr)))
    return out


cdef inline Vec3 arm_of(const StepContext* ctx, const int32_t* rows, int32_t k,
                        Vec3 centre) noexcept nogil:
    """m, of a body from the common centre."""
    return sub(sub(ctx.places[rows[k]].x, ctx.places[rows[0]].x), centre)


cdef Rigid rigid_motion(const StepContext* ctx, const int32_t* rows, int32_t n) noexcept nogil:
    cdef Rigid out
    cdef Mat3 whole
    cdef Vec3 spin
    cdef double mass = 0.0
    cdef int32_t k
    out.v = out.w = vec3(0.0, 0.0, 0.0)
    for k in range(n):
        mass += ctx.bodies[rows[k]].mass
        out.v = add_scaled(out.v, ctx.bodies[rows[k]].mass, ctx.motions[rows[k]].v)
    out.v = scaled(1.0 / mass, out.v)
    out.centre = common_centre(ctx, rows, n, mass)
    spin = spin_about(ctx, rows, n, out.centre, out.v)
    whole = whole_tensor(ctx, rows, n, out.centre)
    if not solve_three(&whole, spin, &out.w):
        out.w = spin = vec3(0.0, 0.0, 0.0)
    out.energy = 0.5 * (mass * dot(out.v, out.v) + dot(spin, out.w))
    return out


cdef void slow_about(StepContext* ctx, const int32_t* rows, int32_t n, const Rigid* common,
                     double share) noexcept nogil:
    cdef Motion* motion
    cdef Vec3 v, L
    cdef int32_t k
    for k in range(n):
        motion = &ctx.motions[rows[k]]
        v = add(common.v, cross(common.w, arm_of(ctx, rows, k, common.centre)))
        L = momentum_of(&ctx.places[rows[k]].pose.r, &ctx.bodies[rows[k]].inertia, common.w)
        motion.v = add_scaled(v, share, sub(motion.v, v))
        motion.L = add_scaled(L, share, sub(motion.L, L))
        sync_spin(&ctx.bodies[rows[k]], &ctx.places[rows[k]], motion)


cdef void keep_totals(StepContext* ctx, const int32_t* rows, int32_t n,
                      const Totals* first) noexcept nogil:
    cdef Mat3 whole
    cdef Vec3 p = vec3(0.0, 0.0, 0.0), centre, missing, turn = p
    cdef Motion* motion
    cdef int32_t k
    if not first.alone:
        return
    for k in range(n):
        p = add_scaled(p, ctx.bodies[rows[k]].mass, ctx.motions[rows[k]].v)
    centre = common_centre(ctx, rows, n, first.mass)
    missing = sub(first.spin, spin_about(ctx, rows, n, centre, scaled(1.0 / first.mass, p)))
    whole = whole_tensor(ctx, rows, n, centre)
    if not solve_three(&whole, missing, &turn):
        return
    p = scaled(1.0 / first.mass, sub(first.p, p))
    for k in range(n):
        motion = &ctx.motions[rows[k]]
        motion.v = add(add(motion.v, p), cross(turn, arm_of(ctx, rows, k, centre)))
        motion.L = add(motion.L, momentum_of(&ctx.places[rows[k]].pose.r,
                                             &ctx.bodies[rows[k]].inertia, turn))
        sync_spin(&ctx.bodies[rows[k]], &ctx.places[rows[k]], motion)
