"""Rules of a pair of shapes that reach into the solvers (docs/maths/rules.md).

Surfaces that run, as on a conveyor, blows that give more than they take, resistance to rolling and
to spin.
"""

from enginecore.rule cimport BOOSTED, DRIVEN
from engine3d.contact cimport Pair
from engine3d.impact cimport ImpactInput
from engine3d.vec3 cimport (
    Mat3, Vec3, across, add, add_scaled, apply, cross, dot, length, scaled, sub, vec3,
)

# Share of the moment against a remaining rotation that is kept for the next sub-step. More, and
# spheres rock before they rest on a slope; less, and they creep for longer.
cdef extern from *:
    """
    #define ENGINE3D_KEPT_TORQUE 0.0625
    """
    double KEPT_TORQUE "ENGINE3D_KEPT_TORQUE"


cdef inline Vec3 drive_of(const Pair* pair, const Mat3* r_a, const Mat3* r_b,
                          Vec3 normal) noexcept nogil:
    """m/s, across the normal: how fast A's surface runs over A, less B's over B; r_a, r_b: the
    rotations of their frames. Friction acts on the slip of the bodies plus this."""
    cdef Vec3 u
    if not pair.flags & DRIVEN:
        return vec3(0.0, 0.0, 0.0)
    u = sub(apply(r_a, pair.surface_a), apply(r_b, pair.surface_b))
    return add_scaled(u, -dot(u, normal), normal)


cdef inline Vec3 kick(const ImpactInput* given, const Pair* pair, Vec3 p) noexcept nogil:
    """The impulse (N s) of a blow with what its boost gives besides: along the normal, so that two
    bodies part faster by `boost` times their speed of approach."""
    cdef Vec3 arm_a, arm_b
    cdef double before, k
    if not pair.flags & BOOSTED:
        return p
    before = dot(given.f, sub(add(given.a.v, cross(given.a.w, given.a.r)),
                              add(given.b.v, cross(given.b.w, given.b.r))))
    arm_a, arm_b = cross(given.a.r, given.f), cross(given.b.r, given.f)
    k = (given.a.inv_m + given.b.inv_m + dot(arm_a, apply(&given.a.inv_I, arm_a))
         + dot(arm_b, apply(&given.b.inv_I, arm_b)))
    if not (before < 0.0 and k > 0.0):
        return p
    return add(p, scaled(-pair.boost * before / k, given.f))


cdef inline bint resists_turning(const Pair* pair) noexcept nogil:
    return pair.rolling > 0.0 or pair.spinning > 0.0


cdef inline Vec3 limit_turn(Vec3 kept, Vec3 w, double soft, double h, double most,
                            Vec3* keep) noexcept nogil:
    """N m, against one part of the relative rotation: what was kept, and what ends w (rad/s) in a
    sub-step, within a bound. What is not bounded is rest: a share of it is kept."""
    cdef Vec3 now = add_scaled(kept, 1.0 / (soft * h), w)
    cdef double size = length(now)
    if size > most:
        # it rolls; what would drive it is no rest's
        if dot(kept, w) < 0.0:
            kept = vec3(0.0, 0.0, 0.0)
        keep[0] = scaled(most / length(kept), kept) if length(kept) > most else kept
        return scaled(most / size, now)
    keep[0] = add_scaled(kept, KEPT_TORQUE / (soft * h), w)
    return now


cdef inline Vec3 rolling_axis(Vec3 n, Vec3 w) noexcept nogil:
    """Unit: the axis across the normal about which w rolls; any, if it does not."""
    cdef Vec3 roll = add_scaled(w, -dot(w, n), n)
    cdef double size = length(roll)
    return scaled(1.0 / size, roll) if size > 0.0 else across(n)


cdef inline Vec3 resist_turning(Pair* pair, Vec3 n, Vec3 w, double soft_roll, double soft_spin,
                                double force, double h) noexcept nogil:
    """N m: the torque on B, and its opposite on A, against their relative rotation w (rad/s) under
    a normal force (N): at most `rolling` and `spinning` (m) times that. soft (1/(kg m^2)): what a
    moment about the rolling axis, and about the normal, does to their rotation. Writes pair.torque,
    what is kept for the next sub-step, as at rest on a slope.

    The caller applies first of all pairs what this exceeds the torque that was kept before, so that
    each sees the rotation that others leave, then of all what was kept.
    """
    cdef Vec3 spin = scaled(dot(w, n), n), held = scaled(dot(pair.torque, n), n)
    cdef Vec3 rolled = vec3(0.0, 0.0, 0.0), spun = rolled, roll, twist
    if not (force > 0.0 and soft_roll > 0.0 and soft_spin > 0.0):
        pair.torque = rolled
        return rolled
    roll = limit_turn(sub(pair.torque, held), sub(w, spin), soft_roll, h, pair.rolling * force,
                      &rolled)
    twist = limit_turn(held, spin, soft_spin, h, pair.spinning * force, &spun)
    pair.torque = add(rolled, spun)
    return add(roll, twist)
