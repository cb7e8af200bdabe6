"""Fast bodies of large islands and of those with joints: none ends a step on the other side of what
it met.

Sweeps hold bodies by the features that faced each other when the step began. A pair that was fast
then is checked once more along the way it went: if it met before the end, the faster of the two is
set back to what it met, with the energy that the sweeps gave it. Without gravity, where nothing
else holds their island, all of it is set back, so that its centre of mass goes straight on. One
that was driven out of the boxes in which others were looked for goes only as far as these.
"""

from libc.math cimport INFINITY, fabs, sqrt
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset

from enginecore.boxes cimport Box
from enginecore.constants cimport CCD_SHARE
from enginecore.pair_table cimport high_of, low_of
from enginecore.scalar cimport greater, lesser
from engine2d.body cimport DYNAMIC, KINEMATIC, STATIC, BodyData, Motion
from engine2d.collide.facing cimport faces, has_stayed_above
from engine2d.collide.narrow_phase cimport refresh
from engine2d.constants cimport TOI_TOLERANCE
from engine2d.contact cimport FAST, GONE, HIDING, IGNORED, SENSING, VOID, Contact, Pair
from engine2d.joint.joint cimport JointData, energy_of
from engine2d.pose cimport Pose
from engine2d.solve.integrate cimport move_body, turn_by
from engine2d.solve.energy cimport (
    Frame, Momentum, add_momentum, inverse, kinetic_energy, no_momentum, rigid_frame,
    standing_frame, velocity_in,
)
from engine2d.solve.step_context cimport Island
from engine2d.store cimport bound_shape
from engine2d.collide.time_of_impact cimport Strike, Sweep, find_next_impact, pose_at
from engine2d.vec2 cimport Vec2, add, dot, length, scaled, sub, vec2

# Looks at the way of a body that was driven on: it is set back to one of them.
cdef int LOOKS = 16
# The least share of its way that a body is left with.
cdef double LEAST_WAY = 1e-3


cdef inline bint was_carried(const StepContext* ctx, int32_t row) noexcept nogil:
    """Whether a body went on in this round."""
    return (ctx.bodies[row].kind == DYNAMIC and ctx.moved[row] == ctx.round
            and ctx.bodies[row].island >= 0)


cdef inline bint has_moved(const StepContext* ctx, int32_t row, IslandStore islands) noexcept nogil:
    """Whether a body was carried in this round by what may drive it to where nothing was looked
    for: sweeps, or joints."""
    cdef int32_t number = ctx.bodies[row].island
    return (was_carried(ctx, row)
            and (islands.is_large[number] or islands.islands[number].n_joints > 0))


cdef inline bint is_blind(const StepContext* ctx, int32_t row, IslandStore islands) noexcept nogil:
    """Whether a body was carried in this round without being struck on its way: by sweeps, or by
    joints alone."""
    cdef const Island* island
    if not has_moved(ctx, row, islands):
        return False
    island = &islands.islands[ctx.bodies[row].island]
    return islands.is_large[ctx.bodies[row].island] or island.n_contacts == 0


cdef inline double piece_of(const StepContext* ctx, int32_t row,
                            IslandStore islands) noexcept nogil:
    """s, that a body went in this round, without what it was given back."""
    return islands.gone[ctx.bodies[row].island] - islands.given[row]


cdef Sweep way_gone(const StepContext* ctx, int32_t row, double piece, double start) noexcept nogil:
    """The straight way of a body through a piece of the step (s) from a time of it on."""
    cdef Sweep out
    cdef const Motion* motion = &ctx.motions[row]
    cdef double per_second = 1.0 / piece
    out.local_center = ctx.bodies[row].local_center
    if ctx.bodies[row].kind == KINEMATIC:
        out.center = add(ctx.before[row].x, scaled(start, motion.v))
        out.angle = ctx.before[row].angle + start * motion.w
        out.v, out.w = motion.v, motion.w
        return out
    out.center, out.angle = ctx.places[row].x, ctx.places[row].angle
    out.v = vec2(0.0, 0.0)
    out.w = 0.0
    if ctx.bodies[row].kind == DYNAMIC and ctx.moved[row] == ctx.round:
        out.center = sub(out.center, motion.d)
        out.angle -= motion.turned
        out.v = scaled(per_second, motion.d)
        out.w = per_second * motion.turned
    return out


