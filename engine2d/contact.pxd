"""Contacts that live from step to step: touching features, and the impulses they passed on."""

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t

from enginecore.contact cimport FAST, IGNORED, SENSING, TOUCHING
from enginecore.contact cimport ContactStore as Pairings
from enginecore.pair_table cimport Pairs
from enginecore.run cimport Run
from enginecore.rule cimport BOOSTED, DRIVEN, ONE_WAY, PASSING
from enginecore.scalar cimport greater, lesser
from engine2d.body cimport BodyData, Motion, Place
from engine2d.collide.narrow_phase cimport Touch, AxisCache
from engine2d.pose cimport Pose
from engine2d.store cimport BodyStore, ShapeData
from engine2d.vec2 cimport Vec2

# Of contacts and pairs; 16 is INITIAL_OVERLAP (enginecore.body_head).
cdef enum ContactFlag:
    OLD = 1         # was there in the last step: its impulses are a start
    SENSOR = 2      # pushes nothing
    STRUCK = 4      # was struck in this step
    PAIRED = 8      # the next contact is the other point of its manifold
    # bore force earlier in this step and has parted since: told, pushes nothing. Set when a pair is
    # looked at again within a step, ends with the step
    GONE = 32
    ASLEEP = 64     # both bodies slept when it was looked at: its sums are of their last step
    ON_AHEAD = 128  # its edge goes on from one that bends inwards a little: not yet come to

# What a piece of a step made of a contact; set by strikes and large islands, 0 when looked at.
cdef enum VoidState:
    VOID = 1        # nothing of it is there: no row, no blow, no push
    FOLLOWED = 2    # of large islands: was made anew for the piece, and is brought up to date after

# Three cache lines: who and where, the features, what it bears.
ctypedef struct Contact:
    int32_t a       # rows of the bodies
    int32_t b
    int32_t pair    # its place among the pairs
    uint8_t flags   # ContactFlag
    int8_t mode_n   # RowMode of the normal row, for the direct solver
    int8_t mode_t
    uint8_t is_void  # VoidState
    Touch at        # its features, and where they are
    double mu       # friction of the pair
    double e        # restitution of the pair
    double pn       # N s, normal impulse of the last sub-step, >= 0
    double pt       # N s, friction impulse on A along T = z x normal
    double sum_n    # N s, over all sub-steps and strikes of this step: force = sum / dt
    double sum_t
    double toi      # s after it was looked at when a fast pair meets here; < 0: not speculative
    int32_t hit     # where its fastest blow of this step is told (engine2d.solve.hit); 0: none
    int32_t unused

# Of pairs, beside PairFlag (enginecore.contact).
cdef enum PlanePairFlag:
    ROLLING = 256     # resists rolling
    # a kinematic body came on where the other has no room: to that it stands, and does not push it
    # out. Set when an island begins a piece, cleared when the pair is looked at and has parted
    YIELDING = 2048
    HIDING = 32       # flush with what one of the two stands on: does not bar its way in this step

# Two shapes whose fat boxes overlap; begins as a PairHead. Three cache lines: what every step asks
# for, what is known of its features, rules.
ctypedef struct Pair:
    int64_t key
    int32_t first, n, flags, body_a, body_b, unused
    double mu, e, boost, recycling_margin
    AxisCache cache
    Pose cached_pose  # of the smaller body in the larger one's frame, when last looked at
    Vec2 surface_a    # m/s, A's frame: how fast its surface runs
    Vec2 surface_b    # m/s, B's frame
    double rolling    # share of the radius at which the normal force resists rolling
    double roll       # N m s, torque on A that resisted rolling in the last whole sub-step
    double fill       # to whole cache lines

