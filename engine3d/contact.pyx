"""Contacts that live from step to step: who touches whom, and the forces they bore."""

from libc.math cimport INFINITY, fabs
from libc.string cimport memcpy, memset

from enginecore.body_head cimport AWAKE, BULLET, DYNAMIC, INITIAL_OVERLAP
from enginecore.constants cimport CCD_SHARE, SPEED_RESERVE
from enginecore.contact cimport PairHead, push_flags
from enginecore.hit cimport Hit
from enginecore.joint cimport is_apart
from enginecore.memory cimport address
from enginecore.mix cimport allowed, mix
from enginecore.pair_table cimport high_of, low_of
from enginecore.rule cimport (
    BOOSTED, DRIVEN, FRONT, ONE_WAY, PARTED, PASSING, SUNK_BEHIND,
)
from enginecore.scalar cimport greater, lesser
from engine3d.solve.cone cimport OPEN
from engine3d.collide.geometry cimport HULL, PLANE, ROUND, SEGMENT, Geometry, reach_along
from engine3d.collide.hull cimport face_offset
from engine3d.collide.narrow_phase cimport MOST_POINTS, find_contacts, refresh
from engine3d.pose cimport rotate, seen_from, unrotate
from engine3d.collide.time_of_impact cimport gap_between
from engine3d.vec3 cimport add, cross, dot, length, negated, sub, vec3

# Cosine between axes beyond which one is not across the other.
cdef double ACROSS = 0.7
# Two bodies that moved less than this share of the margin against each other keep their features.
cdef double RECYCLED = 0.05
cdef double RECYCLED_SHARE = 2e-3   # and of their thickness
# Shapes that overlap less than this beside the normal of a contact pass each other: times touch,
# and as a share of the smaller one's reach.
cdef double GRAZE = 1.0
cdef double GRAZE_SHARE = 1e-3

# enginecore works on heads of pairs: what is kept of one must begin as they do.
cdef Pair _pair
cdef PairHead* _head = <PairHead*> &_pair
if (<void*> &_head.key != <void*> &_pair.key or <void*> &_head.n != <void*> &_pair.n
        or <void*> &_head.body_b != <void*> &_pair.body_b
        or <void*> &_head.recycling_margin != <void*> &_pair.recycling_margin):
    raise ImportError("Pair does not begin as a PairHead does")


# ---- pairs ------------------------------------------------------------------------------------

cdef inline const Geometry* geometry_a(const StepContext* ctx, const Pair* pair) noexcept nogil:
    return ctx.shapes[low_of(pair.key)].geometry


cdef inline const Geometry* geometry_b(const StepContext* ctx, const Pair* pair) noexcept nogil:
    return ctx.shapes[high_of(pair.key)].geometry


cdef inline double round_radius(const Geometry* a, const Geometry* b) noexcept nogil:
    """m: the radius of the smaller round shape; 0: none of the two rolls."""
    if a.kind == HULL or a.kind >= PLANE:
        return b.radius if b.kind != HULL and b.kind < PLANE else 0.0
    return a.radius if b.kind == HULL or b.kind >= PLANE else lesser(a.radius, b.radius)


cdef inline bint is_none(Vec3 a) noexcept nogil:
    return a.x == 0.0 and a.y == 0.0 and a.z == 0.0


cdef void set_rules(const ShapeData* a, const ShapeData* b, Pair* out) noexcept nogil:
    """The rules of a pair from those of its shapes."""
    out.flags &= ~<int32_t> (ONE_WAY | DRIVEN | BOOSTED)
    out.surface_a, out.surface_b = a.surface, b.surface
    out.boost = greater(a.boost, b.boost)
    if not (is_none(a.through) and is_none(b.through)):
        out.flags |= ONE_WAY
    if not (is_none(a.surface) and is_none(b.surface)):
        out.flags |= DRIVEN
    if out.boost > 0.0:
        out.flags |= BOOSTED


cdef void set_pair(const StepContext* ctx, Pair* out) noexcept nogil:
    """What a pair has from its shapes."""
    cdef const ShapeData* a = &ctx.shapes[low_of(out.key)]
    cdef const ShapeData* b = &ctx.shapes[high_of(out.key)]
    out.mu = mix(ctx.mix_friction, a.friction, b.friction)
    out.e = mix(ctx.mix_restitution, a.restitution, b.restitution)
    out.rolling = greater(a.rolling, b.rolling) * round_radius(a.geometry, b.geometry)
    out.spinning = greater(a.spinning, b.spinning) * round_radius(a.geometry, b.geometry)
    out.a, out.b = a.body, b.body
    out.body_a, out.body_b = ctx.heads[a.body].id, ctx.heads[b.body].id
    out.flags &= ~<int32_t> (IGNORED | SENSING)
    set_rules(a, b, out)
    out.flags |= push_flags(
        &ctx.heads[a.body], &ctx.heads[b.body], a.sensor or b.sensor,
        not allowed(&a.filter, &b.filter)
        or is_apart(ctx.apart, ctx.n_apart, out.body_a, out.body_b))


