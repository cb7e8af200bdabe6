"""Shapes are values: an outline and what it is made of."""

from engine2d.outline cimport Bounds, Moments


cdef class Filter:
    cdef readonly unsigned int category  # bits: what this shape is
    cdef readonly unsigned int mask      # bits: what it collides with
    cdef readonly int group              # same group: always (> 0) or never (< 0) collide


cdef class Shape:
    cdef readonly double density      # kg/m^2
    cdef readonly double friction     # Coulomb
    cdef readonly double restitution  # 0 to 1
    cdef readonly bint sensor         # reports overlaps, pushes nothing
    cdef readonly Filter filter
    cdef readonly bint closed         # encloses an area
    cdef object points_array          # (n, 2) m, corners of the outline
    cdef object bulges_array          # (n,), of the piece from each point to the next
    cdef Moments moments              # 0 where nothing is enclosed
    cdef Bounds box

    cdef int read_material(self, dict material) except -1
    cdef int set_outline(self, object points, object bulges, bint closed) except -1
