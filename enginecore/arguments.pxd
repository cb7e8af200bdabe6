"""Reading Python arguments at the API boundary: numbers, vectors, rows; errors name them."""

# A mass or an inertia: None stands for infinite. Otherwise as read_number.
cdef double read_mass(object value, str name) except? -1.0

# Any real number as a double; TypeError naming the argument if it is not one.
cdef double read_number(object value, str name) except? -1.0

# Whether something is a complex number, of Python's or of numpy's: those are refused.
cdef bint is_complex(object value) except -1

# `count` numbers into out; ValueError naming the argument if it is not a sequence of as many.
cdef int read_numbers(object value, str name, Py_ssize_t count, double* out) except -1

# Pointers to the first number of each contiguous float64 array, none of them empty; the caller
# keeps the arrays alive. write_columns refuses read-only ones.
cdef int read_columns(arrays, const double** out) except -1
cdef int write_columns(arrays, double** out) except -1
