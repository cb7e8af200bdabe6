"""Questions about the shapes of a world: points, boxes, rays, overlaps, casts, nearness.

Candidates come from the tree over the broad phase's boxes, so that the cost of a question grows
with the logarithm of the world's size and with the number of answers. Answers come in the order of
shape ids, or of the way along a ray; equal ones by id.
"""

from typing import NamedTuple

import numpy as np

from libc.math cimport INFINITY
from libc.stdint cimport int64_t

from enginecore.box_query cimport Ray, cast_ray, find_overlaps, look_near, set_ray, set_sweep
from enginecore.boxes cimport Box, move_box
from enginecore.cells cimport address
from enginecore.scalar cimport greater
from engine2d.arguments cimport read_at_least_zero, read_vector
from engine2d.body cimport STATIC
from engine2d.geometry cimport contains
from engine2d.narrow_phase cimport Touch, find_contacts, read_geometry, read_pose
from engine2d.pose cimport to_local
from engine2d.ray cimport cast_ray_at, signed_distance_to
from engine2d.shape cimport Filter
from engine2d.store cimport bound_shape
from engine2d.time_of_impact cimport Strike, cast_shape
from engine2d.vec2 cimport vec2

from enginecore.arguments import as_rows

# A cast shape has met another when they are this near.
cdef double CAST_GAP = 1e-9      # m


class Hit(NamedTuple):
    """A shape that a ray or a moving shape meets, or the nearest to a point.

    fraction: of the way, 0 to 1 (0 for the nearest); distance: m, to the nearest, < 0 inside it.
    """

    body: object
    shape: object
    point: tuple
    normal: tuple
    fraction: float
    distance: float


class Found(NamedTuple):
    """A shape that holds a point, or overlaps something."""

    body: object
    shape: object


class Rays(NamedTuple):
    """First hits of many rays, one row each; where there is none, fraction is inf and ids are -1."""

    body: np.ndarray
    shape: np.ndarray
    point: np.ndarray
    normal: np.ndarray
    fraction: np.ndarray


# ---- kernels ----------------------------------------------------------------------------------

cdef inline bint passes(const Sieve* sieve, const ShapeData* shape) noexcept nogil:
    """Whether a question with this sieve is about a shape."""
    if shape.sensor and not sieve.sensors:
        return False
    if sieve.group == shape.group and sieve.group != 0:
        return sieve.group > 0
    return (sieve.category & shape.mask) != 0 and (shape.category & sieve.mask) != 0


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
    if far < search.best or (far == search.best and id < search.id):
        search.best = far
        search.id = id
        search.hit.point = point
        search.hit.normal = normal
    far = greater(search.best, 0.0)
    # as far as the best, and a little for the rounding of the square
    return far * far * (1.0 + 1e-14)


cdef void put_boxes(BodyStore store) noexcept nogil:
    """Give the broad phase the boxes of all shapes where they are now."""
    cdef int32_t row, shape
    cdef Vec2 low, high
    cdef Box box
    for row in range(store.n_bodies):
        if store.bodies[row].kind == STATIC or store.bodies[row].id < 0:
            continue
        shape = store.bodies[row].first_shape
        while shape >= 0:
            bound_shape(&store.shapes[shape], &store.places[row], &low, &high)
            box.low[0], box.low[1], box.low[2] = low.x, low.y, 0.0
            box.high[0], box.high[1], box.high[2] = high.x, high.y, 0.0
            move_box(&store.phase.boxes, shape, &box)
            shape = store.shapes[shape].next_shape


