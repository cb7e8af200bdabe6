"""Queries about the shapes of a world: points, boxes, rays, overlaps, casts, nearness.

Candidates come from the tree over the broad phase's boxes, which hold all that bodies sweep in a
step: nothing is moved to answer. Answers come in the order of shape ids, or of the way along a ray.
"""

import numpy as np

from libc.math cimport INFINITY
from libc.string cimport memset

from enginecore.box_query cimport cast_ray, look_near, set_ray, set_sweep
from enginecore.boxes cimport Box
from enginecore.filter cimport lets_through, read_sieve
from enginecore.query cimport Query as AnyQuery
from enginecore.query cimport read_points
from enginecore.scalar cimport lesser
from engine3d.arguments cimport read_at_least_zero, read_place, read_vector
from engine3d.collide.geometry cimport PLANE, ROUND
from engine3d.collide.narrow_phase cimport (
    MOST_POINTS, Touch, find_contacts, read_geometry, read_pose)
from engine3d.pose cimport to_local
from engine3d.collide.ray cimport cast_ray_at, contains
from enginecore.body_shape cimport shape_of
from engine3d.body_shape cimport as_shape
from engine3d.store cimport bound_shape
from engine3d.collide.time_of_impact cimport gap_between
from engine3d.vec3 cimport add_scaled, dot, length, sub, vec3
from engine3d.vector cimport as_vector

from enginecore.query import Found, QueryHit, Rays  # no-cython-lint

# m: a cast shape has met another when they are this near.
cdef double CAST_GAP = 1e-9
# Share of a distance by which boxes may seem nearer.
cdef double DISTANCE_ROUNDING = 1e-12


# ---- kernels ----------------------------------------------------------------------------------

cdef inline bint passes(const Sieve* sieve, const ShapeData* shape) noexcept nogil:
    """Whether a query with this sieve is about a shape."""
    return lets_through(sieve, &shape.filter, shape.sensor)


cdef inline void keep_if_first(Search* search, int32_t id, const RayHit* hit) noexcept nogil:
    if hit.t < search.best or (hit.t == search.best and id < search.id):
        search.best, search.id, search.hit = hit.t, id, hit[0]


cdef double meet_ray(void* context, int32_t id, double t, double limit) noexcept nogil:
    """A Meet that keeps the first shape a ray hits."""
    cdef Search* search = <Search*> context
    cdef const ShapeData* shape = &search.shapes[id]
    cdef RayHit hit
    if passes(&search.sieve, shape) and cast_ray_at(
            shape.geometry, &search.places[shape.body].pose, search.start, search.end, &hit):
        keep_if_first(search, id, &hit)
    return search.best if search.id >= 0 else limit


cdef double meet_cast(void* context, int32_t id, double t, double limit) noexcept nogil:
    """A Meet that keeps the first shape a moving one meets."""
    cdef Search* search = <Search*> context
    cdef const ShapeData* shape = &search.shapes[id]
    cdef RayHit hit
    if passes(&search.sieve, shape) and cast_at(search, shape, &hit):
        keep_if_first(search, id, &hit)
    return search.best if search.id >= 0 else limit


cdef bint cast_at(const Search* search, const ShapeData* shape, RayHit* hit) noexcept nogil:
    """When a shape that goes straight meets another; what it leaves it does not."""
    cdef Pose pa, pb = search.places[shape.body].pose
    cdef Touch[MOST_POINTS] found
    cdef double t = 0.0
    cdef int n, k, best = 0
    if not find_cast_time(search, shape, &t):
        return False
    pa = search.pose
    pa.p = add_scaled(pa.p, t, search.end)
    n = find_contacts(search.geometry, &pa, shape.geometry, &pb, 2.0 * CAST_GAP, NULL, found)
    if n == 0:
        return False
    for k in range(1, n):
        if found[k].gap < found[best].gap:
            best = k
    hit.t, hit.point, hit.normal = t, found[best].point, found[best].normal
    return t > 0.0 or dot(hit.normal, search.end) < 0.0


