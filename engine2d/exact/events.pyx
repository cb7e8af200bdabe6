"""Events within a step; docs/maths/exact.md.

A step's end is looked at; whatever is beyond its limit there has crossed it within the step. When,
is found on an interpolant of the step (Hermite, degree 5 in places); then the step is taken again
to that time, and once or twice more to where the limit is met exactly.
"""

from libc.math cimport INFINITY, fabs

from enginecore.ode cimport take_step
from enginecore.scalar cimport greater
from engine2d.exact.joints cimport (
    check_holds, hold_limit, needs_forces, stop_rate)
from engine2d.exact.link cimport N_MARGINS, find_margins, load_state, measure_link
from engine2d.exact.modes cimport find_gap_accelerations, find_slopes
from engine2d.exact.roots cimport find_root
from engine2d.exact.run cimport (
    FLAG_BAND, FLAG_CLOSES, FLAG_CONE_HIGH, FLAG_CONE_LOW, FLAG_DIP, FLAG_FORCE, FLAG_GAP,
    FLAG_HALT, FLAG_MARGIN, FLAG_ROLL_HIGH, FLAG_ROLL_LOW, FLAG_SIDE, FLAG_SINKS, FLAG_SLIP,
    FLAG_STOP, FLAG_STOP_DIP, LOOSE, PER_BODY, STICKS, Flag, RunLink)
from engine2d.exact.rules cimport margin_of_front
from engine2d.exact.touching cimport find_overlap, look_at_pairs
from libc.stdint cimport int32_t

# Accelerations below so many of the least are no event.
cdef double FORCE_SLACK = 4.0
cdef double SLIP_SLACK = 2.0
# Of a cosine: a link that turns away from the front of a one-way shape by less has not.
cdef double SIDE_SLACK = 1e-9
# Tolerances beyond the end of a feature; not less than links are taken there (touching.pyx).
cdef double LEFT = 2.0
cdef enum:
    MOST_LANDINGS = 5
    MOST_SEARCHES = 80     # turns in the search for the time of a gap
# Of a step: as near as a time is searched on the interpolant; landing does the rest.
cdef double NEAR_ENOUGH = 1e-12
# Of an event's slack: near enough to its level.
cdef double LANDED = 1e-6
# Of a step: over which slopes of event functions are measured.
cdef double SLOPE_SHARE = 1e-4


# ---------------------------------------------------------------------------------- interpolant

cdef void interpolate(Run* run, double h, double x) noexcept nogil:
    """Load the state at time x of the step; the accounts are not in it."""
    cdef int32_t i, j
    cdef Py_ssize_t at
    cdef double s = x / h, d0, d1, d2, d3, d4, d5, q0, q1, v0, v1, a0, a1, dq
    for i in range(run.n_moving):
        for j in range(3):
            at = PER_BODY * i + j
            q0, q1 = run.y[at], run.y1[at]
            v0, v1 = h * run.y[at + 3], h * run.y1[at + 3]
            a0, a1 = h * h * run.k[at + 3], h * h * run.dy1[at + 3]
            dq = q1 - q0
            d0, d1, d2 = q0, v0, 0.5 * a0
            d3 = 10.0 * dq - 6.0 * v0 - 4.0 * v1 - 1.5 * a0 + 0.5 * a1
            d4 = -15.0 * dq + 8.0 * v0 + 7.0 * v1 + 1.5 * a0 - a1
            d5 = 6.0 * dq - 3.0 * (v0 + v1) - 0.5 * (a0 - a1)
            run.y2[at] = d0 + s * (d1 + s * (d2 + s * (d3 + s * (d4 + s * d5))))
            dq = 3.0 * d3 + s * (4.0 * d4 + s * 5.0 * d5)
            run.y2[at + 3] = (d1 + s * (2.0 * d2 + s * dq)) / h
    load_state(run, run.y2)


cdef struct Search:
    Run* run
    Flag* flag
    double h


