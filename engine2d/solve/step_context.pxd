"""Everything scoped to one step; stages take it and nothing else hides between their calls."""

from libc.stdint cimport int32_t, int64_t, uint8_t

from enginecore.hit cimport HitList
from engine2d.body cimport BodyData, Motion, Place
from engine2d.contact_data cimport Contact, Pair
from engine2d.solve.books cimport Books
from engine2d.store cimport ShapeData
from engine2d.vec2 cimport Vec2

# Lengths and speeds below which things count as touching or at rest, for bodies of about a metre.
ctypedef struct Tolerances:
    double touch     # m, gaps up to this are contact
    double slop      # m, overlap that is left alone
    double flat      # slope below which several points are struck as one face
    double baumgarte     # share of a gap that a sub-step closes

# What happened, for world.stats.
ctypedef struct Counters:
    int64_t strikes          # impacts solved
    int64_t strike_limit     # times the bound on them was met
    int64_t direct_solves    # small islands solved
    int64_t direct_kept      # of these: last impulses still held
    int64_t direct_fallbacks  # Newton did not settle, sweeps did
    int64_t direct_failures  # nothing did: the best found was used
    int64_t direct_swept     # small islands in motion that were swept, to bound the work
    int64_t sweeps           # passes of the iterative solver over its contacts
    int64_t rounds           # in which islands went on that had been cut short
    int64_t projections      # position corrections of small islands
    int64_t energy_limits    # sub-steps in which contacts gave an island too much: scaled down
    int64_t energy_audits    # islands whose step gained energy all the same: taken back

ctypedef struct StepContext:
    double dt                # s, of this part of the step
    double whole             # s, of the step that its user asked for: forces are means over it
    double begun             # s of it that earlier parts took
    double unit              # m, the size of an ordinary body: what is near or deep goes by it
    double root              # its root: speeds and times under the same gravity
    double* left             # s of dt that each body has still to go; n_bodies
    int32_t* moved           # the round of this part in which each body last moved; n_bodies
    uint8_t* glides          # of free islands: no contact of this round can turn it; n_bodies
    int32_t round            # of this part: 0 all bodies, later those with time left
    bint may_cut             # islands may stop where a fast body was struck, and go on from there
    bint thorough            # small islands are solved to the end, whatever it takes
    bint may_part            # islands of thin bodies may go in parts
    Vec2 gravity             # m/s^2
    double kinematic_spin      # m/s^2, the most that w^2 times radius is of a kinematic body
    bint has_drivers         # some kinematic body moves
    double strike_speed      # m/s; contacts that approach slower rest; <= 0: 2 |g| h
    Tolerances tol
    Motion* motions          # n_bodies of each, same order
    Place* places
    const Place* before      # places when the step began
    BodyData* bodies
    int32_t n_bodies
    Contact* contacts
    int32_t n_contacts
    Pair* pairs              # that contacts are of
    HitList* hits            # of the step so far
    bint has_rules           # some of them may have rules (engine2d.solve.rule)
    bint has_outlines        # a shape is or was an outline
    # a pair became FAST while islands were carried: set where its contact is made anew, cleared by
    # stop_fast, which then looks for it among all pairs
    bint has_new_fast
    const ShapeData* shapes
    int32_t n_overlaps         # of them, of shapes that were put into each other
    # -- what looking for contacts goes by
    double cover             # s, that margins cover: dt, later what a pair has left; 0: advance
    double margin            # m, contacts this far apart are kept in any case
    double fall              # m, that gravity can add in that time
    bint later               # something of the step is done: sums and hits go on
    int mix_friction         # MixRule
    int mix_restitution
    const int64_t* apart     # pairs of body ids that joints keep from colliding; see is_apart
    int32_t n_apart
    Counters counters
    Books books              # of the step so far

# Bodies and contacts that push each other. Static and kinematic bodies belong to none.
ctypedef struct Island:
    int32_t first_body       # into the list of body rows
    int32_t n_bodies
    int32_t first_contact    # into the list of contact indices, ascending
    int32_t n_contacts
    int32_t first_joint      # into the list of joint rows, ascending
    int32_t n_joints
    int32_t n_joint_rows     # that these joints have together
