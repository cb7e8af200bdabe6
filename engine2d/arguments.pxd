"""Reading arguments of the plane at the API boundary; errors name the argument and the value."""

from engine2d.vec2 cimport Vec2

# Beyond this a coordinate has no digits left for what happens at the scale of bodies.
cdef double FARTHEST    # m

# Faster than anything that can be followed; what is within both never leaves the range of doubles.
cdef double FASTEST     # m/s, rad/s; of accelerations m/s^2
# Masses (kg) and inertias (kg m^2) within these have inverses and products.
cdef double LIGHTEST
cdef double HEAVIEST

# Two finite numbers.
cdef Vec2 read_vector(object value, str name) except *

# A point that is not out of all bounds.
cdef Vec2 read_place(object value, str name) except *

# A velocity or an acceleration, and an angle or a rate of turning, within such bounds.
cdef Vec2 read_velocity(object value, str name) except *
cdef double read_angle(object value, str name) except? -1.0
cdef double read_rate(object value, str name) except? -1.0

cdef double read_finite(object value, str name) except? -1.0
cdef double read_at_least_zero(object value, str name) except? -1.0
cdef double read_positive(object value, str name) except? -1.0

# A mass or an inertia.
cdef double read_inert(object value, str name) except? -1.0
