"""Contacts that live from step to step: touching features, and the forces they bore."""

from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t

from enginecore.body_head cimport BodyHead
from enginecore.contact cimport FAST, IGNORED, SENSING, TOUCHING
from enginecore.contact cimport ContactStore as Pairings
from enginecore.hit cimport HitList
from enginecore.pair_table cimport Pairs
from engine3d.body cimport BodyData, Motion, Place
from engine3d.collide.narrow_phase cimport Touch, AxisCache
from engine3d.pose cimport Pose
from engine3d.solve.solver_direct cimport DirectCounters
from engine3d.store cimport ShapeData
from engine3d.vec3 cimport Vec3

cdef enum ContactFlag:
    OLD = 1         # set when found again: its force is a start
    STRUCK = 2      # set by mark_struck, cleared when a step begins

ctypedef struct Contact:
    Touch at        # its features, and where they are
    double fn       # N, normal force of the last sub-step, >= 0: the next one's start
    Vec3 ft         # N, friction on A then, world
    double sum_n    # N s, over all sub-steps and strikes of this step: force = sum / dt
    Vec3 sum_t      # N s
    double hit_speed  # m/s, of approach when struck, the greatest of this step; 0: was not
    int16_t mode    # ConeMode of the last sub-step
    int16_t flags   # ContactFlag
    int32_t hit     # where its fastest blow of this step is told (enginecore.hit); 0: none

# Of pairs, beside PairFlag (enginecore.contact).
cdef enum SpacePairFlag:
    # all its contacts were refused by World.contact_filter, or some: none are added within the
    # step; set by drop_contacts, cleared by look_at
    REFUSED = 2048
    PARTLY_REFUSED = 4096

# Of contacts that ended within the step: a body that was struck and is gone is told nevertheless.
ctypedef struct Bygone:
    double sum_n      # N s
    double speed      # m/s, of approach when struck, the greatest; 0: was not
    Vec3 point        # m, of that blow
    Vec3 normal

# Two shapes whose fat boxes overlap. Its contacts have slots of their own, which stay.
ctypedef struct Pair:  # begins as a PairHead
    int64_t key
    int32_t first, n, flags, body_a, body_b, room
    double mu, e, boost, recycling_margin
    int32_t a         # rows of the bodies, of this step
    int32_t b
    double rolling    # m, lever of the resistance to rolling
    double spinning   # m, and of that to spin about the normal
    Vec3 surface_a    # m/s, A's frame: how fast its surface runs
    Vec3 surface_b    # m/s, B's frame
    # N m, world: what resists rolling and spin of A against B at rest; kept by `resist_turning`
    Vec3 torque
    Pose cached_pose  # of A's frame in B's then
    AxisCache cache
    Bygone gone       # what contacts bore in this step that are no more; cleared by find_all

# Lengths and speeds below which things count as touching or at rest, in the world's length unit.
ctypedef struct Tolerances:
    double unit      # m, of a typical body
    double root      # the root of it: what times and speeds are multiplied by
    double touch     # m, gaps up to this are contact, if they do not close fast
    double closed    # m, gaps up to this are closed: what approaches is struck here, not before
    double slop      # m, overlap that is left alone
    double margin    # m, contacts this far apart are kept in any case
    double flat      # slope below which several points are struck as one face
    double deep      # m: what overlaps more where its user put it is not there by its own motion
    double near      # m: features this near to an old contact are the same
    double push      # m, the most that a sub-step pushes an overlap apart

# What happened, for world.stats.
ctypedef struct Counters:
    int64_t strikes          # impacts solved
    int64_t strike_limit     # times the bound on them was met
    int64_t cuts             # sub-steps that ended at a time of impact
    int64_t cut_limit        # times the bound on these was met: the island lost the rest of a step
    int64_t handed_on        # small islands with so many cuts that they were stepped as large ones
    int64_t looks            # islands stepped anew, with boxes for how fast bodies were struck
    int64_t waits            # steps that an island gave up as a body was struck off its way
    int64_t energy_audits    # sub-steps that would have added energy
    int64_t sweeps           # passes of the iterative solver over its contacts
    int64_t projections      # position corrections of small islands
    int64_t stopped          # fast bodies of large islands set back to what they met
    DirectCounters direct

