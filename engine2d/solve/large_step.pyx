# distutils: include_dirs = engine2d/solve enginecore
"""Large islands through a step, by sub-steps of a spring-like solver."""

from libc.math cimport sqrt
from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memcpy, memset

from enginecore.bits cimport lowest_bit
from enginecore.memory cimport hold
from enginecore.pair_table cimport high_of, low_of
from enginecore.prefetch cimport prefetch
from enginecore.scalar cimport greater, lesser
from engine2d.body cimport (
    BodyData, DYNAMIC, INITIAL_OVERLAP, KINEMATIC, Motion, Place, STATIC, RESTING,
)
from engine2d.contact cimport (
    ASLEEP, HIDING, PAIRED, ROLLING, SENSOR, STRUCK, VOID, YIELDING, Contact, Pair,
    keep_impulses, mark_struck,
)
from engine2d.collide.facing cimport confirm_open, follow_up, is_floor, is_hidden
from engine2d.solve.energy cimport inverse
from engine2d.impact cimport ImpactInput, ImpactOutput, strike
from engine2d.solve.integrate cimport move_body, place_kinematic
from engine2d.solve.books cimport Books, blow_work
from engine2d.solve.large_books cimport book_step
from engine2d.solve.large_energy cimport audit_step, limit_gain, open_accounts
from engine2d.solve.large_motion cimport drive_bodies, exchange_free, move_bodies
from engine2d.solve.rule cimport boost_of, drive_of, kick, rolling_limit
from engine2d.solve.solver_iterative cimport (
    Block, BlockPoint, Drive, LineMass, Softness, make_soft, pass_rigid, pass_soft,
)
from engine2d.solve.row cimport AT_LOW, INSIDE
from engine2d.solve.small_step cimport SUB_STEPS
from engine2d.solve.step_context cimport StepContext
from engine2d.vec2 cimport Vec2, add, cross, dot, length, scaled, sub, turn, vec2

cdef int SUBSTEPS = 8              # enough for a pyramid of 60 rows to come to rest
# sub-steps of these in one of a small island, where a step is not cut into pieces
cdef double FULL = <double>SUBSTEPS / SUB_STEPS
cdef double HERTZ = 60.0           # 1/s, of contacts as springs: an eighth of the sub-steps' rate
cdef double STIFFER = 2.0          # times that for contacts with what does not move
cdef double DAMPING_RATIO = 10.0   # far beyond critical: pushed out without a bounce
cdef double FASTEST_PUSH = 3.0     # m/s, out of deep overlaps
# Bodies that were put into each other are pushed apart by everybody at once: the relax pass has to
# settle to take that speed back, or they would fly off.
cdef double OVERLAP_SHARE = 0.05     # of an island's contacts; a single one is pushed out by two
cdef int OVERLAP_PASSES = 8
cdef double MANIFOLD_TILT = 1e-4        # 1 - cosine of the normals that one manifold may have
# Between masses that differ by more, what cannot be pushed has the last word in every pass: taking
# turns would let a heavy body press a light one through a wall.
cdef double UNEVEN = 100.0
cdef double RIGID_DEPTH = 0.05            # m: beyond this contacts push as if rigid, not as springs
# Times a press's speed, and so much more than anything was: what it presses does not become faster.
cdef double THROWN = 2.0
cdef double THROWN_BY_A_LITTLE = 0.2
# Share of the thinner shape's thickness: what is pressed deeper into what stands has no room.
cdef double NO_ROOM = 0.1
cdef int STRIKE_PASSES = 8         # over all bouncing manifolds in a sub-step

cdef enum:
    COLOURS = 64                   # bits of a mask; the last one is for what finds no other
    GROUPS = 4 * COLOURS           # fixed or not, colour, one or two points
    LANES = 4
    BLOCKS_AHEAD = 3               # blocks between asking for their contacts and writing them


# ---- gathering -----------------------------------------------------------------------------------


cdef void start_line(StepContext* ctx, int32_t row, int32_t at, double h,
                     LargeWorkspace* work) noexcept nogil:
    """Copy a body into line `at` of the workspace; h (s) is the sub-step."""
    cdef const BodyData* body = &ctx.bodies[row]
    cdef Motion* line = &work.lines[at]
    cdef Drive* drive = &work.drives[at]
    cdef Keep* keep = &work.keeps[at]
    cdef LineMass* mass = &work.masses[at]
    cdef Tag* tag = &work.tags[at]
    line[0] = ctx.motions[row]
    line.d = vec2(0.0, 0.0)
    line.turned = 0.0
    drive.v0 = line.v
    drive.w0 = line.w
    drive.a = vec2(0.0, 0.0)
    drive.alpha = drive.none = 0.0
    keep.v = keep.w = 1.0
    tag.row = row
    tag.moves = body.kind == DYNAMIC
    tag.pushed = 0
    tag.stands = tag.moves and not ctx.left[row] > 0.0
    mass.m = mass.m_y = body.mass if tag.moves else 0.0
    mass.inertia = inverse(line.inv_I) if tag.moves else 0.0
    mass.none = 0.0
    if tag.stands:
        work.is_waiting = True
    elif tag.moves:
        drive.a = add(scaled(body.gravity_scale, ctx.gravity), scaled(line.inv_m, body.force))
        drive.alpha = line.inv_I * body.torque
        keep.v = 1.0 / (1.0 + h * body.linear_damping)
        keep.w = 1.0 / (1.0 + h * body.angular_damping)
        work.is_damped = work.is_damped or keep.v != 1.0 or keep.w != 1.0
    else:
        line.inv_m = 0.0
        line.inv_I = 0.0
    drive.inv_I = line.inv_I


cdef int32_t line_of(StepContext* ctx, const Contact* contact, int32_t row, double h,
                     LargeWorkspace* work) noexcept nogil:
    """The line of a body of a contact: 0 for all static ones and for a kinematic one that yields
    there, a new one for a kinematic one not yet seen."""
    cdef int32_t line = work.line_of[row]
    if line >= 0 and work.tags[line].moves:
        return line
    if ctx.pairs[contact.pair].flags & YIELDING and ctx.bodies[row].kind == KINEMATIC:
        return 0
    if line >= 0:
        return line
    if ctx.bodies[row].kind == STATIC:
        return 0
    line = work.n_lines
    place_kinematic(&ctx.bodies[row], &ctx.motions[row], &ctx.before[row], work.start,
                    &ctx.places[row])
    start_line(ctx, row, line, h, work)
    work.line_of[row] = line
    work.n_lines += 1
    return line