cdef double value_in_state(Run* run, Flag* flag, const double* y) noexcept nogil:
    """What a flag watches, in the loaded state y."""
    cdef RunLink* link
    cdef double[N_MARGINS] margins
    if flag.kind == FLAG_GAP or flag.kind == FLAG_DIP:
        measure_link(run, &flag.probe)
        return flag.probe.at.gap
    if flag.kind >= FLAG_STOP:
        if needs_forces(flag):
            find_slopes(0.0, y, run.dy2, run)
        return hold_limit(run, flag)
    link = &run.links[flag.index]
    if flag.kind == FLAG_MARGIN:
        measure_link(run, link)
        find_margins(run, link, margins, NULL)
        return margins[flag.part]
    if flag.kind in (FLAG_SLIP, FLAG_BAND, FLAG_SINKS, FLAG_HALT, FLAG_SIDE):
        measure_link(run, link)
        return limit_of(run, flag.kind, link)
    find_slopes(0.0, y, run.dy2, run)
    if flag.kind == FLAG_CLOSES:
        find_gap_accelerations(run)
    return limit_of(run, flag.kind, link)


cdef double limit_of(const Run* run, int kind, const RunLink* link) noexcept nogil:
    """What a link's flag watches, from what was measured and solved: >= 0 as long as it lasts."""
    if kind == FLAG_FORCE:
        return link.fn * link.metric
    if kind == FLAG_CONE_LOW:
        return (link.mu * link.fn + link.ft) * link.metric
    if kind == FLAG_CONE_HIGH:
        return (link.mu * link.fn - link.ft) * link.metric
    if kind == FLAG_CLOSES:
        return link.an
    if kind == FLAG_SLIP:
        return link.slip * link.vt
    if kind == FLAG_BAND:
        return run.band - link.at.gap
    if kind == FLAG_ROLL_LOW:
        return (link.rolling * link.fn + link.fr) * link.roll_metric
    if kind == FLAG_ROLL_HIGH:
        return (link.rolling * link.fn - link.fr) * link.roll_metric
    if kind == FLAG_HALT:
        return link.roll * link.vr
    if kind == FLAG_SIDE:
        return margin_of_front(run, &run.pairs[link.pair], link.at.normal)
    return link.at.gap


cdef double value_at(double x, void* context) noexcept nogil:
    """What a flag watches at time x of the step, for roots."""
    cdef Search* search = <Search*> context
    interpolate(search.run, search.h, x)
    return value_in_state(search.run, search.flag, search.run.y2)


cdef double rate_at(double x, void* context) noexcept nogil:
    """The rate of a probe's gap."""
    cdef Search* search = <Search*> context
    interpolate(search.run, search.h, x)
    measure_link(search.run, &search.flag.probe)
    return search.flag.probe.vn


cdef double stop_closing_at(double x, void* context) noexcept nogil:
    """Minus the rate of a limit of a joint."""
    cdef Search* search = <Search*> context
    interpolate(search.run, search.h, x)
    return -stop_rate(search.run, search.flag)


cdef double closing_at(double x, void* context) noexcept nogil:
    return -rate_at(x, context)


# ------------------------------------------------------------------------------------- flagging

cdef void flag_link(Run* run, int kind, int32_t k, int part, double slack) noexcept nogil:
    cdef Flag* flag
    if run.n_flags < run.flag_room:
        flag = &run.flags[run.n_flags]
        run.n_flags += 1
        flag.kind, flag.index, flag.part, flag.slack = kind, k, part, slack


cdef void check_link(Run* run, int32_t k) noexcept nogil:
    """Flag what a link has done."""
    cdef const RunLink* link = &run.links[k]
    cdef double slack = FORCE_SLACK * run.least
    cdef double[N_MARGINS] margins
    cdef int i
    if link.mode == LOOSE:
        if (link.an < -slack and fabs(link.vn) <= 10.0 * run.slow
                and link.at.gap <= run.touch):
            flag_link(run, FLAG_CLOSES, k, 0, slack)
        return
    if limit_of(run, FLAG_FORCE, link) < -slack:
        flag_link(run, FLAG_FORCE, k, 0, slack)
    if link.mode == STICKS:
        if limit_of(run, FLAG_CONE_LOW, link) < -slack:
            flag_link(run, FLAG_CONE_LOW, k, 0, slack)
        if limit_of(run, FLAG_CONE_HIGH, link) < -slack:
            flag_link(run, FLAG_CONE_HIGH, k, 0, slack)
    elif link.slip != 0 and link.slip * link.vt < -SLIP_SLACK * run.slow:
        flag_link(run, FLAG_SLIP, k, 0, SLIP_SLACK * run.slow)
    check_link_rules(run, k)
    if run.wide:
        if link.at.gap > run.band + run.tol:
            flag_link(run, FLAG_BAND, k, 0, run.tol)
        if link.at.gap < -2.0 * run.tol - run.pairs[link.pair].allowed:
            flag_link(run, FLAG_SINKS, k, 0, run.tol)
    if link.watched:
        find_margins(run, link, margins, NULL)
        for i in range(N_MARGINS):
            if link.watched & (1 << i) and margins[i] < -LEFT * run.tol:
                flag_link(run, FLAG_MARGIN, k, i, 2.0 * LEFT * run.tol)