# Everything scoped to one step; stages take it and nothing else hides between their calls.
ctypedef struct StepContext:
    double dt                # s
    Vec3 gravity             # m/s^2
    double fall              # m, that gravity can add in dt
    Tolerances tol
    BodyHead* heads          # n_bodies of each, same order
    Motion* motions
    Place* places
    BodyData* bodies
    int32_t n_bodies
    # By body, m: how far its island must look before it can be stepped; 0 or less: not at all.
    # Written by step_island, read by the world.
    double* need
    int64_t undone           # islands of this step that were given up since they must look farther
    bint may_look            # whether an island may be given up; else it waits for the next step
    # Whether small islands may be stepped as large ones; set by choose_solvers, kept for the step.
    bint may_hand_on
    const ShapeData* shapes
    Pair* pairs
    int64_t n_pairs
    Contact* contacts        # slots
    HitList* hits            # the blows of this step
    const int64_t* apart     # pairs of bodies that joints keep from colliding, ascending
    int32_t n_apart
    int friction_cone        # directions of a polyhedral cone; 0: isotropic
    int mix_friction         # MixRule
    int mix_restitution
    Counters counters


cdef class ContactStore(Pairings):
    """The pairs and contacts of a world."""

    cdef Contact* contacts       # slots, by pair
    cdef Contact* spare
    cdef int64_t n_slots
    cdef int64_t new_slots       # of the pairs that are being matched
    cdef Pair* pairs             # ascending by key
    cdef Pair* spare_pairs

    cdef int match(self, const Pairs* table, const StepContext* ctx, bint edited) except -1 nogil
    cdef void give_slots(self, Pair* pair) noexcept nogil
    # How many contacts World.contact_filter is asked about: those there are, and one for each pair
    # that is swept and has none.
    cdef int64_t count_candidates(self) noexcept
    # Leave out those for which a mask (uint8, one a candidate) has 0.
    cdef void drop_contacts(self, const uint8_t* mask) noexcept

# The stage: this step's contacts of all pairs.
cdef void find_all(StepContext* ctx) noexcept nogil

# The contacts of one pair as when the step begins; what it bore in the step is forgotten.
cdef void find_anew(StepContext* ctx, Pair* pair) noexcept nogil

# Look for the contacts of a pair anew at these poses; forces go on where features are the same.
cdef void detect(StepContext* ctx, Pair* pair, const Pose* pose_a, const Pose* pose_b,
                 double margin) noexcept nogil

# Whether a pair pushes along this normal: a one-way shape does within 60 degrees of its front.
cdef bint pushes_along(const StepContext* ctx, const Pair* pair, const Pose* pose_a,
                       const Pose* pose_b, Vec3 normal) noexcept nogil

# m: how far points of two bodies can move against each other in a time where they can meet.
cdef double way_of(const StepContext* ctx, int32_t a, int32_t b, double time) noexcept nogil

# m, of the thinner shape of a pair; infinite where a half space or hollow sphere is one of them.
cdef double pair_thickness(const StepContext* ctx, const Pair* pair) noexcept nogil

# Forget which bodies their users put where they are, but those that overlap others still.
cdef void end_overlaps(StepContext* ctx) noexcept nogil

# The blow of a contact that goes becomes another's of its pair, if it is the faster one.
cdef void take_blow(Contact* c, const Contact* gone) noexcept nogil

# Where and along which normal a contact was struck; without a note of it, as it is now.
cdef void place_of_blow(const StepContext* ctx, const Contact* c, Vec3* point,
                        Vec3* normal) noexcept nogil
