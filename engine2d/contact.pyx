"""Contacts that live from step to step: who touches whom, and the impulses passed on."""

from libc.string cimport memcpy, memset

from enginecore.contact cimport PairHead, push_flags
from enginecore.joint cimport is_apart
from enginecore.memory cimport address, hold
from enginecore.mix cimport allowed, mix
from enginecore.pair_table cimport high_of, low_of
from enginecore.run cimport add_run, move_runs
from enginecore.scalar cimport greater
from engine2d.body cimport DYNAMIC, INITIAL_OVERLAP, BodyData, BodyHead
from engine2d.collide.narrow_phase cimport AxisCache
from engine2d.constants cimport MANIFOLD_COSINE
from engine2d.store cimport ShapeData
from engine2d.vec2 cimport dot

# enginecore works on heads of pairs: what is kept of one must begin as they do.
cdef Pair _pair
cdef PairHead* _head = <PairHead*> &_pair
if (<void*> &_head.key != <void*> &_pair.key or <void*> &_head.n != <void*> &_pair.n
        or <void*> &_head.body_b != <void*> &_pair.body_b
        or <void*> &_head.recycling_margin != <void*> &_pair.recycling_margin):
    raise ImportError("Pair does not begin as a PairHead does")


# ---- pairs ------------------------------------------------------------------------------------

cdef void set_rules(const ShapeData* a, const ShapeData* b, Pair* out) noexcept nogil:
    """The rules of a pair from those of its shapes."""
    out.flags &= ~<int32_t>(ONE_WAY | DRIVEN | ROLLING | BOOSTED)
    out.surface_a, out.surface_b = a.surface, b.surface
    out.rolling = greater(a.rolling, b.rolling)
    out.boost = greater(a.boost, b.boost)
    if a.through.x != 0.0 or a.through.y != 0.0 or b.through.x != 0.0 or b.through.y != 0.0:
        out.flags |= ONE_WAY
    if a.surface.x != 0.0 or a.surface.y != 0.0 or b.surface.x != 0.0 or b.surface.y != 0.0:
        out.flags |= DRIVEN
    if out.rolling > 0.0:
        out.flags |= ROLLING
    if out.boost > 0.0:
        out.flags |= BOOSTED


cdef void set_pair(const StepContext* ctx, Pair* out) noexcept nogil:
    """What a pair has from its shapes."""
    cdef const ShapeData* a = &ctx.shapes[low_of(out.key)]
    cdef const ShapeData* b = &ctx.shapes[high_of(out.key)]
    out.mu = mix(ctx.mix_friction, a.friction, b.friction)
    out.e = mix(ctx.mix_restitution, a.restitution, b.restitution)
    out.body_a, out.body_b = ctx.bodies[a.body].id, ctx.bodies[b.body].id
    out.flags &= ~<int32_t>(IGNORED | SENSING)
    set_rules(a, b, out)
    out.flags |= push_flags(
        <const BodyHead*> &ctx.bodies[a.body], <const BodyHead*> &ctx.bodies[b.body],
        a.sensor or b.sensor, not allowed(&a.filter, &b.filter)
        or is_apart(ctx.apart, ctx.n_apart, out.body_a, out.body_b))


cdef bint renew_pair(const StepContext* ctx, Pair* pair) noexcept nogil:
    """Bring a pair up to date with shapes that were edited; returns whether it pushes no more, or
    pushes again."""
    cdef int32_t before = pair.flags & (IGNORED | SENSING)
    cdef const ShapeData* a = &ctx.shapes[low_of(pair.key)]
    cdef const ShapeData* b = &ctx.shapes[high_of(pair.key)]
    set_pair(ctx, pair)
    if a.renewed or b.renewed:
        # nothing that is known of their features holds
        memset(&pair.cache, 0, sizeof(AxisCache))
        pair.recycling_margin = -1.0
    return before != pair.flags & (IGNORED | SENSING)

# ---- the store -------------------------------------------------------------------------------

