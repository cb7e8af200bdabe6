# distutils: include_dirs = engine3d/solve enginecore
"""Fast bodies of large islands are set back to where they met something."""

from libc.stdint cimport int32_t

from engine3d.body cimport Place
from engine3d.contact cimport StepContext
from engine3d.solve.large_work cimport LargeWorkspace

# Set bodies that moved far back to where they met something: they go on in the next step. Whether
# there were any. before: places when the step began.
cdef bint stop_fast(StepContext* ctx, const int32_t* rows, int32_t n_rows, const int32_t* pairs,
                    int32_t n_pairs, const Place* before, LargeWorkspace* work) noexcept nogil