cdef void ask_rays(BodyStore store, Search search, const double* starts, const double* ends,
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
        cast_ray(&store.phase.tree.t, &store.phase.boxes, &ray, meet_ray, &one)
        shape[k] = one.id
        body[k] = -1
        fraction[k] = INFINITY
        if one.id >= 0:
            body[k] = store.bodies[store.shapes[one.id].body].id
            fraction[k] = one.hit.t
            point[2 * k], point[2 * k + 1] = one.hit.point.x, one.hit.point.y
            normal[2 * k], normal[2 * k + 1] = one.hit.normal.x, one.hit.normal.y


# ---- the face -----------------------------------------------------------------------------------

cdef class Query:

    def __cinit__(self, BodyStore store not None):
        self.store = store
        self.found = np.zeros(64, np.int32)

    cdef int prepare(self) except -1:
        """Boxes where the shapes are, and the tree over them."""
        if not self.fresh:
            with nogil:
                put_boxes(self.store)
            self.fresh = True
        self.store.phase.prepare_questions()
        return 0

    cdef Search begin(self, object filter, bint sensors) except *:
        """A question to the shapes that a filter lets through; None: to all."""
        cdef Search search
        cdef Filter given
        if filter is not None and not isinstance(filter, Filter):
            raise TypeError(f"filter must be a Filter, got {filter!r}")
        search.shapes = self.store.shapes
        search.places = self.store.places
        search.sieve.category = search.sieve.mask = 0xFFFFFFFF
        search.sieve.group = 0
        if filter is not None:
            given = filter
            search.sieve.category, search.sieve.mask = given.category, given.mask
            search.sieve.group = given.group
        search.sieve.sensors = sensors
        search.id = -1
        search.best = INFINITY
        search.geometry = NULL
        return search

    cdef object overlapping(self, Vec2 low, Vec2 high):
        """Ids of shapes whose boxes overlap this one, ascending."""
        cdef Box box
        cdef int64_t n
        cdef int32_t* out
        self.prepare()
        box.low[0], box.low[1], box.low[2] = low.x, low.y, 0.0
        box.high[0], box.high[1], box.high[2] = high.x, high.y, 0.0
        while True:
            out = <int32_t*> address(self.found)
            n = find_overlaps(&self.store.phase.tree.t, self.store.phase.boxes.tight, &box, out,
                              self.found.size)
            if n <= self.found.size:
                break
            self.found = np.zeros(2 * n, np.int32)
        return np.sort(self.found[:n])

    cdef object answer(self, const Search* search):
        """The best shape, as users see it."""
        if search.id < 0:
            return None
        cdef const ShapeData* shape = &self.store.shapes[search.id]
        return Hit(self.store.handles[self.store.bodies[shape.body].id],
                   self.store.shape_objects[search.id],
                   (search.hit.point.x, search.hit.point.y),
                   (search.hit.normal.x, search.hit.normal.y),
                   search.best, 0.0)

    def _found(self, int32_t id):
        return Found(self.store.handles[self.store.bodies[self.store.shapes[id].body].id],
                     self.store.shape_objects[id])

    def point(self, point, filter, sensors):
        cdef Vec2 p = read_vector(point, "point"), local
        cdef Search search = self.begin(filter, sensors)
        cdef const ShapeData* shape
        cdef int32_t id
        found = []
        for item in self.overlapping(p, p):
            id = item
            shape = &self.store.shapes[id]
            local = to_local(&self.store.places[shape.body].pose, p)
            if passes(&search.sieve, shape) and contains(&shape.geometry, local):
                found.append(self._found(id))
        return found

    def box(self, low, high, filter, sensors):
        cdef Vec2 p = read_vector(low, "low"), q = read_vector(high, "high")
        cdef Search search = self.begin(filter, sensors)
        if not (p.x <= q.x and p.y <= q.y):
            raise ValueError(f"low must not exceed high, got {low!r} and {high!r}")
        return [self._found(id) for id in self.overlapping(p, q)
                if passes(&search.sieve, &self.store.shapes[<int32_t> id])]

    def ray(self, start, end, filter, sensors):
        cdef Search search = self.begin(filter, sensors)
        cdef Ray ray
        cdef double[2] a
        cdef double[2] b
        search.start, search.end = read_vector(start, "start"), read_vector(end, "end")
        self.prepare()
        a[0], a[1], b[0], b[1] = search.start.x, search.start.y, search.end.x, search.end.y
        set_ray(a, b, 2, &ray)
        with nogil:
            cast_ray(&self.store.phase.tree.t, &self.store.phase.boxes, &ray, meet_ray, &search)
        return self.answer(&search)

    def ray_all(self, start, end, filter, sensors):
        cdef Search search = self.begin(filter, sensors), one
        cdef Vec2 p = read_vector(start, "start"), q = read_vector(end, "end")
        search.start, search.end = p, q
        hits = []
        for item in self.overlapping(vec2(min(p.x, q.x), min(p.y, q.y)),
                                     vec2(max(p.x, q.x), max(p.y, q.y))):
            one = search
            meet_ray(&one, item, 0.0, 1.0)
            if one.id >= 0:
                hits.append((one.best, one.id, self.answer(&one)))
        hits.sort(key=lambda hit: hit[:2])
        return [hit for _, _, hit in hits]

    def rays(self, starts, ends, filter, sensors):
        cdef Search search = self.begin(filter, sensors)
        starts, ends = as_rows("starts", starts, (2,)), as_rows("ends", ends, (2,))
        if starts.ndim == 1:
            starts = np.tile(starts, (len(ends), 1)) if ends.ndim == 2 else starts[None]
        if ends.ndim == 1:
            ends = np.tile(ends, (len(starts), 1))
        if starts.shape != ends.shape:
            raise ValueError(f"starts and ends must be as many, got {len(starts)} and {len(ends)}")
        for name, points in (("starts", starts), ("ends", ends)):
            if not np.isfinite(points).all():
                raise ValueError(f"{name} must be finite")
        cdef Py_ssize_t n = starts.shape[0]
        out = Rays(np.empty(n, np.int32), np.empty(n, np.int32), np.full((n, 2), np.nan),
                   np.full((n, 2), np.nan), np.empty(n))
        cdef const double* a = <const double*> address(starts)
        cdef const double* b = <const double*> address(ends)
        cdef double* fraction = <double*> address(out.fraction)
        cdef double* point = <double*> address(out.point)
        cdef double* normal = <double*> address(out.normal)
        cdef int32_t* body = <int32_t*> address(out.body)
        cdef int32_t* shape = <int32_t*> address(out.shape)
        self.prepare()
        with nogil:
            ask_rays(self.store, search, a, b, n, fraction, point, normal, body, shape)
        return out

    def overlap(self, shape, pose, filter, sensors):
        cdef ShapeData mine
        cdef Place place
        cdef Search search = self.begin(filter, sensors)
        cdef Vec2 low, high
        cdef Touch touch
        cdef const ShapeData* other
        cdef int32_t id
        self.read_shape(shape, pose, &mine, &place)
        bound_shape(&mine, &place, &low, &high)
        found = []
        for item in self.overlapping(low, high):
            id = item
            other = &self.store.shapes[id]
            if passes(&search.sieve, other) and find_contacts(
                    &mine.geometry, &place.pose, &other.geometry,
                    &self.store.places[other.body].pose, 0.0, NULL, &touch, 1):
                found.append(self._found(id))
        return found

    def cast(self, shape, pose, way, filter, sensors):
        cdef ShapeData mine
        cdef Place place
        cdef Search search = self.begin(filter, sensors)
        cdef Vec2 low, high
        cdef Box box
        cdef Ray ray
        cdef double[2] move
        self.read_shape(shape, pose, &mine, &place)
        search.geometry = &mine.geometry
        search.pose = place.pose
        search.end = read_vector(way, "way")
        self.prepare()
        bound_shape(&mine, &place, &low, &high)
        box.low[0], box.low[1], box.low[2] = low.x, low.y, 0.0
        box.high[0], box.high[1], box.high[2] = high.x, high.y, 0.0
        move[0], move[1] = search.end.x, search.end.y
        set_sweep(&box, move, 2, &ray)
        with nogil:
            cast_ray(&self.store.phase.tree.t, &self.store.phase.boxes, &ray, meet_cast, &search)
        return self.answer(&search)

    def nearest(self, point, distance, filter, sensors):
        cdef Search search = self.begin(filter, sensors)
        cdef double far = INFINITY if distance is None else read_at_least_zero(distance, "distance")
        cdef double[3] p
        search.start = read_vector(point, "point")
        search.best = far
        p[0], p[1], p[2] = search.start.x, search.start.y, 0.0
        self.prepare()
        with nogil:
            look_near(&self.store.phase.tree.t, &self.store.phase.boxes, p, far * far, meet_near,
                      &search)
        found = self.answer(&search)
        return found and found._replace(fraction=0.0, distance=search.best)

    cdef int read_shape(self, object shape, object pose, ShapeData* out, Place* place) except -1:
        """A shape of the caller's, wherever he says."""
        out.geometry = read_geometry(shape, "shape")[0]
        place.pose = read_pose(pose, "pose")
        return 0