cdef inline double length_of_way(const StepContext* ctx, int32_t row) noexcept nogil:
    return (length(ctx.motions[row].d)
            + fabs(ctx.motions[row].turned) * ctx.bodies[row].swept_radius)


cdef inline void move_to(StepContext* ctx, int32_t row, const Sweep* way,
                         double t) noexcept nogil:
    """Put a body where it was at time t of its way."""
    move_body(&ctx.bodies[row], add(way.center, scaled(t, way.v)), way.angle + t * way.w,
              &ctx.motions[row], &ctx.places[row])


cdef inline void give_back(StepContext* ctx, IslandStore islands, int32_t row,
                           double time) noexcept nogil:
    """Give a body time (s) that it has not gone after all."""
    ctx.left[row] += time
    islands.given[row] += time


cdef void set_back(StepContext* ctx, IslandStore islands, int32_t row, const Sweep* way, double t,
                   double piece, bint gives) noexcept nogil:
    """Put a body where it was at time t of its way through a piece, with the energy it has. gives:
    it gets back the time that it lost, by its own clock: it may have been set back before."""
    cdef Vec2 x = add(way.center, scaled(t, way.v))
    cdef double lost = (1.0 - t / piece) * piece_of(ctx, row, islands)
    return_work(&ctx.bodies[row], ctx.gravity, sub(ctx.places[row].x, x), lost, &ctx.motions[row])
    move_body(&ctx.bodies[row], x, way.angle + t * way.w, &ctx.motions[row], &ctx.places[row])
    if gives and ctx.may_cut and t > LEAST_WAY * piece:
        give_back(ctx, islands, row, lost)


cdef void set_back_to(StepContext* ctx, IslandStore islands, int32_t row, const Sweep* way,
                      int32_t other_row, const Sweep* other, double t,
                      double piece) noexcept nogil:
    """Put a body back to where it met another one at time t of their ways. If it gets no time for
    it and that is not dynamic, it has gone on since, and takes it along."""
    cdef double left = piece - t, turned = left * other.w, had = ctx.left[row]
    cdef Vec2 met = add(other.center, scaled(t, other.v)), arm
    set_back(ctx, islands, row, way, t, piece, True)
    if ctx.bodies[other_row].kind == DYNAMIC or ctx.left[row] != had:
        return
    arm = turn_by(sub(ctx.places[row].x, met), turned)
    move_body(&ctx.bodies[row], add(add(met, scaled(left, other.v)), arm),
              ctx.places[row].angle + turned, &ctx.motions[row], &ctx.places[row])


cdef void return_work(const BodyData* body, Vec2 gravity, Vec2 way, double time,
                      Motion* motion) noexcept nogil:
    """Take back what gravity and the user did on a way (m) that a body does not go after all, in a
    time (s) in which they cannot have changed its speed by more than they do in a straight line: a
    body that was thrown on its way, and has been slowed since, gets nothing for where it was."""
    cdef Vec2 a = add(scaled(body.gravity_scale, gravity), scaled(motion.inv_m, body.force))
    cdef double speed2 = dot(motion.v, motion.v), most
    if speed2 > 0.0:
        most = sqrt(speed2) + length(a) * time
        motion.v = scaled(sqrt(lesser(greater(speed2 - 2.0 * dot(a, way), 0.0), most * most)
                               / speed2), motion.v)


