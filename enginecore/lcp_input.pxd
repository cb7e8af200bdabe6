"""Checks at the API boundary of the LCP solvers; they hold the GIL, raise ValueError, TypeError."""

from enginecore.lcp cimport LcpMethod, LcpOptions

cdef LcpMethod method_number(method) except *
cdef int read_options(LcpOptions* options, tol, max_iterations, relaxation, bint warm) except -1
# Contiguous float64 arrays, of any shape or of the right one; a bound also from None or one
# number. real_array, row_vector and bound_vector let NaN and infinities through.
cdef real_array(str name, value)
cdef const double[:, ::1] square_matrix(str name, value) except *
cdef const double[::1] row_vector(str name, value, Py_ssize_t n) except *
cdef const double[::1] finite_vector(str name, value, Py_ssize_t n) except *
cdef const double[::1] bound_vector(str name, value, double default, Py_ssize_t n) except *
# (normal, mu) as C integers and doubles.
cdef friction_rows(friction, Py_ssize_t n, lo)
# Body numbers as C integers, and M^-1 J' block by block.
cdef block_masses(J, bodies, inverse_mass)
cdef int require_finite(str name, const double* values, Py_ssize_t count, Py_ssize_t n) except -1
cdef int require_order(const double[::1] lo, const double[::1] hi) except -1
cdef bint is_symmetric(const double* A, Py_ssize_t n, bint required) except -1
