"""Questions about the shapes of a world: points, boxes, rays, overlaps, casts, nearness."""

from libc.stdint cimport int32_t, int64_t

from enginecore.box_index cimport BoxIndex
from enginecore.box_query cimport Meet, Ray
from enginecore.filter cimport Sieve
from enginecore.query cimport Query as AnyQuery
from engine2d.body cimport Place
from engine2d.collide.geometry cimport Geometry
from engine2d.pose cimport Pose
from engine2d.collide.ray cimport RayHit
from engine2d.store cimport BodyStore, ShapeData
from engine2d.vec2 cimport Vec2

# A query under way.
ctypedef struct Search:
    const ShapeData* shapes
    const Place* places
    Sieve sieve
    Vec2 start         # m: of a ray; the point asked about
    Vec2 end           # m: of a ray
    const Geometry* geometry   # of a cast: the shape that moves
    Pose pose          # and where it begins
    int32_t id         # the best shape so far; -1: none
    double best        # its t, or signed distance (m)
    RayHit hit         # where it is hit; or the nearest point and normal


cdef class Query(AnyQuery):
    """The queries; worlds have one, World.point_query and the others ask it.

    It keeps boxes of its own: those of the broad phase decide what a step does; they stay.
    """

    cdef BodyStore store
    cdef BoxIndex index          # by shape id: the boxes of the shapes where they were last seen
    # False: bodies may have moved, all have to be looked at; a step and a restore clear it, the
    # next query sets it
    cdef bint fresh
    cdef int64_t seen_edits      # of the store, when shapes were last looked at
    cdef Pose* poses             # by shape id: of its body, when it was last looked at
    cdef object pose_array       # numpy array that owns their memory

    cdef int enter(self, str what) except -1
    cdef int prepare(self) except -1
    cdef int reserve(self, Py_ssize_t n) except -1
    cdef object overlapping(self, Vec2 low, Vec2 high)
    cdef int begin(self, const Sieve* sieve, Search* out) except -1
    cdef object answer(self, const Search* search, double way)
    cdef object cast_for(self, Ray* ray, Meet meet, Search* search, str what)
