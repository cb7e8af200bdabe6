"""The mathematics both engines share: solvers, steppers and particles; it knows no rigid bodies."""

from enginecore.built import require_built

require_built("enginecore", "status")

from enginecore import lcp, ode, particles
from enginecore.status import SolverError, Status, build_mode

__all__ = ["SolverError", "Status", "build_mode", "lcp", "ode", "particles"]