cdef void check_link_rules(Run* run, int32_t k) noexcept nogil:
    """Flag what a link that bears has done by the rules of its pair."""
    cdef const RunLink* link = &run.links[k]
    cdef double slack = FORCE_SLACK * run.least
    if link.rolling > 0.0 and link.roll == 0:
        if limit_of(run, FLAG_ROLL_LOW, link) < -slack:
            flag_link(run, FLAG_ROLL_LOW, k, 0, slack)
        if limit_of(run, FLAG_ROLL_HIGH, link) < -slack:
            flag_link(run, FLAG_ROLL_HIGH, k, 0, slack)
    elif link.roll * link.vr < -SLIP_SLACK * run.slow:
        flag_link(run, FLAG_HALT, k, 0, SLIP_SLACK * run.slow)
    if run.pairs[link.pair].one_way and limit_of(run, FLAG_SIDE, link) < -SIDE_SLACK:
        flag_link(run, FLAG_SIDE, k, 0, SIDE_SLACK)


cdef void flag_events(Run* run) noexcept nogil:
    """All that has happened; see events.pxd."""
    cdef int32_t k
    run.n_flags = 0
    find_gap_accelerations(run)
    for k in range(run.n_links):
        check_link(run, k)
    check_holds(run)
    look_at_pairs(run)


# ----------------------------------------------------------------------------------------- times

cdef double time_of_limit(Run* run, Flag* flag, double h) noexcept nogil:
    """When a link's limit was met."""
    cdef Search search
    cdef double start, end
    search.run, search.flag, search.h = run, flag, h
    start = value_at(0.0, &search)
    end = value_at(h, &search)
    flag.level = 0.0
    if start <= 0.5 * flag.slack:
        flag.level = -0.5 * flag.slack
        if start <= flag.level:
            return 0.0
    if end > flag.level:
        return h
    return find_root(value_at, &search, 0.0, start, h, end, flag.level, NEAR_ENOUGH * h,
                     &run.count.bisections)


cdef double root_of_gap(Run* run, Flag* flag, double h, double low, double high) noexcept nogil:
    """When the gap of a probe falls to the level of its pair between two times; < 0: it does not.

    A gap that starts closed and opens is followed from its widest on.
    """
    cdef Search search
    cdef double start, end
    search.run, search.flag, search.h = run, flag, h
    end = value_at(high, &search)
    start = value_at(low, &search)
    flag.level = -flag.slack
    if start <= flag.level + 0.5 * run.tol:
        if flag.probe.vn > run.slow:
            if rate_at(high, &search) < 0.0:
                low = find_root(rate_at, &search, low, rate_at(low, &search), high,
                                rate_at(high, &search), 0.0, NEAR_ENOUGH * h,
                                &run.count.bisections)
                start = value_at(low, &search)
        if start <= flag.level + 0.5 * run.tol:
            flag.level -= run.tol
            if start <= flag.level:
                # deeper it cannot have been: there it is not these features that face each other
                return low if start > -flag.slack - run.touch else -1.0
    if end > flag.level:
        return -1.0
    return find_root(value_at, &search, low, start, high, end, flag.level, NEAR_ENOUGH * h,
                     &run.count.bisections)


cdef double time_of_gap(Run* run, int k, double h, double high) noexcept nogil:
    """When a pair first overlaps before `high`, where the probe of flag k does.

    The probe's own gap predicts the time; what the shapes say there confirms it. If they overlap
    there already by other features, these are followed; if they are still apart, the time is
    halved: so it is where corner meets corner, and the gap jumps.
    """
    cdef Flag* flag = &run.flags[k]
    cdef double low = 0.0, when, gap
    cdef int _turn
    flag.jumps = False
    for _turn in range(MOST_SEARCHES):
        when = root_of_gap(run, flag, h, low, high)
        if when >= 0.0:
            interpolate(run, h, when)
            if find_overlap(run, flag.index, k, &gap):
                if when < high:
                    high = when
                    continue
            elif gap <= run.touch:
                return when
            elif when > low:
                low = when
        if high - low <= NEAR_ENOUGH * h:
            break
        when = 0.5 * (low + high)
        run.count.bisections += 1
        interpolate(run, h, when)
        if find_overlap(run, flag.index, k, &gap):
            high = when
        else:
            low = when
    flag.jumps = True
    return high