cdef inline int32_t room_of(const StepContext* ctx, int64_t key) noexcept nogil:
    """How many contacts two shapes can have."""
    cdef int32_t a = ctx.shapes[low_of(key)].geometry.kind
    cdef int32_t b = ctx.shapes[high_of(key)].geometry.kind
    if a == ROUND or b == ROUND:
        return 1
    return 2 if a == SEGMENT or b == SEGMENT else MOST_POINTS


cdef void forget_features(const StepContext* ctx, Pair* pair) noexcept nogil:
    """One of its shapes has another form: look at it anew."""
    pair.n = 0
    pair.recycling_margin = -1.0
    pair.room = room_of(ctx, pair.key)
    memset(&pair.cache, 0, sizeof(pair.cache))


cdef bint renew_pair(const StepContext* ctx, Pair* pair) noexcept nogil:
    """Bring a pair up to date with shapes that were edited; returns whether what rests on it must
    look at it anew."""
    cdef int32_t before = pair.flags & (IGNORED | SENSING)
    cdef const ShapeData* a = &ctx.shapes[low_of(pair.key)]
    cdef const ShapeData* b = &ctx.shapes[high_of(pair.key)]
    cdef bint renewed = a.renewed or b.renewed
    set_pair(ctx, pair)
    if renewed:
        forget_features(ctx, pair)
    return renewed or before != pair.flags & (IGNORED | SENSING)


cdef double pair_thickness(const StepContext* ctx, const Pair* pair) noexcept nogil:
    cdef const Geometry* a = geometry_a(ctx, pair)
    cdef const Geometry* b = geometry_b(ctx, pair)
    if a.kind < PLANE and b.kind < PLANE:
        return lesser(a.thickness, b.thickness)
    if a.kind < HULL or b.kind < HULL:
        # all its corners are contacts, and nothing goes through what has no other side
        return INFINITY
    return a.thickness if b.kind >= PLANE else b.thickness


# ---- contacts ---------------------------------------------------------------------------------

cdef double way_of(const StepContext* ctx, int32_t a, int32_t b, double time) noexcept nogil:
    cdef int32_t small = b if ctx.bodies[b].swept_radius < ctx.bodies[a].swept_radius else a
    cdef int32_t large = a + b - small
    cdef const Motion* u = &ctx.motions[small]
    cdef const Motion* v = &ctx.motions[large]
    cdef Vec3 arm = sub(ctx.places[small].x, ctx.places[large].x)
    cdef double spin = 0.0, bend = 0.0
    # they meet within reach of the smaller one: how fast that moves through the larger one's frame
    if ctx.bodies[small].swept_radius > 0.0:
        spin = length(sub(u.w, v.w)) * ctx.bodies[small].swept_radius
    if v.w.x != 0.0 or v.w.y != 0.0 or v.w.z != 0.0:
        bend = 0.5 * dot(v.w, v.w) * length(arm) * time
    return (time * (length(sub(u.v, add(v.v, cross(v.w, arm)))) + spin + bend)
            + u.push + v.push)


cdef void carry_over(const StepContext* ctx, Contact* new, const Contact* old,
                     int32_t n_old) noexcept nogil:
    """Take the forces of the same features from the pair's contacts so far, or of the nearest."""
    cdef int32_t k, best = -1
    cdef double least = ctx.tol.near, at
    for k in range(n_old):
        if old[k].at.id == new.at.id:
            best = k
            break
    if best < 0:
        for k in range(n_old):
            at = length(sub(old[k].at.point, new.at.point))
            if at < least:
                least = at
                best = k
    if best >= 0:
        new.fn, new.ft, new.mode = old[best].fn, old[best].ft, old[best].mode
        new.flags |= OLD


