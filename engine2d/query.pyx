"""Questions about the shapes of a world: points, boxes, rays, overlaps, casts, nearness.

Candidates come from a tree over the shapes' boxes, so that the cost of a query grows with the
logarithm of the world's size and with the number of answers; the first query after a step looks
once at all shapes. Answers come in the order of shape ids, or of the way along a ray; equal ones by
id. A query reads the world and writes to nothing that a step reads.
"""

import numpy as np

from libc.math cimport INFINITY, fabs
from libc.stdint cimport int64_t
from libc.string cimport memcmp

from enginecore.box_query cimport (
    Meet, Ray, cast_ray, collect, look_near, set_ray, set_sweep,
)
from enginecore.box_index cimport BoxIndex
from enginecore.boxes cimport LIVE, Box
from enginecore.filter cimport lets_through, read_sieve
from enginecore.memory cimport address
from enginecore.query cimport Query as AnyQuery
from enginecore.query cimport read_points
from enginecore.scalar cimport greater
from engine2d.arguments cimport FARTHEST, read_at_least_zero, read_place, read_vector
from enginecore.body_shape cimport shape_of
from engine2d.collide.geometry cimport contains
from engine2d.collide.narrow_phase cimport Touch, find_contacts, read_geometry, read_pose
from engine2d.pose cimport to_local
from engine2d.collide.ray cimport cast_ray_at, signed_distance_to
from engine2d.store cimport MOST_TOUCHED, bound_shape
from engine2d.collide.time_of_impact cimport Strike, cast_shape
from engine2d.vec2 cimport length, sub, vec2
from engine2d.vector cimport as_vector

from enginecore.query import Found, QueryHit, Rays  # no-cython-lint

# A cast shape has met another when they are this near.
cdef double CAST_GAP = 1e-9      # m
# Share of the numbers at hand by which distances may be off.
cdef double DISTANCE_ROUNDING = 1e-14


# ---- kernels ----------------------------------------------------------------------------------

cdef inline bint passes(const Sieve* sieve, const ShapeData* shape) noexcept nogil:
    """Whether a query with this sieve is about a shape."""
    return lets_through(sieve, &shape.filter, shape.sensor)


cdef inline void keep_if_first(Search* search, int32_t id, const RayHit* hit) noexcept nogil:
    if hit.t < search.best or (hit.t == search.best and id < search.id):
        search.best = hit.t
        search.id = id
        search.hit = hit[0]


cdef double meet_ray(void* context, int32_t id, double t, double limit) noexcept nogil:
    """A Meet that keeps the first shape a ray hits."""
    cdef Search* search = <Search*> context
    cdef const ShapeData* shape = &search.shapes[id]
    cdef RayHit hit
    if passes(&search.sieve, shape) and cast_ray_at(
            &shape.geometry, &search.places[shape.body].pose, search.start, search.end, &hit):
        keep_if_first(search, id, &hit)
    return search.best if search.id >= 0 else limit


cdef double meet_cast(void* context, int32_t id, double t, double limit) noexcept nogil:
    """A Meet that keeps the first shape a moving one meets."""
    cdef Search* search = <Search*> context
    cdef const ShapeData* shape = &search.shapes[id]
    cdef Strike strike
    cdef RayHit hit
    if passes(&search.sieve, shape) and cast_shape(
            search.geometry, &search.pose, search.end, &shape.geometry,
            &search.places[shape.body].pose, CAST_GAP, &strike):
        hit.t, hit.point, hit.normal = strike.t, strike.at.point, strike.at.normal
        keep_if_first(search, id, &hit)
    return search.best if search.id >= 0 else limit


cdef inline double squared_reach(Vec2 point, double far) noexcept nogil:
    """m^2: boxes this near may hold a shape that is `far` from a point, to rounding."""
    far += DISTANCE_ROUNDING * (1.0 + fabs(point.x) + fabs(point.y) + far)
    return far * far


cdef double meet_near(void* context, int32_t id, double t, double limit) noexcept nogil:
    """A Meet that keeps the shape nearest to a point; t and limit are squared distances."""
    cdef Search* search = <Search*> context
    cdef const ShapeData* shape = &search.shapes[id]
    cdef Vec2 point, normal
    cdef double far
    if not passes(&search.sieve, shape):
        return limit
    far = signed_distance_to(&shape.geometry, &search.places[shape.body].pose, search.start,
                             &point, &normal)
    if far < search.best or (far == search.best and (search.id < 0 or id < search.id)):
        search.best = far
        search.id = id
        search.hit.point = point
        search.hit.normal = normal
    return squared_reach(search.start, greater(search.best, 0.0))


