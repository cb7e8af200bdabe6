# distutils: include_dirs = engine2d/solve enginecore
"""Islands through their time; island_step.pxd has the contract."""

from libc.math cimport INFINITY, fabs, isfinite
from libc.stdint cimport int32_t
from libc.string cimport memset

from enginecore.constants cimport CALM_SPEED, CCD_SHARE
from enginecore.pair_table cimport high_of, low_of
from enginecore.scalar cimport greater, lesser
from engine2d.arguments cimport FARTHEST, FASTEST
from engine2d.body cimport (
    AWAKE, DYNAMIC, INITIAL_OVERLAP, KINEMATIC, RESTING, BodyData, Motion)
from engine2d.collide.facing cimport are_apart, is_floor, is_hidden
from engine2d.collide.geometry cimport OUTLINE, ROUND
from engine2d.collide.narrow_phase cimport refresh
from engine2d.contact cimport FAST, YIELDING, Contact, Pair, pair_thickness
from engine2d.joint.assembly_step cimport step_linked
from engine2d.solve.ccd cimport held_energy
from engine2d.solve.free_group cimport note_ways
from engine2d.solve.large_step cimport add_island, has_overlaps, is_uneven, step_large
from engine2d.solve.rest cimport fly, rests
from engine2d.solve.small_step cimport SUB_STEPS, TIRED, Piece, step_island
from engine2d.solve.step_context cimport Island
from engine2d.pose cimport to_world
from engine2d.solve.integrate cimport move_body, place_kinematic, take_back, turn_by
from engine2d.vec2 cimport Vec2, add, cross, dot, length, scaled, sub, turn, vec2

# Share of its thickness that a body may fall from rest in a part of a step: what it faces when a
# part begins is then what it meets in it.
cdef double MOST_FALL = 0.25
# Share of its reach that a body is thick at least, for that: one of lines has no thickness.
cdef double LEAST_THICK = 0.02
# m, times the unit: what is no farther apart touches, for that.
cdef double CLOSE = 1e-4
# Share of the step that counts as nothing left.
cdef double NOTHING = 1e-9
# IslandStore.is_large: which passes an island takes part in.
cdef enum:
    IN_COMPANY = 1
    ALONE = 2
cdef enum:
    FEW = 8              # contacts, that are looked at sooner than bodies
    MOST_PARTS = 64
    MOST_SUB_STEPS = 16
# Share of the thickness of a fast pair that touches and may meet elsewhere too, which it goes at
# once: it is pushed out on the right side then.
cdef double MOST_RUSH = 0.25
# Share of the thinner shape's thickness: bodies that overlap more where a kinematic one pushes them
# have no room to give way.
cdef double NO_ROOM = 0.1
# Cosine: what pushes against a kinematic body at least, to leave no room.
cdef double OPPOSED = 0.1
# rad: how far a body with joints may turn in a sub-step.
cdef double MOST_TURN = 0.1


cdef int32_t kinematic_of(const StepContext* ctx, IslandStore islands,
                          const Island* island) noexcept nogil:
    """A kinematic body that carries an island without turning; -1: none."""
    cdef int32_t k, by = -1
    cdef const Contact* c
    for k in range(island.first_contact, island.first_contact + island.n_contacts):
        c = &ctx.contacts[islands.contacts[k]]
        if ctx.bodies[c.a].kind == KINEMATIC:
            by = c.a
        elif ctx.bodies[c.b].kind == KINEMATIC:
            by = c.b
    return by if by >= 0 and ctx.motions[by].w == 0.0 else -1


cdef bint is_calm(const StepContext* ctx, IslandStore islands,
                  const Island* island) noexcept nogil:
    """Whether no point of an island is faster than CALM_SPEED, as seen from what carries it."""
    cdef int32_t k, row, by = kinematic_of(ctx, islands, island)
    cdef Vec2 base = ctx.motions[by].v if by >= 0 else vec2(0.0, 0.0)
    for k in range(island.first_body, island.first_body + island.n_bodies):
        row = islands.bodies[k]
        if (length(sub(ctx.motions[row].v, base))
                + fabs(ctx.motions[row].w) * ctx.places[row].bounding_radius
                > CALM_SPEED * ctx.root):
            return False
    return True


