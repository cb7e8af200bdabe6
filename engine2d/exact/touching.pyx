"""Which features touch, and how far apart pairs of shapes are; docs/maths/exact.md."""

from libc.math cimport INFINITY, fabs, sqrt
from libc.string cimport memset

from enginecore.scalar cimport greater, lesser
from engine2d.constants cimport PARTED, SUNK_BEHIND
from engine2d.exact.link cimport N_MARGINS, find_margins, measure_link, set_features
from engine2d.exact.rules cimport is_behind, is_unwanted
from engine2d.exact.run cimport (
    FLAG_DIP, FLAG_GAP, LOOSE, NEAR, NOT_PASSING, PASSES, Flag, RunBody, RunLink, RunPair)
from engine2d.collide.geometry cimport OUTLINE, Geometry, count_features
from engine2d.collide.narrow_phase cimport MOST_POINTS, Touch, AxisCache, find_contacts
from engine2d.collide.outline cimport Bounds
from engine2d.pose cimport to_local, to_world
from engine2d.vec2 cimport Vec2, dot, length, sub

# m, how far a round feature's normals, or an edge's foot at a wall, may be exceeded where nothing
# is watched; a share of the reach.
cdef double UNWATCHED = 1e-4
cdef double UNWATCHED_WIDE = 1e-2
# Cosine of the angle within which normals are the same.
cdef double SAME_NORMAL = 1.0 - 1e-9
# Tolerances within which two links are at one place, and an end counts as reached.
cdef double ONE_PLACE = 50.0
cdef double AT_END = 2.0
# Share of a pair's thickness that it may move in a step.
cdef double MOST_WAY = 0.2
# Share of the smaller reach that counts as thickness where both are lines.
cdef double LINE_THICKNESS = 1e-2
# Of their distance, and of the one at which they have parted: what passes comes no farther in a
# step.
cdef double PASSING_WAY = 0.5
cdef double PARTING_WAY = 0.25
# Deepest overlap below 0 that is no event, in tolerances.
cdef double SEEN = 2.0


# -------------------------------------------------------------------------------- enumerating

cdef inline bint is_far(const Geometry* g, int32_t f, Vec2 middle, double reach) noexcept nogil:
    """Whether a feature of an outline is not within `reach` of a point of its frame."""
    cdef const Bounds* box
    cdef double dx, dy
    if g.kind != OUTLINE:
        return False
    if g.features[f].sweep < 0.0:
        return True
    box = &g.features[f].box
    dx = greater(greater(box.low.x - middle.x, middle.x - box.high.x), 0.0)
    dy = greater(greater(box.low.y - middle.y, middle.y - box.high.y), 0.0)
    return dx * dx + dy * dy > reach * reach


cdef bint is_within(Run* run, RunLink* link) noexcept nogil:
    """Whether the features of a measured link are where they touch; sets `dropped` if it is just
    leaving them, without a blow."""
    cdef double[N_MARGINS] margins
    cdef double[N_MARGINS] rates
    cdef int k
    cdef const RunPair* pair = &run.pairs[link.pair]
    cdef double loose = (UNWATCHED_WIDE if run.wide else UNWATCHED) * lesser(
        pair.ga.bounding_radius, pair.gb.bounding_radius)
    find_margins(run, link, margins, rates)
    for k in range(N_MARGINS):
        if not link.watched & (1 << k):
            if margins[k] < -loose:
                return False
        elif margins[k] < AT_END * run.tol:
            if margins[k] < -AT_END * run.tol:
                return False
            if rates[k] < -run.slow and link.vn >= -run.slow:
                link.dropped = 1
    return True


cdef bint ends_here(const Run* run, const RunLink* link) noexcept nogil:
    """Whether a corner stands at the very end of an edge, and that is a corner too."""
    cdef double[N_MARGINS] margins
    cdef int k, first
    if link.at.r2 == INFINITY and link.at.r1 == 0.0:
        first = 2
    elif link.at.r1 == INFINITY and link.at.r2 == 0.0:
        first = 0
    else:
        return False
    find_margins(run, link, margins, NULL)
    for k in range(first, first + 2):
        if link.watched & (1 << k) and margins[k] < ONE_PLACE * run.tol:
            return True
    return False


