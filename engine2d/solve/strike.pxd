"""Stage impact of small islands: contacts that close fast within a sub-step are struck."""

from engine2d.solve.sub_step cimport SubStep

# Strike until nothing approaches faster than the threshold in this sub-step. Changes the bodies'
# ways and the contacts' sums.
cdef void run_strikes(SubStep* s) noexcept nogil
