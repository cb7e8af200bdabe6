"""An impact by the loop of the text: Euler steps of fixed length."""

from enginecore.status cimport StatusCode
from engine3d.impact_contact cimport Contact, ImpactEnd, Trace

# Run the impact to its end with steps of `step` (in the units of Contact). uz must be < 0.
cdef StatusCode run_euler(Contact* c, double step, Trace* trace, ImpactEnd* end) noexcept nogil