cdef bint find_cast_time(const Search* search, const ShapeData* shape, double* t) noexcept nogil:
    """Conservative advancement along a straight way without turning."""
    cdef Pose pa = search.pose, pb = search.places[shape.body].pose
    cdef Vec3 n
    cdef double gap, speed
    cdef int _step
    t[0] = 0.0
    for _step in range(100):
        pa.p = add_scaled(search.pose.p, t[0], search.end)
        gap = gap_between(search.geometry, &pa, shape.geometry, &pb, &n)
        if gap <= CAST_GAP:
            return True
        speed = length(search.end) if shape.geometry.kind > PLANE else -dot(n, search.end)
        if not speed > 0.0:
            return False
        t[0] += (gap - 0.5 * CAST_GAP) / speed
        if t[0] > 1.0:
            return False
    return True


cdef double meet_near(void* context, int32_t id, double t, double limit) noexcept nogil:
    """A Meet that keeps the nearest shape; t and limits are squared distances."""
    cdef Search* search = <Search*> context
    cdef const ShapeData* shape = &search.shapes[id]
    cdef double gap
    cdef RayHit hit
    if passes(&search.sieve, shape):
        gap = distance_to(search, shape, &hit)
        if gap < search.best or (gap == search.best and id < search.id):
            search.best, search.id, search.hit = gap, id, hit
    if search.best <= 0.0:
        return 0.0
    return lesser(limit, search.best * search.best * (1.0 + DISTANCE_ROUNDING))


cdef double distance_to(const Search* search, const ShapeData* shape, RayHit* hit) noexcept nogil:
    """Signed distance of the point asked about, and the nearest point of the surface."""
    cdef Geometry ball
    cdef Pose at
    cdef Touch[MOST_POINTS] found
    cdef Vec3[1] core
    cdef double gap
    cdef int n
    memset(&ball, 0, sizeof(Geometry))
    memset(&at, 0, sizeof(Pose))
    at.p = search.start
    at.r.x.x = at.r.y.y = at.r.z.z = 1.0
    core[0] = vec3(0.0, 0.0, 0.0)
    ball.kind, ball.n_core, ball.core = ROUND, 1, core
    gap = gap_between(&ball, &at, shape.geometry, &search.places[shape.body].pose, &hit.normal)
    if gap <= 0.0 and shape.geometry.kind < PLANE:
        n = find_contacts(&ball, &at, shape.geometry, &search.places[shape.body].pose, 0.0, NULL,
                          found)
        if n > 0:
            gap, hit.normal = found[0].gap, found[0].normal
    hit.t = 0.0
    hit.point = add_scaled(search.start, -gap, hit.normal)
    return gap


# ---- the face -----------------------------------------------------------------------------------