cdef bint is_narrow(const StepContext* ctx, IslandStore islands, const Island* island,
                    const SizeRule* rule) noexcept nogil:
    """Whether an island is so long and thin that its factor is small: a column, a low wall."""
    cdef double band
    if island.n_contacts > rule.most_narrow or island.n_joints > 0:
        return False
    band = islands.find_band(ctx, island)
    return island.n_contacts * band * band <= rule.most_work


cdef inline bint touches(const StepContext* ctx, const Contact* c) noexcept nogil:
    """Whether shapes touch at a contact. Of one that is predicted for later features may overlap,
    and shapes be far apart: the inside of an arc, seen from beyond it."""
    return c.at.gap <= CLOSE * ctx.unit and not (c.toi > 0.0 and are_apart(
        ctx, c, ctx.tol.touch, &ctx.places[c.a].pose, &ctx.places[c.b].pose))


cdef inline bint is_of_outline(const StepContext* ctx, const Pair* pair) noexcept nogil:
    return (ctx.shapes[low_of(pair.key)].geometry.kind == OUTLINE
            or ctx.shapes[high_of(pair.key)].geometry.kind == OUTLINE)


cdef bint is_behind_floor(const StepContext* ctx, IslandStore islands, const Island* island,
                          const Contact* c) noexcept nogil:
    """Whether a contact is that of the next piece of a floor, which a body glides on to."""
    cdef int32_t k
    cdef const Contact* other
    cdef Vec2 up
    if ctx.bodies[c.a].kind == DYNAMIC and ctx.bodies[c.b].kind == DYNAMIC:
        return False
    for k in range(island.first_contact, island.first_contact + island.n_contacts):
        other = &ctx.contacts[islands.contacts[k]]
        if (other.pair != c.pair and is_floor(ctx, other, &up) and is_hidden(ctx, c, other)):
            return True
    return False


cdef bint is_fast(const StepContext* ctx, IslandStore islands, const Island* island) noexcept nogil:
    """Whether bodies of an island are about to meet so fast, or touch and pass each other so fast,
    that contacts which are held for a whole step would say nothing of it. Not where a kinematic
    body drives them: what it does is booked by sweeps, step after step."""
    cdef int32_t k
    cdef bint found = False
    cdef const Contact* c
    for k in range(island.first_contact, island.first_contact + island.n_contacts):
        c = &ctx.contacts[islands.contacts[k]]
        if ctx.bodies[c.a].kind == KINEMATIC or ctx.bodies[c.b].kind == KINEMATIC:
            return False
        if not found and (rush_of(ctx, c) > 0.0 or (
                ctx.pairs[c.pair].flags & FAST and c.toi >= 0.0
                and not is_behind_floor(ctx, islands, island, c))):
            found = True
    return found


cdef bint is_tired(const StepContext* ctx, IslandStore islands,
                   const Island* island) noexcept nogil:
    """Whether an island at rest was not settled by a solve lately; counts the steps since then."""
    cdef int32_t k
    cdef bint tired = False
    cdef BodyData* body
    for k in range(island.first_body, island.first_body + island.n_bodies):
        body = &ctx.bodies[islands.bodies[k]]
        if body.restless & TIRED:
            if ctx.round == 0:
                body.restless -= 1
            if body.restless == TIRED:
                body.restless = 0
            tired = tired or body.restless & TIRED
    return tired


cdef void find_large(const StepContext* ctx, IslandStore islands,
                     const SizeRule* rule) noexcept nogil:
    cdef int32_t k
    cdef const Island* island
    for k in range(islands.n):
        island = &islands.islands[k]
        islands.is_large[k] = island.n_contacts >= rule.least and not (
            (island.n_contacts < rule.least_calm or island.n_contacts <= rule.most_narrow)
            and is_calm(ctx, islands, island)
            and not is_tired(ctx, islands, island)
            and (island.n_contacts < rule.least_calm
                 or is_narrow(ctx, islands, island, rule))) and not (
            island.n_contacts < rule.least_fast and is_fast(ctx, islands, island))
        if island.n_joints > 0 and 2 * island.n_contacts + island.n_joint_rows > rule.most_rows:
            islands.is_large[k] = True


