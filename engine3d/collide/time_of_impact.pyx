"""When two moving shapes meet, and how far apart they are; time_of_impact.pxd."""

from libc.math cimport INFINITY, fabs, sqrt
from libc.stdint cimport int32_t
from libc.string cimport memset

from enginecore.scalar cimport greater, lesser
from engine3d.arguments cimport (
    read_orientation, read_place, read_positive, read_velocity,
)
from engine3d.collide.geometry cimport CYLINDER, HOLLOW, PLANE, reach_along, support
from engine3d.collide.gjk cimport Nearest, find_nearest
from engine3d.collide.narrow_phase cimport (
    MOST_POINTS, Touch, find_contacts, read_geometry, read_pose)
from engine3d.pose cimport rotate, seen_from, to_world, unrotate
from engine3d.quat cimport quat
from engine3d.vec3 cimport add, cross, dot, length, negated, vec3


cdef enum:
    MOST_STEPS = 64     # of the search; then what was reached counts as the time
    CHORDS = 4          # of a search along one direction
# Share of a time to which such a search finds it.
cdef double NARROW = 1e-3
# Share of a depth to which the time when it is reached is found.
cdef double NEARLY = 0.1
# m: shapes this near touch, for the public function.
cdef double PUBLIC_TOLERANCE = 1e-9


cdef double gap_between(const Geometry* a, const Pose* pose_a, const Geometry* b,
                        const Pose* pose_b, Vec3* normal) noexcept nogil:
    cdef Pose rel
    cdef Nearest near
    cdef double out
    if a.kind >= PLANE:
        out = gap_of_open(b, pose_b, a, pose_a, normal)
        normal[0] = negated(normal[0])
        return out
    if b.kind >= PLANE:
        return gap_of_open(a, pose_a, b, pose_b, normal)
    rel = seen_from(pose_b, pose_a)
    find_nearest(a, b, &rel, vec3(0.0, 0.0, 0.0), &near)
    if near.distance <= 0.0:
        normal[0] = vec3(0.0, 0.0, 0.0)
        return 0.0
    normal[0] = rotate(pose_b, near.normal)
    return near.distance - radius_of(a) - radius_of(b)


cdef double gap_of_open(const Geometry* a, const Pose* pose_a, const Geometry* b,
                        const Pose* pose_b, Vec3* normal) noexcept nogil:
    """Of a finite shape and a half space or hollow sphere."""
    cdef Pose rel = seen_from(pose_b, pose_a)
    cdef double most = -1.0, at
    cdef Vec3 p, far = vec3(0.0, 0.0, 0.0)
    cdef int k
    if a.kind >= PLANE:
        normal[0] = vec3(0.0, 0.0, 0.0)
        return INFINITY
    if b.kind == PLANE:
        normal[0] = rotate(pose_b, b.axis)
        return (dot(b.axis, rel.p) - reach_along(a, negated(unrotate(&rel, b.axis))) - b.offset)
    for k in range(a.n_core):
        p = sub(to_world(&rel, a.core[k]), b.middle)
        at = length(p)
        if at > most:
            most, far = at, p
    normal[0] = rotate(pose_b, scaled(-1.0 / most, far)) if most > 0.0 else vec3(0.0, 0.0, 0.0)
    return b.radius - most - radius_of(a)


cdef inline double least_along(const Geometry* g, const Sweep* s, const Pose* at, double now,
                               Vec3 n, double t) noexcept nogil:
    """m: the least place along the unit vector n of a shape's points at a time t after `now`, if
    each goes on with the velocity that it has now; `at` is the shape's pose now. Of a plane that
    does not turn, whose normal is -n, the plane's."""
    cdef Vec3 d, v = add_scaled(s.v, now, s.a)
    cdef double along, size
    if g.kind == PLANE:
        return dot(n, add_scaled(at.p, t, v)) - g.offset
    # the points' velocities are v + w x r, so that this is the reach along another direction
    d = negated(unrotate(at, add_scaled(n, t, cross(n, s.w))))
    along = dot(n, add_scaled(to_world(at, s.local_center), t, v)) + dot(d, s.local_center)
    if g.boxed:
        return along - reach_along(g, d)
    if g.kind == CYLINDER:
        size = dot(g.axis, d)
        return along - (dot(g.middle, d) + g.offset * fabs(size)
                        + g.radius * sqrt(greater(0.0, dot(d, d) - size * size)))
    return along - dot(g.core[support(g, d)], d) - g.radius


cdef struct Approach:
    const Geometry* a
    const Geometry* b
    const Sweep* sweep_a
    const Sweep* sweep_b
    Pose pose_a      # at `now`
    Pose pose_b
    Vec3 n           # from B into A
    double now       # s
    double bend      # m/s^2: no gap bends faster towards contact
    double near      # m


