# distutils: include_dirs = engine2d/solve enginecore
"""Large islands as lines and blocks; large_blocks.pxd has the contract."""

from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memset

from enginecore.bits cimport lowest_bit
from enginecore.prefetch cimport prefetch
from enginecore.scalar cimport greater, lesser
from engine2d.body cimport BodyData, DYNAMIC, INITIAL_OVERLAP, KINEMATIC, Motion, STATIC
from engine2d.collide.facing cimport confirm_open, is_floor, is_hidden
from engine2d.contact cimport ASLEEP, HIDING, PAIRED, SENSOR, STRUCK, VOID, YIELDING, Contact
from engine2d.solve.energy cimport inverse
from engine2d.solve.integrate cimport place_kinematic
from engine2d.solve.large_work cimport (
    COLOURS, GROUPS, KINDS, LANES, ONE_POINT, ROUND_POINT, TWO_POINTS, Found, Keep, LargeWorkspace,
    Tag, arm_of,
)
from engine2d.solve.rule cimport boost_of, drive_of
from engine2d.solve.solver_iterative cimport Block, BlockPoint, Drive, LineMass
from engine2d.vec2 cimport Vec2, add, cross, dot, length, scaled, sub, vec2

cdef enum:
    FOUND_AHEAD = 4                # manifolds between asking for their bodies and using them
cdef double MANIFOLD_TILT = 1e-4   # 1 - cosine of the normals that one manifold may have


# ---- gathering -----------------------------------------------------------------------------------


cdef inline bint moves(const LargeWorkspace* work, int32_t line) noexcept nogil:
    """Whether a line is of a dynamic body: they come first, after line 0."""
    return 0 < line <= work.n_rows


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
    tag.is_round = body.swept_radius == 0.0
    tag.stands = tag.moves and not ctx.left[row] > 0.0
    mass.m = mass.m_y = body.mass if tag.moves else 0.0
    mass.inertia = inverse(line.inv_I) if tag.moves else 0.0
    mass.none = 0.0
    if tag.stands:
        work.is_waiting = True
    elif tag.moves:
        drive.a = add(scaled(body.gravity_scale, ctx.gravity), scaled(line.inv_m, body.force))
        drive.alpha = line.inv_I * body.torque
        if body.linear_damping != 0.0 or body.angular_damping != 0.0:
            keep.v = 1.0 / (1.0 + h * body.linear_damping)
            keep.w = 1.0 / (1.0 + h * body.angular_damping)
            work.is_damped = work.is_damped or keep.v != 1.0 or keep.w != 1.0
    else:
        line.inv_m = 0.0
        line.inv_I = 0.0
    drive.inv_I = line.inv_I


cdef inline int32_t line_of(StepContext* ctx, const Contact* contact, int32_t row, double h,
                            LargeWorkspace* work) noexcept nogil:
    """The line of a body of a contact: 0 for all static ones and for a kinematic one that yields
    there, a new one for a kinematic one not yet seen."""
    cdef int32_t line = work.line_of[row]
    return line if moves(work, line) else line_of_fixed(ctx, contact, row, line, h, work)


cdef int32_t line_of_fixed(StepContext* ctx, const Contact* contact, int32_t row, int32_t line,
                           double h, LargeWorkspace* work) noexcept nogil:
    """line_of, of what does not move by forces; line: the one it has, or -1."""
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
    work.tags[0].is_round = True
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
                    c.fn = c.ft = 0.0
                    ctx.pairs[c.pair].flags |= HIDING
        if c.is_void == 0:
            confirm_open(ctx, c, work.dt)


cdef inline int32_t first_free(uint64_t taken) noexcept nogil:
    """The first colour that is not taken, or the last one."""
    return lowest_bit(~taken) if ~taken != 0 else COLOURS - 1


cdef inline int32_t kind_of(const LargeWorkspace* work, const Found* found,
                            const Contact* contact) noexcept nogil:
    """The ManifoldKind; of those found ahead, points are where they will be, not on the normals
    of now."""
    if found.n_points == 2:
        return TWO_POINTS
    if work.tags[found.a].is_round and work.tags[found.b].is_round and not contact.toi > 0.0:
        return ROUND_POINT
    return ONE_POINT


cdef void find_manifolds(StepContext* ctx, double h, LargeWorkspace* work,
                         int32_t* counts) noexcept nogil:
    """Contacts to manifolds, in their order, each with a colour that its moving bodies have not had
    yet; `counts` of each group.

    The colours of an island do not depend on other islands: its bodies are in no other.
    """
    cdef int32_t k = 0, a, b, colour
    cdef bint a_moves, b_moves
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
        a_moves, b_moves = moves(work, a), moves(work, b)
        colour = first_free((work.used[a] if a_moves else 0) | (work.used[b] if b_moves else 0))
        work.used[a] |= <uint64_t>1 << colour
        work.used[b] |= <uint64_t>1 << colour
        found.a = a
        found.b = b
        found.group = KINDS * colour + kind_of(work, found, contact)
        if not (a_moves and b_moves):
            found.group += GROUPS // 2
        counts[found.group] += 1
        work.n_found += 1


# ---- blocks --------------------------------------------------------------------------------------


cdef inline bint is_overflow(int32_t group) noexcept nogil:
    """Whether manifolds of this group may share a moving body."""
    return group // KINDS % COLOURS == COLOURS - 1


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


