"""Moving bodies: the one place that writes where they are (docs/maths/rigid3d.md)."""

from libc.math cimport exp

from engine3d.body cimport BodyData, Motion, Place
from engine3d.quat cimport Quat, matrix_of, normalised, product, quat
from engine3d.vec3 cimport (
    Mat3, Vec3, add_scaled, apply, apply_transposed, cross, length, sub, vec3,
)

# rad: in parts of this much RK4 keeps the energy of a free top to 1e-8 over minutes; in so many of
# them what turns farther ends somewhere. Fewer, and fast tops end after less than a full turn.
cdef extern from *:
    """
    #define ENGINE_MOST_TURN 0.08
    #define ENGINE_MOST_TURNS 128
    """
    double MOST_TURN "ENGINE_MOST_TURN"
    int MOST_TURNS "ENGINE_MOST_TURNS"


cdef inline Vec3 spin_of(const Mat3* r, const Mat3* inv_I, Vec3 L) noexcept nogil:
    """Angular velocity (rad/s) of a body with orientation r and angular momentum L."""
    return apply(r, apply(inv_I, apply_transposed(r, L)))


cdef inline Vec3 momentum_of(const Mat3* r, const Mat3* inertia, Vec3 w) noexcept nogil:
    """Angular momentum (kg m^2/s) of a body with orientation r that turns with w."""
    return apply(r, apply(inertia, apply_transposed(r, w)))


cdef inline Quat _rate(Quat q, Vec3 w) noexcept nogil:
    """q' = q (0, w)/2, w in the body's frame."""
    return product(q, quat(0.0, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z))


cdef inline Quat _moved(Quat a, double s, Quat b) noexcept nogil:
    return quat(a.w + s * b.w, a.x + s * b.x, a.y + s * b.y, a.z + s * b.z)


cdef inline Quat turn_freely(Quat q, const Mat3* inv_I, Vec3 L, double h) noexcept nogil:
    """The orientation after a time h (s) without a torque: Runge-Kutta of order 4 on orientation
    and momentum in the body's frame, which begins anew from the world's L in every part."""
    cdef Mat3 r = matrix_of(q)
    cdef Vec3 M = apply_transposed(&r, L), w, k1, k2, k3, M2
    cdef Quat g1, g2, g3, g4
    cdef double turn = length(apply(inv_I, M)) * h
    cdef int parts = 1, k
    if turn == 0.0:
        return q
    if turn > MOST_TURN * MOST_TURNS:
        # more than a full turn: where it ends says nothing, but its energy has to stay
        h *= MOST_TURN * MOST_TURNS / turn
        parts = MOST_TURNS
    else:
        parts = 1 + <int> (turn / MOST_TURN)
    h /= parts
    for k in range(parts):
        if k > 0:
            r = matrix_of(q)
            M = apply_transposed(&r, L)
        w = apply(inv_I, M)
        k1 = cross(M, w)
        g1 = _rate(q, w)
        M2 = add_scaled(M, 0.5 * h, k1)
        w = apply(inv_I, M2)
        k2 = cross(M2, w)
        g2 = _rate(_moved(q, 0.5 * h, g1), w)
        M2 = add_scaled(M, 0.5 * h, k2)
        w = apply(inv_I, M2)
        k3 = cross(M2, w)
        g3 = _rate(_moved(q, 0.5 * h, g2), w)
        M2 = add_scaled(M, h, k3)
        w = apply(inv_I, M2)
        g4 = _rate(_moved(q, h, g3), w)
        q = normalised(quat(q.w + h / 6.0 * (g1.w + 2.0 * (g2.w + g3.w) + g4.w),
                            q.x + h / 6.0 * (g1.x + 2.0 * (g2.x + g3.x) + g4.x),
                            q.y + h / 6.0 * (g1.y + 2.0 * (g2.y + g3.y) + g4.y),
                            q.z + h / 6.0 * (g1.z + 2.0 * (g2.z + g3.z) + g4.z)))
    return q


cdef inline double damped(double v, double a, double c, double t) noexcept nogil:
    """v after a time t of v' = a - c v."""
    cdef double left
    if c <= 0.0:
        return v + a * t
    left = exp(-c * t)
    return v * left + a * (1.0 - left) / c


cdef inline Vec3 damped_vector(Vec3 v, Vec3 a, double c, double t) noexcept nogil:
    return vec3(damped(v.x, a.x, c, t), damped(v.y, a.y, c, t), damped(v.z, a.z, c, t))


cdef inline void sync_place(const BodyData* body, Place* place) noexcept nogil:
    """The pose of the shapes' frame, from the centre of mass and the orientation."""
    place.pose.r = matrix_of(place.q)
    place.pose.p = sub(place.x, apply(&place.pose.r, body.local_center))


cdef inline void place_frame(const BodyData* body, Vec3 position, Quat q,
                             Place* place) noexcept nogil:
    """Put the frame of a body somewhere, as users do."""
    place.q = q
    place.pose.r = matrix_of(q)
    place.pose.p = position
    place.x = add_scaled(position, 1.0, apply(&place.pose.r, body.local_center))


cdef inline void take_back(const Place* before, Place* place) noexcept nogil:
    """Let a body be where it was."""
    place[0] = before[0]


cdef inline void move_body(const BodyData* body, Vec3 x, Quat q, Motion* motion,
                           Place* place) noexcept nogil:
    """Bring the centre of mass to x and the body to an orientation; the way counts for this step.
    """
    motion.d = add_scaled(motion.d, 1.0, sub(x, place.x))
    place.x = x
    place.q = q
    sync_place(body, place)


cdef inline void set_spin(const BodyData* body, const Place* place, Vec3 w,
                          Motion* motion) noexcept nogil:
    """Have a body turn with w, as users do."""
    motion.w = w
    motion.L = momentum_of(&place.pose.r, &body.inertia, w)


cdef inline void sync_spin(const BodyData* body, const Place* place,
                           Motion* motion) noexcept nogil:
    """Angular velocity from angular momentum."""
    motion.w = spin_of(&place.pose.r, &body.inv_I, motion.L)


cdef inline void fly(const BodyData* body, Vec3 outer, double h, Vec3* x, Quat* q, Vec3* v,
                     Vec3* L) noexcept nogil:
    """Free motion for a time h (s) under an acceleration and the user's torque."""
    cdef Vec3 new_v = damped_vector(v[0], outer, body.linear_damping, h)
    cdef Vec3 new_L = damped_vector(L[0], body.torque, body.angular_damping, h)
    x[0] = add_scaled(add_scaled(x[0], 0.5 * h, v[0]), 0.5 * h, new_v)
    # the momentum halfway: second order in a torque
    q[0] = turn_freely(q[0], &body.inv_I,
                       vec3(0.5 * (L.x + new_L.x), 0.5 * (L.y + new_L.y), 0.5 * (L.z + new_L.z)),
                       h)
    v[0] = new_v
    L[0] = new_L
