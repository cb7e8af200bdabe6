"""The stage narrow_phase: this step's contacts of all pairs."""

from libc.stdint cimport int32_t

from engine2d.body cimport BodyData, Motion, Place
from engine2d.collide.narrow_phase cimport Touch
from engine2d.contact cimport ContactStore
from engine2d.solve.step_context cimport StepContext
from engine2d.store cimport ShapeData

# The stage: this step's contacts of all pairs, with the impulses of last step's same features.
cdef int find_all(ContactStore store, const StepContext* ctx) except -1 nogil

# This round's contacts of the pairs with a body that has time left (ctx.left), behind those there
# are. Writes places of kinematic bodies: they are brought to the time of the other. Returns the
# first.
cdef int32_t find_again(ContactStore store, StepContext* ctx) except -1 nogil