cdef bint has_left(const StepContext* ctx, int32_t row, const ShapeData* shapes,
                   const Boxes* boxes) noexcept nogil:
    """Whether a body is outside the boxes in which it was looked for."""
    cdef int32_t shape = ctx.bodies[row].first_shape
    cdef Vec2 low, high
    cdef const Box* box
    while shape >= 0:
        bound_shape(&shapes[shape], &ctx.places[row], &low, &high)
        box = &boxes.tight[shape]
        if not (box.low[0] <= low.x and box.low[1] <= low.y
                and high.x <= box.high[0] and high.y <= box.high[1]):
            return True
        shape = shapes[shape].next_shape
    return False


cdef bint is_thrown(const StepContext* ctx, int32_t row, const Boxes* boxes) noexcept nogil:
    """Whether a body went farther than the box is wide in which it was looked for: what is solved,
    and bounces, goes no farther than it was fast, whichever way."""
    cdef const Box* box
    if ctx.bodies[row].first_shape < 0:
        return False
    box = &boxes.tight[ctx.bodies[row].first_shape]
    return length(ctx.motions[row].d) > length(vec2(box.high[0] - box.low[0],
                                                    box.high[1] - box.low[1]))


cdef inline int32_t root_of(const int32_t* parent, int32_t i) noexcept nogil:
    while parent[i] != i:
        i = parent[i]
    return i


cdef bint is_free(const StepContext* ctx, IslandStore islands, int32_t number) noexcept nogil:
    """Whether an island can be set back as a whole: there is no gravity, nothing but its own bodies
    touches it, all of them moved in this round, and straight on, by sweeps or by itself."""
    cdef const Island* island = &islands.islands[number]
    cdef const Contact* c
    cdef int32_t k
    if island.n_joints > 0 or not (islands.is_large[number] or island.n_contacts == 0):
        return False
    if ctx.gravity.x != 0.0 or ctx.gravity.y != 0.0:
        return False
    for k in range(island.first_contact, island.first_contact + island.n_contacts):
        c = &ctx.contacts[islands.contacts[k]]
        if ctx.bodies[c.a].kind != DYNAMIC or ctx.bodies[c.b].kind != DYNAMIC:
            return False
    for k in range(island.first_body, island.first_body + island.n_bodies):
        if ctx.moved[islands.bodies[k]] != ctx.round:
            return False
    return True


cdef bint are_free(const StepContext* ctx, IslandStore islands, int32_t i,
                   int32_t j) noexcept nogil:
    """Whether two islands, or one, went the same piece and can be set back as a whole."""
    if i < 0 or j < 0 or islands.gone[i] != islands.gone[j] or islands.start[i] != islands.start[j]:
        return False
    if islands.met[root_of(islands.parent, i)] < 0.0 and not is_free(ctx, islands, i):
        return False
    return i == j or islands.met[root_of(islands.parent, j)] >= 0.0 or is_free(ctx, islands, j)


cdef void set_back_later(IslandStore islands, int32_t i, int32_t j, double t) noexcept nogil:
    """Note that two islands are to be set back to the same time, no later than t of their piece."""
    i = root_of(islands.parent, i)
    j = root_of(islands.parent, j)
    if islands.met[i] < 0.0 or t < islands.met[i]:
        islands.met[i] = t
    if i != j:
        if 0.0 <= islands.met[j] < islands.met[i]:
            islands.met[i] = islands.met[j]
        islands.parent[j] = i


cdef inline bint is_slow(const StepContext* ctx, int32_t row) noexcept nogil:
    """Whether a body came no farther than a share of its thickness; by a bound without a root for
    most of those that did not."""
    cdef const Motion* motion = &ctx.motions[row]
    cdef double most = CCD_SHARE * ctx.bodies[row].thickness
    if (fabs(motion.d.x) + fabs(motion.d.y) + fabs(motion.turned) * ctx.bodies[row].swept_radius
            <= most):
        return True
    return length_of_way(ctx, row) <= most


