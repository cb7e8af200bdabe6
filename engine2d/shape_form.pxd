"""What shapes are made of: cores of hulls, outlines that were read and put in order."""

from libc.stdint cimport int32_t

from engine2d.collide.geometry cimport Geometry
from engine2d.collide.outline cimport Moments
from engine2d.vec2 cimport Vec2

cdef extern from *:
    """
    #define ENGINE_SAME_POINT 1e-9
    """
    # Points nearer than this share of the shape's size are the same, pieces nearer than it touch.
    double SAME "ENGINE_SAME_POINT"

# Moments of all points within r (m) of a w by h rectangle: a disc if w and h are 0, a capsule if
# one is.
cdef Moments measure_rounded(Vec2 middle, double w, double h, double r) noexcept nogil

# Fill the geometry of a disc (n = 1) or hull; the arrays must live as long as it.
cdef void describe_core(Geometry* g, const Vec2* core, const Vec2* normals, int32_t n,
                        double radius, bint closed, Vec2 middle) noexcept nogil

# Corners and normals of the core of an anticlockwise polygon with rounded corners. Corners on a
# line with their neighbours are left out. Returns how many there are; 0 if it is not convex.
cdef int32_t inset(const Vec2* points, int32_t n, double radius, Vec2* core,
                   Vec2* normals) noexcept nogil

# Write the outward unit normal of each edge; returns the length (m) of the longest.
cdef double find_normals(const Vec2* points, int32_t n, Vec2* normals) noexcept nogil

# How far (m) a run of n points goes from a point.
cdef double farthest(const Vec2* points, const double* bulges, Py_ssize_t n, Py_ssize_t pieces,
                     Vec2 middle) noexcept nogil

# Outlines are arrays of points (n x 2, m) and of the bulges of the pieces that begin there. Of all
# points within radius of the line from a to b:
cdef tuple thicken(Vec2 a, Vec2 b, double radius)
# without pieces of no length;
cdef tuple without_doubles(points, bulges, bint closed)
# turned round if need be, of a closed one; ValueError if it encloses nothing;
cdef tuple anticlockwise(points, bulges, str name, str hint=*)
# of a polygon with each corner replaced by an arc of this radius between its edges.
cdef tuple round_off(points, double radius)

# ValueError naming the pieces if any two meet other than end to end.
cdef int check_crossings(points, bulges, bint closed, str name, str hint=*) except -1

# At the API boundary: points within bounds; bulges of so many pieces, None for straight ones.
cdef object read_points(object value, str name)
cdef object read_bulges(object value, Py_ssize_t count)