cdef void gather_lines(StepContext* ctx, double h, LargeWorkspace* work) noexcept nogil:
    """The bodies to lines 1, 2, ...; line 0 stays where it is."""
    cdef int32_t k
    memset(&work.lines[0], 0, sizeof(Motion))
    memset(&work.drives[0], 0, sizeof(Drive))
    memset(&work.tags[0], 0, sizeof(Tag))
    memset(&work.masses[0], 0, sizeof(LineMass))
    work.is_damped = work.is_waiting = False
    for k in range(work.n_rows):
        start_line(ctx, work.rows[k], k + 1, h, work)
        work.line_of[work.rows[k]] = k + 1
    work.n_lines = work.n_rows + 1


cdef int32_t count_points(const StepContext* ctx, const int32_t* touching,
                          int32_t n_left) noexcept nogil:
    """1, or 2 if the first contact and the next one are a manifold."""
    cdef const Contact* contact = &ctx.contacts[touching[0]]
    cdef const Contact* other
    if n_left < 2 or not contact.flags & PAIRED or touching[1] != touching[0] + 1:
        return 1
    other = &ctx.contacts[touching[1]]
    if other.is_void == VOID:
        return 1
    if dot(contact.at.normal, other.at.normal) < 1.0 - MANIFOLD_TILT:
        return 1
    return 2


cdef inline int32_t line_on_static(const StepContext* ctx, const LargeWorkspace* work,
                                   const Contact* c) noexcept nogil:
    """The line of a body that a contact holds against something static; 0: there is none."""
    cdef int32_t a = work.line_of[c.a], b = work.line_of[c.b]
    if a > 0 and b > 0:
        return 0
    if ctx.bodies[c.a].kind == STATIC:
        return b
    return a if ctx.bodies[c.b].kind == STATIC else 0


cdef void find_floors(StepContext* ctx, LargeWorkspace* work) noexcept nogil:
    """What each body stands on: at most two static shapes. Their faces have the say along which
    normal: that of a body which leans a little on a corner would push it sideways. Lists the
    contacts that have to be confirmed: of something static, open, or predicted."""
    cdef int32_t k, line
    cdef int32_t* floors
    cdef Contact* c
    cdef Vec2 up
    work.n_doubtful = 0
    for k in range(2 * (work.n_rows + 1)):
        work.floors[k] = -1
    for k in range(work.n_touching):
        c = &ctx.contacts[work.touching[k]]
        c.is_void = 0
        line = line_on_static(ctx, work, c)
        if line != 0 or c.at.gap > ctx.tol.touch or c.toi > 0.0:
            work.doubtful[work.n_doubtful] = work.touching[k]
            work.n_doubtful += 1
        if line == 0:
            continue
        floors = &work.floors[2 * line]
        if is_floor(ctx, c, &up):
            c.at.normal = up if ctx.bodies[c.b].kind == STATIC else scaled(-1.0, up)
            if floors[1] >= 0:
                continue
            if floors[0] < 0:
                floors[0] = work.touching[k]
            elif ctx.contacts[floors[0]].pair != c.pair:
                floors[1] = work.touching[k]


cdef void confirm_contacts(StepContext* ctx, LargeWorkspace* work) noexcept nogil:
    """See which contacts are what bodies meet: not what closes beyond its features, nor what is
    hidden behind a floor."""
    cdef int32_t k, line
    cdef int j
    cdef Contact* c
    find_floors(ctx, work)
    for k in range(work.n_doubtful):
        c = &ctx.contacts[work.doubtful[k]]
        line = line_on_static(ctx, work, c)
        if line > 0:
            for j in range(2):
                if (c.is_void == 0 and work.floors[2 * line + j] >= 0
                        and is_hidden(ctx, c, &ctx.contacts[work.floors[2 * line + j]])):
                    c.is_void = VOID
                    c.pn = c.pt = 0.0
                    ctx.pairs[c.pair].flags |= HIDING
        if c.is_void == 0:
            confirm_open(ctx, c, work.dt)


cdef inline int32_t first_free(uint64_t taken) noexcept nogil:
    """The first colour that is not taken, or the last one."""
    return lowest_bit(~taken) if ~taken != 0 else COLOURS - 1


cdef void find_manifolds(StepContext* ctx, double h, LargeWorkspace* work,
                         int32_t* counts) noexcept nogil:
    """Contacts to manifolds, in their order, each with a colour that its moving bodies have not had
    yet; `counts` of each group.

    The colours of an island do not depend on other islands: its bodies are in no other.
    """
    cdef int32_t k = 0, a, b, colour, fixed
    cdef const Contact* contact
    cdef Found* found
    memset(work.used, 0, work.n_lines * sizeof(uint64_t))
    work.n_found = 0
    while k < work.n_touching:
        contact = &ctx.contacts[work.touching[k]]
        if contact.is_void == VOID:
            forget_sleep(&ctx.contacts[work.touching[k]])
            k += 1
            continue
        found = &work.found[work.n_found]
        found.contact = work.touching[k]
        found.n_points = count_points(ctx, &work.touching[k], work.n_touching - k)
        k += found.n_points
        a = line_of(ctx, contact, contact.a, h, work)
        b = line_of(ctx, contact, contact.b, h, work)
        if contact.flags & SENSOR:
            continue
        colour = first_free((work.used[a] if work.tags[a].moves else 0)
                            | (work.used[b] if work.tags[b].moves else 0))
        work.used[a] |= <uint64_t>1 << colour
        work.used[b] |= <uint64_t>1 << colour
        fixed = not (work.tags[a].moves and work.tags[b].moves)
        found.a = a
        found.b = b
        found.group = 2 * (COLOURS * fixed + colour) + found.n_points - 1
        counts[found.group] += 1
        work.n_found += 1


# ---- blocks --------------------------------------------------------------------------------------


cdef inline bint is_overflow(int32_t group) noexcept nogil:
    """Whether manifolds of this group may share a moving body."""
    return (group >> 1) % COLOURS == COLOURS - 1