cdef bint keep_in_boxes(StepContext* ctx, const ShapeData* shapes, const Boxes* boxes,
                        IslandStore islands) noexcept nogil:
    """Shorten the ways of fast bodies that left the boxes in which others were looked for; free
    islands are set back as a whole, later. Returns whether a body is fast."""
    cdef int32_t row, number
    cdef double t, piece
    cdef Sweep way
    cdef bint any_fast = False, floats = ctx.gravity.x == 0.0 and ctx.gravity.y == 0.0
    for row in range(ctx.n_bodies):
        if not was_carried(ctx, row) or is_slow(ctx, row):
            continue
        if has_moved(ctx, row, islands):
            any_fast = True
        elif floats or not is_thrown(ctx, row, boxes):
            # groups alone keep their momentum
            continue
        if is_linked(ctx, islands, row) and floats:
            # the velocities of then are guessed: groups alone would not keep their momentum
            continue
        if not has_left(ctx, row, shapes, boxes):
            continue
        number = ctx.bodies[row].island
        piece = piece_of(ctx, row, islands)
        way = way_gone(ctx, row, piece, 0.0)
        t = piece
        if is_linked(ctx, islands, row):
            while t > LEAST_WAY * piece and has_left(ctx, row, shapes, boxes):
                t *= 0.5
                move_to(ctx, row, &way, t)
            move_to(ctx, row, &way, piece)
            set_back_later(islands, number, number, t)
            continue
        if ctx.may_cut and are_free(ctx, islands, number, number):
            while t > LEAST_WAY * piece and has_left(ctx, row, shapes, boxes):
                t *= 0.5
                move_to(ctx, row, &way, t)
            move_to(ctx, row, &way, piece)
            if t > LEAST_WAY * piece:
                set_back_later(islands, number, number, t)
                continue
            t = piece
        while t > LEAST_WAY * piece and has_left(ctx, row, shapes, boxes):
            t *= 0.5
            set_back(ctx, islands, row, &way, t, piece, False)
        if ctx.may_cut:
            # also one that has not gone at all: its chord is not the way that a blow bent
            give_back(ctx, islands, row, piece - t)
    return any_fast


cdef void set_island_back(StepContext* ctx, IslandStore islands, int32_t number,
                          double t) noexcept nogil:
    """Put all bodies of a free island where they were at time t of its piece; they get the rest of
    it back."""
    cdef const Island* island = &islands.islands[number]
    cdef double piece = islands.gone[number], left = piece - t
    cdef const BodyData* body
    cdef Motion* motion
    cdef Sweep way
    cdef Vec2 a
    cdef int32_t k, row
    for k in range(island.first_body, island.first_body + island.n_bodies):
        row = islands.bodies[k]
        body, motion = &ctx.bodies[row], &ctx.motions[row]
        way = way_gone(ctx, row, piece, 0.0)
        a = add(scaled(body.gravity_scale, ctx.gravity), scaled(motion.inv_m, body.force))
        # on its parabola, not on the chord of it
        move_body(body, add(way.center, sub(scaled(t, way.v), scaled(0.5 * t * left, a))),
                  way.angle + t * way.w, motion, &ctx.places[row])
        motion.v = sub(motion.v, scaled(left, a))
        ctx.left[row] += left


cdef inline bint is_linked(const StepContext* ctx, IslandStore islands, int32_t row) noexcept nogil:
    """Whether a body is of an island with joints: it is set back with all of it."""
    cdef int32_t number = ctx.bodies[row].island
    return (ctx.bodies[row].kind == DYNAMIC and number >= 0
            and islands.islands[number].n_joints > 0)


cdef Frame frame_of_linked(const StepContext* ctx, IslandStore islands,
                           const Island* island) noexcept nogil:
    """In which an island with joints gives energy back: at rest where it touches what nothing
    pushes, else the rigid motion of its bodies."""
    cdef Momentum sum = no_momentum(ctx.places[islands.bodies[island.first_body]].x)
    cdef const Contact* c
    cdef int32_t k, row
    for k in range(island.first_contact, island.first_contact + island.n_contacts):
        c = &ctx.contacts[islands.contacts[k]]
        if ctx.bodies[c.a].kind != DYNAMIC or ctx.bodies[c.b].kind != DYNAMIC:
            return standing_frame()
    for k in range(island.first_body, island.first_body + island.n_bodies):
        row = islands.bodies[k]
        add_momentum(ctx.bodies[row].mass, inverse(ctx.motions[row].inv_I), ctx.places[row].x,
                     ctx.motions[row].v, ctx.motions[row].w, &sum)
    return rigid_frame(&sum)