cdef double gap_within(const Approach* p, double t) noexcept nogil:
    """As gap_at_least where B is hollow: its points are as far from its middle as they get."""
    cdef Vec3 v = sub(add_scaled(p.sweep_a.v, p.now, p.sweep_a.a),
                      add_scaled(p.sweep_b.v, p.now, p.sweep_b.a))
    cdef Vec3 middle = to_world(&p.pose_b, p.b.middle), r, at
    cdef double most = 0.0
    cdef int32_t k
    for k in range(p.a.n_core):
        r = rotate(&p.pose_a, sub(p.a.core[k], p.sweep_a.local_center))
        at = sub(to_world(&p.pose_a, p.a.core[k]), middle)
        at = add_scaled(at, t, add(v, cross(p.sweep_a.w, r)))
        most = greater(most, dot(at, at))
    return p.b.radius - sqrt(most) - radius_of(p.a) - 0.5 * p.bend * t * t - p.near


cdef double gap_at_least(const Approach* p, double t) noexcept nogil:
    """m: the gap along n at a time t after now, less `near`, is no less; concave in t."""
    if p.b.kind == HOLLOW:
        return gap_within(p, t)
    return (least_along(p.a, p.sweep_a, &p.pose_a, p.now, p.n, t)
            + least_along(p.b, p.sweep_b, &p.pose_b, p.now, negated(p.n), t)
            - 0.5 * p.bend * t * t - p.near)


cdef double time_apart(const Approach* p, double duration) noexcept nogil:
    """s: how long the two stay apart at least; more than the duration if all of it."""
    cdef double first = gap_at_least(p, 0.0), last = gap_at_least(p, duration), t = duration, at
    cdef double begin = 0.0
    cdef int _step
    if last > 0.0:
        return INFINITY
    if not first > 0.0:
        return 0.0
    # chords of a concave function are below it: where they end it is still positive
    for _step in range(CHORDS):
        at = begin + (t - begin) * first / (first - last)
        last = gap_at_least(p, 0.5 * (at + t))
        if last > 0.0:
            begin, first = 0.5 * (at + t), last
            last = gap_at_least(p, t)
        else:
            t = 0.5 * (at + t)
        if not first > 0.0 or t - begin < NARROW * t:
            break
    return begin + (t - begin) * first / (first - last)


cdef inline bint is_followed(const Geometry* g, const Sweep* s) noexcept nogil:
    """Whether `gap_at_least` knows a shape."""
    return g.kind < PLANE or (s.w.x == 0.0 and s.w.y == 0.0 and s.w.z == 0.0)


cdef void set_out(const Geometry* a, const Sweep* sweep_a, const Geometry* b,
                  const Sweep* sweep_b, double near, Approach* out) noexcept nogil:
    """Two shapes at time 0, the hollow one as B."""
    out.a, out.sweep_a, out.b, out.sweep_b = a, sweep_a, b, sweep_b
    if a.kind == HOLLOW:
        out.a, out.sweep_a, out.b, out.sweep_b = b, sweep_b, a, sweep_a
    out.near = near
    go_to(out, 0.0)


cdef inline void go_to(Approach* p, double now) noexcept nogil:
    p.now = now
    p.pose_a, p.pose_b = sweep_pose(p.sweep_a, now), sweep_pose(p.sweep_b, now)


cdef inline double bend_of(const Approach* p) noexcept nogil:
    """m/s^2: how fast turning may bend a gap."""
    return (dot(p.sweep_a.w, p.sweep_a.w) * p.sweep_a.bounding_radius
            + dot(p.sweep_b.w, p.sweep_b.w) * p.sweep_b.bounding_radius)


cdef inline double pull_of(const Approach* p) noexcept nogil:
    """m/s^2: likewise acceleration."""
    cdef Vec3 g = sub(p.sweep_a.a, p.sweep_b.a)
    return length(g) if p.b.kind == HOLLOW else -dot(p.n, g)


