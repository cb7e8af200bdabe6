"""Reading arguments of the plane at the door; every error names the argument and the value."""

from engine2d.vec2 cimport Vec2

# Beyond this a coordinate has no digits left for what happens at the scale of bodies.
cdef double FARTHEST    # m

# Two finite numbers.
cdef Vec2 read_vector(object value, str name) except *

# A point that is not out of all bounds.
cdef Vec2 read_place(object value, str name) except *

cdef double read_finite(object value, str name) except? -1.0
cdef double read_at_least_zero(object value, str name) except? -1.0
cdef double read_positive(object value, str name) except? -1.0