cdef double loose_energy(const StepContext* ctx, IslandStore islands, const Island* island,
                         const Frame* frame) noexcept nogil:
    """J, of the bodies of an island, as seen from a frame. Those whose time is over are among them:
    they were struck in this round, too, and would keep what is not to be."""
    cdef double sum = 0.0
    cdef const Motion* motion
    cdef int32_t k, row
    for k in range(island.first_body, island.first_body + island.n_bodies):
        row = islands.bodies[k]
        motion = &ctx.motions[row]
        sum += kinetic_energy(ctx.bodies[row].mass, inverse(motion.inv_I),
                              sub(motion.v, velocity_in(frame, ctx.places[row].x)),
                              motion.w - frame.w)
    return sum


cdef double spring_energy(const StepContext* ctx, IslandStore islands, const Island* island,
                          const JointData* joints) noexcept nogil:
    """J, in the springs of an island."""
    cdef int32_t k
    cdef double sum = 0.0
    for k in range(island.first_joint, island.first_joint + island.n_joints):
        sum += energy_of(&joints[islands.joints[k]], ctx.places, ctx.bodies)
    return sum


cdef double held_energy(const StepContext* ctx, IslandStore islands, const Island* island,
                        const JointData* joints) noexcept nogil:
    cdef double held = spring_energy(ctx, islands, island, joints)
    cdef Frame frame = standing_frame()
    if not held > 0.0 or is_driven(ctx, islands, island, joints):
        return INFINITY
    return (held + loose_energy(ctx, islands, island, &frame)
            - driven_work(islands, island, joints))


cdef double driven_work(IslandStore islands, const Island* island,
                        const JointData* joints) noexcept nogil:
    """J, that motors and friction of an island's joints have done since they were added."""
    cdef int32_t k
    cdef double sum = 0.0
    for k in range(island.first_joint, island.first_joint + island.n_joints):
        sum += joints[islands.joints[k]].head.work
    return sum


cdef bint is_driven(const StepContext* ctx, IslandStore islands, const Island* island,
                    const JointData* joints) noexcept nogil:
    """Whether torques, surfaces that run or what moves by itself may work on an island."""
    cdef int32_t k
    cdef const JointData* joint
    cdef const Contact* c
    for k in range(island.first_joint, island.first_joint + island.n_joints):
        joint = &joints[islands.joints[k]]
        if moves_itself(ctx, joint.head.a) or moves_itself(ctx, joint.head.b):
            return True
    for k in range(island.first_contact, island.first_contact + island.n_contacts):
        c = &ctx.contacts[islands.contacts[k]]
        if moves_itself(ctx, c.a) or moves_itself(ctx, c.b):
            return True
    for k in range(island.first_body, island.first_body + island.n_bodies):
        if ctx.bodies[islands.bodies[k]].torque != 0.0:
            return True
    return ctx.has_rules


cdef inline bint moves_itself(const StepContext* ctx, int32_t row) noexcept nogil:
    return row >= 0 and ctx.bodies[row].kind == KINEMATIC


