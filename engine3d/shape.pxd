"""Shapes are values: a solid and what it is made of."""

from libc.stdint cimport int32_t

from enginecore.filter cimport Filter
from engine3d.collide.geometry cimport Geometry
from engine3d.mass cimport Moments
from engine3d.quat cimport Quat
from engine3d.vec3 cimport Vec3


cdef class Shape:
    cdef readonly double density      # kg/m^3
    cdef readonly double friction     # Coulomb
    cdef readonly double restitution  # 0 to 1
    cdef readonly double rolling_resistance  # share of the radius
    cdef readonly double spin_resistance     # likewise, about the normal
    cdef Vec3 surface                 # m/s, body's frame: how fast the surface runs
    cdef Vec3 through                 # body's frame: met from that side only; 0: from all
    cdef readonly double boost        # share of the approach that a blow gives besides
    cdef readonly bint sensor         # reports overlaps, pushes nothing
    cdef readonly Filter filter
    cdef readonly object tag          # the user's name for it: int, str or None
    cdef Moments moments              # 0 for what has no volume of its own
    cdef Geometry geometry            # what collisions see
    cdef Vec3[2] own_core             # m, what geometry.core points to where 2 corners suffice
    cdef object kept                  # arrays that geometry points into otherwise

    cdef int read_material(self, density, friction, restitution, rolling_resistance,
                           spin_resistance, surface_velocity, one_way, boost, sensor, filter,
                           tag) except -1
    cdef int set_round(self, int32_t kind, int32_t n, double radius) except -1
    cdef int set_hull(self, object points, list faces) except -1
    cdef int check_size(self) except -1
