"""Sensors are swept; crossing.pxd has the contract."""

from engine2d.body cimport AWAKE, DYNAMIC, KINEMATIC
from engine2d.collide.time_of_impact cimport Strike, Sweep, find_next_impact
from engine2d.constants cimport TOI_TOLERANCE
from engine2d.vec2 cimport add, scaled, sub
from enginecore.memory cimport address, longer_lines


cdef Waypoint place_at(const StepContext* ctx, WayLog log, int32_t row, double t) noexcept nogil:
    """Where a body was at a time of the step (s)."""
    cdef Waypoint last, after
    cdef double share
    cdef int32_t k
    last.row, last.time = row, 0.0
    last.x, last.angle = ctx.before[row].x, ctx.before[row].angle
    after.row, after.time = row, ctx.whole
    after.x, after.angle = ctx.places[row].x, ctx.places[row].angle
    if ctx.bodies[row].kind != KINEMATIC:
        for k in range(log.n):
            if log.points[k].row != row:
                continue
            if log.points[k].time > t:
                after = log.points[k]
                break
            last = log.points[k]
    share = (t - last.time) / (after.time - last.time) if after.time > last.time else 1.0
    last.x = add(last.x, scaled(share, sub(after.x, last.x)))
    last.angle += share * (after.angle - last.angle)
    return last


cdef Sweep way_between(const StepContext* ctx, WayLog log, int32_t row, double start,
                       double end) noexcept nogil:
    """The straight way of a body from one time of the step to another."""
    cdef Waypoint one = place_at(ctx, log, row, start), two = place_at(ctx, log, row, end)
    cdef Sweep out
    cdef double per_second = 1.0 / (end - start)
    out.center, out.local_center = one.x, ctx.bodies[row].local_center
    out.angle = one.angle
    out.v = scaled(per_second, sub(two.x, one.x))
    out.w = per_second * (two.angle - one.angle)
    return out


cdef double next_bend(const StepContext* ctx, WayLog log, int32_t a, int32_t b,
                      double t) noexcept nogil:
    """The first bend in the way of one of two bodies after a time; else the end of the step."""
    cdef double first = ctx.whole
    cdef int32_t k
    for k in range(log.n):
        if (log.points[k].row == a or log.points[k].row == b) and t < log.points[k].time < first:
            first = log.points[k].time
    return first


cdef bint was_crossed(const StepContext* ctx, WayLog log, const ShapeData* a,
                      const ShapeData* b) noexcept nogil:
    cdef double t = 0.0, end
    cdef Sweep way_a, way_b
    cdef Strike strike
    while t < ctx.whole:
        end = next_bend(ctx, log, a.body, b.body, t)
        way_a = way_between(ctx, log, a.body, t, end)
        way_b = way_between(ctx, log, b.body, t, end)
        if way_a.v.x != way_b.v.x or way_a.v.y != way_b.v.y or way_a.w != 0.0 or way_b.w != 0.0:
            if find_next_impact(&a.geometry, &way_a, &b.geometry, &way_b, end - t,
                                TOI_TOLERANCE * ctx.unit, &strike):
                return True
        t = end
    return False


cdef class WayLog:

    def __cinit__(self):
        self.reserve(64)

    cdef int reserve(self, int32_t more) except -1 nogil:
        """Make room for so many more bends."""
        return self.grow(2 * (self.n + more)) if self.n + more > self.room else 0

    cdef int grow(self, int32_t room) except -1 with gil:
        self.array = longer_lines(self.array, room, sizeof(Waypoint))
        self.points = <Waypoint*> address(self.array)
        self.room = room
        return 0

    cdef void note(self, const StepContext* ctx, bint all_of_them) noexcept nogil:
        cdef int32_t row
        cdef Waypoint* point
        for row in range(ctx.n_bodies):
            if not (ctx.bodies[row].kind == DYNAMIC and ctx.bodies[row].flags & AWAKE
                    and ctx.moved[row] == ctx.round and (all_of_them or ctx.left[row] > 0.0)):
                continue
            point = &self.points[self.n]
            self.n += 1
            point.row = row
            point.time = ctx.begun + ctx.dt - ctx.left[row]
            point.x, point.angle = ctx.places[row].x, ctx.places[row].angle