cdef void set_linked_back(StepContext* ctx, IslandStore islands, const JointData* joints,
                          int32_t number, double t) noexcept nogil:
    """Put all bodies of an island with joints where they were at time t of its piece, with the
    velocities they had then, and no more energy than they have now or had when it began: what is
    too much is taken from their motion against each other, if that is enough, so that nothing is
    taken from their momenta.
    They get the rest of the piece back if there is time to look at them again, and they came some
    way. What joints open by the chord is corrected when they go on.
    """
    cdef const Island* island = &islands.islands[number]
    cdef double piece = islands.gone[number], left = piece - t, has = 0.0, share
    cdef double loose = 0.0, had = spring_energy(ctx, islands, island, joints)
    cdef double held = islands.held[number] + driven_work(islands, island, joints)
    cdef bint gives = ctx.may_cut and t > LEAST_WAY * piece, together = gives
    cdef Frame frame
    cdef Motion* motion
    cdef Sweep way
    cdef Vec2 a
    cdef int32_t k, row
    for k in range(island.first_body, island.first_body + island.n_bodies):
        # what those whose time is over were given would be given twice
        together = together and ctx.moved[islands.bodies[k]] == ctx.round
    for k in range(island.first_body, island.first_body + island.n_bodies):
        row = islands.bodies[k]
        motion = &ctx.motions[row]
        if ctx.moved[row] != ctx.round:
            continue
        way = way_gone(ctx, row, piece, 0.0)
        a = add(scaled(ctx.bodies[row].gravity_scale, ctx.gravity),
                scaled(motion.inv_m, ctx.bodies[row].force))
        had += kinetic_energy(ctx.bodies[row].mass, inverse(motion.inv_I), motion.v, motion.w)
        had -= ctx.bodies[row].mass * left * dot(a, way.v)
        held += ctx.bodies[row].mass * t * dot(a, way.v)
        # at the beginning it was twice the mean without that at the end
        share = 2.0 * left / piece if together else 0.0
        motion.v = add(motion.v, scaled(share, sub(way.v, motion.v)))
        motion.w += share * (way.w - motion.w)
        has += kinetic_energy(ctx.bodies[row].mass, inverse(motion.inv_I), motion.v, motion.w)
        move_body(&ctx.bodies[row], add(way.center, scaled(t, way.v)), way.angle + t * way.w,
                  motion, &ctx.places[row])
        if gives:
            ctx.left[row] += left
    has += spring_energy(ctx, islands, island, joints)
    # followed springs swing: what there is at the end may be more than there was
    had = lesser(had, held)
    if not has > had:
        return
    frame = frame_of_linked(ctx, islands, island)
    loose = loose_energy(ctx, islands, island, &frame)
    if loose < has - had:
        frame = standing_frame()
        loose = loose_energy(ctx, islands, island, &frame)
    if not loose > 0.0:
        return
    share = sqrt(greater(1.0 - (has - had) / loose, 0.0)) - 1.0
    for k in range(island.first_body, island.first_body + island.n_bodies):
        row = islands.bodies[k]
        motion = &ctx.motions[row]
        motion.v = add(motion.v, scaled(share, sub(motion.v, velocity_in(
            &frame, ctx.places[row].x))))
        if motion.inv_I > 0.0:
            motion.w += share * (motion.w - frame.w)


cdef void go_on_together(StepContext* ctx, IslandStore islands, int32_t number, int32_t a,
                         const Sweep* way_a, int32_t b, const Sweep* way_b,
                         double t) noexcept nogil:
    """From time t on, when they met, two bodies of a free island go as one, without turning: there
    is no time to look at them again."""
    cdef double left = islands.gone[number] - t
    cdef double ma = ctx.bodies[a].mass, mb = ctx.bodies[b].mass
    cdef Vec2 v = scaled(1.0 / (ma + mb), add(scaled(ma, way_a.v), scaled(mb, way_b.v)))
    move_body(&ctx.bodies[a], add(add(way_a.center, scaled(t, way_a.v)), scaled(left, v)),
              way_a.angle + t * way_a.w, &ctx.motions[a], &ctx.places[a])
    move_body(&ctx.bodies[b], add(add(way_b.center, scaled(t, way_b.v)), scaled(left, v)),
              way_b.angle + t * way_b.w, &ctx.motions[b], &ctx.places[b])