# What looking for contacts needs to know.
ctypedef struct Scene:
    const ShapeData* shapes
    const Motion* motions
    const Place* places
    const BodyData* bodies
    double dt           # s, that margins must cover
    double unit         # m, as in StepContext
    bint later          # something of the step is done: sums and hits go on
    const double* left  # s, as in StepContext; NULL: all of dt
    double margin       # m, contacts this far apart are kept in any case
    double fall         # m, that gravity can add in dt
    Vec2 gravity        # m/s^2
    int mix_friction    # MixRule
    int mix_restitution
    const int64_t* apart   # pairs of body ids that joints keep from colliding; see is_apart
    int32_t n_apart


# How much more a contact may be taken to bear after a piece of a step than before it.
cdef extern from *:
    """
    #define ENGINE_LOAD_GROWTH 2.0
    """
    double LOAD_GROWTH "ENGINE_LOAD_GROWTH"


cdef inline double kept_scale(double p, double before, double scale,
                              double full) noexcept nogil:
    """By what an impulse p >= 0 of a sub-step is scaled to that of half a step, to start from it.
    scale: by time; full: the same for a piece of the whole step; before: what was kept until now.

    A load goes by time, a blow does not: of what a short piece shows beyond what was borne before,
    nobody knows which it is, and a blow taken for a load would be given many times over."""
    cdef double most = LOAD_GROWTH * greater(full * p, before)
    return most / p if scale > full and scale * p > most else scale


cdef inline void keep_impulses(Contact* c, double pn, double pt, double scale,
                               double full) noexcept nogil:
    """Keep what a contact gave in a sub-step (N s) to start the next one from; see kept_scale. One
    that parted in its last pass may still have friction: it is no start without a normal force."""
    scale = kept_scale(pn, c.pn, scale, full)
    c.pn, c.pt = scale * pn, scale * pt if pn > 0.0 else 0.0


cdef inline double pair_thickness(const ShapeData* a, const ShapeData* b) noexcept nogil:
    """m, twice that of the thinner shape, which a thick floor does not make any safer; a line has
    none, and counts as nothing beside the other."""
    cdef double thin = lesser(a.thickness, b.thickness)
    return 2.0 * thin if thin > 0.0 else a.thickness + b.thickness


cdef class ContactStore(Pairings):
    """The pairs and contacts of a world."""

    cdef Contact* contacts       # ascending by pair
    cdef Contact* spare          # where the next step's are written
    cdef int32_t n
    cdef int32_t n_overlaps      # of them, contacts of shapes that were put into each other
    cdef Pair* pairs             # ascending by key
    cdef Pair* spare_pairs
    # Places of the pairs with a body that had time left when it was last asked for all of them:
    # bodies only lose time within a part of a step. Holds while `is_listed`
    cdef int32_t* unfinished
    cdef int64_t n_unfinished
    cdef int64_t unfinished_room
    cdef bint is_listed
    # Places of pairs when contacts were last looked for in all of them, ascending: FAST ones, and
    # those with contacts with something static
    cdef int32_t* fast
    cdef int64_t n_fast
    cdef int32_t* held
    cdef int64_t n_held
    cdef int64_t listed_room
    cdef int64_t found_changes   # seen_changes when contacts were last looked for in all pairs

    cdef int match(self, const Pairs* table, const Scene* scene, bint edited) except -1
    cdef int compact(self, int32_t again) except -1
    cdef int32_t put_in_order(self, int32_t again, Run* stay, Run* come) noexcept nogil
    cdef int exchange(self) except -1
    # Leave out contacts from `first` on that a mask (uint8, one for each) has 0 for.
    cdef int drop_contacts(self, const uint8_t* mask, int32_t first) except -1

# Join neighbours that share a normal, of n contacts of a pair, to manifolds of two.
cdef void set_mates(Contact* contacts, int32_t first, int32_t n) noexcept nogil

# Make last step's impulses a start for a step `factor` times as long: forces stay what they are.
cdef void scale_impulses(ContactStore store, double factor) noexcept nogil

# Sums of those who sleep are of a step of another length: forces stay what they are.
cdef void scale_sums(ContactStore store, double factor) noexcept nogil

# Forget which bodies their users put where they are, but those that overlap others still.
cdef void end_overlaps(BodyStore store, ContactStore contacts) noexcept nogil