cdef inline double spin_of(const StepContext* ctx, int32_t row) noexcept nogil:
    return ctx.motions[row].w * ctx.motions[row].w * ctx.bodies[row].swept_radius


cdef inline Vec2 velocity_at(const StepContext* ctx, int32_t row, Vec2 point) noexcept nogil:
    """Of a body's point that is at `point`."""
    return add(ctx.motions[row].v, turn(ctx.motions[row].w, sub(point, ctx.places[row].x)))


cdef double bend_of(const StepContext* ctx, const Contact* c) noexcept nogil:
    """m/s^2, at which what moves along the inside of an arc comes into it on a straight way."""
    cdef double radii = c.at.r1 + c.at.r2, slip
    cdef Vec2 center
    if not -INFINITY < radii < 0.0:
        return 0.0
    # the one that is not hollow
    if c.at.r1 >= 0.0:
        center = to_world(&ctx.places[c.a].pose, c.at.c1)
    else:
        center = to_world(&ctx.places[c.b].pose, c.at.c2)
    slip = cross(c.at.normal, sub(velocity_at(ctx, c.a, center), velocity_at(ctx, c.b, center)))
    return -slip * slip / radii


cdef double most_bend(const StepContext* ctx, IslandStore islands,
                      const Island* island) noexcept nogil:
    """m/s^2, at which a surface that touches another one leaves its tangent: by turning, or along
    the inside of an arc."""
    cdef int32_t k
    cdef double most = 0.0
    cdef const Contact* c
    for k in range(island.first_contact, island.first_contact + island.n_contacts):
        c = &ctx.contacts[islands.contacts[k]]
        if not touches(ctx, c):
            continue
        most = greater(most, greater(spin_of(ctx, c.a), spin_of(ctx, c.b)) + bend_of(ctx, c))
    return most


cdef inline bint is_in_arc(const StepContext* ctx, const Contact* c) noexcept nogil:
    """Whether a disc moves along the inside of an arc: it has no other part to meet that with, and
    what else it meets is swept."""
    cdef const Pair* pair = &ctx.pairs[c.pair]
    return c.at.r1 + c.at.r2 < 0.0 and (
        ctx.shapes[low_of(pair.key)].geometry.kind == ROUND
        or ctx.shapes[high_of(pair.key)].geometry.kind == ROUND)


cdef double rush_of(const StepContext* ctx, const Contact* c) noexcept nogil:
    """Of a fast pair that touches and may meet elsewhere, too: its speed over the thickness that
    counts (1/s); 0 if it cannot. What touches from the start on is not swept: an outline may then
    meet it with another part. Nor is what has sunk in, which is not marked as fast."""
    cdef const Pair* pair = &ctx.pairs[c.pair]
    cdef double speed, thick
    if c.at.gap > CLOSE * ctx.unit or not is_of_outline(ctx, pair):
        return 0.0
    speed = length(sub(velocity_at(ctx, c.a, c.at.point), velocity_at(ctx, c.b, c.at.point)))
    speed += fabs(ctx.motions[c.a].w - ctx.motions[c.b].w) * lesser(
        ctx.bodies[c.a].swept_radius, ctx.bodies[c.b].swept_radius)
    thick = pair_thickness(&ctx.shapes[low_of(pair.key)], &ctx.shapes[high_of(pair.key)])
    if (not pair.flags & FAST and speed * ctx.dt <= CCD_SHARE * thick) or not touches(ctx, c):
        return 0.0
    return speed / thick


cdef double longest_rush(const StepContext* ctx, IslandStore islands,
                         const Island* island) noexcept nogil:
    """s, that an island may go before its fast pairs that touch are looked at again."""
    cdef int32_t k
    cdef double most = 0.0, rush
    cdef const Contact* c
    for k in range(island.first_contact, island.first_contact + island.n_contacts):
        c = &ctx.contacts[islands.contacts[k]]
        rush = rush_of(ctx, c)
        if rush > most and not (rush * ctx.dt > MOST_PARTS * MOST_RUSH and is_in_arc(ctx, c)):
            # along an arc rounds would run out
            most = rush
    return MOST_RUSH / most if most > 0.0 else INFINITY


