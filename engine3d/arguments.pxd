"""Reading arguments of space at the API boundary; errors name the argument and the value."""

# Numbers within bounds, as in any dimension.
from enginecore.arguments cimport (
    FARTHEST, FASTEST, HEAVIEST, LIGHTEST, read_angle, read_at_least_zero, read_finite, read_inert,
    read_positive, read_rate,
)
from engine3d.quat cimport Quat
from engine3d.vec3 cimport Mat3, Vec3

# Three finite numbers.
cdef Vec3 read_vector(object value, str name) except *

# A point that is not out of all bounds; a velocity, a rate of turning or an acceleration likewise.
cdef Vec3 read_place(object value, str name) except *
cdef Vec3 read_velocity(object value, str name) except *

# A direction: three finite numbers, not all 0, normalised.
cdef Vec3 read_direction(object value, str name) except *

# An orientation (w, x, y, z): four finite numbers of any length above 0, normalised.
cdef Quat read_orientation(object value, str name) except *

# An inertia tensor (kg m^2): three principal moments, or 3 x 3, symmetric and positive definite.
cdef Mat3 read_inertia(object value, str name) except *