cdef double time_of_dip(Run* run, int k, double h) noexcept nogil:
    """When features that were apart at both ends of a step met in between; < 0: they did not."""
    cdef Flag* flag = &run.flags[k]
    cdef Search search
    cdef double gap, rate, lowest
    if flag.rate <= 0.0:
        return -1.0
    search.run, search.flag, search.h = run, flag, h
    rate = rate_at(0.0, &search)
    gap = flag.probe.at.gap
    if rate >= 0.0 or gap > 1.5 * (greater(-rate, flag.rate)) * h:
        return -1.0
    lowest = find_root(closing_at, &search, 0.0, -rate, h, -flag.rate, 0.0, NEAR_ENOUGH * h,
                       &run.count.bisections)
    if value_at(lowest, &search) >= -(2.0 * run.tol + flag.slack):
        return -1.0
    if not find_overlap(run, flag.index, k, &gap):
        return -1.0
    return time_of_gap(run, k, h, lowest)


cdef double time_of_stop_dip(Run* run, Flag* flag, double h) noexcept nogil:
    """When a limit that was not met at both ends of a step was met in between; < 0: it was not."""
    cdef Search search
    cdef double before, after, lowest, start, least
    search.run, search.flag, search.h = run, flag, h
    before, after = stop_closing_at(0.0, &search), stop_closing_at(h, &search)
    if not (before > 0.0 and after < 0.0):
        return -1.0
    lowest = find_root(stop_closing_at, &search, 0.0, before, h, after, 0.0, NEAR_ENOUGH * h,
                       &run.count.bisections)
    least = value_at(lowest, &search)
    start = value_at(0.0, &search)
    flag.level = 0.0 if start > 0.5 * flag.slack else -0.5 * flag.slack
    if least >= -flag.slack or start <= flag.level:
        return -1.0
    return find_root(value_at, &search, 0.0, start, lowest, least, flag.level, NEAR_ENOUGH * h,
                     &run.count.bisections)


cdef int first_event(Run* run, double h, double* when) noexcept nogil:
    """The earliest event; see events.pxd."""
    cdef int k, best = -1
    cdef double x
    when[0] = INFINITY
    for k in range(run.n_flags):
        if run.flags[k].kind == FLAG_DIP:
            x = time_of_dip(run, k, h)
        elif run.flags[k].kind == FLAG_GAP:
            x = time_of_gap(run, k, h, h)
        elif run.flags[k].kind == FLAG_STOP_DIP:
            x = time_of_stop_dip(run, &run.flags[k], h)
        else:
            x = time_of_limit(run, &run.flags[k], h)
        if 0.0 <= x < when[0]:
            when[0] = x
            best = k
    return best


cdef double land(Run* run, int k, double h, double when) noexcept nogil:
    """Integrate to an event; see events.pxd."""
    cdef Flag* flag = &run.flags[k]
    cdef Search search
    cdef double value, slope, step, before, slack
    cdef int _turn
    cdef bint gap = flag.kind == FLAG_GAP or flag.kind == FLAG_DIP
    search.run, search.flag, search.h = run, flag, h
    slack = run.tol if gap else flag.slack
    slope = 0.0
    if not gap and when > 0.0:
        before = greater(when - SLOPE_SHARE * h, 0.0)
        slope = (value_at(when, &search) - value_at(before, &search)) / (when - before)
    for _turn in range(MOST_LANDINGS):
        take_step(find_slopes, run, run.n, run.t, run.y, when, run.k, run.y3)
        find_slopes(0.0, run.y3, run.dy3, run)
        value = value_in_state(run, flag, run.y3)
        if gap:
            slope = flag.probe.vn
        if (fabs(value - flag.level) <= LANDED * slack or not slope < 0.0 or when <= 0.0
                or (gap and flag.jumps)):
            break
        step = -(value - flag.level) / slope
        if fabs(step) > 0.1 * h or when + step < 0.0 or when + step == when:
            break
        when += step
    find_slopes(0.0, run.y3, run.dy3, run)
    return when
