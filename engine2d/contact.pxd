"""Contacts that live from step to step: touching features, and the impulses they passed on."""

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t

from enginecore.pair_table cimport Pairs
from engine2d.body cimport BodyData, Motion, Place
from engine2d.narrow_phase cimport Touch, Witness
from engine2d.pose cimport Pose
from engine2d.store cimport ShapeData
from engine2d.vec2 cimport Vec2

cdef enum ContactFlag:
    OLD = 1         # was there in the last step: its impulses are a start
    SENSOR = 2      # pushes nothing
    STRUCK = 4      # was struck in this step
    PAIRED = 8      # the next contact is the other point of its manifold
    BURIED = 16     # its shapes were put into each other

# Three cache lines: who and where, the features, what it bears.
ctypedef struct Contact:
    int32_t a       # rows of the bodies
    int32_t b
    int32_t pair    # its place among the pairs
    uint8_t flags   # ContactFlag
    int8_t mode_n   # RowMode of the normal row, for the direct solver
    int8_t mode_t
    uint8_t unused
    Touch at        # its features, and where they are
    double mu       # friction of the pair
    double e        # restitution of the pair
    double pn       # N s, normal impulse of the last sub-step, >= 0
    double pt       # N s, friction impulse on A along T = z x normal
    double sum_n    # N s, over all sub-steps and strikes of this step: force = sum / dt
    double sum_t
    double due      # s after the step's start at which a fast pair meets here; < 0: not foreseen
    double hit_speed  # m/s, of approach when struck, the greatest of this step; 0: was not

cdef enum PairFlag:
    IGNORED = 1       # filters or kinds forbid it: never looked at
    SENSING = 2       # one of the two is a sensor: overlaps are told, nothing is pushed
    TOUCHING = 4      # after the last step
    FAST = 8          # moves far in this step, for how thin its shapes are: is swept
    PUT_INTO = 16     # overlaps deeply since one of the two was put there

# Two shapes whose fat boxes overlap.
ctypedef struct Pair:
    int64_t key       # of the broad phase: shape ids i < j; A is i, B is j
    Witness witness
    int32_t first     # its contacts
    int32_t n
    double mu
    double e
    int32_t body_a    # ids of the bodies
    int32_t body_b
    int32_t flags     # PairFlag
    Pose seen         # of the smaller body in the larger one's frame, when they were last looked at
    double looked     # m, how far apart contacts were looked for then; < 0: not yet

# How a pair's friction and restitution come from those of its shapes.
cdef enum MixRule:
    MIX_GEOMETRIC = 0   # sqrt(a b)
    MIX_MAXIMUM = 1
    MIX_MINIMUM = 2
    MIX_AVERAGE = 3
    MIX_PRODUCT = 4

# What looking for contacts needs to know.
ctypedef struct Scene:
    const ShapeData* shapes
    const Motion* motions
    const Place* places
    const BodyData* bodies
    double dt           # s, that margins must cover
    double margin       # m, contacts this far apart are kept in any case
    double fall         # m, that gravity can add in dt
    Vec2 gravity        # m/s^2
    int mix_friction    # MixRule
    int mix_restitution


cdef class ContactStore:
    """The pairs and contacts of a world."""

    cdef Contact* contacts       # ascending by pair
    cdef Contact* spare          # where the next step's are written
    cdef int32_t n
    cdef int32_t n_buried        # of them, contacts of shapes that were put into each other
    cdef int32_t room            # of contacts and of spare
    cdef Pair* pairs             # ascending by key
    cdef Pair* spare_pairs
    cdef int64_t n_pairs
    cdef int64_t pair_room
    cdef object arrays           # numpy arrays by name: they own the memory
    cdef list ended              # pairs with contacts that are no more: (key, touched, body ids)

    cdef int match(self, const Pairs* table, const Scene* scene, bint edited) except -1
    cdef int find(self, const Scene* scene) except -1
    cdef int reserve(self, int64_t room) except -1
    cdef int reserve_pairs(self, int64_t room) except -1
    cdef int note_end(self, const Pair* pair) except -1
