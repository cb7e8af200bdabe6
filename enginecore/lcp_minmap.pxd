"""Newton's method on the minimum map, with a Fischer-Burmeister phase where it stalls."""

from enginecore.lcp cimport LcpOptions, LcpProblem, LcpWorkspace
from enginecore.status cimport StatusCode

cdef StatusCode solve_minmap(const LcpProblem* problem, LcpWorkspace* work,
                             const LcpOptions* options, double* x, int* iterations) noexcept nogil
