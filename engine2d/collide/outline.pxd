"""Runs of straight edges and circular arcs: the one form that all shapes are kept in.

A run is n points and a bulge for each piece from one point to the next: tan(sweep/4), 0 for a
straight edge, positive where the arc turns left. Closed runs go anticlockwise round what they
enclose and have n pieces, open ones n - 1. docs/maths/shapes.md.
"""

from engine2d.vec2 cimport Vec2

# The circle under a piece with a bulge.
ctypedef struct Arc:
    Vec2 c         # m, centre
    double r       # m, radius > 0
    double start   # rad, angle of the first point seen from the centre
    double sweep   # rad, > 0 anticlockwise, less than a full turn

ctypedef struct Moments:
    double area      # m^2
    Vec2 centroid    # m
    double second    # m^4, second moment of area about the centroid (polar)

ctypedef struct Bounds:
    Vec2 low
    Vec2 high

# The arc from p to q; bulge must not be 0.
cdef Arc arc_between(Vec2 p, Vec2 q, double bulge) noexcept nogil

# Area, centroid and second moment of a closed run; the area is negative if it goes clockwise.
cdef Moments measure_run(const Vec2* points, const double* bulges, Py_ssize_t n) noexcept nogil

# The least box with sides along the axes around a run of so many pieces.
cdef Bounds bound_run(const Vec2* points, const double* bulges, Py_ssize_t n,
                      Py_ssize_t pieces) noexcept nogil

# The first two pieces (i < j) that meet where they should not, nearer than `gap`; False if none do.
cdef bint find_crossing(const Vec2* points, const double* bulges, Py_ssize_t n, Py_ssize_t pieces,
                        double gap, Py_ssize_t* i, Py_ssize_t* j) noexcept nogil