cdef const RunLink* find_old(const Run* run, int32_t pair, int32_t f1, int32_t f2) noexcept nogil:
    """The link of two features, if it was there; NULL if not."""
    cdef int32_t k
    for k in range(run.n_links):
        if (run.links[k].pair == pair and run.links[k].at.f1 == f1
                and run.links[k].at.f2 == f2):
            return &run.links[k]
    return NULL


cdef inline bint rests_or_touches(const Run* run, const RunPair* pair,
                                  const RunLink* link) noexcept nogil:
    """Whether a measured link is one: it touches, or rests in the band."""
    if link.at.gap < -(pair.allowed + run.touch + run.sunk):
        return False
    return link.at.gap <= run.touch or (link.at.gap <= run.band
                                        and fabs(link.vn) <= run.band_speed)


cdef void begin_link(const Run* run, int32_t k, RunLink* out) noexcept nogil:
    """A link of a pair, without features."""
    cdef const RunPair* pair = &run.pairs[k]
    memset(out, 0, sizeof(RunLink))
    out.pair = k
    out.a, out.b = pair.a, pair.b
    out.mu, out.e = pair.mu, pair.e
    out.mode = LOOSE


cdef bint keeps(Run* run, RunLink* link, RunLink* others, int32_t first,
                int32_t* n) noexcept nogil:
    """Whether a link is to be added to those of its pair, from `first` on: at one place there is
    one for each normal, and where a corner meets a corner only one at all. May replace another."""
    cdef int32_t k
    cdef RunLink* other
    cdef bint same
    for k in range(first, n[0]):
        other = &others[k]
        if length(sub(other.at.point, link.at.point)) > ONE_PLACE * run.tol:
            continue
        same = dot(other.at.normal, link.at.normal) > SAME_NORMAL
        if not same and not (ends_here(run, other) and ends_here(run, link)):
            continue
        if same and other.dropped != link.dropped:
            if other.dropped:
                others[k] = link[0]
        elif (same and other.mode == LOOSE and link.mode != LOOSE) or (
                not same and link.vn > other.vn):
            others[k] = link[0]
        return False
    return True


cdef int32_t collect_pair(Run* run, int32_t k, int32_t n) noexcept nogil:
    """Add the links of one pair to run.fresh from n on; returns how many there are then, or -1."""
    cdef RunPair* pair = &run.pairs[k]
    cdef RunBody* a = &run.bodies[pair.a]
    cdef RunBody* b = &run.bodies[pair.b]
    cdef Vec2 b_in_a = to_local(&a.pose, to_world(&b.pose, pair.gb.middle))
    cdef Vec2 a_in_b = to_local(&b.pose, to_world(&a.pose, pair.ga.middle))
    cdef double reach = greater(run.touch, run.band)
    cdef int32_t i, j, first = n
    cdef RunLink link
    cdef const RunLink* old
    pair.behind = 0
    for i in range(count_features(pair.ga)):
        if is_far(pair.ga, i, b_in_a, pair.gb.bounding_radius + reach):
            continue
        for j in range(count_features(pair.gb)):
            if is_far(pair.gb, j, a_in_b, pair.ga.bounding_radius + reach):
                continue
            begin_link(run, k, &link)
            if not set_features(pair, i, j, &link):
                continue
            measure_link(run, &link)
            if not rests_or_touches(run, pair, &link) or not is_within(run, &link):
                continue
            if is_behind(run, pair, link.at.normal):
                pair.behind = 1
                continue
            if is_unwanted(pair, i, j):
                continue
            link.rest = lesser(link.at.gap, 0.0) if pair.allowed > run.tol else 0.0
            old = find_old(run, k, i, j)
            if old != NULL:
                link.mode, link.slip, link.held = old.mode, old.slip, old.held
                link.fn, link.ft, link.hit, link.rest = old.fn, old.ft, old.hit, old.rest
                link.base_n, link.base_t = old.base_n, old.base_t
                link.roll, link.roll_held = old.roll, old.roll_held
                link.fr, link.base_r = old.fr, old.base_r
            if keeps(run, &link, run.fresh, first, &n):
                if n == run.link_room:
                    return -1
                run.fresh[n] = link
                n += 1
    # those that have left were kept so far to outdo others at their place
    j = first
    for i in range(first, n):
        if not run.fresh[i].dropped:
            run.fresh[j] = run.fresh[i]
            j += 1
    return j