cdef bint may_rush(const StepContext* ctx, IslandStore islands,
                   const Island* island) noexcept nogil:
    """Whether bodies of an island may pass each other fast, one of them an outline; of small ones
    it is not worth asking."""
    cdef int32_t k, row
    if not ctx.has_outlines:
        return False
    if island.n_contacts < FEW:
        return island.n_contacts > 0
    for k in range(island.first_body, island.first_body + island.n_bodies):
        row = islands.bodies[k]
        if (length(ctx.motions[row].v) + fabs(ctx.motions[row].w) * ctx.bodies[row].swept_radius) \
                * ctx.dt > MOST_FALL * ctx.bodies[row].thickness:
            return True
    return False


cdef double longest_part(const StepContext* ctx, IslandStore islands, const Island* island,
                         bint rushes) noexcept nogil:
    """s, that an island goes at once: a power of two of the step, by its thinnest body; rushes: its
    bodies may pass each other fast."""
    cdef double part = ctx.dt, pull = length(ctx.gravity), thin = 1e300, spin = ctx.kinematic_spin
    cdef int32_t k, row
    if not ctx.may_part or island.n_contacts == 0:
        return part
    for k in range(island.first_body, island.first_body + island.n_bodies):
        row = islands.bodies[k]
        thin = lesser(thin, greater(ctx.bodies[row].thickness,
                                    LEAST_THICK * ctx.places[row].bounding_radius))
        spin = greater(spin, spin_of(ctx, row))
    if not rushes and (pull + spin) * part * part <= MOST_FALL * thin:
        # whatever touches
        return part
    pull += most_bend(ctx, islands, island)
    while pull * part * part > MOST_FALL * thin and part * MOST_PARTS > 1.5 * ctx.dt:
        part *= 0.5
    return part


cdef void find_piece(const StepContext* ctx, IslandStore islands, const Island* island,
                     Piece* out) noexcept nogil:
    """How far an island goes now: as far as the one of its bodies that has the least left."""
    cdef int32_t k
    cdef bint rushes = may_rush(ctx, islands, island)
    cdef double left, least = ctx.dt, most = 0.0, part = longest_part(ctx, islands, island, rushes)
    for k in range(island.first_body, island.first_body + island.n_bodies):
        left = ctx.left[islands.bodies[k]]
        if left > 0.0:
            least = lesser(least, left)
            most = greater(most, left)
    out.duration = lesser(least, part)
    if rushes:
        out.duration = lesser(out.duration, longest_rush(ctx, islands, island))
    out.start = ctx.begun + ctx.dt - most
    out.ref_h = part / SUB_STEPS
    out.may_cut = ctx.may_cut


cdef int32_t nearest_kinematic(const StepContext* ctx, IslandStore islands,
                               const Island* island) noexcept nogil:
    """The kinematic body that an island is nearest to; -1: none."""
    cdef int32_t k, by = -1
    cdef double least = INFINITY
    cdef const Contact* c
    for k in range(island.first_contact, island.first_contact + island.n_contacts):
        c = &ctx.contacts[islands.contacts[k]]
        if c.at.gap < least and (ctx.bodies[c.a].kind == KINEMATIC
                                 or ctx.bodies[c.b].kind == KINEMATIC):
            least = c.at.gap
            by = c.a if ctx.bodies[c.a].kind == KINEMATIC else c.b
    return by


cdef void give_up(StepContext* ctx, IslandStore islands, const Island* island) noexcept nogil:
    """In the last round the time that an island has left is over: it waits, and goes along with
    what moves by itself."""
    cdef int32_t k, row, by = nearest_kinematic(ctx, islands, island)
    cdef Vec2 base, arm
    cdef double left, turned
    for k in range(island.first_body, island.first_body + island.n_bodies):
        row = islands.bodies[k]
        left = ctx.left[row]
        ctx.left[row] = 0.0
        if by < 0 or not left > 0.0:
            continue
        turned = left * ctx.motions[by].w
        base = add(ctx.before[by].x, scaled(ctx.begun + ctx.dt - left, ctx.motions[by].v))
        arm = turn_by(sub(ctx.places[row].x, base), turned)
        move_body(&ctx.bodies[row], add(add(base, scaled(left, ctx.motions[by].v)), arm),
                  ctx.places[row].angle + turned, &ctx.motions[row], &ctx.places[row])


