"""What contacts may give: energy that rises is taken back (docs/maths/energy.md).

With v0 the velocities without contacts and D = v - v0 what contacts gave, in the metric of the
masses, contacts change the kinetic energy by b + q/2 with b = v0.D and q = D.D. A solved problem
has b + q/2 <= W, the work of kinematic bodies; one that is not may have more.
"""

from libc.math cimport sqrt

from engine2d.vec2 cimport Vec2, add, cross, dot, scaled, sub, turn, vec2

# Sums over the bodies of an island, positions from `origin` so that no digits are lost far out.
ctypedef struct Momentum:
    Vec2 origin      # m
    double mass      # kg
    Vec2 moment      # kg m, sum of m r
    Vec2 linear      # kg m/s
    double angular   # kg m^2/s, about the origin
    double inertia   # kg m^2, about the origin

# A rigid motion: the velocity of the point x, and the rate of turning.
ctypedef struct Frame:
    Vec2 x           # m
    Vec2 v           # m/s
    double w         # rad/s


cdef inline Momentum no_momentum(Vec2 origin) noexcept nogil:
    cdef Momentum out
    out.origin = origin
    out.moment = out.linear = vec2(0.0, 0.0)
    out.mass = out.angular = out.inertia = 0.0
    return out


cdef inline void add_momentum(double m, double inertia, Vec2 x, Vec2 v, double w,
                              Momentum* sum) noexcept nogil:
    """Add a body of mass m (kg) and inertia (kg m^2) at x (m) that moves with v and w."""
    cdef Vec2 r = sub(x, sum.origin)
    sum.mass += m
    sum.moment = add(sum.moment, scaled(m, r))
    sum.linear = add(sum.linear, scaled(m, v))
    sum.angular += m * cross(r, v) + inertia * w
    sum.inertia += m * dot(r, r) + inertia


cdef inline Frame rigid_frame(const Momentum* sum) noexcept nogil:
    """The rigid motion that has the same momentum and angular momentum as the bodies."""
    cdef Frame out
    cdef Vec2 r = scaled(1.0 / sum.mass, sum.moment)
    cdef double inertia = sum.inertia - sum.mass * dot(r, r)
    out.x = add(sum.origin, r)
    out.v = scaled(1.0 / sum.mass, sum.linear)
    out.w = (sum.angular - cross(r, sum.linear)) / inertia if inertia > 0.0 else 0.0
    return out


cdef inline double inertia_about_center(const Momentum* sum) noexcept nogil:
    """kg m^2, of all bodies as one."""
    cdef Vec2 r = scaled(1.0 / sum.mass, sum.moment)
    return sum.inertia - sum.mass * dot(r, r)


cdef inline double spin_to_restore(const Momentum* before, const Momentum* now, bint floats,
                                   Frame* frame) noexcept nogil:
    """rad/s, by which bodies are to turn faster, all as one, to have the angular momentum about
    their centre of mass that they had; writes their rigid motion now. floats: no force acts on
    them; it is that about any point then, also while some of them wait for others to come to
    their time."""
    cdef Frame then = rigid_frame(before)
    cdef Vec2 arm = sub(then.x, before.origin)
    cdef double had = before.angular - cross(arm, before.linear), inertia
    frame[0] = rigid_frame(now)
    arm = sub(frame.x, now.origin)
    inertia = now.inertia - now.mass * dot(arm, arm)
    if not inertia > 0.0:
        return 0.0
    if floats:
        had = before.angular
        arm = sub(before.origin, now.origin)
    return (had - (now.angular - cross(arm, now.linear))) / inertia


cdef inline Frame standing_frame() noexcept nogil:
    cdef Frame out
    out.x = out.v = vec2(0.0, 0.0)
    out.w = 0.0
    return out


cdef inline Vec2 velocity_in(const Frame* frame, Vec2 x) noexcept nogil:
    """The velocity of the frame's point that is at x."""
    return add(frame.v, turn(frame.w, sub(x, frame.x)))


cdef inline double share_within(double b, double q, double limit) noexcept nogil:
    """The share of all impulses with which contacts give just `limit` (J): the root s <= 1 of
    b s + q s^2/2 = limit, for b + q/2 > limit >= 0 and q > 0."""
    return (sqrt(b * b + 2.0 * q * limit) - b) / q


cdef inline double kinetic_energy(double m, double inertia, Vec2 v, double w) noexcept nogil:
    return 0.5 * (m * dot(v, v) + inertia * w * w)


cdef inline double inverse(double x) noexcept nogil:
    """1/x, and 0 for 0: a mass from its inverse, where what no impulse moves does not count."""
    return 1.0 / x if x > 0.0 else 0.0
