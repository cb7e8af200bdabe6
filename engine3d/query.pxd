"""Queries about the shapes of a world: points, boxes, rays, overlaps, casts, nearness."""

from libc.stdint cimport int32_t

from enginecore.box_query cimport Meet, Ray
from enginecore.filter cimport Sieve
from enginecore.query cimport Query as AnyQuery
from engine3d.body cimport Place
from engine3d.pose cimport Pose
from engine3d.collide.ray cimport RayHit
from engine3d.store cimport BodyStore, ShapeData
from engine3d.collide.geometry cimport Geometry
from engine3d.vec3 cimport Vec3

# A query under way.
ctypedef struct Search:
    const ShapeData* shapes
    const Place* places
    Sieve sieve
    Vec3 start         # m: of a ray; the point asked about
    Vec3 end           # m: of a ray; of a cast, the way
    const Geometry* geometry   # of a cast: the shape that moves
    Pose pose          # and where it begins
    int32_t id         # the best shape so far; -1: none
    double best        # its t, or signed distance (m)
    RayHit hit         # where it is hit; or the nearest point and normal


cdef class Query(AnyQuery):
    """The queries; worlds have one, World.point_query and the others ask it."""

    cdef BodyStore store

    cdef int begin(self, str what, const Sieve* sieve, Search* out) except -1
    cdef object overlapping(self, const double* low, const double* high)
    cdef object answer(self, const Search* search, double way)
    cdef object cast_for(self, Ray* ray, Meet meet, Search* search)