cdef void book_time(StepContext* ctx, IslandStore islands, int32_t number,
                    double gone) noexcept nogil:
    """Take what an island went (s) from what its bodies have left."""
    cdef int32_t k, row
    cdef const Island* island = &islands.islands[number]
    islands.gone[number] = gone
    for k in range(island.first_body, island.first_body + island.n_bodies):
        row = islands.bodies[k]
        if ctx.left[row] > 0.0:
            ctx.moved[row] = ctx.round
            ctx.left[row] -= gone
            if ctx.left[row] < NOTHING * ctx.dt:
                ctx.left[row] = 0.0
    if not ctx.may_part:
        give_up(ctx, islands, island)


cdef inline int32_t support_of(const StepContext* ctx, const Contact* c) noexcept nogil:
    """The row of what cannot be pushed at a contact; -1: both can."""
    if ctx.bodies[c.a].kind != DYNAMIC:
        return c.a
    return c.b if ctx.bodies[c.b].kind != DYNAMIC else -1


cdef bint may_be_pressed(const StepContext* ctx, IslandStore islands,
                         const Island* island) noexcept nogil:
    """Whether an island leans on a kinematic body, and on something else that cannot be pushed."""
    cdef int32_t k, row, first = -1
    cdef bint driven = False, several = False
    for k in range(island.first_contact, island.first_contact + island.n_contacts):
        row = support_of(ctx, &ctx.contacts[islands.contacts[k]])
        if row < 0:
            continue
        driven = driven or ctx.bodies[row].kind == KINEMATIC
        several = several or (first >= 0 and row != first)
        first = row
        if driven and several:
            return True
    return False


cdef bint is_alone(const StepContext* ctx, IslandStore islands,
                   const Island* island) noexcept nogil:
    """Whether a large island needs passes of its own: nobody else's bits may depend on it."""
    return (has_overlaps(ctx, &islands.contacts[island.first_contact], island.n_contacts)
            or is_uneven(ctx, &islands.bodies[island.first_body], island.n_bodies)
            or (ctx.has_drivers and may_be_pressed(ctx, islands, island)))


cdef inline void add_large(IslandStore islands, const Island* island,
                           LargeWorkspace* work) noexcept nogil:
    add_island(&islands.bodies[island.first_body], island.n_bodies,
               &islands.contacts[island.first_contact], island.n_contacts, work)


cdef inline bint goes_with(IslandStore islands, int32_t k, int32_t other) noexcept nogil:
    """Whether a large island goes as another one does, from the same time on."""
    return (islands.is_large[k] == IN_COMPANY and islands.islands[k].n_joints == 0
            and islands.piece[k] == islands.piece[other]
            and islands.start[k] == islands.start[other])


cdef void step_all_large(StepContext* ctx, IslandStore islands,
                         LargeWorkspace* work) noexcept nogil:
    """Carry large islands: together those that go alike, but what needs passes of its own."""
    cdef int32_t k, i
    cdef const Island* island
    cdef bint overlaps, uneven
    for k in range(islands.n):
        if islands.is_large[k]:
            islands.is_large[k] = ALONE if is_alone(ctx, islands, &islands.islands[k]) else (
                IN_COMPANY)
    for k in range(islands.n):
        if not islands.is_large[k] or islands.piece[k] <= 0.0:
            continue
        island = &islands.islands[k]
        work.dt, work.start = islands.piece[k], islands.start[k]
        if islands.is_large[k] == ALONE:
            overlaps = has_overlaps(ctx, &islands.contacts[island.first_contact], island.n_contacts)
            uneven = is_uneven(ctx, &islands.bodies[island.first_body], island.n_bodies)
            add_large(islands, island, work)
            step_large(ctx, work, overlaps, uneven)
            book_time(ctx, islands, k, work.dt)
            continue
        for i in range(k, islands.n):
            if goes_with(islands, i, k):
                add_large(islands, &islands.islands[i], work)
        step_large(ctx, work, False, False)
        for i in range(islands.n - 1, k - 1, -1):
            if goes_with(islands, i, k):
                book_time(ctx, islands, i, work.dt)
                if i > k:
                    islands.piece[i] = 0.0


