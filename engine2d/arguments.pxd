"""Reading arguments of the plane at the API boundary; errors name the argument and the value."""

# Numbers within bounds, as in any dimension.
from enginecore.arguments cimport (
    FARTHEST, FASTEST, HEAVIEST, LIGHTEST, read_angle, read_at_least_zero, read_finite, read_inert,
    read_positive, read_rate,
)
from engine2d.vec2 cimport Vec2

# Two finite numbers.
cdef Vec2 read_vector(object value, str name) except *

# A point that is not out of all bounds.
cdef Vec2 read_place(object value, str name) except *

# A velocity or an acceleration within such bounds.
cdef Vec2 read_velocity(object value, str name) except *