cdef int32_t collect_links(Run* run) noexcept nogil:
    """All links; see touching.pxd."""
    cdef int32_t k, n = 0, before
    cdef RunLink* fresh
    for k in range(run.n_pairs):
        if run.pairs[k].passing:
            continue
        if may_be_within(run, &run.pairs[k], greater(run.touch, run.band)):
            before = n
            n = collect_pair(run, k, n)
            if n < 0:
                return -1
            if n == before and run.pairs[k].one_way:
                let_through(run, &run.pairs[k])
    fresh = run.fresh
    run.fresh = run.links
    run.links = fresh
    run.n_links = n
    return n


# --------------------------------------------------------------------------------- letting through

cdef void let_through(Run* run, RunPair* pair) noexcept nogil:
    """A pair of a one-way shape without links: what touches from behind, or is inside, passes."""
    cdef Touch[MOST_POINTS] found
    cdef int k
    cdef double allowed = pair.allowed
    cdef bint through = pair.behind
    for k in range(look(run, pair, run.touch, found)):
        through = through or (found[k].gap <= run.touch
                              and (is_behind(run, pair, found[k].normal)
                                   or found[k].gap < -(allowed + run.touch)))
    if through:
        pair.passing = PASSES
        pair.allowed = 0.0


cdef bint is_sunk(Run* run, RunPair* pair) noexcept nogil:
    """Whether a pair begins inside a one-way shape; see touching.pxd."""
    cdef Touch[MOST_POINTS] found
    cdef int k, count
    if not pair.one_way:
        return False
    count = look(run, pair, run.touch, found)
    for k in range(count):
        if not is_behind(run, pair, found[k].normal) and found[k].gap >= -SUNK_BEHIND * run.unit:
            return False
    return count > 0


cdef void part_pairs(Run* run) noexcept nogil:
    """What has parted is there again; see touching.pxd."""
    cdef Touch[MOST_POINTS] found
    cdef int32_t k
    cdef RunPair* pair
    cdef double apart
    for k in range(run.n_pairs):
        pair = &run.pairs[k]
        if not pair.passing and pair.n_void == 0:
            continue
        apart = PARTED * run.unit if pair.passing else run.touch
        if bound_gap(run, pair) > apart or look(run, pair, 2.0 * apart, found) == 0 or (
                pair.clear > apart):
            pair.passing = NOT_PASSING
            pair.n_void = 0
            pair.all_void = False


# ------------------------------------------------------------------------------------- clearance

cdef inline double bound_gap(const Run* run, const RunPair* pair) noexcept nogil:
    """m: a pair is at least so far apart."""
    return pair.clear - (run.bodies[pair.a].travelled + run.bodies[pair.b].travelled - pair.looked)


cdef inline bint may_be_within(Run* run, RunPair* pair, double reach) noexcept nogil:
    """Whether a pair can be within a distance; looks if what is known does not tell."""
    cdef Touch[MOST_POINTS] found
    if bound_gap(run, pair) > reach:
        return False
    return look(run, pair, 2.0 * reach, found) > 0


cdef int look(Run* run, RunPair* pair, double margin, Touch* found) noexcept nogil:
    """Features of a pair within a margin, and how far apart it is; returns how many."""
    cdef AxisCache cache
    cdef int count, k
    cdef const RunBody* a = &run.bodies[pair.a]
    cdef const RunBody* b = &run.bodies[pair.b]
    memset(&cache, 0, sizeof(AxisCache))
    count = find_contacts(pair.ga, &a.pose, pair.gb, &b.pose, margin, &cache, found, MOST_POINTS)
    pair.looked = a.travelled + b.travelled
    pair.clear = cache.clear if count == 0 else INFINITY
    for k in range(count):
        pair.clear = lesser(pair.clear, found[k].gap)
    if count > 0 and pair.allowed > 0.0:
        pair.allowed = lesser(pair.allowed, greater(-pair.clear, 0.0))
    elif count == 0:
        pair.allowed = 0.0
    return count


