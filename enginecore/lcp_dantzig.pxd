"""Baraff's version of Dantzig's pivoting: symmetric positive semidefinite A with bounds."""

from enginecore.lcp cimport LcpOptions, LcpProblem, LcpWorkspace
from enginecore.status cimport StatusCode

cdef StatusCode solve_dantzig(const LcpProblem* problem, LcpWorkspace* work,
                              const LcpOptions* options, double* x, int* iterations) noexcept nogil