cdef void lay_out_blocks(const int32_t* counts, LargeWorkspace* work,
                         int32_t* places) noexcept nogil:
    """Where each group's manifolds go: `places` counts lanes. Groups begin with a block of their
    own; where manifolds may share a body, each has a block. Lanes that stay empty are all zero."""
    cdef int32_t group, n = 0
    work.first_fixed = 0
    for group in range(GROUPS):
        if group == GROUPS // 2:
            work.first_fixed = n
        places[group] = LANES * n
        if counts[group] == 0:
            continue
        if is_overflow(group):
            memset(&work.blocks[n], 0, counts[group] * sizeof(Block))
            n += counts[group]
        else:
            n += (counts[group] + LANES - 1) // LANES
            memset(&work.blocks[n - 1], 0, sizeof(Block))
    work.n_blocks = n


cdef inline double effective_mass(const Motion* a, const Motion* b, double ra,
                                  double rb) noexcept nogil:
    cdef double k = a.inv_m + b.inv_m + a.inv_I * ra * ra + b.inv_I * rb * rb
    return 1.0 / k if k > 0.0 else 0.0


cdef inline Vec2 arm_of(const StepContext* ctx, const Contact* contact, int32_t row, Vec2 point,
                        const Motion* line) noexcept nogil:
    """m, from the centre of a body to a point of a contact: when it meets, if that is known."""
    cdef Vec2 arm = sub(point, ctx.places[row].x)
    return sub(arm, scaled(contact.toi, line.v)) if contact.toi > 0.0 else arm


cdef inline void fill_point(const StepContext* ctx, const Contact* contact, const Motion* a,
                            const Motion* b, Vec2 n, bint yields, double finer, int lane,
                            BlockPoint* out) noexcept nogil:
    """yields: what cannot be pushed does not push the other one out."""
    cdef double ra = cross(arm_of(ctx, contact, contact.a, contact.at.point, a), n)
    cdef double rb = cross(arm_of(ctx, contact, contact.b, contact.at.point, b), n)
    cdef double speed
    out.ra[lane] = ra
    out.rb[lane] = rb
    out.mass[lane] = effective_mass(a, b, ra, rb)
    out.gap[lane] = greater(contact.at.gap, 0.0) if yields else contact.at.gap
    if contact.toi > 0.0:
        # Of a fast pair it is known when it meets here: more than the gap of today's poses says.
        speed = dot(n, sub(a.v, b.v)) + ra * a.w - rb * b.w
        out.gap[lane] = greater(contact.at.gap - lesser(speed, 0.0) * contact.toi, 0.0)
    out.now[lane] = out.gap[lane]
    out.p[lane] = contact.pn / finer
    out.sum[lane] = 0.0


cdef inline Vec2 unit(Vec2 a) noexcept nogil:
    return scaled(1.0 / length(a), a)


cdef void fill_lane(const StepContext* ctx, const LargeWorkspace* work, const Found* found,
                    int lane, Block* out) noexcept nogil:
    """Write a manifold into a lane of a block."""
    cdef const Contact* contact = &ctx.contacts[found.contact]
    cdef const Contact* other = &ctx.contacts[found.contact + found.n_points - 1]
    cdef const Motion* a = &work.lines[found.a]
    cdef const Motion* b = &work.lines[found.b]
    cdef Vec2 n = contact.at.normal, t, middle = contact.at.point
    # only kinematic bodies do
    cdef bint yields = (found.group >= GROUPS // 2
                        and ctx.pairs[contact.pair].flags & YIELDING != 0)
    if found.n_points == 2:
        # The two normals are those of the two edges: neither may have the say, since whose comes
        # first can change from step to step.
        n = unit(add(n, other.at.normal))
        middle = scaled(0.5, add(middle, other.at.point))
    t = vec2(-n.y, n.x)
    out.a[lane] = found.a
    out.b[lane] = found.b
    out.contact[lane] = found.contact
    out.points[lane] = found.n_points
    out.n_points = found.n_points
    out.nx[lane] = n.x
    out.ny[lane] = n.y
    out.mu[lane] = contact.mu
    out.drive[lane] = drive_of(ctx, contact, n)
    out.inv_ma[lane] = a.inv_m
    out.inv_mb[lane] = b.inv_m
    out.ra[lane] = cross(arm_of(ctx, contact, contact.a, middle, a), t)
    out.rb[lane] = cross(arm_of(ctx, contact, contact.b, middle, b), t)
    out.mass[lane] = effective_mass(a, b, out.ra[lane], out.rb[lane])
    out.p[lane] = contact.pt / work.finer
    out.sum[lane] = 0.0
    fill_point(ctx, contact, a, b, n, yields, work.finer, lane, &out.point[0])
    if found.n_points == 2:
        out.p[lane] += other.pt / work.finer
        fill_point(ctx, other, a, b, n, yields, work.finer, lane, &out.point[1])


cdef inline void forget_sleep(Contact* contact) noexcept nogil:
    """What a contact has that slept until now, besides the impulses to start from."""
    if contact.flags & ASLEEP:
        contact.sum_n = contact.sum_t = contact.hit_speed = 0.0
        contact.flags &= ~<int>(ASLEEP | STRUCK)


cdef inline bint is_bouncer(const StepContext* ctx, const Contact* contact) noexcept nogil:
    return contact.e > 0.0 or boost_of(ctx, contact) > 0.0