cdef void allow_overlaps(Run* run) noexcept nogil:
    """How deep pairs are; see touching.pxd."""
    cdef int32_t k
    cdef Touch[MOST_POINTS] found
    cdef RunPair* pair
    for k in range(run.n_pairs):
        pair = &run.pairs[k]
        pair.allowed = INFINITY
        pair.n_near = 0
        if pair.passing or look(run, pair, greater(run.touch, run.band), found) == 0:
            pair.allowed = 0.0
        if pair.allowed <= run.tol:
            pair.allowed = 0.0


cdef void allow_jump(Run* run, int32_t k) noexcept nogil:
    """The depth of a pair has jumped; see touching.pxd."""
    cdef Touch[MOST_POINTS] found
    cdef RunPair* pair = &run.pairs[k]
    if pair.allowed > run.touch:
        pair.allowed = INFINITY
        if look(run, pair, run.touch, found) == 0:
            pair.allowed = 0.0


cdef bint is_met(Run* run) noexcept nogil:
    """Whether something new overlaps; see touching.pxd."""
    cdef int32_t k
    cdef Touch[MOST_POINTS] found
    cdef RunPair* pair
    cdef int count, i
    cdef double allowed
    for k in range(run.n_pairs):
        pair = &run.pairs[k]
        if pair.passing or bound_gap(run, pair) > run.touch:
            continue
        allowed = pair.allowed
        count = look(run, pair, run.touch, found)
        pair.allowed = allowed
        for i in range(count):
            if (found[i].gap < -(SEEN * run.tol + allowed)
                    and find_old(run, k, found[i].f1, found[i].f2) == NULL
                    and not is_behind(run, pair, found[i].normal)
                    and not is_unwanted(pair, found[i].f1, found[i].f2)):
                return True
    return False


cdef bint has_link(const Run* run, int32_t pair) noexcept nogil:
    cdef int32_t k
    for k in range(run.n_links):
        if run.links[k].pair == pair:
            return True
    return False


cdef bint is_linked(const Run* run, int32_t k, const Touch* touch) noexcept nogil:
    """Whether two features are those of a link that bears, or are not to be one."""
    cdef const RunPair* pair = &run.pairs[k]
    cdef const RunLink* old = find_old(run, k, touch.f1, touch.f2)
    if old != NULL and old.mode != LOOSE:
        return True
    # from behind a pair is met once: then it passes, unless it is held from the front
    return is_unwanted(pair, touch.f1, touch.f2) or (
        is_behind(run, pair, touch.normal) and has_link(run, k))


cdef bint find_overlap(Run* run, int32_t k, int32_t flag, double* gap) noexcept nogil:
    """The deepest unlinked features; see touching.pxd."""
    cdef RunPair* pair = &run.pairs[k]
    cdef Touch[MOST_POINTS] found
    cdef AxisCache cache
    cdef int count, i, best = -1
    memset(&cache, 0, sizeof(AxisCache))
    count = find_contacts(pair.ga, &run.bodies[pair.a].pose, pair.gb, &run.bodies[pair.b].pose,
                          run.touch, &cache, found, MOST_POINTS)
    for i in range(count):
        if not is_linked(run, k, &found[i]) and (best < 0 or found[i].gap < found[best].gap):
            best = i
    gap[0] = INFINITY if best < 0 else found[best].gap
    if best < 0 or gap[0] >= -(SEEN * run.tol + pair.allowed):
        return False
    run.flags[flag].probe.at = found[best]
    return True


# ----------------------------------------------------------------------------- the end of a step

cdef void add_flag(Run* run, int32_t kind, int32_t pair, const Touch* at) noexcept nogil:
    cdef Flag* flag
    if run.n_flags == run.flag_room:
        return
    flag = &run.flags[run.n_flags]
    run.n_flags += 1
    flag.kind = kind
    flag.index = pair
    flag.slack = run.pairs[pair].allowed
    begin_link(run, pair, &flag.probe)
    flag.probe.at = at[0]
    if kind == FLAG_DIP:
        measure_link(run, &flag.probe)
        flag.gap, flag.rate = flag.probe.at.gap, flag.probe.vn
        # what still comes nearer has not turned back in this step
        if flag.rate <= 0.0:
            run.n_flags -= 1