cdef bint passes_by(const StepContext* ctx, const Pair* pair, const Pose* pose_a,
                    const Pose* pose_b, Vec3 normal) noexcept nogil:
    """Whether two hulls only seem to meet along the normal: beside it they do not overlap.

    A box that slides from one tile to the next has its edge at the end of the next one's side.
    Turning and sideways motion may make them overlap within the step; then they do meet.
    """
    cdef const Geometry* a = geometry_a(ctx, pair)
    cdef const Geometry* b = geometry_b(ctx, pair)
    cdef double least = lesser(GRAZE * ctx.tol.touch,
                               GRAZE_SHARE * lesser(a.bounding_radius, b.bounding_radius))
    # what parts them most beside the normal; others may do so too
    if not pair.cache.beside > -least:
        return False
    return (parts_beside(ctx, a, pose_a, pair.a, b, pose_b, pair.b, normal, least)
            or parts_beside(ctx, b, pose_b, pair.b, a, pose_a, pair.a, normal, least))


cdef bint parts_beside(const StepContext* ctx, const Geometry* a, const Pose* pose_a, int32_t row_a,
                       const Geometry* b, const Pose* pose_b, int32_t row_b, Vec3 normal,
                       double least) noexcept nogil:
    """Whether a face of A across the normal has B on its other side, and will all step long."""
    cdef const Motion* u = &ctx.motions[row_a]
    cdef const Motion* v = &ctx.motions[row_b]
    cdef double gap, closing
    cdef Vec3 n
    cdef int32_t k
    for k in range(a.n_faces):
        n = rotate(pose_a, a.normals[k])
        if fabs(dot(n, normal)) > ACROSS:
            continue
        gap = (dot(n, sub(pose_b.p, pose_a.p)) - face_offset(a, k)
               - reach_along(b, negated(unrotate(pose_b, n))))
        if not gap > -least:
            continue
        # turning about that axis moves nothing along it
        closing = (greater(dot(n, sub(u.v, v.v)), 0.0)
                   + length(cross(u.w, n)) * ctx.places[row_a].bounding_radius
                   + length(cross(v.w, n)) * ctx.places[row_b].bounding_radius)
        if ctx.dt * closing - gap <= least:
            return True
    return False


cdef bint pushes_along(const StepContext* ctx, const Pair* pair, const Pose* pose_a,
                       const Pose* pose_b, Vec3 normal) noexcept nogil:
    cdef const ShapeData* a = &ctx.shapes[low_of(pair.key)]
    cdef const ShapeData* b = &ctx.shapes[high_of(pair.key)]
    if not is_none(a.through) and -dot(rotate(pose_a, a.through), normal) < FRONT:
        return False
    return is_none(b.through) or dot(rotate(pose_b, b.through), normal) >= FRONT


cdef int32_t let_through(const StepContext* ctx, Pair* pair, const Pose* pose_a,
                         const Pose* pose_b, Touch* touches, int32_t n) noexcept nogil:
    """Leave out the touches of a pair that passes, and those of a one-way shape from behind;
    returns how many are left."""
    cdef double nearest = INFINITY
    cdef int32_t k, kept = 0
    for k in range(n):
        nearest = lesser(nearest, touches[k].gap)
    if nearest > PARTED * ctx.tol.unit:
        pair.flags &= ~<int32_t> PASSING
    for k in range(n):
        # what was not met before and is deep inside came from behind
        if pair.flags & PASSING or (pair.flags & ONE_WAY and (
                not pushes_along(ctx, pair, pose_a, pose_b, touches[k].normal)
                or (pair.n == 0 and touches[k].gap < -SUNK_BEHIND * ctx.tol.unit))):
            continue
        touches[kept] = touches[k]
        kept += 1
    if n > 0 and kept == 0:
        # what is behind stays there until it is out again, whichever way it then goes
        pair.flags = (pair.flags | PASSING) & ~<int32_t> FAST
        pair.recycling_margin = -1.0
    return kept