cdef void fill_blocks(StepContext* ctx, LargeWorkspace* work, int32_t* places) noexcept nogil:
    """All manifolds to their lanes; those that bounce are listed as well."""
    cdef int32_t k, at
    cdef Found* found
    work.n_bouncers = 0
    for k in range(work.n_found):
        found = &work.found[k]
        forget_sleep(&ctx.contacts[found.contact])
        forget_sleep(&ctx.contacts[found.contact + found.n_points - 1])
        at = places[found.group]
        places[found.group] += LANES if is_overflow(found.group) else 1
        fill_lane(ctx, work, found, at % LANES, &work.blocks[at // LANES])
        # what was put into each other is pushed apart: to let it bounce meanwhile would feed it
        if (is_bouncer(ctx, &ctx.contacts[found.contact])
                and not ctx.contacts[found.contact].flags & INITIAL_OVERLAP):
            work.bouncers[work.n_bouncers].block = at // LANES
            work.bouncers[work.n_bouncers].lane = at % LANES
            work.n_bouncers += 1


# ---- sub-steps -----------------------------------------------------------------------------------


cdef inline void start_from(Motion* line, Drive* drive, double px, double py,
                            double moment) noexcept nogil:
    """An impulse (N s) and its moment as part of what contacts gave."""
    drive.v0.x -= line.inv_m * px
    drive.v0.y -= line.inv_m * py
    drive.w0 -= line.inv_I * moment


cdef void warm_start(LargeWorkspace* work) noexcept nogil:
    """Begin as if contacts had just given the impulses they kept from the last step."""
    cdef int32_t k, lane
    cdef const Block* m
    cdef double p, q, t, px, py, turn_a, turn_b
    for k in range(work.n_blocks):
        m = &work.blocks[k]
        for lane in range(LANES):
            p = m.point[0].p[lane]
            q = m.point[1].p[lane] if m.n_points == 2 else 0.0
            t = m.p[lane]
            if p + q == 0.0:
                continue
            px = m.nx[lane] * (p + q) - m.ny[lane] * t
            py = m.ny[lane] * (p + q) + m.nx[lane] * t
            turn_a = m.ra[lane] * t + m.point[0].ra[lane] * p
            turn_b = m.rb[lane] * t + m.point[0].rb[lane] * p
            if m.n_points == 2:
                turn_a += m.point[1].ra[lane] * q
                turn_b += m.point[1].rb[lane] * q
            start_from(&work.lines[m.a[lane]], &work.drives[m.a[lane]], px, py, turn_a)
            start_from(&work.lines[m.b[lane]], &work.drives[m.b[lane]], -px, -py, -turn_b)


cdef inline Pair* rolling_pair(const StepContext* ctx, const Block* m, int lane) noexcept nogil:
    """The pair of a lane that resists rolling; else NULL."""
    cdef Pair* pair
    if m.points[lane] != 1:
        return NULL
    pair = &ctx.pairs[ctx.contacts[m.contact[lane]].pair]
    return pair if pair.flags & ROLLING else NULL


cdef void resume_rolling(const StepContext* ctx, LargeWorkspace* work) noexcept nogil:
    """Begin as if the torques that resisted rolling had just been given, as far as what contacts
    start from allows them."""
    cdef const Block* m
    cdef Pair* pair
    cdef double most
    cdef int32_t k
    cdef int lane
    for k in range(work.n_blocks):
        m = &work.blocks[k]
        for lane in range(LANES):
            pair = rolling_pair(ctx, m, lane)
            if pair != NULL:
                most = rolling_limit(pair, &ctx.contacts[m.contact[lane]],
                                     work.finer * m.point[0].p[lane])
                pair.roll = greater(-most, lesser(pair.roll, most))
                start_from(&work.lines[m.a[lane]], &work.drives[m.a[lane]], 0.0, 0.0,
                           pair.roll / work.finer)
                start_from(&work.lines[m.b[lane]], &work.drives[m.b[lane]], 0.0, 0.0,
                           -pair.roll / work.finer)


cdef void resist_rolling(const StepContext* ctx, LargeWorkspace* work) noexcept nogil:
    """Bring the torques up to date: what stops the turning of A against B, within their limit."""
    cdef const Block* m
    cdef Pair* pair
    cdef Motion* a
    cdef Motion* b
    cdef double yields, most, torque, before
    cdef int32_t k
    cdef int lane
    for k in range(work.n_blocks):
        m = &work.blocks[k]
        for lane in range(LANES):
            pair = rolling_pair(ctx, m, lane)
            if pair == NULL:
                continue
            a, b = &work.lines[m.a[lane]], &work.lines[m.b[lane]]
            yields = a.inv_I + b.inv_I
            if yields == 0.0:
                continue
            before = pair.roll / work.finer
            most = rolling_limit(pair, &ctx.contacts[m.contact[lane]], m.point[0].p[lane])
            torque = greater(-most, lesser(before - (a.w - b.w) / yields, most))
            a.w += a.inv_I * (torque - before)
            b.w -= b.inv_I * (torque - before)
            pair.roll = torque * work.finer


cdef void pass_all_softly(double h, const Softness* soft, const Softness* stiff, double fastest,
                          bint backwards, LargeWorkspace* work) noexcept nogil:
    """A soft pass over all blocks: those with an immovable body last, or backwards, first. Taking
    turns lets loads travel both ways through a pile: it comes to rest far sooner."""
    cdef Block* fixed = &work.blocks[work.first_fixed]
    cdef int32_t n_fixed = work.n_blocks - work.first_fixed
    if backwards:
        pass_soft(work.lines, fixed, n_fixed, stiff, h, fastest, True)
    pass_soft(work.lines, work.blocks, work.first_fixed, soft, h, fastest, backwards)
    if not backwards:
        pass_soft(work.lines, fixed, n_fixed, stiff, h, fastest, False)


# ---- strikes -------------------------------------------------------------------------------------


ctypedef struct Blow:
    double t          # s into the sub-step
    double speed      # m/s, of approach there
    double share[2]   # of the impulse that each point takes


cdef inline double speed_at(const Motion* a, const Motion* b, const Block* m, int lane,
                            int k) noexcept nogil:
    """m/s, at which point k of a manifold opens."""
    return (m.nx[lane] * (a.v.x - b.v.x) + m.ny[lane] * (a.v.y - b.v.y)
            + m.point[k].ra[lane] * a.w - m.point[k].rb[lane] * b.w)


cdef inline double gap_at(const Motion* a, const Motion* b, const Block* m, int lane,
                          int k) noexcept nogil:
    """m, between the surfaces at point k."""
    return (m.point[k].gap[lane] + m.nx[lane] * (a.d.x - b.d.x) + m.ny[lane] * (a.d.y - b.d.y)
            + m.point[k].ra[lane] * a.turned - m.point[k].rb[lane] * b.turned)


cdef void measure_gaps(LargeWorkspace* work) noexcept nogil:
    """Bring all gaps up to date, after blows that changed the ways of bodies: to the bit as a relax
    pass has them."""
    cdef int32_t k
    cdef int j, lane
    cdef Block* m
    cdef const Motion* a
    cdef const Motion* b
    for k in range(work.n_blocks):
        m = &work.blocks[k]
        for lane in range(LANES):
            a, b = &work.lines[m.a[lane]], &work.lines[m.b[lane]]
            for j in range(m.points[lane]):
                m.point[j].now[lane] = m.point[j].gap[lane] + (
                    (m.nx[lane] * (a.d.x - b.d.x) + m.ny[lane] * (a.d.y - b.d.y))
                    + (m.point[j].ra[lane] * a.turned - m.point[j].rb[lane] * b.turned))


cdef double free_acceleration(const LargeWorkspace* work, const Block* m, int lane) noexcept nogil:
    """m/s^2, at which the gap's speed changes while nothing pushes the two bodies; 0 if something
    did in the last sub-step: then their speed is what it is."""
    cdef const Drive* a = &work.drives[m.a[lane]]
    cdef const Drive* b = &work.drives[m.b[lane]]
    if work.tags[m.a[lane]].pushed or work.tags[m.b[lane]].pushed:
        return 0.0
    return m.nx[lane] * (a.a.x - b.a.x) + m.ny[lane] * (a.a.y - b.a.y)


cdef double time_to_close(double gap, double speed, double a, double h) noexcept nogil:
    """When within h (s) a gap closes that ends with this speed, with the constant acceleration a;
    > h: it does not. What the passes would stop closes in any case."""
    cdef double u = speed - a * h, root, t = 2.0 * h
    if gap <= 0.0:
        return 0.0
    # the earlier root of gap + u t + a t^2 / 2, without cancellation
    root = u * u - 2.0 * a * gap
    if root >= 0.0 and sqrt(root) > u:
        t = 2.0 * gap / (sqrt(root) - u)
    return lesser(t, h) if gap + h * speed <= 0.0 else t


cdef bint find_blow(const StepContext* ctx, const LargeWorkspace* work, const Block* m, int lane,
                    double h, Blow* out) noexcept nogil:
    """Whether a manifold is struck in this sub-step; when, how fast, and at which of its points.

    Two points that close together share the blow as the impulses of a blow without friction and
    restitution would: at their centre of pressure.
    """
    cdef const Motion* a = &work.lines[m.a[lane]]
    cdef const Motion* b = &work.lines[m.b[lane]]
    cdef double acceleration = free_acceleration(work, m, lane), most = 2.0 * h
    cdef double u[2]
    cdef double t, gap, k00, k01, k11, f0, f1
    cdef int k, first = -1, n = m.points[lane]
    cdef const Contact* contact = &ctx.contacts[m.contact[lane]]
    for k in range(n):
        u[k] = speed_at(a, b, m, lane, k)
        t = time_to_close(gap_at(a, b, m, lane, k), u[k], acceleration, h)
        u[k] -= acceleration * (h - lesser(t, h))
        if t <= h and u[k] < 0.0 and t < most:
            most = t
            first = k
    if first < 0:
        return False
    out.t = most
    out.speed = -u[first]
    out.share[first] = 1.0
    out.share[1 - first] = 0.0
    if n == 1:
        return True
    # the other point, if it closes at the same time or nearly
    k = 1 - first
    gap = gap_at(a, b, m, lane, k) + most * u[k]
    t = ctx.tol.flat * length(sub(contact[1].at.point, contact.at.point))
    if u[k] >= 0.0 or gap > greater(ctx.tol.touch, t):
        return True
    k01 = (a.inv_m + b.inv_m + a.inv_I * m.point[0].ra[lane] * m.point[1].ra[lane]
           + b.inv_I * m.point[0].rb[lane] * m.point[1].rb[lane])
    k00 = 1.0 / m.point[0].mass[lane]
    k11 = 1.0 / m.point[1].mass[lane]
    f0 = greater(k01 * u[1] - k11 * u[0], 0.0)
    f1 = greater(k01 * u[0] - k00 * u[1], 0.0)
    if f0 + f1 > 0.0:
        out.share[0] = f0 / (f0 + f1)
        out.share[1] = f1 / (f0 + f1)
        out.speed = -(out.share[0] * u[0] + out.share[1] * u[1])
    return True


cdef inline void give(LargeWorkspace* work, int32_t at, Vec2 dv, double dw,
                      double t) noexcept nogil:
    """Change a body's velocity at a time t of the sub-step: its new way leads through where it was
    at t. The blow is no impulse to start the next sub-step from."""
    cdef Motion* line = &work.lines[at]
    cdef Drive* drive = &work.drives[at]
    line.v = add(line.v, dv)
    line.w += dw
    if not work.tags[at].stands:
        line.d = sub(line.d, scaled(t, dv))
        line.turned -= t * dw
    drive.v0 = add(drive.v0, dv)
    drive.w0 += dw


cdef void book_blow(LargeWorkspace* work, const Block* m, int lane, const ImpactInput* given,
                    Vec2 p) noexcept nogil:
    """The work (J) that a kinematic body did in a blow that gave p (N s) to body A."""
    if not work.tags[m.b[lane]].moves:
        work.accounts[work.island_of[m.a[lane]]].work += dot(
            p, add(given.b.v, turn(given.b.w, given.b.r)))
    elif not work.tags[m.a[lane]].moves:
        work.accounts[work.island_of[m.b[lane]]].work -= dot(
            p, add(given.a.v, turn(given.a.w, given.a.r)))


cdef void book_rules(LargeWorkspace* work, const Block* m, int lane, double boost,
                     double pt) noexcept nogil:
    """The work (J) of a boost and of surfaces that run, in a blow that gave pt (N s) along t."""
    cdef int32_t line = m.a[lane] if work.tags[m.a[lane]].moves else m.b[lane]
    cdef Account* account = &work.accounts[work.island_of[line]]
    account.work += boost
    if work.tags[m.a[lane]].moves:
        account.work -= pt * m.drive[lane]


cdef void land_blow(StepContext* ctx, LargeWorkspace* work, const Block* m, int lane, double h,
                    const Blow* blow) noexcept nogil:
    """Strike the two bodies of a manifold by the closed form (docs/maths/impact2d.md)."""
    cdef Motion* a = &work.lines[m.a[lane]]
    cdef Motion* b = &work.lines[m.b[lane]]
    cdef Contact* contact = &ctx.contacts[m.contact[lane]]
    cdef Vec2 point = contact.at.point
    cdef ImpactInput given
    cdef ImpactOutput out
    cdef double pn, pt
    cdef int k
    if m.points[lane] == 2:
        point = add(scaled(blow.share[0], point), scaled(blow.share[1], contact[1].at.point))
    given.e = contact.e
    given.mu = contact.mu
    given.f = vec2(m.nx[lane], m.ny[lane])
    given.a.inv_m, given.a.inv_I, given.a.v, given.a.w = a.inv_m, a.inv_I, a.v, a.w
    given.b.inv_m, given.b.inv_I, given.b.v, given.b.w = b.inv_m, b.inv_I, b.v, b.w
    given.a.r = arm_of(ctx, contact, contact.a, point, &ctx.motions[contact.a])
    given.b.r = arm_of(ctx, contact, contact.b, point, &ctx.motions[contact.b])
    if free_acceleration(work, m, lane) != 0.0:
        # the velocities at the time of the blow; what is left of the acceleration comes after it
        given.a.v = sub(given.a.v, scaled(h - blow.t, work.drives[m.a[lane]].a))
        given.b.v = sub(given.b.v, scaled(h - blow.t, work.drives[m.b[lane]].a))
    given.a.v = add(given.a.v, scaled(m.drive[lane], vec2(-given.f.y, given.f.x)))
    strike(&given, &out)
    ctx.books.impacts += blow_work(&given, &out)
    if ctx.has_rules:
        book_rules(work, m, lane, kick(&given, boost_of(ctx, contact), &out),
                   cross(given.f, out.p))
    give(work, m.a[lane], sub(out.vA, given.a.v), out.wA - given.a.w, blow.t)
    give(work, m.b[lane], sub(out.vB, given.b.v), out.wB - given.b.w, blow.t)
    book_blow(work, m, lane, &given, out.p)
    pn = dot(out.p, given.f)
    pt = cross(given.f, out.p)
    for k in range(m.points[lane]):
        if blow.share[k] > 0.0:
            contact[k].sum_n += blow.share[k] * pn
            contact[k].sum_t += blow.share[k] * pt
            mark_struck(&contact[k], blow.speed)
    ctx.counters.strikes += 1


cdef void strike_bouncers(StepContext* ctx, double h, double slowest,
                          LargeWorkspace* work) noexcept nogil:
    """Strike, one after the other, what closes within the sub-step faster than `slowest` (m/s),
    until nothing does or the bound is met: what is left is pushed apart without a bounce."""
    cdef int32_t k, n
    cdef int _turn, lane
    cdef const Block* m
    cdef Blow blow
    for _turn in range(STRIKE_PASSES):
        n = 0
        for k in range(work.n_bouncers):
            m = &work.blocks[work.bouncers[k].block]
            lane = work.bouncers[k].lane
            if find_blow(ctx, work, m, lane, h, &blow) and blow.speed > slowest:
                land_blow(ctx, work, m, lane, h, &blow)
                n += 1
        if n == 0:
            return
    ctx.counters.strike_limit += 1


cdef void hold_bouncers(double slowest, LargeWorkspace* work) noexcept nogil:
    """Take what is about to strike out of the relax pass, which would slow it down before that."""
    cdef int32_t k
    cdef int j, lane
    cdef Block* m
    cdef const Motion* a
    cdef const Motion* b
    for k in range(work.n_bouncers):
        m = &work.blocks[work.bouncers[k].block]
        lane = work.bouncers[k].lane
        a = &work.lines[m.a[lane]]
        b = &work.lines[m.b[lane]]
        for j in range(m.points[lane]):
            work.bouncers[k].mass[j] = m.point[j].mass[lane]
            if gap_at(a, b, m, lane, j) > 0.0 and speed_at(a, b, m, lane, j) < -slowest:
                m.point[j].mass[lane] = 0.0


cdef void release_bouncers(LargeWorkspace* work) noexcept nogil:
    """Undo hold_bouncers."""
    cdef int32_t k
    cdef int j
    cdef Block* m
    for k in range(work.n_bouncers):
        m = &work.blocks[work.bouncers[k].block]
        for j in range(m.points[work.bouncers[k].lane]):
            m.point[j].mass[work.bouncers[k].lane] = work.bouncers[k].mass[j]


# ---- handing back --------------------------------------------------------------------------------


cdef void store_bodies(StepContext* ctx, LargeWorkspace* work) noexcept nogil:
    cdef int32_t k, row
    cdef const Motion* line
    cdef Motion* motion
    cdef Place* place
    for k in range(1, work.n_lines):
        row = work.tags[k].row
        work.line_of[row] = -1
        if not work.tags[k].moves:
            continue
        line = &work.lines[k]
        motion = &ctx.motions[row]
        place = &ctx.places[row]
        motion.v = line.v
        motion.w = line.w
        if work.tags[k].stands:
            continue
        motion.d = vec2(0.0, 0.0)
        motion.turned = 0.0
        move_body(&ctx.bodies[row], add(place.x, line.d), place.angle + line.turned, motion, place)
        ctx.bodies[row].flags &= ~RESTING


cdef inline void store_point(const StepContext* ctx, const BlockPoint* at, int lane, double pt,
                             double sum_t, double slowest, double finer,
                             Contact* contact) noexcept nogil:
    """A point's impulses, and its part of the friction, back to the contact."""
    if contact.pn == 0.0 and at.sum[lane] > 0.0 and contact.e == 0.0:
        note_hit(ctx, contact, slowest)
    keep_impulses(contact, at.p[lane], pt, finer, FULL)
    contact.sum_n += at.sum[lane]
    contact.sum_t += sum_t
    contact.mode_n = INSIDE if at.p[lane] > 0.0 else AT_LOW
    contact.mode_t = INSIDE


cdef void store_lane(StepContext* ctx, const Block* m, int lane, double slowest,
                     double finer) noexcept nogil:
    """Impulses back to the contacts; friction is shared as the normal impulses are."""
    cdef Contact* contact = &ctx.contacts[m.contact[lane]]
    cdef const BlockPoint* one = &m.point[0]
    cdef const BlockPoint* two = &m.point[1]
    cdef double last, total
    if m.points[lane] == 1:
        store_point(ctx, one, lane, m.p[lane], m.sum[lane], slowest, finer, contact)
    elif m.points[lane] == 2:
        last = one.p[lane] + two.p[lane]
        total = one.sum[lane] + two.sum[lane]
        last = m.p[lane] * (one.p[lane] / last if last > 0.0 else 0.5)
        total = m.sum[lane] * (one.sum[lane] / total if total > 0.0 else 0.5)
        store_point(ctx, one, lane, last, total, slowest, finer, contact)
        store_point(ctx, two, lane, m.p[lane] - last, m.sum[lane] - total, slowest, finer,
                    contact + 1)


cdef void note_hit(const StepContext* ctx, Contact* contact, double slowest) noexcept nogil:
    """The speed of a blow that the solver took: a contact bears that did not before. Motions and
    places are those before the step."""
    cdef const Motion* a = &ctx.motions[contact.a]
    cdef const Motion* b = &ctx.motions[contact.b]
    cdef Vec2 n = contact.at.normal
    cdef double speed = dot(n, sub(b.v, a.v))
    speed += cross(arm_of(ctx, contact, contact.b, contact.at.point, b), n) * b.w
    speed -= cross(arm_of(ctx, contact, contact.a, contact.at.point, a), n) * a.w
    if speed > slowest:
        mark_struck(contact, speed)


cdef void store_contacts(StepContext* ctx, double slowest, LargeWorkspace* work) noexcept nogil:
    cdef int32_t k
    cdef int lane
    for k in range(work.n_blocks):
        for lane in range(LANES):
            if k + BLOCKS_AHEAD < work.n_blocks:
                ask_for(&ctx.contacts[work.blocks[k + BLOCKS_AHEAD].contact[lane]])
            store_lane(ctx, &work.blocks[k], lane, slowest, work.finer)


cdef inline void ask_for(const Contact* contact) noexcept nogil:
    """Ask for the memory that store_point writes: a block's contacts are anywhere."""
    prefetch(contact)
    prefetch(&contact.pn)
    prefetch(&contact[1].pn)


cdef void add_island(const int32_t* rows, int32_t n_rows, const int32_t* touching,
                     int32_t n_touching, LargeWorkspace* work) noexcept nogil:
    memcpy(&work.rows[work.n_rows], rows, n_rows * sizeof(int32_t))
    memcpy(&work.touching[work.n_touching], touching, n_touching * sizeof(int32_t))
    work.accounts[work.n_islands].first = work.n_rows + 1
    work.n_rows += n_rows
    work.n_touching += n_touching
    work.accounts[work.n_islands].end = work.n_rows + 1
    work.n_islands += 1


cdef bint has_overlaps(const StepContext* ctx, const int32_t* touching, int32_t n) noexcept nogil:
    cdef int32_t k, count = 0
    if ctx.n_overlaps == 0:
        return False
    for k in range(n):
        if ctx.contacts[touching[k]].flags & INITIAL_OVERLAP:
            count += 1
    return count > OVERLAP_SHARE * n


cdef bint is_uneven(const StepContext* ctx, const int32_t* rows, int32_t n) noexcept nogil:
    cdef double low = ctx.motions[rows[0]].inv_m, high = low
    cdef int32_t k
    for k in range(1, n):
        low = lesser(low, ctx.motions[rows[k]].inv_m)
        high = greater(high, ctx.motions[rows[k]].inv_m)
    return high > UNEVEN * low


# ---- presses -------------------------------------------------------------------------------------


cdef double press_speed(const LargeWorkspace* work) noexcept nogil:
    """m/s, of the fastest kinematic body that an island which is carried alone leans on, if it
    leans on something else too; else 0: all can go along."""
    cdef double most = 0.0
    cdef int32_t k
    if work.n_islands > 1 or work.accounts[0].support != ON_SEVERAL:
        return 0.0
    for k in range(work.n_rows + 1, work.n_lines):
        most = greater(most, length(work.lines[k].v))
    return most


cdef bint has_thrown(const StepContext* ctx, const LargeWorkspace* work,
                     double press) noexcept nogil:
    """Whether a body has become faster than any was, and than a press (m/s) may make it. What
    bounces may: it is not asked."""
    cdef double most = 0.0, speed
    cdef int32_t k
    if work.n_bouncers > 0:
        return False
    for k in range(1, work.n_rows + 1):
        most = greater(most, length(ctx.motions[work.tags[k].row].v)
                       + work.dt * length(work.drives[k].a))
    speed = greater(THROWN * press, most + THROWN_BY_A_LITTLE * press)
    for k in range(1, work.n_rows + 1):
        if length(work.lines[k].v) > speed:
            return True
    return False


cdef bint has_sunk(const StepContext* ctx, const LargeWorkspace* work) noexcept nogil:
    """Whether a body was pressed deep into something that stands."""
    cdef int32_t k
    cdef int j, lane
    cdef const Block* m
    cdef const Pair* pair
    cdef double gap, most
    for k in range(work.first_fixed, work.n_blocks):
        m = &work.blocks[k]
        for lane in range(LANES):
            if m.points[lane] == 0 or (m.a[lane] != 0 and m.b[lane] != 0):
                continue
            pair = &ctx.pairs[ctx.contacts[m.contact[lane]].pair]
            most = NO_ROOM * lesser(ctx.shapes[low_of(pair.key)].thickness,
                                    ctx.shapes[high_of(pair.key)].thickness)
            for j in range(m.points[lane]):
                gap = gap_at(&work.lines[m.a[lane]], &work.lines[m.b[lane]], m, lane, j)
                if gap < lesser(m.point[j].gap[lane], 0.0) - most:
                    return True
    return False


cdef inline void forget_drivers(LargeWorkspace* work) noexcept nogil:
    """Lines of kinematic bodies are given anew."""
    cdef int32_t k
    for k in range(work.n_rows + 1, work.n_lines):
        work.line_of[work.tags[k].row] = -1


cdef inline void let_stand(LargeWorkspace* work) noexcept nogil:
    """Kinematic bodies stand in this piece."""
    cdef int32_t k
    for k in range(work.n_rows + 1, work.n_lines):
        work.lines[k].v = work.drives[k].v0 = vec2(0.0, 0.0)
        work.lines[k].w = work.drives[k].w0 = 0.0


# ---- a piece -------------------------------------------------------------------------------------


cdef void prepare(StepContext* ctx, double h, LargeWorkspace* work, bint stand) noexcept nogil:
    """Lines, blocks and accounts of the islands. stand: kinematic bodies do."""
    cdef int32_t counts[GROUPS]
    cdef int32_t places[GROUPS]
    memset(counts, 0, sizeof(counts))
    gather_lines(ctx, h, work)
    confirm_contacts(ctx, work)
    find_manifolds(ctx, h, work, counts)
    if stand:
        let_stand(work)
    lay_out_blocks(counts, work, places)
    fill_blocks(ctx, work, places)
    warm_start(work)
    if ctx.has_rules:
        resume_rolling(ctx, work)
    open_accounts(ctx, h, work)


cdef void carry(StepContext* ctx, double h, double slowest, int relax, bint turns,
                LargeWorkspace* work) noexcept nogil:
    """All sub-steps. turns: soft passes go forwards and backwards in turn."""
    cdef Softness soft = make_soft(HERTZ / ctx.root, DAMPING_RATIO, h)
    cdef Softness stiff = make_soft(STIFFER * HERTZ / ctx.root, DAMPING_RATIO, h)
    cdef int32_t k, _j
    soft.deep = stiff.deep = RIGID_DEPTH * ctx.unit
    for k in range(SUBSTEPS):
        drive_bodies(ctx, h, work)
        if work.n_bouncers > 0:
            exchange_free(work)
            strike_bouncers(ctx, h, slowest, work)
            exchange_free(work)
            measure_gaps(work)
        pass_all_softly(h, &soft, &stiff, FASTEST_PUSH * ctx.root, k % 2 == 1 and turns, work)
        move_bodies(h, work)
        hold_bouncers(slowest, work)
        for _j in range(relax):
            pass_rigid(work.lines, work.blocks, work.n_blocks, h)
        if ctx.has_rules:
            resist_rolling(ctx, work)
        limit_gain(ctx, h, work)
        release_bouncers(work)
    ctx.counters.sweeps += (1 + relax) * SUBSTEPS


cdef void step_large(StepContext* ctx, LargeWorkspace* work, bint overlaps,
                     bint uneven) noexcept nogil:
    cdef double h = work.dt / SUBSTEPS, slowest = ctx.strike_speed, press
    cdef int32_t k, relax = OVERLAP_PASSES if overlaps else 1
    cdef Books books = ctx.books
    work.finer = ctx.dt / (SUB_STEPS * h)
    if slowest <= 0.0:
        # as in small islands; slower than that is the sweeps' own unrest, and no blow
        slowest = 2.0 * SUBSTEPS / SUB_STEPS * h * length(ctx.gravity)
    prepare(ctx, h, work, False)
    press = press_speed(work) if ctx.has_drivers else 0.0
    carry(ctx, h, slowest, relax, not (overlaps or uneven), work)
    if press > 0.0 and (has_thrown(ctx, work, press) or has_sunk(ctx, work)):
        # without room kinematic bodies go on alone
        ctx.books = books
        forget_drivers(work)
        prepare(ctx, h, work, True)
        carry(ctx, h, slowest, relax, not (overlaps or uneven), work)
    book_step(ctx, work)
    audit_step(ctx, work)
    store_contacts(ctx, slowest, work)
    store_bodies(ctx, work)
    for k in range(work.n_doubtful):
        if ctx.contacts[work.doubtful[k]].is_void:
            follow_up(ctx, &ctx.contacts[work.doubtful[k]])
    work.n_rows = 0
    work.n_touching = 0
    work.n_islands = 0


# ---- memory --------------------------------------------------------------------------------------


cdef class LargeBuffers:
    """Owns the room that step_large works in."""

    def __cinit__(self):
        self.arrays = {}
        memset(&self.work, 0, sizeof(LargeWorkspace))

    cdef int reserve(self, Py_ssize_t bodies, Py_ssize_t contacts) except -1:
        cdef LargeWorkspace* work = &self.work
        cdef Py_ssize_t k
        if bodies + 1 > work.most_bodies:
            bodies = 2 * (bodies + 1)    # line 0 besides; and room to grow
            work.lines = <Motion*>hold(self.arrays, "lines", bodies, sizeof(Motion))
            work.drives = <Drive*>hold(self.arrays, "drives", bodies, sizeof(Drive))
            work.keeps = <Keep*>hold(self.arrays, "keeps", bodies, sizeof(Keep))
            work.tags = <Tag*>hold(self.arrays, "tags", bodies, sizeof(Tag))
            work.masses = <LineMass*>hold(self.arrays, "masses", bodies, sizeof(LineMass))
            work.accounts = <Account*>hold(self.arrays, "accounts", bodies, sizeof(Account))
            work.island_of = <int32_t*>hold(self.arrays, "island_of", bodies, sizeof(int32_t))
            work.floors = <int32_t*>hold(self.arrays, "floors", 2 * bodies, sizeof(int32_t))
            work.used = <uint64_t*>hold(self.arrays, "used", bodies, sizeof(uint64_t))
            work.line_of = <int32_t*>hold(self.arrays, "line_of", bodies, sizeof(int32_t))
            work.rows = <int32_t*>hold(self.arrays, "rows", bodies, sizeof(int32_t))
            for k in range(bodies):
                work.line_of[k] = -1
            work.most_bodies = <int32_t>bodies
        if contacts > work.most_contacts:
            contacts = 2 * contacts
            work.blocks = <Block*>hold(self.arrays, "blocks", contacts, sizeof(Block))
            work.touching = <int32_t*>hold(self.arrays, "touching", contacts, sizeof(int32_t))
            work.doubtful = <int32_t*>hold(self.arrays, "doubtful", contacts, sizeof(int32_t))
            work.found = <Found*>hold(self.arrays, "found", contacts, sizeof(Found))
            work.bouncers = <Bouncer*>hold(self.arrays, "bouncers", contacts, sizeof(Bouncer))
            work.most_contacts = <int32_t>contacts
        return 0
