"""An impact integrated with error control and with its events located exactly."""

from enginecore.status cimport StatusCode
from engine3d.impact_contact cimport Contact, ImpactEnd, Trace

# Run the impact to its end; writes the outcome to end. uz must be < 0.
cdef StatusCode run_adaptive(Contact* c, double tol, Trace* trace, ImpactEnd* end) noexcept nogil
