"""Outcomes of numerical kernels, and which build is loaded."""

from enum import IntEnum

from enginecore cimport status as codes

cdef extern from *:
    const char* ENGINE_BUILD_MODE

build_mode = ENGINE_BUILD_MODE.decode("ascii")


class Status(IntEnum):
    """Outcome of a numerical method; only SOLVED means that the tolerance was met."""

    SOLVED = codes.SOLVED
    MAX_ITERATIONS = codes.MAX_ITERATIONS
    NO_SOLUTION = codes.NO_SOLUTION
    SINGULAR = codes.SINGULAR


class SolverError(ArithmeticError):
    """A numerical method failed on valid input; `status` says how."""

    def __init__(self, message, status):
        super().__init__(message)
        self.status = Status(status)