cdef inline Box box_of(Vec2 low, Vec2 high) noexcept nogil:
    cdef Box box
    box.low[0], box.low[1], box.low[2] = low.x, low.y, 0.0
    box.high[0], box.high[1], box.high[2] = high.x, high.y, 0.0
    return box


cdef void see_shape(BodyStore store, BoxIndex index, Pose* poses, int32_t id,
                    bint anew) noexcept nogil:
    """Give the index the box of a shape where it is now; anew: whether or not its body moved."""
    cdef const Place* place
    cdef Vec2 low, high
    cdef Box box
    if not store.phase.boxes.state[id] & LIVE:
        index.drop(id)
        return
    place = &store.places[store.shapes[id].body]
    if not anew and memcmp(&poses[id], &place.pose, sizeof(Pose)) == 0:
        return
    poses[id] = place.pose
    bound_shape(&store.shapes[id], place, &low, &high)
    box = box_of(low, high)
    index.put(id, &box)


cdef void see_shapes(BodyStore store, BoxIndex index, Pose* poses, bint anew) noexcept nogil:
    """Bring the index up to date with all shapes."""
    cdef Py_ssize_t id, n = store.phase.boxes.n
    for id in range(n):
        see_shape(store, index, poses, <int32_t> id, anew)
    for id in range(n, index.boxes.n):
        index.drop(<int32_t> id)


cdef void see_touched(BodyStore store, BoxIndex index, Pose* poses) noexcept nogil:
    """Bring the index up to date with the shapes that their users touched."""
    cdef int32_t k
    for k in range(store.n_touched):
        see_shape(store, index, poses, store.touched[k], True)


cdef void ask_rays(BodyStore store, BoxIndex index, Search search, const double* starts,
                   const double* ends,
                   Py_ssize_t n, double* fraction, double* point, double* normal,
                   int32_t* body, int32_t* shape) noexcept nogil:
    """The first hit of each ray."""
    cdef Search one
    cdef Ray ray
    cdef Py_ssize_t k
    for k in range(n):
        one = search
        one.start = vec2(starts[2 * k], starts[2 * k + 1])
        one.end = vec2(ends[2 * k], ends[2 * k + 1])
        set_ray(&starts[2 * k], &ends[2 * k], 2, &ray)
        cast_ray(&index.tree.t, &index.boxes, &ray, meet_ray, &one)
        shape[k] = one.id
        body[k] = -1
        fraction[k] = INFINITY
        if one.id >= 0:
            body[k] = store.bodies[store.shapes[one.id].body].id
            fraction[k] = one.hit.t
            point[2 * k], point[2 * k + 1] = one.hit.point.x, one.hit.point.y
            normal[2 * k], normal[2 * k + 1] = one.hit.normal.x, one.hit.normal.y


# ---- the API boundary -----------------------------------------------------------------------

cdef int read_shape(object shape, object pose, ShapeData* out, Place* place) except -1:
    """A shape of the caller's, wherever he says."""
    out.geometry = read_geometry(shape, "shape")[0]
    place.pose = read_pose(pose, "pose")
    if fabs(place.pose.p.x) > FARTHEST or fabs(place.pose.p.y) > FARTHEST:
        raise ValueError(f"pose must be within {FARTHEST:g} m of the origin, got {pose!r}")
    if not length(out.geometry.middle) + out.geometry.bounding_radius <= FARTHEST:
        raise ValueError(f"shape must be within {FARTHEST:g} m, got {shape!r}")
    return 0


# ---- the face -----------------------------------------------------------------------------------