cdef void detect(StepContext* ctx, Pair* pair, const Pose* pose_a, const Pose* pose_b,
                 double margin) noexcept nogil:
    cdef Touch[MOST_POINTS] found
    cdef Contact[MOST_POINTS] old
    cdef const Geometry* a = geometry_a(ctx, pair)
    cdef const Geometry* b = geometry_b(ctx, pair)
    cdef Contact* c = &ctx.contacts[pair.first]
    cdef int32_t n_old = pair.n, k, n
    memcpy(old, c, n_old * sizeof(Contact))
    n = find_contacts(a, pose_a, b, pose_b, margin, &pair.cache, found)
    if pair.flags & REFUSED:
        n = 0
    elif pair.flags & (ONE_WAY | PASSING) and not pair.flags & SENSING:
        n = let_through(ctx, pair, pose_a, pose_b, found, n)
    if n > pair.room:
        n = pair.room
    if n > 0 and a.kind >= HULL and b.kind >= HULL and not pair.flags & SENSING and passes_by(
            ctx, pair, pose_a, pose_b, found[0].normal):
        # for now: what slides on will rest on it
        pair.recycling_margin = -1.0
        n = 0
    pair.n = 0
    for k in range(n):
        memset(&c[pair.n], 0, sizeof(Contact))
        c[pair.n].at = found[k]
        c[pair.n].mode = OPEN
        carry_over(ctx, &c[pair.n], old, n_old)
        # where some were refused nobody was asked about new ones
        if not pair.flags & PARTLY_REFUSED or c[pair.n].flags & OLD:
            pair.n += 1
    keep_sums(ctx, c, pair.n, old, n_old, &pair.gone)


cdef void take_blow(Contact* c, const Contact* gone) noexcept nogil:
    if not gone.flags & STRUCK:
        return
    c.flags |= STRUCK
    if c.hit == 0 or gone.hit_speed > c.hit_speed:
        c.hit_speed, c.hit = gone.hit_speed, gone.hit


cdef void place_of_blow(const StepContext* ctx, const Contact* c, Vec3* point,
                        Vec3* normal) noexcept nogil:
    cdef const Hit* hit
    point[0], normal[0] = c.at.point, c.at.normal
    if 0 < c.hit <= ctx.hits.n:
        hit = &ctx.hits.hits[c.hit - 1]
        point[0] = vec3(hit.point[0], hit.point[1], hit.point[2])
        normal[0] = vec3(hit.normal[0], hit.normal[1], hit.normal[2])


cdef void keep_sums(const StepContext* ctx, Contact* new, int32_t n, const Contact* old,
                    int32_t n_old, Bygone* gone) noexcept nogil:
    """What the old contacts bore in this step goes to the nearest of the new ones, or is kept for
    the pair."""
    cdef int32_t k, i, best
    cdef double least, at
    for k in range(n_old):
        if old[k].sum_n == 0.0 and not old[k].flags & STRUCK:
            continue
        if n == 0:
            gone.sum_n += old[k].sum_n
            if old[k].flags & STRUCK and old[k].hit_speed >= gone.speed:
                gone.speed = old[k].hit_speed
                place_of_blow(ctx, &old[k], &gone.point, &gone.normal)
            continue
        best, least = 0, INFINITY
        for i in range(n):
            at = length(sub(old[k].at.point, new[i].at.point))
            if at < least:
                best, least = i, at
        new[best].sum_n += old[k].sum_n
        new[best].sum_t = add(new[best].sum_t, old[k].sum_t)
        take_blow(&new[best], &old[k])


cdef inline bint is_unmoved(const StepContext* ctx, const Pair* pair, const Pose* rel,
                            double far, double margin) noexcept nogil:
    """Whether two bodies have moved so little against each other since they were looked at that
    they have the contacts they had: none by what there was between them beyond the margin, else by
    at most `far` (m)."""
    cdef double turned, reach
    if pair.recycling_margin < 0.0:
        return False
    if pair.n == 0:
        far = pair.recycling_margin - margin
    elif pair.recycling_margin < margin + far:
        return False
    if far <= 0.0:
        return False
    # the chord of the angle turned: what turning moves at a distance of 1 m
    turned = (length(sub(rel.r.x, pair.cached_pose.r.x))
              + length(sub(rel.r.y, pair.cached_pose.r.y))
              + length(sub(rel.r.z, pair.cached_pose.r.z)))
    reach = geometry_a(ctx, pair).bounding_radius
    if turned > 0.0 and not reach < INFINITY:
        return False
    return (length(sub(rel.p, pair.cached_pose.p))
            + (turned * (reach + length(geometry_a(ctx, pair).middle)) if turned > 0.0 else 0.0)
            <= far)


cdef void recycle(StepContext* ctx, Pair* pair, const Pose* a, const Pose* b) noexcept nogil:
    """The contacts of a pair that has hardly moved: the same features."""
    cdef Contact* c
    cdef int32_t k
    for k in range(pair.first, pair.first + pair.n):
        c = &ctx.contacts[k]
        refresh(&c.at, a, b)
        c.flags |= OLD