cdef class Query(AnyQuery):

    def __cinit__(self, BodyStore store not None):
        self.store = store

    # Arguments are read before `begin`: reading them may run any code, and change the world.

    cdef int begin(self, str what, const Sieve* sieve, Search* out) except -1:
        """A query to the shapes of the store as it is now."""
        self.store.check_idle(what)
        self.store.settle()
        self.store.phase.prepare_questions()
        memset(out, 0, sizeof(Search))
        out.shapes, out.places = self.store.shapes, self.store.places
        out.sieve = sieve[0]
        out.id, out.best = -1, INFINITY
        return 0

    cdef object overlapping(self, const double* low, const double* high):
        """Ids of shapes whose boxes overlap this one, ascending."""
        cdef Box box
        cdef int axis
        for axis in range(3):
            box.low[axis], box.high[axis] = low[axis], high[axis]
        return self.ids_in(&self.store.phase.tree.t, self.store.phase.boxes.tight, &box)

    cdef object shape_of_id(self, int32_t id, object body):
        return shape_of(self.store, id, body)

    cdef object answer(self, const Search* search, double way):
        """The best shape, as users see it; way (m): its length."""
        if search.id < 0:
            return None
        return self.hit(search.id, as_vector(search.hit.point), as_vector(search.hit.normal),
                        search.best, search.best * way)

    cdef object cast_for(self, Ray* ray, Meet meet, Search* search):
        self.store.busy = True
        with nogil:
            cast_ray(&self.store.phase.tree.t, &self.store.phase.boxes, ray, meet, search)
        self.store.busy = False
        return self.answer(search, length(search.end) if search.geometry != NULL
                           else length(sub(search.end, search.start)))

    def point(self, point, filter, sensors):
        cdef Vec3 p = read_place(point, "point")
        cdef Sieve sieve = read_sieve(filter, sensors)
        cdef Search search
        cdef const ShapeData* shape
        cdef int32_t id
        found = []
        self.begin("point_query", &sieve, &search)
        for item in self.overlapping(&p.x, &p.x):
            id = item
            shape = &self.store.shapes[id]
            if passes(&sieve, shape) and contains(
                    shape.geometry, to_local(&self.store.places[shape.body].pose, p)):
                found.append(self.found(id))
        return found

    def box(self, low, high, filter, sensors):
        cdef Vec3 p = read_vector(low, "low"), q = read_vector(high, "high")
        cdef Sieve sieve = read_sieve(filter, sensors)
        cdef Search search
        cdef const ShapeData* shape
        cdef Box tight
        cdef int32_t id
        if not (p.x <= q.x and p.y <= q.y and p.z <= q.z):
            raise ValueError(f"low must not exceed high, got {low!r} and {high!r}")
        found = []
        self.begin("box_query", &sieve, &search)
        for item in self.overlapping(&p.x, &q.x):
            id = item
            shape = &self.store.shapes[id]
            bound_shape(shape, &self.store.places[shape.body], &tight)
            if passes(&sieve, shape) and (
                    tight.low[0] <= q.x and tight.high[0] >= p.x and tight.low[1] <= q.y
                    and tight.high[1] >= p.y and tight.low[2] <= q.z and tight.high[2] >= p.z):
                found.append(self.found(id))
        return found

    def overlap(self, shape, pose, filter, sensors):
        cdef ShapeData mine
        cdef Place place
        cdef Sieve sieve = read_sieve(filter, sensors)
        cdef Search search
        cdef Touch[MOST_POINTS] touches
        cdef const ShapeData* other
        cdef Box box
        cdef int32_t id
        memset(&mine, 0, sizeof(ShapeData))
        shape = as_shape(shape)
        mine.geometry = read_geometry(shape, "shape")
        place.pose = read_pose(pose, "pose")
        bound_shape(&mine, &place, &box)
        found = []
        self.begin("overlap_query", &sieve, &search)
        for item in self.overlapping(box.low, box.high):
            id = item
            other = &self.store.shapes[id]
            if passes(&sieve, other) and find_contacts(
                    mine.geometry, &place.pose, other.geometry,
                    &self.store.places[other.body].pose, 0.0, NULL, touches) > 0:
                found.append(self.found(id))
        return found

    def ray(self, start, end, filter, sensors):
        cdef Search search
        cdef Sieve sieve = read_sieve(filter, sensors)
        cdef Vec3 p = read_place(start, "start"), q = read_place(end, "end")
        cdef Ray ray
        self.begin("ray_query", &sieve, &search)
        search.start, search.end = p, q
        set_ray(&p.x, &q.x, 3, &ray)
        return self.cast_for(&ray, meet_ray, &search)

    def ray_all(self, start, end, filter, sensors):
        cdef Search search
        cdef Sieve sieve = read_sieve(filter, sensors)
        cdef Vec3 p = read_place(start, "start"), q = read_place(end, "end"), low, high
        cdef RayHit hit
        cdef const ShapeData* shape
        cdef int32_t id
        cdef double way = length(sub(q, p))
        found = []
        self.begin("ray_query_all", &sieve, &search)
        low = vec3(min(p.x, q.x), min(p.y, q.y), min(p.z, q.z))
        high = vec3(max(p.x, q.x), max(p.y, q.y), max(p.z, q.z))
        for item in self.overlapping(&low.x, &high.x):
            id = item
            shape = &self.store.shapes[id]
            if passes(&sieve, shape) and cast_ray_at(
                    shape.geometry, &self.store.places[shape.body].pose, p, q, &hit):
                search.id, search.best, search.hit = id, hit.t, hit
                found.append((hit.t, id, self.answer(&search, way)))
        return [answer for _, _, answer in sorted(found, key=lambda item: item[:2])]

    def rays(self, starts, ends, filter, sensors):
        cdef Sieve sieve = read_sieve(filter, sensors)
        cdef Search search
        cdef Ray ray
        cdef Py_ssize_t k, n
        first = read_points(starts, "starts", 3).reshape(-1, 3)
        last = read_points(ends, "ends", 3).reshape(-1, 3)
        n = max(len(first), len(last))
        if len(first) not in (1, n) or len(last) not in (1, n):
            raise ValueError(f"starts has {len(first)} rows, but ends has {len(last)}")
        cdef const double[:, ::1] p = np.ascontiguousarray(np.broadcast_to(first, (n, 3)))
        cdef const double[:, ::1] q = np.ascontiguousarray(np.broadcast_to(last, (n, 3)))
        out = Rays(np.full(n, -1, np.int32), np.full(n, -1, np.int32), np.zeros((n, 3)),
                   np.zeros((n, 3)), np.full(n, np.inf))
        cdef int32_t[::1] body = out.body, shape = out.shape
        cdef double[:, ::1] point = out.point, normal = out.normal
        cdef double[::1] fraction = out.fraction
        self.begin("ray_query_many", &sieve, &search)
        self.store.busy = True
        with nogil:
            for k in range(n):
                search.id, search.best = -1, INFINITY
                search.start = vec3(p[k, 0], p[k, 1], p[k, 2])
                search.end = vec3(q[k, 0], q[k, 1], q[k, 2])
                set_ray(&p[k, 0], &q[k, 0], 3, &ray)
                cast_ray(&self.store.phase.tree.t, &self.store.phase.boxes, &ray, meet_ray,
                         &search)
                if search.id >= 0:
                    body[k] = self.store.heads[search.shapes[search.id].body].id
                    shape[k], fraction[k] = search.id, search.best
                    point[k, 0], point[k, 1] = search.hit.point.x, search.hit.point.y
                    point[k, 2] = search.hit.point.z
                    normal[k, 0], normal[k, 1] = search.hit.normal.x, search.hit.normal.y
                    normal[k, 2] = search.hit.normal.z
        self.store.busy = False
        return out

    def cast(self, shape, pose, way, filter, sensors):
        cdef Search search
        cdef ShapeData mine
        cdef Place place
        cdef Sieve sieve = read_sieve(filter, sensors)
        cdef Vec3 d = read_vector(way, "way")
        cdef Box box
        cdef Ray ray
        memset(&mine, 0, sizeof(ShapeData))
        shape = as_shape(shape)
        mine.geometry = read_geometry(shape, "shape")
        if mine.geometry.kind >= PLANE:
            raise ValueError(f"shape must be finite to be cast, got {shape!r}")
        place.pose = read_pose(pose, "pose")
        bound_shape(&mine, &place, &box)
        self.begin("cast_query", &sieve, &search)
        search.geometry, search.pose, search.end = mine.geometry, place.pose, d
        set_sweep(&box, &d.x, 3, &ray)
        return self.cast_for(&ray, meet_cast, &search)

    def nearest(self, point, distance, filter, sensors):
        cdef Search search
        cdef Sieve sieve = read_sieve(filter, sensors)
        cdef Vec3 p = read_place(point, "point")
        cdef double far = INFINITY if distance is None else read_at_least_zero(distance, "distance")
        self.begin("nearest_query", &sieve, &search)
        search.start = p
        self.store.busy = True
        with nogil:
            look_near(&self.store.phase.tree.t, &self.store.phase.boxes, &p.x,
                      far * far if far < 1e150 else INFINITY, meet_near, &search)
        self.store.busy = False
        if search.id < 0 or search.best > far:
            return None
        found = self.answer(&search, 0.0)
        return found._replace(fraction=0.0, distance=search.best)
