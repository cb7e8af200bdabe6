"""Shapes are values: an outline and what it is made of."""

from libc.stdint cimport int32_t

from enginecore.filter cimport Filter
from engine2d.collide.geometry cimport Geometry
from engine2d.collide.outline cimport Moments
from engine2d.vec2 cimport Vec2


cdef class Shape:
    cdef readonly double density      # kg/m^2
    cdef readonly double friction     # Coulomb
    cdef readonly double restitution  # 0 to 1
    cdef readonly double rolling_resistance
    cdef Vec2 surface                 # m/s, body's frame: how fast the surface runs
    cdef Vec2 through                 # body's frame: the side it is met from; 0: all
    cdef readonly double boost        # share of the approach that a blow gives besides
    cdef readonly bint sensor         # reports overlaps, pushes nothing
    cdef readonly Filter filter
    cdef readonly object tag          # the user's name for it: None, int or str
    cdef readonly bint closed         # encloses an area
    cdef object points_array          # (n, 2) m, corners of the outline; None: not asked for yet
    cdef object bulges_array          # (n,), of the piece from each point to the next
    cdef Moments moments              # 0 where nothing is enclosed
    cdef Geometry geometry            # what collisions see; `box` are the bounds
    cdef Vec2[4] own_core             # m, what geometry.core points to where 4 corners suffice
    cdef Vec2[4] own_normals
    cdef object kept                  # arrays that geometry points into otherwise

    cdef int read_material(self, density, friction, restitution, rolling_resistance,
                           surface_velocity, one_way, boost, sensor, filter, tag) except -1
    cdef int keep_outline(self, object points, object bulges) except -1
    cdef int make_outline(self) except -1
    cdef int set_core(self, int32_t n, double radius) except -1
    cdef int set_geometry(self, const Geometry* g) except -1
    cdef int set_polygon(self, object points, double radius) except -1
    cdef int measure_outline(self, bint closed) except -1
    cdef int set_features(self) except -1
    cdef int take_form(self, Shape other) except -1