cdef void set_mates(Contact* contacts, int32_t first, int32_t n) noexcept nogil:
    """Join neighbours that share a normal to manifolds of two."""
    cdef int32_t k = first
    while k + 1 < first + n:
        if dot(contacts[k].at.normal, contacts[k + 1].at.normal) > MANIFOLD_COSINE:
            contacts[k].flags |= PAIRED
            k += 1
        k += 1


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
        """Bring the pairs in line with the broad phase; see match_pairs."""
        self.is_listed = False
        if table.n > self.pair_room:
            self.reserve_pairs(2 * table.n)
        if not edited and self.move_pairs(table, ctx):
            return 0
        self.match_pairs(table, ctx, edited)
        self.pairs, self.spare_pairs = self.spare_pairs, self.pairs
        self.pair_heads, self.spare_heads = <char*> self.pairs, <char*> self.spare_pairs
        return 0

    cdef void begin_pair(self, const void* ctx, int64_t key, PairHead* pair) noexcept nogil:
        """A pair that was not there before."""
        cdef Pair* out = <Pair*> pair
        memset(out, 0, sizeof(Pair))
        out.key = key
        out.recycling_margin = -1.0
        out.cache.ahead = True
        set_pair(<const StepContext*> ctx, out)

    cdef int keep_pair(self, const void* ctx, int64_t at, int64_t to,
                       bint edited) except -1 nogil:
        cdef Pair* out = &self.spare_pairs[to]
        out[0] = self.pairs[at]
        if edited and renew_pair(<const StepContext*> ctx, out):
            self.add_ended(<PairHead*> out, False)
        return 0

    cdef int drop_contacts(self, const uint8_t* mask, int32_t first) except -1:
        cdef int64_t at
        cdef int32_t k, to = first, begin
        cdef Pair* pair
        for at in range(self.n_pairs):
            pair = &self.pairs[at]
            if pair.n == 0 or pair.first < first:
                continue
            begin = to
            for k in range(pair.first, pair.first + pair.n):
                if mask[k - first]:
                    self.contacts[to] = self.contacts[k]
                    to += 1
            if to - begin != pair.n:
                pair.recycling_margin = -1.0
                for k in range(begin, to):
                    self.contacts[k].flags = self.contacts[k].flags & ~PAIRED
                set_mates(self.contacts, begin, to - begin)
                if to == begin:
                    pair.flags &= ~<int32_t>FAST
            pair.first = begin
            pair.n = to - begin
        self.n = to
        return 0

    cdef void exchange(self) noexcept nogil:
        """What was written to spare is what there is."""
        self.contacts, self.spare = self.spare, self.contacts
        self.swapped = not self.swapped

    cdef int grow_lists(self) except -1 with gil:
        """Room for the lists of fast and of held pairs; what is in them is forgotten."""
        self.listed_room = 2 * self.n_pairs
        self.fast = <int32_t*> hold(self.arrays, "fast", self.listed_room, sizeof(int32_t))
        self.held = <int32_t*> hold(self.arrays, "held", self.listed_room, sizeof(int32_t))
        return 0

    cdef int grow_unfinished(self) except -1 with gil:
        """Likewise, for the list of pairs that later rounds look at."""
        self.unfinished_room = 2 * self.n_pairs
        self.unfinished = <int32_t*> hold(self.arrays, "unfinished", self.unfinished_room,
                                          sizeof(int32_t))
        return 0

    cdef int compact(self, int32_t again) except -1 nogil:
        """After the last round: the contacts that there are, ascending by pair. Those from place
        `again` on are of pairs that were looked at again; the others move over, where they do."""
        self.reserve_runs(self.n_pairs + 1 + self.n - again)
        self.n = self.put_in_order(again, &self.runs[0], &self.runs[self.n_pairs + 1])
        return 0

    cdef int32_t put_in_order(self, int32_t again, Run* stay, Run* come) noexcept nogil:
        """`compact`, with room for the runs of contacts that stay and of those that come from other
        places; returns how many contacts there are."""
        cdef bint renumber = self.found_changes != self.seen_changes
        cdef int64_t at, n_stay = 0, n_come = 0, first = 0, end = 0, start = 0, to = 0, aside = 0, k
        cdef Pair* pair
        for at in range(self.n_pairs):
            pair = &self.pairs[at]
            if pair.n > 0 and pair.first >= again:
                memcpy(&self.spare[aside], &self.contacts[pair.first], pair.n * sizeof(Contact))
                for k in range(aside, aside + pair.n):
                    self.spare[k].pair = <int32_t>at
                add_run(come, &n_come, aside, aside + pair.n, to)
                aside += pair.n
            elif pair.n > 0:
                if renumber:
                    for k in range(pair.first, pair.first + pair.n):
                        self.contacts[k].pair = <int32_t>at
                if pair.first != end or to - start != end - first:
                    add_run(stay, &n_stay, first, end, start)
                    first, start = pair.first, to
                end = pair.first + pair.n
            if pair.first != to:
                pair.first = <int32_t>to
            to += pair.n
        add_run(stay, &n_stay, first, end, start)
        move_runs(<char*> self.contacts, sizeof(Contact), stay, n_stay)
        for k in range(n_come):
            memcpy(&self.contacts[come[k].to], &self.spare[come[k].first],
                   come[k].n * sizeof(Contact))
        return <int32_t>to


# ---- from step to step ------------------------------------------------------------------------

cdef void forget_forces(ContactStore store) noexcept nogil:
    """Begin without the forces of the last step."""
    cdef int32_t k
    for k in range(store.n):
        store.contacts[k].fn = store.contacts[k].ft = 0.0


cdef void scale_sums(ContactStore store, double factor) noexcept nogil:
    """Sums of those who sleep are of a step of another length: forces stay what they are."""
    cdef int32_t k
    for k in range(store.n):
        store.contacts[k].sum_n *= factor
        store.contacts[k].sum_t *= factor


cdef void end_overlaps(BodyStore store, ContactStore contacts) noexcept nogil:
    """Forget which bodies their users put where they are, but those that overlap others still;
    bodies they push also count as initially overlapping."""
    cdef int32_t row, k
    cdef BodyData* a
    cdef BodyData* b
    for row in range(store.n_bodies):
        store.bodies[row].flags &= ~<int>INITIAL_OVERLAP
    if contacts.n_overlaps == 0:
        return
    for k in range(contacts.n):
        if contacts.contacts[k].flags & INITIAL_OVERLAP:
            a = &store.bodies[contacts.contacts[k].a]
            b = &store.bodies[contacts.contacts[k].b]
            if a.kind == DYNAMIC:
                a.flags |= INITIAL_OVERLAP
            if b.kind == DYNAMIC:
                b.flags |= INITIAL_OVERLAP
