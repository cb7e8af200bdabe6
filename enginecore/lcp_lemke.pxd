"""Lemke's complementary pivoting with a lexicographic ratio test: any LCP."""

from enginecore.lcp cimport LcpOptions, LcpProblem, LcpWorkspace
from enginecore.status cimport StatusCode

cdef StatusCode solve_lemke(const LcpProblem* problem, LcpWorkspace* work,
                            const LcpOptions* options, double* x, int* iterations) noexcept nogil
# Unknowns of the equivalent classic LCP, as far as memory goes: bounds, equality and friction rows
# add some.
cdef Py_ssize_t lemke_size(const LcpProblem* problem) noexcept nogil
