"""When two moving shapes meet, and how far apart they are; time_of_impact.pxd."""

from libc.math cimport INFINITY
from libc.string cimport memset

from enginecore.scalar cimport greater, lesser
from engine3d.arguments cimport (
    read_orientation, read_place, read_positive, read_velocity,
)
from engine3d.collide.geometry cimport HOLLOW, PLANE, reach_along
from engine3d.collide.gjk cimport Nearest, find_nearest
from engine3d.collide.narrow_phase cimport (
    MOST_POINTS, Touch, find_contacts, read_geometry, read_pose)
from engine3d.pose cimport rotate, seen_from, to_world, unrotate
from engine3d.quat cimport quat
from engine3d.vec3 cimport dot, length, negated, vec3


cdef enum:
    MOST_STEPS = 64     # of the search; then what was reached counts as the time
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


cdef bint find_impact_time(const Geometry* a, const Sweep* sweep_a, const Geometry* b,
                           const Sweep* sweep_b, double duration, double near,
                           double* t) noexcept nogil:
    cdef Vec3 n, v = sub(sweep_a.v, sweep_b.v), g = sub(sweep_a.a, sweep_b.a)
    cdef double turning = (length(sweep_a.w) * sweep_a.bounding_radius
                           + length(sweep_b.w) * sweep_b.bounding_radius)
    cdef double now = 0.0, gap, speed
    cdef Pose pa, pb
    cdef int _step
    for _step in range(MOST_STEPS):
        pa, pb = sweep_pose(sweep_a, now), sweep_pose(sweep_b, now)
        gap = gap_between(a, &pa, b, &pb, &n)
        if gap <= near:
            t[0] = now
            return True
        if b.kind == HOLLOW or a.kind == HOLLOW:
            # its normal turns with the place: any direction counts
            speed = length(v) + turning + length(g) * duration
        else:
            # while the plane across n parts them; what the acceleration adds until the end counts
            speed = turning - dot(n, v) + greater(greater(-dot(n, g), 0.0) * duration,
                                                  -dot(n, g) * now)
        if speed * (duration - now) < gap:
            return False
        now += (gap - 0.5 * near) / speed
        if now >= duration:
            return False
    t[0] = now
    return True


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