cdef void look_at(StepContext* ctx, Pair* pair) noexcept nogil:
    """Contacts of one pair, by its motion in this step."""
    cdef const Geometry* a = geometry_a(ctx, pair)
    cdef const Geometry* b = geometry_b(ctx, pair)
    cdef const Pose* pa = &ctx.places[pair.a].pose
    cdef const Pose* pb = &ctx.places[pair.b].pose
    cdef double thick = pair_thickness(ctx, pair), margin = 0.0, way, far
    cdef Pose rel
    cdef Vec3 n
    pair.flags &= ~<int32_t> (FAST | REFUSED | PARTLY_REFUSED)
    if pair.flags & SENSING:
        detect(ctx, pair, pa, pb, 0.0)
        return
    way = way_of(ctx, pair.a, pair.b, ctx.dt)
    if (way > CCD_SHARE * thick
            or (ctx.heads[pair.a].flags | ctx.heads[pair.b].flags) & BULLET) and (
            thick < INFINITY):
        # it is swept; a blow may turn it anywhere
        way = ctx.dt * (total_speed(ctx, pair.a) + total_speed(ctx, pair.b)) + ctx.fall
        if gap_between(a, pa, b, pb, &n) <= way + ctx.tol.margin:
            pair.flags |= FAST
        margin = ctx.tol.margin
        pair.recycling_margin = -1.0
        detect(ctx, pair, pa, pb, margin)
    else:
        margin = ctx.tol.margin + SPEED_RESERVE * way + ctx.fall
        rel = seen_from(pb, pa)
        far = lesser(RECYCLED * ctx.tol.margin, RECYCLED_SHARE * lesser(thick, 1e3))
        if is_unmoved(ctx, pair, &rel, far, margin):
            recycle(ctx, pair, pa, pb)
            return
        pair.recycling_margin = margin + far
        detect(ctx, pair, pa, pb, margin + far)
        pair.cached_pose = rel
        if pair.n == 0 and pair.recycling_margin >= 0.0:
            pair.recycling_margin = greater(pair.cache.clear, 0.0)
    note_deep(ctx, pair)


cdef inline double total_speed(const StepContext* ctx, int32_t row) noexcept nogil:
    """m/s: no point of a body is faster, whichever way it goes."""
    return (length(ctx.motions[row].v) + length(ctx.motions[row].w) * ctx.bodies[row].swept_radius
            + ctx.motions[row].push / ctx.dt)


cdef void note_deep(StepContext* ctx, Pair* pair) noexcept nogil:
    """Mark a pair that overlaps deeply from when one of the two is put there until it no longer
    does."""
    cdef int32_t k
    if not (pair.flags & INITIAL_OVERLAP
            or (ctx.heads[pair.a].flags | ctx.heads[pair.b].flags) & INITIAL_OVERLAP):
        return
    pair.flags &= ~<int32_t> INITIAL_OVERLAP
    for k in range(pair.first, pair.first + pair.n):
        if ctx.contacts[k].at.gap < -ctx.tol.deep:
            pair.flags |= INITIAL_OVERLAP


cdef inline void forget_step(StepContext* ctx, Pair* pair) noexcept nogil:
    """Clear what a pair bore in a step."""
    cdef Contact* c
    cdef int32_t k
    pair.gone.sum_n = pair.gone.speed = 0.0
    for k in range(pair.first, pair.first + pair.n):
        c = &ctx.contacts[k]
        c.sum_n = c.hit_speed = 0.0
        c.hit = 0
        c.sum_t = vec3(0.0, 0.0, 0.0)
        c.flags &= ~<int32_t> STRUCK


cdef void find_all(StepContext* ctx) noexcept nogil:
    cdef Pair* pair
    cdef int64_t at
    for at in range(ctx.n_pairs):
        pair = &ctx.pairs[at]
        if pair.flags & IGNORED:
            pair.recycling_margin = -1.0
            pair.n = 0
            continue
        pair.a = ctx.shapes[low_of(pair.key)].body
        pair.b = ctx.shapes[high_of(pair.key)].body
        if not ((ctx.heads[pair.a].flags | ctx.heads[pair.b].flags) & AWAKE
                or pair.flags & SENSING):
            continue
        forget_step(ctx, pair)
        look_at(ctx, pair)


cdef void find_anew(StepContext* ctx, Pair* pair) noexcept nogil:
    pair.a = ctx.shapes[low_of(pair.key)].body
    pair.b = ctx.shapes[high_of(pair.key)].body
    forget_step(ctx, pair)
    pair.recycling_margin = -1.0
    look_at(ctx, pair)


