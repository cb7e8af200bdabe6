# distutils: include_dirs = engine3d/solve enginecore
"""Islands through a step: by which solver, and again where one must look farther."""

from libc.stdint cimport int32_t

from enginecore.island cimport IslandStore
from engine3d.body cimport Place
from engine3d.contact cimport StepContext
from engine3d.solve.large_work cimport LargeWorkspace
from engine3d.solve.small_step cimport SmallMemory

# Write which islands are large. solver: Solver (enginecore.constants).
cdef void choose_solvers(StepContext* ctx, IslandStore islands, int solver) noexcept nogil

# Carry all islands that are not done yet through the step. before: places when it began.
cdef void step_islands(StepContext* ctx, IslandStore islands, const Place* before,
                       SmallMemory* memory, LargeWorkspace* work) noexcept nogil

# Contacts anew of pairs with a body that looks farther; all is as when the step began.
cdef void find_needy(StepContext* ctx) noexcept nogil

# Whoever is in one island with a body that looks farther begins the step again with it.
cdef void put_back(StepContext* ctx, StepContext* at_start, IslandStore islands) noexcept nogil

# Carry kinematic bodies through a step.
cdef void move_kinematic(StepContext* ctx) noexcept nogil

# Put bodies that left the range of numbers back where they were, at rest; returns how many.
cdef int32_t stop_runaways(StepContext* ctx, const Place* before) noexcept nogil
