# distutils: include_dirs = engine2d/solve enginecore
"""What a step of large islands did to the energy, into ctx.books (docs/maths/energy.md)."""

from libc.stdint cimport int32_t

from engine2d.body cimport Motion
from engine2d.contact cimport ROLLING, Pair
from engine2d.solve.large_work cimport LargeWorkspace
from engine2d.solve.solver_iterative cimport Block
from engine2d.solve.step_context cimport StepContext

# After the sub-steps, before the audit: what contacts did together is known exactly; which part of
# it is friction's (J), from the slip at the two ends: the sum of friction_work.
cdef void book_step(StepContext* ctx, LargeWorkspace* work, double friction) noexcept nogil


cdef inline double slip_of(const Motion* a, const Motion* b, const Block* m,
                           int lane) noexcept nogil:
    """m/s, of A's surface along that of B."""
    return (m.nx[lane] * (a.v.y - b.v.y) - m.ny[lane] * (a.v.x - b.v.x)
            + m.ra[lane] * a.w - m.rb[lane] * b.w + m.drive[lane])


cdef inline const Motion* begun(const StepContext* ctx, const LargeWorkspace* work,
                                int32_t line) noexcept nogil:
    """How a line moved when the step began."""
    return &ctx.motions[work.tags[line].row] if work.tags[line].moves else &work.lines[line]


cdef inline double friction_work(const StepContext* ctx, const LargeWorkspace* work,
                                 const Block* m, int lane) noexcept nogil:
    """J, of a lane's friction, and of what resists rolling there, by the mean of both ends."""
    cdef const Motion* a = &work.lines[m.a[lane]]
    cdef const Motion* b = &work.lines[m.b[lane]]
    cdef const Motion* a0 = begun(ctx, work, m.a[lane])
    cdef const Motion* b0 = begun(ctx, work, m.b[lane])
    cdef const Pair* pair
    cdef double sum = 0.0
    if m.sum[lane] != 0.0:
        sum = 0.5 * m.sum[lane] * (slip_of(a0, b0, m, lane) + slip_of(a, b, m, lane))
    if ctx.has_rules and m.points[lane] == 1:
        pair = &ctx.pairs[ctx.contacts[m.contact[lane]].pair]
        if pair.flags & ROLLING:
            sum += 0.5 * work.dt * pair.roll * (a0.w - b0.w + a.w - b.w)
    return sum