cdef class Query(AnyQuery):

    def __cinit__(self, BodyStore store not None):
        self.store = store
        self.index = BoxIndex(2)

    # Arguments are read before `enter`: reading them may run any code, and change the world.

    cdef int enter(self, str what) except -1:
        """Begin a query; the caller ends it by store.busy = False."""
        return self.store.enter(what)

    cdef int prepare(self) except -1:
        """Boxes where the shapes are, and the tree over them."""
        cdef BodyStore store = self.store
        # edits that nobody noted the shapes of may have been any
        cdef bint anew = store.n_touched > MOST_TOUCHED or (
            store.edits - self.seen_edits != store.noted_edits)
        self.reserve(store.phase.boxes.n)
        with nogil:
            if anew or not self.fresh:
                see_shapes(store, self.index, self.poses, anew)
            if not anew:
                see_touched(store, self.index, self.poses)
            self.index.settle()
        self.fresh = True
        self.seen_edits = store.edits
        store.n_touched = 0
        store.noted_edits = 0
        return 0

    cdef int reserve(self, Py_ssize_t n) except -1:
        """Make room for shape ids below n."""
        if n > self.index.capacity or self.poses == NULL:
            self.index.reserve(n)
            poses = np.zeros(self.index.capacity * sizeof(Pose), np.uint8)
            if self.poses != NULL:
                poses[:len(self.pose_array)] = self.pose_array
            self.pose_array = poses
            self.poses = <Pose*> address(poses)
        return 0

    cdef int begin(self, const Sieve* sieve, Search* out) except -1:
        """A query to the shapes of the store as it is now."""
        self.prepare()
        out.shapes = self.store.shapes
        out.places = self.store.places
        out.sieve = sieve[0]
        out.id = -1
        out.best = INFINITY
        return 0

    cdef object overlapping(self, Vec2 low, Vec2 high):
        """Ids of shapes whose boxes overlap this one, ascending."""
        cdef Box box = box_of(low, high)
        return self.ids_in(&self.index.tree.t, self.index.boxes.tight, &box)

    cdef object shape_of_id(self, int32_t id, object body):
        return shape_of(self.store, id, body)

    cdef object answer(self, const Search* search, double way):
        """The best shape, as users see it; way (m): its length."""
        if search.id < 0:
            return None
        return self.hit(search.id, as_vector(search.hit.point), as_vector(search.hit.normal),
                        search.best, search.best * way)

    def point(self, point, filter, sensors):
        cdef Vec2 p = read_place(point, "point"), local
        cdef Sieve sieve = read_sieve(filter, sensors)
        cdef const ShapeData* shape
        cdef int32_t id
        found = []
        self.enter("point_query")
        try:
            self.prepare()
            for item in self.overlapping(p, p):
                id = item
                shape = &self.store.shapes[id]
                local = to_local(&self.store.places[shape.body].pose, p)
                if passes(&sieve, shape) and contains(&shape.geometry, local):
                    found.append(self.found(id))
        finally:
            self.store.busy = False
        return found

    def box(self, low, high, filter, sensors):
        cdef Vec2 p = read_vector(low, "low"), q = read_vector(high, "high")
        cdef Sieve sieve = read_sieve(filter, sensors)
        if not (p.x <= q.x and p.y <= q.y):
            raise ValueError(f"low must not exceed high, got {low!r} and {high!r}")
        self.enter("box_query")
        try:
            self.prepare()
            return [self.found(id) for id in self.overlapping(p, q)
                    if passes(&sieve, &self.store.shapes[<int32_t> id])]
        finally:
            self.store.busy = False

    def overlap(self, shape, pose, filter, sensors):
        cdef ShapeData mine
        cdef Place place
        cdef Sieve sieve = read_sieve(filter, sensors)
        cdef Vec2 low, high
        cdef Touch touch
        cdef const ShapeData* other
        cdef int32_t id
        read_shape(shape, pose, &mine, &place)
        bound_shape(&mine, &place, &low, &high)
        found = []
        self.enter("overlap_query")
        try:
            self.prepare()
            for item in self.overlapping(low, high):
                id = item
                other = &self.store.shapes[id]
                if passes(&sieve, other) and find_contacts(
                        &mine.geometry, &place.pose, &other.geometry,
                        &self.store.places[other.body].pose, 0.0, NULL, &touch, 1):
                    found.append(self.found(id))
        finally:
            self.store.busy = False
        return found

    cdef object cast_for(self, Ray* ray, Meet meet, Search* search, str what):
        """The first shape that `meet` finds along a ray."""
        cdef Sieve sieve = search.sieve
        self.enter(what)
        try:
            self.begin(&sieve, search)
            with nogil:
                cast_ray(&self.index.tree.t, &self.index.boxes, ray, meet, search)
            return self.answer(search, length(sub(search.end, search.start)))
        finally:
            self.store.busy = False

    def ray(self, start, end, filter, sensors):
        cdef Search search
        cdef Ray ray
        search.start, search.end = read_place(start, "start"), read_place(end, "end")
        search.sieve = read_sieve(filter, sensors)
        set_ray(&search.start.x, &search.end.x, 2, &ray)
        return self.cast_for(&ray, meet_ray, &search, "ray_query")

    def cast(self, shape, pose, way, filter, sensors):
        cdef ShapeData mine
        cdef Place place
        cdef Search search
        cdef Vec2 low, high
        cdef Box box
        cdef Ray ray
        read_shape(shape, pose, &mine, &place)
        search.geometry = &mine.geometry
        search.pose = place.pose
        search.start, search.end = vec2(0.0, 0.0), read_place(way, "way")
        search.sieve = read_sieve(filter, sensors)
        bound_shape(&mine, &place, &low, &high)
        # what is met CAST_GAP before it is touched
        box = box_of(vec2(low.x - CAST_GAP, low.y - CAST_GAP),
                     vec2(high.x + CAST_GAP, high.y + CAST_GAP))
        set_sweep(&box, &search.end.x, 2, &ray)
        return self.cast_for(&ray, meet_cast, &search, "cast_query")

    def ray_all(self, start, end, filter, sensors):
        cdef Search search, one
        cdef Sieve sieve = read_sieve(filter, sensors)
        cdef Ray ray
        cdef BoxIndex index = self.index
        cdef int64_t k
        cdef double way
        search.start, search.end = read_place(start, "start"), read_place(end, "end")
        set_ray(&search.start.x, &search.end.x, 2, &ray)
        way = length(sub(search.end, search.start))
        hits = []
        self.enter("ray_query_all")
        try:
            self.begin(&sieve, &search)
            while True:
                index.found.n = 0
                cast_ray(&index.tree.t, &index.boxes, &ray, collect, &index.found)
                if index.found.n <= index.found.room:
                    break
                index.reserve_found(index.found.n)
            for k in range(index.found.n):
                one = search
                meet_ray(&one, index.found.hits[k].id, 0.0, 1.0)
                if one.id >= 0:
                    hits.append((one.best, one.id, self.answer(&one, way)))
        finally:
            self.store.busy = False
        hits.sort(key=lambda hit: hit[:2])
        return [hit for _, _, hit in hits]

    def rays(self, starts, ends, filter, sensors):
        cdef Search search
        cdef Sieve sieve = read_sieve(filter, sensors)
        starts, ends = read_points(starts, "starts", 2), read_points(ends, "ends", 2)
        n_rays = max((len(points) for points in (starts, ends) if points.ndim == 2), default=1)
        for points in (starts, ends):
            if points.ndim == 2 and len(points) != n_rays:
                raise ValueError(f"starts and ends must be as many, got {len(starts)} and "
                                 f"{len(ends)}")
        starts, ends = (np.ascontiguousarray(np.broadcast_to(points, (n_rays, 2)))
                        for points in (starts, ends))
        cdef Py_ssize_t n = n_rays
        out = Rays(np.empty(n, np.int32), np.empty(n, np.int32), np.full((n, 2), np.nan),
                   np.full((n, 2), np.nan), np.empty(n))
        cdef const double* a = <const double*> address(starts)
        cdef const double* b = <const double*> address(ends)
        cdef double* fraction = <double*> address(out.fraction)
        cdef double* point = <double*> address(out.point)
        cdef double* normal = <double*> address(out.normal)
        cdef int32_t* body = <int32_t*> address(out.body)
        cdef int32_t* shape = <int32_t*> address(out.shape)
        self.enter("ray_query_many")
        try:
            self.begin(&sieve, &search)
            with nogil:
                ask_rays(self.store, self.index, search, a, b, n, fraction, point, normal, body,
                         shape)
        finally:
            self.store.busy = False
        return out

    def nearest(self, point, distance, filter, sensors):
        cdef Search search
        cdef Sieve sieve = read_sieve(filter, sensors)
        cdef double far = INFINITY if distance is None else read_at_least_zero(distance, "distance")
        cdef Vec2 place = read_place(point, "point")
        cdef double[3] p
        p[0], p[1], p[2] = place.x, place.y, 0.0
        self.enter("nearest_query")
        try:
            self.begin(&sieve, &search)
            search.start, search.best = place, far
            with nogil:
                look_near(&self.index.tree.t, &self.index.boxes, p,
                          squared_reach(place, far), meet_near, &search)
            found = self.answer(&search, 0.0)
        finally:
            self.store.busy = False
        return found and found._replace(fraction=0.0, distance=search.best)