cdef inline bint is_squeezed(const StepContext* ctx, const Contact* c) noexcept nogil:
    """Whether two shapes overlap so much that something has pressed them into each other. Those
    that were put there came by no motion."""
    cdef const Pair* pair
    if c.at.gap >= 0.0 or c.flags & INITIAL_OVERLAP or not c.at.gap < -NO_ROOM * lesser(
            ctx.bodies[c.a].thickness, ctx.bodies[c.b].thickness):
        # a body is as thick as its thinnest shape: no need to ask for the two
        return False
    pair = &ctx.pairs[c.pair]
    return c.at.gap < -NO_ROOM * lesser(
        ctx.shapes[low_of(pair.key)].thickness, ctx.shapes[high_of(pair.key)].thickness)


cdef inline double drive_of(const StepContext* ctx, const Contact* c) noexcept nogil:
    """m/s, at which a kinematic body of a contact comes on; 0: there is none."""
    if ctx.bodies[c.a].kind == KINEMATIC:
        return -dot(c.at.normal, velocity_at(ctx, c.a, c.at.point))
    if ctx.bodies[c.b].kind == KINEMATIC:
        return dot(c.at.normal, velocity_at(ctx, c.b, c.at.point))
    return 0.0


cdef inline Vec2 push_of(const StepContext* ctx, const Contact* c) noexcept nogil:
    """Which way what cannot be pushed pushes at a contact with it."""
    return c.at.normal if ctx.bodies[c.a].kind == DYNAMIC else scaled(-1.0, c.at.normal)


# Which ways the supports of an island push, besides one that drives it: all within an arc from one
# push to another, or against each other.
ctypedef struct Pushes:
    int32_t n
    bint oppose
    Vec2 first
    Vec2 last


cdef inline bint is_opposed(const Pushes* pushes, Vec2 push) noexcept nogil:
    """Whether a push is against one of those. The ends of the arc know it: where the opposite of
    the push lies between them, one of them is near that."""
    return pushes.n > 0 and (dot(pushes.first, push) < -OPPOSED
                             or dot(pushes.last, push) < -OPPOSED)


cdef inline void add_push(Pushes* pushes, Vec2 push) noexcept nogil:
    """Widen the arc by a push, as long as it is against none of those in it."""
    if pushes.n == 0:
        pushes.first = pushes.last = push
    elif is_opposed(pushes, push):
        pushes.oppose = True
    elif cross(pushes.first, push) < 0.0:
        pushes.first = push
    elif cross(pushes.last, push) > 0.0:
        pushes.last = push
    pushes.n += 1


cdef void find_pushes(const StepContext* ctx, IslandStore islands, const Island* island,
                      int32_t driver, Pushes* out) noexcept nogil:
    """How what an island leans on besides `driver` pushes."""
    cdef int32_t k, row
    cdef const Contact* c
    memset(out, 0, sizeof(Pushes))
    for k in range(island.first_contact, island.first_contact + island.n_contacts):
        c = &ctx.contacts[islands.contacts[k]]
        row = support_of(ctx, c)
        if row >= 0 and row != driver:
            add_push(out, push_of(ctx, c))


cdef inline bint has_room(const Pushes* pushes, Vec2 push) noexcept nogil:
    """Whether what a kinematic body pushes can go along: nothing pushes against it, nor do other
    supports against each other, as the walls of a shaft in which bodies are wedged."""
    return not pushes.oppose and not is_opposed(pushes, push)


cdef int32_t next_driver(const StepContext* ctx, IslandStore islands, const Island* island,
                         int32_t row) noexcept nogil:
    """The first row after `row` of a kinematic body that presses on an island; -1: none."""
    cdef int32_t k, by, found = -1
    cdef const Contact* c
    for k in range(island.first_contact, island.first_contact + island.n_contacts):
        c = &ctx.contacts[islands.contacts[k]]
        by = support_of(ctx, c)
        if by > row and (found < 0 or by < found) and is_pressing(ctx, c):
            found = by
    return found