cdef inline bint is_among(const Touch* touch, const Touch* list, int n) noexcept nogil:
    cdef int k
    for k in range(n):
        if list[k].f1 == touch.f1 and list[k].f2 == touch.f2:
            return True
    return False


cdef void look_at_pair(Run* run, int32_t k, double margin) noexcept nogil:
    """Look at one pair at a step's end; see look_at_pairs."""
    cdef RunPair* pair = &run.pairs[k]
    cdef Touch[MOST_POINTS] found
    cdef double deep = -(SEEN * run.tol + pair.allowed)
    cdef int count, i, kept = 0
    count = look(run, pair, margin, found)
    for i in range(count):
        if is_linked(run, k, &found[i]):
            continue
        if found[i].gap < deep:
            add_flag(run, FLAG_GAP, k, &found[i])
        elif found[i].gap > 0.0:
            add_flag(run, FLAG_DIP, k, &found[i])
    # what was near when the step began
    for i in range(pair.n_near):
        if not is_among(&pair.near[i], found, count) and not is_linked(run, k, &pair.near[i]):
            add_flag(run, FLAG_DIP, k, &pair.near[i])
    for i in range(count):
        if kept < NEAR:
            pair.near[kept] = found[i]
            kept += 1
    pair.n_near = kept


cdef void look_at_pairs(Run* run) noexcept nogil:
    """All pairs at a step's end; see touching.pxd."""
    cdef int32_t k
    cdef RunPair* pair
    cdef double margin, gap
    for k in range(run.n_pairs):
        pair = &run.pairs[k]
        gap = bound_gap(run, pair)
        if pair.passing or gap > run.touch:
            pair.n_near = 0
            continue
        # far enough to spare some looks
        margin = greater(run.touch, MOST_WAY * pair.thickness)
        look_at_pair(run, k, margin)


cdef void note_speeds(Run* run) noexcept nogil:
    """The speeds at a step's start."""
    cdef int32_t i
    cdef RunBody* body
    for i in range(run.n_moving):
        body = &run.bodies[run.moving[i]]
        body.speed = length(body.v)
        body.spin = fabs(body.w)


cdef void note_travel(Run* run, double h) noexcept nogil:
    """What bodies travel; see touching.pxd. The state at the step's end is loaded."""
    cdef int32_t i
    cdef RunBody* body
    cdef double speed, spin
    for i in range(run.n_moving):
        body = &run.bodies[run.moving[i]]
        speed = greater(body.speed, length(body.v)) + 0.5 * h * length(body.a)
        spin = greater(body.spin, fabs(body.w)) + 0.5 * h * fabs(body.alpha)
        body.way = h * (speed + spin * body.swept_radius)
        body.travelled += body.way


cdef void note_return(Run* run) noexcept nogil:
    """Bodies go back from a step's end; see touching.pxd."""
    cdef int32_t i
    for i in range(run.n_moving):
        run.bodies[run.moving[i]].travelled += run.bodies[run.moving[i]].way


cdef double longest_step(Run* run, double h) noexcept nogil:
    """How long a step may be; see touching.pxd."""
    cdef int32_t k
    cdef RunPair* pair
    cdef const RunBody* a
    cdef const RunBody* b
    cdef double speed, bend, room, longest
    for k in range(run.n_pairs):
        pair = &run.pairs[k]
        a = &run.bodies[pair.a]
        b = &run.bodies[pair.b]
        speed = length(sub(a.v, b.v)) + fabs(a.w) * a.swept_radius + fabs(b.w) * b.swept_radius
        bend = (length(sub(a.a, b.a)) + fabs(a.alpha) * a.swept_radius
                + fabs(b.alpha) * b.swept_radius)
        room = greater(bound_gap(run, pair), 0.0) + MOST_WAY * pair.thickness
        if pair.passing:
            # that it has parted is looked for at the ends of steps
            room = greater(PASSING_WAY * fabs(bound_gap(run, pair)),
                           PARTING_WAY * PARTED * run.unit)
        if h * (speed + 0.5 * h * bend) > room:
            # speed t + bend t^2/2 = room
            longest = 2.0 * room / (speed + sqrt(speed * speed + 2.0 * bend * room))
            h = lesser(h, longest)
    return h
