"""Moving bodies: the one place that writes where they are."""

from libc.math cimport cos, sin

from engine2d.body cimport BodyData, Motion, Place
from engine2d.pose cimport Pose, rotate, to_world
from engine2d.vec2 cimport Vec2, add, sub, vec2

# rad: below this the series of `turn_by` are exact to rounding.
cdef extern from *:
    """
    #define ENGINE_SMALL_ANGLE 2e-3
    """
    double SMALL_ANGLE "ENGINE_SMALL_ANGLE"


cdef inline Vec2 turn_by(Vec2 q, double angle) noexcept nogil:
    """A frame's cosine and sine after it has turned by an angle."""
    cdef double s, c, t = angle * angle
    if t == 0.0:
        return q
    if -SMALL_ANGLE < angle < SMALL_ANGLE:
        s = angle * (1.0 - t / 6.0 * (1.0 - t / 20.0))
        c = 1.0 - 0.5 * t * (1.0 - t / 12.0)
    else:
        s = sin(angle)
        c = cos(angle)
    return rotate(q, vec2(c, s))


cdef inline void sync_place(const BodyData* body, Place* place) noexcept nogil:
    """The pose of the shapes' frame, from the centre of mass and the angle."""
    place.pose.q = vec2(cos(place.angle), sin(place.angle))
    place.pose.p = sub(place.x, rotate(place.pose.q, body.local_center))


cdef inline void put_frame(const BodyData* body, Vec2 p, double angle, Place* place) noexcept nogil:
    """Put the origin of the shapes' frame to p, turned by an angle: where users put a body."""
    place.angle = angle
    place.pose.p = p
    place.pose.q = vec2(cos(angle), sin(angle))
    place.x = to_world(&place.pose, body.local_center)


cdef inline void put_origin(const BodyData* body, Vec2 p, Place* place) noexcept nogil:
    """Put the origin of the shapes' frame to p; it stays turned as it is."""
    place.x = add(p, rotate(place.pose.q, body.local_center))
    place.pose.p = p


cdef inline void turn_about_origin(const BodyData* body, double angle, Place* place) noexcept nogil:
    """Turn a body to an angle about the origin of its frame, not about its centre of mass."""
    cdef Vec2 p = place.pose.p
    place.angle = angle
    sync_place(body, place)
    place.x = add(place.x, sub(p, place.pose.p))
    place.pose.p = p


cdef inline void put_center(Vec2 x, Place* place) noexcept nogil:
    """Let the centre of mass be at x to the last bit; the frame is there already but for
    rounding."""
    place.x = x


cdef inline void bring_to(const BodyData* body, Vec2 x, double angle, Place* place) noexcept nogil:
    """Bring the centre of mass to x and the body to an angle."""
    place.x = x
    place.angle = angle
    sync_place(body, place)


cdef inline void take_back(const Place* before, Place* place) noexcept nogil:
    """Let a body be where it was."""
    place[0] = before[0]


cdef inline void place_kinematic(const BodyData* body, const Motion* motion, const Place* before,
                                 double t, Place* place) noexcept nogil:
    """Where a body that moves by itself is a time t (s) after it was at `before`."""
    place.x = vec2(before.x.x + t * motion.v.x, before.x.y + t * motion.v.y)
    if motion.w != 0.0 or place.angle != before.angle:
        place.angle = before.angle + t * motion.w
        sync_place(body, place)
    else:
        place.pose.p = sub(place.x, rotate(place.pose.q, body.local_center))


cdef inline void move_body(const BodyData* body, Vec2 x, double angle, Motion* motion,
                           Place* place) noexcept nogil:
    """Bring the centre of mass to x and the body to an angle; the way counts for this step."""
    motion.d = add(motion.d, sub(x, place.x))
    motion.turned += angle - place.angle
    place.x = x
    if angle != place.angle:
        place.angle = angle
        sync_place(body, place)
    else:
        place.pose.p = sub(x, rotate(place.pose.q, body.local_center))