cdef class ContactStore(Pairings):

    def __cinit__(self):
        self.prepare(sizeof(Pair), sizeof(Contact))

    cdef int point_at_arrays(self) except -1:
        self.contacts = <Contact*> address(self.arrays["contacts"])
        self.spare = <Contact*> address(self.arrays["spare"])
        self.pairs = <Pair*> address(self.arrays["pairs"])
        self.spare_pairs = <Pair*> address(self.arrays["spare_pairs"])
        return Pairings.point_at_arrays(self)

    cdef int match(self, const Pairs* table, const StepContext* ctx, bint edited) except -1 nogil:
        """Bring the pairs in line with the broad phase; see match_pairs. Slots go with them."""
        cdef int64_t k, slots = 0
        if table.n > self.pair_room:
            self.reserve_pairs(2 * table.n)
        for k in range(table.n):
            slots += room_of(ctx, table.keys[k])
        if slots > self.room:
            self.reserve(2 * slots)
        self.new_slots = 0
        self.match_pairs(table, ctx, edited)
        # the lists of contacts change places with those of pairs
        self.swapped = not self.swapped
        self.contacts, self.spare = self.spare, self.contacts
        self.pairs, self.spare_pairs = self.spare_pairs, self.pairs
        self.pair_heads, self.spare_heads = <char*> self.pairs, <char*> self.spare_pairs
        self.n_slots = slots
        return 0

    cdef void begin_pair(self, const void* scene, int64_t key, PairHead* pair) noexcept nogil:
        """A pair that was not there before."""
        cdef const StepContext* ctx = <const StepContext*> scene
        cdef Pair* out = <Pair*> pair
        memset(out, 0, sizeof(Pair))
        out.key = key
        out.recycling_margin = -1.0
        out.room = room_of(ctx, key)
        set_pair(ctx, out)
        self.give_slots(out)

    cdef int keep_pair(self, const void* scene, int64_t at, int64_t to,
                       bint edited) except -1 nogil:
        cdef const StepContext* ctx = <const StepContext*> scene
        cdef Pair* out = &self.spare_pairs[to]
        out[0] = self.pairs[at]
        memcpy(&self.spare[self.new_slots], &self.contacts[out.first], out.n * sizeof(Contact))
        if edited and renew_pair(ctx, out):
            self.add_ended(<PairHead*> out, False)
        self.give_slots(out)
        return 0

    cdef void give_slots(self, Pair* pair) noexcept nogil:
        """The next free slots are a pair's."""
        pair.first = <int32_t> self.new_slots
        self.new_slots += pair.room

    # -- rules

    cdef int64_t count_candidates(self) noexcept:
        cdef int64_t at, n = 0
        for at in range(self.n_pairs):
            n += candidates_of(&self.pairs[at])
        return n

    cdef void drop_contacts(self, const uint8_t* mask) noexcept:
        cdef int64_t at, next_one = 0
        cdef int32_t k, n, kept
        cdef Pair* pair
        for at in range(self.n_pairs):
            pair = &self.pairs[at]
            n, kept = candidates_of(pair), 0
            for k in range(n):
                if mask[next_one + k]:
                    self.contacts[pair.first + kept] = self.contacts[pair.first + k]
                    kept += 1
            next_one += n
            if kept == n:
                continue
            pair.n = kept
            pair.recycling_margin = -1.0
            pair.flags |= PARTLY_REFUSED if kept else REFUSED
            if kept == 0:
                pair.flags &= ~<int32_t> FAST


cdef inline int32_t candidates_of(const Pair* pair) noexcept nogil:
    """How many contacts of a pair World.contact_filter is asked about."""
    return 1 if pair.n == 0 and pair.flags & FAST else pair.n


cdef void end_overlaps(StepContext* ctx) noexcept nogil:
    """Forget which bodies their users put where they are, but those that overlap others still;
    bodies they push also count as initially overlapping."""
    cdef int32_t row
    cdef int64_t k
    for row in range(ctx.n_bodies):
        ctx.heads[row].flags &= ~<int> INITIAL_OVERLAP
    for k in range(ctx.n_pairs):
        if ctx.pairs[k].flags & INITIAL_OVERLAP:
            if ctx.heads[ctx.pairs[k].a].kind == DYNAMIC:
                ctx.heads[ctx.pairs[k].a].flags |= INITIAL_OVERLAP
            if ctx.heads[ctx.pairs[k].b].kind == DYNAMIC:
                ctx.heads[ctx.pairs[k].b].flags |= INITIAL_OVERLAP
