"""Reading arguments of space at the API boundary; every error names the argument and the value."""

from engine3d.quat cimport Quat
from engine3d.vec3 cimport Mat3, Vec3

# Beyond this a coordinate has no digits left for what happens at the scale of bodies.
cdef double FARTHEST    # m

# Faster than anything that can be followed; what is within both never leaves the range of doubles.
cdef double FASTEST     # m/s, rad/s; of accelerations m/s^2
# Masses (kg) and inertias (kg m^2) within these have inverses and products.
cdef double LIGHTEST
cdef double HEAVIEST

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

cdef double read_rate(object value, str name) except? -1.0
cdef double read_finite(object value, str name) except? -1.0
cdef double read_at_least_zero(object value, str name) except? -1.0
cdef double read_positive(object value, str name) except? -1.0

# A mass.
cdef double read_inert(object value, str name) except? -1.0
