"""Momenta of islands that nothing fixed takes part in: a step must not change them.

Impulses are equal and opposite, so linear momentum is kept to rounding; angular momentum is not,
where positions are corrected or moved by another velocity than impulses were reckoned with.
docs/maths/solver3d.md.
"""

from libc.stdint cimport int32_t

from engine3d.contact cimport StepContext
from engine3d.vec3 cimport Vec3

ctypedef struct Totals:
    bint alone      # nothing else takes part: momenta are kept
    double mass     # kg
    Vec3 p          # kg m/s, with what gravity will have added by the step's end
    Vec3 spin       # kg m^2/s, about the common centre

# A motion of a group as if it were one body.
ctypedef struct Rigid:
    Vec3 centre     # m, from the first body's centre of mass
    Vec3 v          # m/s, of the common centre
    Vec3 w          # rad/s
    double energy   # J

# Before an island's step.
cdef Totals measure_totals(const StepContext* ctx, const int32_t* rows, int32_t n,
                           const int32_t* pairs, int32_t n_pairs) noexcept nogil

# After it: give back what is missing, as one rigid motion.
cdef void keep_totals(StepContext* ctx, const int32_t* rows, int32_t n,
                      const Totals* first) noexcept nogil

# The rigid motion that has a group's momenta.
cdef Rigid rigid_motion(const StepContext* ctx, const int32_t* rows, int32_t n) noexcept nogil

# Leave `share` of a group's motion about a rigid one; that keeps its momenta.
cdef void slow_about(StepContext* ctx, const int32_t* rows, int32_t n, const Rigid* common,
                     double share) noexcept nogil