cdef inline bint is_pressing(const StepContext* ctx, const Contact* c) noexcept nogil:
    return c.at.gap <= ctx.tol.touch and drive_of(ctx, c) > 0.0


cdef void note_jam(StepContext* ctx, IslandStore islands, const Island* island) noexcept nogil:
    """Where kinematic bodies have pressed an island together they yield: they go on alone. They
    push again where nothing is in the way of what they push."""
    cdef int32_t k, driver
    cdef const Contact* c
    cdef Pushes pushes
    cdef bint squeezed = False
    for k in range(island.first_contact, island.first_contact + island.n_contacts):
        squeezed = squeezed or is_squeezed(ctx, &ctx.contacts[islands.contacts[k]])
    if not squeezed:
        return
    driver = next_driver(ctx, islands, island, -1)
    while driver >= 0:
        find_pushes(ctx, islands, island, driver, &pushes)
        for k in range(island.first_contact, island.first_contact + island.n_contacts):
            c = &ctx.contacts[islands.contacts[k]]
            if support_of(ctx, c) != driver or not is_pressing(ctx, c):
                continue
            if not has_room(&pushes, push_of(ctx, c)):
                ctx.pairs[c.pair].flags |= YIELDING
            elif ctx.round == 0:
                ctx.pairs[c.pair].flags &= ~<int32_t>YIELDING
        driver = next_driver(ctx, islands, island, driver)


cdef int count_sub_steps(const StepContext* ctx, IslandStore islands, const Island* island,
                         double duration) noexcept nogil:
    """In how many sub-steps a small island goes: with joints, as many as its fastest turning asks
    for."""
    cdef int n_sub = SUB_STEPS
    cdef int32_t k
    cdef double fastest = 0.0
    if island.n_joints == 0:
        return n_sub
    for k in range(island.first_body, island.first_body + island.n_bodies):
        fastest = greater(fastest, fabs(ctx.motions[islands.bodies[k]].w))
    while n_sub < MOST_SUB_STEPS and fastest * duration > MOST_TURN * n_sub:
        n_sub *= 2
    return n_sub


cdef double step_small(StepContext* ctx, IslandStore islands, const Island* island,
                       const Piece* piece, SmallMemory* memory) noexcept nogil:
    """Carry a small island through a piece of time, by the least work; returns how far it came (s).
    """
    cdef const int32_t* rows = &islands.bodies[island.first_body]
    cdef const int32_t* touching = &islands.contacts[island.first_contact]
    if island.n_joints == 0:
        if island.n_contacts == 0 and island.n_bodies == 1 and fly(ctx, rows[0], piece):
            return piece.duration
        if island.n_contacts > 0 and rests(ctx, rows, island.n_bodies, touching, island.n_contacts,
                                           SUB_STEPS, piece, memory):
            return piece.duration
    return step_island(ctx, rows, island.n_bodies, touching, island.n_contacts,
                       &islands.joints[island.first_joint], island.n_joints,
                       count_sub_steps(ctx, islands, island, piece.duration), piece, memory)


cdef void step_islands(StepContext* ctx, IslandStore islands, const SizeRule* rule,
                       SmallMemory* memory, LargeWorkspace* work,
                       LinkMemory* linked) noexcept nogil:
    cdef int32_t k
    cdef const Island* island
    cdef Piece piece
    cdef bint any_large = False
    note_ways(ctx, islands)
    for k in range(islands.n):
        island = &islands.islands[k]
        if ctx.has_drivers and island.n_contacts > 0:
            note_jam(ctx, islands, island)
        find_piece(ctx, islands, island, &piece)
        islands.piece[k], islands.start[k] = piece.duration, piece.start
        if island.n_joints > 0:
            islands.held[k] = held_energy(ctx, islands, island, memory.joints)
        if island.n_joints > 0 and (islands.is_large[k] or island.n_contacts == 0):
            step_linked(ctx, island, &islands.bodies[island.first_body],
                        &islands.joints[island.first_joint],
                        &islands.contacts[island.first_contact], &piece, linked)
            book_time(ctx, islands, k, piece.duration)
            islands.piece[k] = 0.0
            continue
        if islands.is_large[k]:
            any_large = True
            continue
        book_time(ctx, islands, k, step_small(ctx, islands, island, &piece, memory))
    if any_large:
        step_all_large(ctx, islands, work)