cdef inline void fill_point(const StepContext* ctx, const Contact* contact, const Motion* a,
                            const Motion* b, Vec2 n, bint yields, double h, int lane,
                            BlockPoint* out) noexcept nogil:
    """yields: what cannot be pushed does not push the other one out. h: s, of a sub-step."""
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
    out.p[lane] = h * contact.fn
    out.sum[lane] = 0.0


cdef inline void fill_round(const Contact* contact, const Motion* a, const Motion* b, bint yields,
                            double h, int lane, BlockPoint* out) noexcept nogil:
    """fill_point, where turning changes no gap."""
    out.ra[lane] = out.rb[lane] = 0.0
    out.mass[lane] = effective_mass(a, b, 0.0, 0.0)
    out.gap[lane] = greater(contact.at.gap, 0.0) if yields else contact.at.gap
    out.now[lane] = out.gap[lane]
    out.p[lane] = h * contact.fn
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
    cdef bint is_round = found.group % KINDS == ROUND_POINT
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
    out.is_round = is_round
    out.nx[lane] = n.x
    out.ny[lane] = n.y
    out.mu[lane] = contact.mu
    out.drive[lane] = drive_of(ctx, contact, n)
    out.inv_ma[lane] = a.inv_m
    out.inv_mb[lane] = b.inv_m
    if is_round:
        # from the centres along the normal; what stands has no arm
        out.ra[lane] = -contact.at.r1 - 0.5 * contact.at.gap if found.a > 0 else 0.0
        out.rb[lane] = contact.at.r2 + 0.5 * contact.at.gap if found.b > 0 else 0.0
    else:
        out.ra[lane] = cross(arm_of(ctx, contact, contact.a, middle, a), t)
        out.rb[lane] = cross(arm_of(ctx, contact, contact.b, middle, b), t)
    out.mass[lane] = effective_mass(a, b, out.ra[lane], out.rb[lane])
    out.p[lane] = work.h * contact.ft
    out.sum[lane] = 0.0
    if is_round:
        fill_round(contact, a, b, yields, work.h, lane, &out.point[0])
        return
    fill_point(ctx, contact, a, b, n, yields, work.h, lane, &out.point[0])
    if found.n_points == 2:
        out.p[lane] += work.h * other.ft
        fill_point(ctx, other, a, b, n, yields, work.h, lane, &out.point[1])


cdef inline void warm_start(LargeWorkspace* work, const Block* m, int lane) noexcept nogil:
    """Begin as if a manifold had just given the impulses it kept from the last step."""
    cdef double p = m.point[0].p[lane], q = m.point[1].p[lane] if m.n_points == 2 else 0.0
    cdef double t = m.p[lane], px, py, turn_a, turn_b
    if p + q == 0.0:
        return
    px = m.nx[lane] * (p + q) - m.ny[lane] * t
    py = m.ny[lane] * (p + q) + m.nx[lane] * t
    turn_a = m.ra[lane] * t + m.point[0].ra[lane] * p
    turn_b = m.rb[lane] * t + m.point[0].rb[lane] * p
    if m.n_points == 2:
        turn_a += m.point[1].ra[lane] * q
        turn_b += m.point[1].rb[lane] * q
    start_from(&work.lines[m.a[lane]], &work.drives[m.a[lane]], px, py, turn_a)
    start_from(&work.lines[m.b[lane]], &work.drives[m.b[lane]], -px, -py, -turn_b)


cdef inline void forget_sleep(Contact* contact) noexcept nogil:
    """What a contact has that slept until now, besides the impulses to start from."""
    if contact.flags & ASLEEP:
        contact.sum_n = contact.sum_t = 0.0
        contact.hit = 0
        contact.flags &= ~<int>(ASLEEP | STRUCK)


cdef inline bint is_bouncer(const StepContext* ctx, const Contact* contact) noexcept nogil:
    return contact.e > 0.0 or boost_of(ctx, contact) > 0.0


cdef inline void ask_for(const StepContext* ctx, const LargeWorkspace* work,
                         const Found* found) noexcept nogil:
    """Ask for the memory of a manifold's bodies, which are anywhere."""
    prefetch(&work.lines[found.a])
    prefetch(&work.lines[found.b])
    prefetch(&work.drives[found.a])
    prefetch(&work.drives[found.b])
    if found.group % KINDS != ROUND_POINT:
        prefetch(&ctx.places[work.tags[found.a].row])
        prefetch(&ctx.places[work.tags[found.b].row])


cdef void fill_blocks(StepContext* ctx, LargeWorkspace* work, int32_t* places) noexcept nogil:
    """All manifolds to their lanes; those that bounce are listed as well."""
    cdef int32_t k, at
    cdef Found* found
    cdef Contact* contact
    work.n_bouncers = 0
    for k in range(work.n_found):
        if k + FOUND_AHEAD < work.n_found:
            ask_for(ctx, work, &work.found[k + FOUND_AHEAD])
        found = &work.found[k]
        contact = &ctx.contacts[found.contact]
        forget_sleep(contact)
        if found.n_points == 2:
            forget_sleep(contact + 1)
        at = places[found.group]
        places[found.group] += LANES if is_overflow(found.group) else 1
        fill_lane(ctx, work, found, at % LANES, &work.blocks[at // LANES])
        warm_start(work, &work.blocks[at // LANES], at % LANES)
        # what was put into each other is pushed apart: to let it bounce meanwhile would feed it
        if is_bouncer(ctx, contact) and not contact.flags & INITIAL_OVERLAP:
            work.bouncers[work.n_bouncers].block = at // LANES
            work.bouncers[work.n_bouncers].lane = at % LANES
            work.n_bouncers += 1
