"""Reading Python arguments at the API boundary: numbers, vectors, rows; errors name them."""

from libc.stdint cimport int64_t

# Beyond this a coordinate has no digits left for what happens at the scale of bodies.
cdef double FARTHEST    # m
# Faster than anything that can be followed; what is within both never leaves the range of doubles.
cdef double FASTEST     # m/s, rad/s; of accelerations m/s^2
# Masses (kg) and inertias (kg m^2) within these have inverses and products.
cdef double LIGHTEST
cdef double HEAVIEST

# Anything that is true or false; TypeError naming the argument and the value if it is neither, as
# arrays of several are.
cdef bint read_flag(object value, str name) except -1

# A mass or an inertia: None stands for infinite. Otherwise as read_number.
cdef double read_mass(object value, str name) except? -1.0

# Any real number as a double; TypeError naming the argument if it is not one.
cdef double read_number(object value, str name) except? -1.0

# Numbers within bounds; ValueError naming the argument and the value. A length or an angle within
# +-FARTHEST; a rate within +-FASTEST.
cdef double read_angle(object value, str name) except? -1.0
cdef double read_rate(object value, str name) except? -1.0
cdef double read_finite(object value, str name) except? -1.0
cdef double read_at_least_zero(object value, str name) except? -1.0
cdef double read_positive(object value, str name) except? -1.0
# A whole number that is at least 1.
cdef int64_t read_count(object value, str name) except -1
# A mass or an inertia.
cdef double read_inert(object value, str name) except? -1.0
# A largest force or torque: at least 0, may be infinite.
cdef double read_strength(object value, str name) except? -1.0

# Whether something is a complex number, of Python's or of numpy's: those are refused.
cdef bint is_complex(object value) except -1

# `count` numbers into out; ValueError naming the argument if it is not a sequence of as many.
cdef int read_numbers(object value, str name, Py_ssize_t count, double* out) except -1

# Pointers to the first number of each contiguous float64 array, none of them empty; the caller
# keeps the arrays alive. write_columns refuses read-only ones.
cdef int read_columns(arrays, const double** out) except -1
cdef int write_columns(arrays, double** out) except -1
