# distutils: include_dirs = engine2d/solve enginecore
"""Large islands through a step, by sub-steps of a spring-like solver."""

from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memcpy, memset

from enginecore.memory cimport hold
from enginecore.pair_table cimport high_of, low_of
from enginecore.prefetch cimport prefetch
from enginecore.scalar cimport greater, lesser
from engine2d.body cimport DYNAMIC, INITIAL_OVERLAP, Motion, Place, RESTING
from engine2d.contact cimport ROLLING, Contact, Pair, keep_forces
from engine2d.collide.facing cimport follow_up
from engine2d.solve.hit cimport mark_struck
from engine2d.solve.integrate cimport move_body
from engine2d.solve.books cimport Books
from engine2d.solve.large_blocks cimport (
    confirm_contacts, fill_blocks, find_manifolds, gather_lines, lay_out_blocks, start_from,
)
from engine2d.solve.large_books cimport book_step, friction_work
from engine2d.solve.large_energy cimport audit_step, limit_gain, open_accounts
from engine2d.solve.large_motion cimport drive_bodies, exchange_free, move_bodies
from engine2d.solve.large_strike cimport (
    hold_bouncers, measure_gaps, release_bouncers, strike_bouncers,
)
from engine2d.solve.large_work cimport (
    GROUPS, LANES, ON_SEVERAL, Account, Bouncer, Found, Keep, Tag, arm_of, gap_at, point_then,
)
from engine2d.solve.rule cimport rolling_limit
from engine2d.solve.solver_iterative cimport (
    Block, BlockPoint, Drive, LineMass, Softness, make_soft, pass_rigid, pass_soft,
)
from engine2d.solve.row cimport AT_LOW, INSIDE
from engine2d.solve.small_step cimport SUB_STEPS
from engine2d.solve.step_context cimport StepContext
from engine2d.vec2 cimport Vec2, add, cross, dot, length, scaled, sub, vec2

cdef int SUBSTEPS = 8              # enough for a pyramid of 60 rows to come to rest
cdef double HERTZ = 60.0           # 1/s, of contacts as springs: an eighth of the sub-steps' rate
cdef double STIFFER = 2.0          # times that for contacts with what does not move
cdef double DAMPING_RATIO = 10.0   # far beyond critical: pushed out without a bounce
cdef double FASTEST_PUSH = 3.0     # m/s, out of deep overlaps
# Bodies that were put into each other are pushed apart by everybody at once: the relax pass has to
# settle to take that speed back, or they would fly off.
cdef double OVERLAP_SHARE = 0.05     # of an island's contacts; a single one is pushed out by two
cdef int OVERLAP_PASSES = 8
# Between masses that differ by more, what cannot be pushed has the last word in every pass: taking
# turns would let a heavy body press a light one through a wall.
cdef double UNEVEN = 100.0
cdef double RIGID_DEPTH = 0.05            # m: beyond this contacts push as if rigid, not as springs
# Times a press's speed, and so much more than anything was: what it presses does not become faster.
cdef double THROWN = 2.0
cdef double THROWN_BY_A_LITTLE = 0.2
# Share of the thinner shape's thickness: what is pressed deeper into what stands has no room.
cdef double NO_ROOM = 0.1

cdef enum:
    BLOCKS_AHEAD = 3               # blocks between asking for their contacts and writing them


# ---- sub-steps -----------------------------------------------------------------------------------


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
                                     m.point[0].p[lane] / work.h)
                pair.roll = greater(-most, lesser(pair.roll, most))
                start_from(&work.lines[m.a[lane]], &work.drives[m.a[lane]], 0.0, 0.0,
                           work.h * pair.roll)
                start_from(&work.lines[m.b[lane]], &work.drives[m.b[lane]], 0.0, 0.0,
                           -work.h * pair.roll)


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
            before = work.h * pair.roll
            most = rolling_limit(pair, &ctx.contacts[m.contact[lane]], m.point[0].p[lane])
            torque = greater(-most, lesser(before - (a.w - b.w) / yields, most))
            a.w += a.inv_I * (torque - before)
            b.w -= b.inv_I * (torque - before)
            pair.roll = torque / work.h


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
                             double sum_t, double slowest, double h,
                             Contact* contact) noexcept nogil:
    """A point's impulses, and its part of the friction, back to the contact."""
    if contact.fn == 0.0 and at.sum[lane] > 0.0 and contact.e == 0.0:
        note_hit(ctx, contact, slowest)
    keep_forces(contact, at.p[lane], pt, h, ctx.dt / SUBSTEPS)
    contact.sum_n += at.sum[lane]
    contact.sum_t += sum_t
    contact.mode_n = INSIDE if at.p[lane] > 0.0 else AT_LOW
    contact.mode_t = INSIDE


