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
    double own       # kg m^2, of this that of the bodies about their own centres

# A rigid motion: the velocity of the point x, and the rate of turning.
ctypedef struct Frame:
    Vec2 x           # m
    Vec2 v           # m/s
    double w         # rad/s

# How an island is given the angular momentum that it had: its rigid motion, by how much faster it
# is to turn (rad/s), by what share (< 0: slower) the rest of its motion changes, and by what share
# its bodies are put farther from its centre.
ctypedef struct Turning:
    Frame frame
    double more
    double share
    double apart

cdef extern from *:
    """
    #define ENGINE_SPIN_ROUNDING 1e-28
    #define ENGINE_MOST_LACKING 0.3
    """
    # Of the square of the most that angular momentum can be: less is rounding.
    double SPIN_ROUNDING "ENGINE_SPIN_ROUNDING"
    # Of its energy: an island that needs more than that in addition turns by another motion.
    double MOST_LACKING "ENGINE_MOST_LACKING"


cdef inline Momentum no_momentum(Vec2 origin) noexcept nogil:
    cdef Momentum out
    out.origin = origin
    out.moment = out.linear = vec2(0.0, 0.0)
    out.mass = out.angular = out.inertia = out.own = 0.0
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
    sum.own += inertia


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


cdef inline Vec2 velocity_in(const Frame* frame, Vec2 x) noexcept nogil:
    """The velocity of the frame's point that is at x."""
    return add(frame.v, turn(frame.w, sub(x, frame.x)))


cdef inline double angular_about_center(const Momentum* sum) noexcept nogil:
    """kg m^2/s."""
    return sum.angular - cross(scaled(1.0 / sum.mass, sum.moment), sum.linear)


cdef inline bint find_turning(const Momentum* before, const Momentum* now, double loose,
                              Turning* out) noexcept nogil:
    """How bodies are to turn as one to have the angular momentum about their centre that they had,
    with the energy that they have; loose: J, of their motion beyond the rigid one. False: there is
    nothing to do, or not enough energy for it."""
    cdef double inertia = inertia_about_center(now), lacking, rate, rest, energy, angular
    out.frame = rigid_frame(now)
    if not inertia > 0.0 or not loose > 0.0:
        return False
    angular = angular_about_center(before)
    lacking = angular - angular_about_center(now)
    energy = loose + 0.5 * inertia * out.frame.w * out.frame.w
    if lacking * lacking <= SPIN_ROUNDING * inertia * energy:
        return False
    rate = out.frame.w + lacking / inertia
    rest = energy - 0.5 * inertia * rate * rate
    out.apart = 0.0
    if rest < 0.0:
        # as one they have too much energy: they are nearer to each other than they should be
        if rest < -MOST_LACKING * energy or not inertia > now.own:
            return False
        rate, rest = 2.0 * energy / angular, 0.0
        out.apart = sqrt((angular / rate - now.own) / (inertia - now.own)) - 1.0
    out.more = rate - out.frame.w
    out.share = sqrt(rest / loose) - 1.0
    return True


cdef inline Vec2 change_by(const Turning* turning, Vec2 x, Vec2 v) noexcept nogil:
    """m/s: what a body at x (m) that moves at v (m/s) is given; it is put elsewhere, too."""
    cdef Vec2 r = sub(x, turning.frame.x)
    cdef Vec2 more = turn(turning.more + turning.apart * (turning.more + turning.frame.w), r)
    return add(more, scaled(turning.share, sub(v, velocity_in(&turning.frame, x))))


cdef inline Vec2 shift_by(const Turning* turning, Vec2 x) noexcept nogil:
    """m: how far a body at x (m) is put from there."""
    return scaled(turning.apart, sub(x, turning.frame.x))


cdef inline double spin_by(const Turning* turning, double w) noexcept nogil:
    """rad/s: the same of one that turns at w (rad/s)."""
    return turning.more + turning.share * (w - turning.frame.w)


cdef inline Frame standing_frame() noexcept nogil:
    cdef Frame out
    out.x = out.v = vec2(0.0, 0.0)
    out.w = 0.0
    return out


cdef inline double share_within(double b, double q, double limit) noexcept nogil:
    """The share of all impulses with which contacts give just `limit` (J): the root s <= 1 of
    b s + q s^2/2 = limit, for b + q/2 > limit >= 0 and q > 0."""
    return (sqrt(b * b + 2.0 * q * limit) - b) / q


cdef inline double kinetic_energy(double m, double inertia, Vec2 v, double w) noexcept nogil:
    return 0.5 * (m * dot(v, v) + inertia * w * w)


cdef inline double inverse(double x) noexcept nogil:
    """1/x, and 0 for 0: a mass from its inverse, where what no impulse moves does not count."""
    return 1.0 / x if x > 0.0 else 0.0