# ---- clocks and bounds of all bodies ----------------------------------------------------------

cdef void start_clocks(StepContext* ctx) noexcept nogil:
    """All of this part of the step is before all that is awake."""
    cdef int32_t row
    ctx.kinematic_spin = 0.0
    ctx.has_drivers = False
    for row in range(ctx.n_bodies):
        if ctx.bodies[row].kind == KINEMATIC:
            ctx.kinematic_spin = max(ctx.kinematic_spin, ctx.motions[row].w * ctx.motions[row].w
                                     * ctx.bodies[row].swept_radius)
            ctx.has_drivers |= (ctx.motions[row].v.x != 0.0 or ctx.motions[row].v.y != 0.0
                                or ctx.motions[row].w != 0.0)
        ctx.moved[row] = -1
        ctx.left[row] = 0.0
        if ctx.bodies[row].kind == DYNAMIC and ctx.bodies[row].flags & AWAKE:
            ctx.left[row] = ctx.dt
            # of who was woken just now they are those of the step before it fell asleep
            ctx.motions[row].d = vec2(0.0, 0.0)
            ctx.motions[row].turned = 0.0


cdef bint is_time_left(const StepContext* ctx) noexcept nogil:
    cdef int32_t row
    for row in range(ctx.n_bodies):
        if ctx.left[row] > 0.0:
            return True
    return False


cdef void move_kinematic(StepContext* ctx) noexcept nogil:
    cdef int32_t row
    cdef Motion* motion
    for row in range(ctx.n_bodies):
        if ctx.bodies[row].kind == KINEMATIC:
            motion = &ctx.motions[row]
            place_kinematic(&ctx.bodies[row], motion, &ctx.before[row], ctx.begun + ctx.dt,
                            &ctx.places[row])
            motion.d = scaled(ctx.dt, motion.v)
            motion.turned = ctx.dt * motion.w


cdef inline bint is_sound(const Motion* motion, const Place* place) noexcept nogil:
    """Whether a body is where it can be, no faster than it can be; false for NaN."""
    return (fabs(motion.v.x) <= FASTEST and fabs(motion.v.y) <= FASTEST
            and fabs(motion.w) <= FASTEST and fabs(place.x.x) <= FARTHEST
            and fabs(place.x.y) <= FARTHEST and fabs(place.angle) <= FARTHEST)


cdef int32_t stop_runaways(StepContext* ctx, const Place* before) noexcept nogil:
    """Put bodies that left the range of numbers back where they were, at rest; returns how many."""
    cdef int32_t row, k, n = 0
    cdef BodyData* body
    cdef Contact* c
    for row in range(ctx.n_bodies):
        if is_sound(&ctx.motions[row], &ctx.places[row]):
            continue
        n += 1
        body = &ctx.bodies[row]
        take_back(&before[row], &ctx.places[row])
        ctx.left[row] = 0.0
        ctx.motions[row].v = ctx.motions[row].d = body.a = vec2(0.0, 0.0)
        ctx.motions[row].w = ctx.motions[row].turned = body.alpha = 0.0
        body.flags &= ~<int>RESTING
        forget_contacts(ctx, row)
    if n == 0:
        return 0
    for k in range(ctx.n_contacts):
        c = &ctx.contacts[k]
        if not isfinite(c.fn + c.ft + c.sum_n + c.sum_t):
            forget_impulses(c)
    return n


cdef inline void forget_impulses(Contact* c) noexcept nogil:
    c.fn = c.ft = c.sum_n = c.sum_t = 0.0
    c.hit = 0
    c.mode_n = c.mode_t = 0


cdef void forget_contacts(StepContext* ctx, int32_t row) noexcept nogil:
    """Contacts of a body that was put back are where it is now, and bore nothing."""
    cdef int32_t k
    cdef Contact* c
    for k in range(ctx.n_contacts):
        c = &ctx.contacts[k]
        if c.a == row or c.b == row:
            c.at.normal = vec2(0.0, 1.0)    # any: two circles that are one keep what they had
            refresh(&c.at, &ctx.places[c.a].pose, &ctx.places[c.b].pose)
            forget_impulses(c)