cdef bint is_on_its_floor(const StepContext* ctx, const Pair* pair, int32_t a,
                          int32_t b) noexcept nogil:
    """Whether one of two bodies glides on a floor that the other one is a flush piece of, and has
    stayed on it: springs let it sink in a little, and it meets what it has not passed."""
    cdef int32_t k, row = a if ctx.bodies[a].kind == DYNAMIC else b
    cdef const Contact* c
    if ctx.bodies[a].kind == DYNAMIC and ctx.bodies[b].kind == DYNAMIC:
        return False
    for k in range(ctx.n_contacts):
        c = &ctx.contacts[k]
        if (c.a == row or c.b == row) and has_stayed_above(ctx, pair, c):
            return True
    return False


cdef double time_through(const StepContext* ctx, const Contact* c, const Sweep* way_a,
                         const Sweep* way_b, double piece, double deep,
                         bint alone) noexcept nogil:
    """When the features of a contact, where they face each other, come deeper than `deep` (m) into
    each other on these ways; never later than that by a look. < 0: they do not. What is alone
    and in there already was driven by nobody: it may go along and out."""
    cdef Contact then = c[0]
    cdef Pose pa = pose_at(way_a, 0.0), pb = pose_at(way_b, 0.0)
    cdef int k
    if alone:
        refresh(&then.at, &pa, &pb)
        deep = greater(deep, ctx.tol.touch - then.at.gap)
    for k in range(1, LOOKS + 1):
        pa, pb = pose_at(way_a, piece * k / LOOKS), pose_at(way_b, piece * k / LOOKS)
        refresh(&then.at, &pa, &pb)
        if then.at.gap < -deep and faces(ctx, &then, &pa, &pb):
            return piece * (k - 1) / LOOKS
    return -1.0


cdef void take_closing(StepContext* ctx, int32_t row, Contact* c) noexcept nogil:
    """Take the speed at which a body goes into what stands from it, as a blow without bounce at its
    centre would."""
    cdef Vec2 n = c.at.normal if c.a == row else scaled(-1.0, c.at.normal)
    cdef double speed = dot(ctx.motions[row].v, n)
    if speed < 0.0:
        ctx.motions[row].v = sub(ctx.motions[row].v, scaled(speed, n))
        ctx.books.impacts -= 0.5 * ctx.bodies[row].mass * speed * speed
        c.sum_n -= speed * ctx.bodies[row].mass


cdef void stop_driven(StepContext* ctx, ContactStore contacts, const ShapeData* shapes,
                      IslandStore islands) noexcept nogil:
    """Hold bodies that others drove into what stands: they were slow when the piece began, so their
    pairs were not looked at, and sweeps had not settled."""
    cdef int64_t k
    cdef int32_t a, b, i, j
    cdef double piece, t, deep
    cdef const Pair* pair
    cdef Contact* c
    cdef Sweep way_a, way_b
    # in later rounds those with time left, whatever they touch
    cdef const int32_t* places = contacts.unfinished if contacts.is_listed else contacts.held
    for k in range(contacts.n_unfinished if contacts.is_listed else contacts.n_held):
        pair = &contacts.pairs[places[k]]
        if pair.n == 0 or pair.flags & (IGNORED | SENSING | HIDING):
            continue
        a = shapes[low_of(pair.key)].body
        b = shapes[high_of(pair.key)].body
        if ctx.bodies[a].kind != STATIC and ctx.bodies[b].kind != STATIC:
            continue
        i = a if ctx.bodies[b].kind == STATIC else b
        deep = CCD_SHARE * ctx.bodies[i].thickness
        if not has_moved(ctx, i, islands) or length_of_way(ctx, i) <= deep:
            continue
        piece = piece_of(ctx, i, islands)
        way_a, way_b = way_gone(ctx, a, piece, 0.0), way_gone(ctx, b, piece, 0.0)
        for j in range(pair.first, pair.first + pair.n):
            c = &ctx.contacts[j]
            if c.flags & GONE or c.is_void == VOID:
                continue
            t = time_through(ctx, c, &way_a, &way_b, piece, deep,
                             islands.islands[ctx.bodies[i].island].n_bodies == 1)
            if t >= 0.0 and is_linked(ctx, islands, i):
                set_back_later(islands, ctx.bodies[i].island, ctx.bodies[i].island, t)
                break
            if t >= 0.0:
                set_back(ctx, islands, i, &way_a if i == a else &way_b, t, piece, False)
                take_closing(ctx, i, c)
                break


