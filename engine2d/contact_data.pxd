"""What the world keeps of a contact and of a pair of shapes: their structs and flags."""

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t

from enginecore.scalar cimport greater, lesser
from engine2d.collide.narrow_phase cimport AxisCache, Touch
from engine2d.pose cimport Pose
from engine2d.store cimport ShapeData
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
    double fn       # N, normal force of the last sub-step, >= 0: the next one's start
    double ft       # N, friction on A along T = z x normal
    double sum_n    # N s, over all sub-steps and strikes of this step: force = sum / dt
    double sum_t
    double toi      # s after it was looked at when a fast pair meets here; < 0: not speculative
    int32_t hit     # where its fastest blow of this step is told (enginecore.hit); 0: none
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
    double roll       # N m, torque on A that resisted rolling in the last sub-step
    double fill       # to whole cache lines


# How much more a contact may be taken to bear after a short sub-step than before it.
cdef extern from *:
    """
    #define ENGINE_LOAD_GROWTH 2.0
    #define ENGINE_MOST_FORCE 1e203
    """
    double LOAD_GROWTH "ENGINE_LOAD_GROWTH"
    # N: more is of a step that hardly is one, as of 1e-300 s, and no start for another.
    double MOST_FORCE "ENGINE_MOST_FORCE"


cdef inline double kept_force(double p, double before, double h, double whole_h) noexcept nogil:
    """N: what an impulse p >= 0 (N s) of a sub-step of h seconds is kept as, for the next one to
    start from. whole_h: s, of a sub-step of a whole step; before: N, what was kept until now.

    A load goes by time, a blow does not: of what a short sub-step shows beyond what was borne
    before, nobody knows which it is, and a blow taken for a load would be given many times over."""
    cdef double force = p / h
    if h < whole_h:
        force = lesser(force, LOAD_GROWTH * greater(p / whole_h, before))
    return force if force < MOST_FORCE else 0.0


cdef inline void keep_forces(Contact* c, double pn, double pt, double h,
                             double whole_h) noexcept nogil:
    """Keep what a contact gave in a sub-step (N s) as forces; see kept_force. One that parted in
    its last pass may still have friction: it is no start without a normal force."""
    cdef double force = kept_force(pn, c.fn, h, whole_h)
    cdef double drag = pt * (force / pn) if pn > 0.0 else 0.0
    c.fn, c.ft = force, drag if -MOST_FORCE < drag < MOST_FORCE else 0.0


cdef inline double pair_thickness(const ShapeData* a, const ShapeData* b) noexcept nogil:
    """m, twice that of the thinner shape, which a thick floor does not make any safer; a line has
    none, and counts as nothing beside the other."""
    cdef double thin = lesser(a.thickness, b.thickness)
    return 2.0 * thin if thin > 0.0 else a.thickness + b.thickness
