"""What happened in a step: shapes that began or ceased to touch, and hits."""

from enginecore.event cimport EventStore
from engine3d.contact cimport ContactStore, StepContext

# The stage: read what the step did to the pairs, and note it; pairs are marked by whether they
# touch.
cdef int collect(StepContext* ctx, ContactStore contacts, EventStore out) except -1 nogil