cdef void stop_fast(StepContext* ctx, ContactStore contacts, const ShapeData* shapes,
                    const Boxes* boxes, IslandStore islands,
                    const JointData* joints) noexcept nogil:
    cdef int64_t k
    cdef int32_t a, b, i
    # in later rounds those with time left, fast or not
    cdef const int32_t* places = contacts.unfinished if contacts.is_listed else contacts.fast
    cdef int64_t n = contacts.n_unfinished if contacts.is_listed else contacts.n_fast
    if ctx.has_new_fast and not contacts.is_listed:
        places, n = NULL, contacts.n_pairs
    ctx.has_new_fast = False
    cdef double piece, start
    cdef const Pair* pair
    cdef Sweep way_a, way_b
    cdef Strike strike
    for i in range(islands.n):
        islands.met[i] = -1.0
        islands.parent[i] = i
    memset(islands.given, 0, ctx.n_bodies * sizeof(double))
    if keep_in_boxes(ctx, shapes, boxes, islands):
        stop_driven(ctx, contacts, shapes, islands)
    for k in range(n):
        pair = &contacts.pairs[places[k] if places != NULL else k]
        if not pair.flags & FAST or pair.flags & (IGNORED | SENSING | HIDING):
            continue
        a = shapes[low_of(pair.key)].body
        b = shapes[high_of(pair.key)].body
        i = a if is_blind(ctx, a, islands) else b
        if not is_blind(ctx, i, islands):
            continue
        piece, start = piece_of(ctx, i, islands), islands.start[ctx.bodies[i].island]
        if i == a and is_blind(ctx, b, islands):
            piece = greater(piece, piece_of(ctx, b, islands))
        if not piece > 0.0:
            continue
        way_a, way_b = way_gone(ctx, a, piece, start), way_gone(ctx, b, piece, start)
        # those that touched before, and have not parted since, are held by their contacts
        if not find_next_impact(&shapes[low_of(pair.key)].geometry, &way_a,
                                &shapes[high_of(pair.key)].geometry, &way_b, piece,
                                TOI_TOLERANCE * ctx.unit, &strike):
            continue
        if is_on_its_floor(ctx, pair, a, b):
            continue
        if are_free(ctx, islands, ctx.bodies[a].island, ctx.bodies[b].island):
            if ctx.may_cut and strike.t > LEAST_WAY * piece:
                set_back_later(islands, ctx.bodies[a].island, ctx.bodies[b].island, strike.t)
                continue
            if ctx.bodies[a].island == ctx.bodies[b].island:
                go_on_together(ctx, islands, ctx.bodies[a].island, a, &way_a, b, &way_b, strike.t)
                continue
        i = b
        if not is_blind(ctx, b, islands) or (
                is_blind(ctx, a, islands) and length_of_way(ctx, a) >= length_of_way(ctx, b)):
            i = a
        if is_linked(ctx, islands, i):
            set_back_later(islands, ctx.bodies[i].island, ctx.bodies[i].island, strike.t)
        elif i == a:
            set_back_to(ctx, islands, a, &way_a, b, &way_b, strike.t, piece)
        else:
            set_back_to(ctx, islands, b, &way_b, a, &way_a, strike.t, piece)
    for i in range(islands.n):
        if islands.met[root_of(islands.parent, i)] < 0.0:
            continue
        if islands.islands[i].n_joints > 0:
            set_linked_back(ctx, islands, joints, i, islands.met[root_of(islands.parent, i)])
        else:
            set_island_back(ctx, islands, i, islands.met[root_of(islands.parent, i)])