cdef void store_lane(StepContext* ctx, const Block* m, int lane, double slowest,
                     double h) noexcept nogil:
    """Impulses back to the contacts; friction is shared as the normal impulses are."""
    cdef Contact* contact = &ctx.contacts[m.contact[lane]]
    cdef const BlockPoint* one = &m.point[0]
    cdef const BlockPoint* two = &m.point[1]
    cdef double last, total
    if m.points[lane] == 1:
        store_point(ctx, one, lane, m.p[lane], m.sum[lane], slowest, h, contact)
    elif m.points[lane] == 2:
        last = one.p[lane] + two.p[lane]
        total = one.sum[lane] + two.sum[lane]
        last = m.p[lane] * (one.p[lane] / last if last > 0.0 else 0.5)
        total = m.sum[lane] * (one.sum[lane] / total if total > 0.0 else 0.5)
        store_point(ctx, one, lane, last, total, slowest, h, contact)
        store_point(ctx, two, lane, m.p[lane] - last, m.sum[lane] - total, slowest, h,
                    contact + 1)


cdef void note_hit(const StepContext* ctx, Contact* contact, double slowest) noexcept nogil:
    """The speed of a blow that the solver took: a contact bears that did not before. Motions and
    places are those before the step; it was struck when it closed."""
    cdef const Motion* a = &ctx.motions[contact.a]
    cdef const Motion* b = &ctx.motions[contact.b]
    cdef Vec2 n = contact.at.normal
    cdef double t, speed = dot(n, sub(b.v, a.v))
    cdef bint of_a
    speed += cross(arm_of(ctx, contact, contact.b, contact.at.point, b), n) * b.w
    speed -= cross(arm_of(ctx, contact, contact.a, contact.at.point, a), n) * a.w
    if not speed > slowest:
        return
    t = contact.toi if contact.toi > 0.0 else lesser(greater(contact.at.gap, 0.0) / speed, ctx.dt)
    of_a = ctx.bodies[contact.a].kind == DYNAMIC
    a = &ctx.motions[contact.a if of_a else contact.b]
    mark_struck(ctx.hits, contact, speed,
                point_then(ctx, contact, of_a, scaled(t, a.v), t * a.w), n)


cdef double store_contacts(StepContext* ctx, double slowest, LargeWorkspace* work) noexcept nogil:
    """Impulses back to all contacts; returns the work of friction (J)."""
    cdef int32_t k
    cdef int lane
    cdef const Block* m
    cdef double friction = 0.0
    for k in range(work.n_blocks):
        m = &work.blocks[k]
        for lane in range(LANES):
            if k + BLOCKS_AHEAD < work.n_blocks:
                ask_for(&ctx.contacts[work.blocks[k + BLOCKS_AHEAD].contact[lane]])
            if m.points[lane]:
                friction += friction_work(ctx, work, m, lane)
                store_lane(ctx, m, lane, slowest, work.h)
    return friction


cdef inline void ask_for(const Contact* contact) noexcept nogil:
    """Ask for the memory that store_point writes: a block's contacts are anywhere."""
    prefetch(contact)
    prefetch(&contact.fn)
    prefetch(&contact[1].fn)


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
        limit_gain(ctx, h, k == SUBSTEPS - 1, work)
        release_bouncers(work)
    ctx.counters.sweeps += (1 + relax) * SUBSTEPS


cdef void step_large(StepContext* ctx, LargeWorkspace* work, bint overlaps,
                     bint uneven) noexcept nogil:
    cdef double h = work.dt / SUBSTEPS, slowest = ctx.strike_speed, press
    cdef int32_t k, relax = OVERLAP_PASSES if overlaps else 1
    cdef Books books = ctx.books
    work.h = h
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
    book_step(ctx, work, store_contacts(ctx, slowest, work))
    audit_step(ctx, work)
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

    cdef int reserve(self, Py_ssize_t bodies, Py_ssize_t contacts) except -1 nogil:
        if bodies + 1 <= self.work.most_bodies and contacts <= self.work.most_contacts:
            return 0
        return self.grow(bodies, contacts)

    cdef int grow(self, Py_ssize_t bodies, Py_ssize_t contacts) except -1 with gil:
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
