from enum import IntEnum

build_mode: str

class Status(IntEnum):
    """Outcome of a numerical method; only SOLVED means that the tolerance was met."""

    SOLVED = 0
    MAX_ITERATIONS = 1
    NO_SOLUTION = 2
    SINGULAR = 3

class SolverError(ArithmeticError):
    """A numerical method failed on valid input; `status` says how."""

    status: Status
    def __init__(self, message: str, status: int) -> None: ...