cdef bint find_impact_time(const Geometry* a, const Sweep* sweep_a, const Geometry* b,
                           const Sweep* sweep_b, double duration, double near,
                           double* t) noexcept nogil:
    cdef double now = 0.0, gap, speed, way, bend, pull, turning
    cdef Approach p
    cdef Vec3 v
    cdef bint followed
    cdef int _step
    set_out(a, sweep_a, b, sweep_b, 0.5 * near, &p)
    v = sub(p.sweep_a.v, p.sweep_b.v)
    bend = bend_of(&p)
    turning = (length(p.sweep_a.w) * p.sweep_a.bounding_radius
               + length(p.sweep_b.w) * p.sweep_b.bounding_radius)
    followed = is_followed(p.a, p.sweep_a) and is_followed(p.b, p.sweep_b)
    for _step in range(MOST_STEPS):
        gap = gap_between(p.a, &p.pose_a, p.b, &p.pose_b, &p.n)
        if gap <= near:
            t[0] = now
            return True
        pull = pull_of(&p)
        if p.b.kind == HOLLOW:
            # its normal turns with the place: any direction counts
            speed = length(v) + turning + pull * duration
        else:
            # while the plane across n parts them; what the acceleration adds until the end counts
            speed = turning - dot(p.n, v) + greater(greater(pull, 0.0) * duration, pull * now)
        if speed * (duration - now) < gap:
            return False
        way = (gap - p.near) / speed
        if followed:
            p.bend = greater(bend + pull, 0.0)
            way = greater(way, time_apart(&p, duration - now))
        now += way
        if now >= duration:
            return False
        go_to(&p, now)
    t[0] = now
    return True


cdef double find_sink_time(const Geometry* a, const Sweep* sweep_a, const Geometry* b,
                           const Sweep* sweep_b, Vec3 normal, double duration,
                           double deeper) noexcept nogil:
    cdef double now = 0.0, least = NEARLY * deeper
    cdef Approach p
    cdef int _step
    set_out(a, sweep_a, b, sweep_b, 0.0, &p)
    p.n = normal
    if not (is_followed(p.a, p.sweep_a) and is_followed(p.b, p.sweep_b)):
        return INFINITY
    p.bend = greater(bend_of(&p) + pull_of(&p), 0.0)
    p.near = lesser(gap_at_least(&p, 0.0), 0.0) - deeper
    for _step in range(MOST_STEPS):
        now += time_apart(&p, duration - now)
        if now >= duration:
            return INFINITY
        go_to(&p, now)
        if gap_at_least(&p, 0.0) < least:
            return now
    return now


# ---- the face ---------------------------------------------------------------------------------

def distance(shape_a, pose_a, shape_b, pose_b):
    """The distance of two shapes (m); where they overlap, less than 0: minus the depth.

    A pose is a position (x, y, z) or (position, orientation) of the frame a shape is given in.
    """
    cdef const Geometry* a = read_geometry(shape_a, "shape_a")
    cdef const Geometry* b = read_geometry(shape_b, "shape_b")
    cdef Pose pa = read_pose(pose_a, "pose_a"), pb = read_pose(pose_b, "pose_b")
    cdef Touch[MOST_POINTS] found
    cdef Vec3 normal
    cdef double gap = gap_between(a, &pa, b, &pb, &normal), least = INFINITY
    cdef int n, k
    if gap > 0.0 or a.kind >= PLANE or b.kind >= PLANE:
        return gap
    n = find_contacts(a, &pa, b, &pb, 0.0, NULL, found)
    for k in range(n):
        least = lesser(least, found[k].gap)
    return lesser(gap, least) if n > 0 else gap


def time_of_impact(shape_a, pose_a, velocity_a, shape_b, pose_b, velocity_b, duration):
    """When two moving shapes first touch (s), or None if they do not within the duration.

    A velocity is (v) or (v, w): of the shape's centroid (m/s), and of turning (rad/s).
    """
    cdef const Geometry* a = read_geometry(shape_a, "shape_a")
    cdef const Geometry* b = read_geometry(shape_b, "shape_b")
    cdef Sweep sa = read_sweep(a, pose_a, velocity_a, "a")
    cdef Sweep sb = read_sweep(b, pose_b, velocity_b, "b")
    cdef double t = 0.0
    if find_impact_time(a, &sa, b, &sb, read_positive(duration, "duration"), PUBLIC_TOLERANCE, &t):
        return t
    return None


cdef Sweep read_sweep(const Geometry* g, object pose, object velocity, str name) except *:
    cdef Sweep out
    cdef Pose at
    memset(&out, 0, sizeof(Sweep))
    pose, velocity = list(pose), list(velocity)
    out.q = quat(1.0, 0.0, 0.0, 0.0)
    if len(pose) == 2:
        out.q = read_orientation(pose[1], "pose_" + name)
        pose = pose[0]
    if len(velocity) == 2:
        out.w = read_velocity(velocity[1], "velocity_" + name)
        velocity = velocity[0]
    out.v = read_velocity(velocity, "velocity_" + name)
    at.p = read_place(pose, "pose_" + name)
    at.r = matrix_of(out.q)
    out.local_center = g.middle
    out.x = to_world(&at, g.middle)
    out.bounding_radius = 0.0 if g.kind >= PLANE else g.bounding_radius
    return out
