# distutils: include_dirs = engine2d/solve enginecore
"""Bodies of large islands through a sub-step; large_motion.pxd has the contract."""

from libc.stdint cimport int32_t

from engine2d.body cimport Motion
from engine2d.solve.large_work cimport Account, Keep
from engine2d.solve.solver_iterative cimport Drive, LineMass, drive_lines, move_lines
from engine2d.vec2 cimport Vec2, add, dot, scaled, sub


cdef void book_damping(StepContext* ctx, double h, const Motion* line, const Drive* drive,
                       const Keep* keep, const LineMass* mass) noexcept nogil:
    """The work of a body's damping in a sub-step that begins."""
    cdef Vec2 v = add(line.v, scaled(h, drive.a))
    cdef double w = line.w + h * drive.alpha
    ctx.books.damping += 0.5 * (
        mass.m * (keep.v - 1.0) * dot(v, add(line.v, scaled(keep.v, v)))
        + mass.inertia * (keep.w - 1.0) * w * (line.w + keep.w * w))


cdef void drive_damped(StepContext* ctx, double h, LargeWorkspace* work) noexcept nogil:
    """As drive_lines, with damping."""
    cdef int32_t k
    cdef Motion* line
    cdef Drive* drive
    cdef const Keep* keep
    cdef Vec2 given
    cdef double w
    for k in range(1, work.n_lines):
        line = &work.lines[k]
        drive = &work.drives[k]
        keep = &work.keeps[k]
        given = sub(line.v, drive.v0)
        w = line.w - drive.w0
        if keep.v != 1.0 or keep.w != 1.0:
            book_damping(ctx, h, line, drive, keep, &work.masses[k])
        drive.v0 = scaled(keep.v, add(line.v, scaled(h, drive.a)))
        drive.w0 = keep.w * (line.w + h * drive.alpha)
        line.v = add(drive.v0, given)
        line.w = drive.w0 + w


cdef void drive_slowed(double h, LargeWorkspace* work) noexcept nogil:
    """As drive_lines, with what islands lose; those after the islands are kinematic."""
    cdef int32_t g, first, rest = work.n_rows + 1
    cdef Account* account
    for g in range(work.n_islands):
        account = &work.accounts[g]
        first = account.first
        drive_lines(&work.lines[first], &work.drives[first], &work.masses[first],
                    account.end - first, h, account.share)
        account.share = 0.0
    drive_lines(&work.lines[rest], &work.drives[rest], &work.masses[rest], work.n_lines - rest, h,
                0.0)
    work.is_slowed = False


cdef void note_pushed(LargeWorkspace* work) noexcept nogil:
    """Which bodies contacts gave something in the last sub-step."""
    cdef int32_t k
    cdef const Motion* line
    cdef const Drive* drive
    for k in range(1, work.n_lines):
        line = &work.lines[k]
        drive = &work.drives[k]
        work.tags[k].pushed = not (line.v.x == drive.v0.x and line.v.y == drive.v0.y
                                   and line.w == drive.w0)


cdef void drive_bodies(StepContext* ctx, double h, LargeWorkspace* work) noexcept nogil:
    if work.n_bouncers > 0:
        note_pushed(work)
    if work.is_damped:
        drive_damped(ctx, h, work)
    elif work.is_slowed:
        drive_slowed(h, work)
    else:
        drive_lines(&work.lines[1], &work.drives[1], &work.masses[1], work.n_lines - 1, h, 0.0)


cdef void exchange_free(LargeWorkspace* work) noexcept nogil:
    cdef int32_t k
    cdef Motion* line
    cdef Drive* drive
    for k in range(1, work.n_lines):
        line = &work.lines[k]
        drive = &work.drives[k]
        line.v, drive.v0 = drive.v0, line.v
        line.w, drive.w0 = drive.w0, line.w


cdef void move_bodies(double h, LargeWorkspace* work) noexcept nogil:
    cdef int32_t k
    if not work.is_waiting:
        move_lines(&work.lines[1], &work.drives[1], work.n_lines - 1, h)
        return
    for k in range(1, work.n_lines):
        if not work.tags[k].stands:
            move_lines(&work.lines[k], &work.drives[k], 1, h)
