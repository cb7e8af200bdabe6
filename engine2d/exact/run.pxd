"""What one call of World.advance works on: bodies, pairs, links, rows and scratch.

All of it lives in arrays that the Clock owns (engine2d/exact/clock.pyx). A link is a contact of two
features that touch; its mode is locked between events (docs/maths/exact.md).
"""

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t

from enginecore.lcp cimport LcpWorkspace
from engine2d.collide.geometry cimport Feature, Geometry
from engine2d.collide.narrow_phase cimport Touch
from engine2d.joint.joint cimport JointData
from engine2d.pose cimport Pose
from engine2d.vec2 cimport Vec2

# Numbers of a moving body in the state: place of the centre (2), angle, their rates.
cdef enum:
    PER_BODY = 6
    NEAR = 4               # features of a pair that are remembered from step to step
    MOST_VOID = 8          # of a pair, that a filter does not want

cdef enum PassReason:      # why a pair is not there until it has parted
    NOT_PASSING = 0
    PASSES = 1             # comes from behind a one-way shape, or the user wants it
    UNWANTED = 2           # the user's filter has none of its contacts

# Work (J) that is integrated along with the motion, behind the bodies in the state.
cdef enum:
    WORK_FRICTION = 0      # of friction, on the relative motion
    WORK_NORMAL = 1        # of normal forces, on the relative motion: 0 but for extra acceleration
    WORK_APPLIED = 2       # of the users' forces and torques
    WORK_DAMPING = 3       # of linear and angular damping
    WORK_DRIVEN = 4        # of kinematic bodies
    WORK_SPRINGS = 5       # of the dampers of springs
    WORK_MOTORS = 6        # of motors
    N_ACCOUNTS = 7

cdef enum LinkMode:
    LOOSE = 0              # touches without force
    SLIDES = 1             # bears; friction is mu f against the slip
    STICKS = 2             # bears; friction is what it takes

cdef enum Extra:           # acceleration asked for beyond 0 where contacts rest in a wide band
    EXTRA_NONE = 0
    EXTRA_VELOCITY = 1
    EXTRA_VELOCITY_AND_DISTANCE = 2

ctypedef struct RunBody:
    int32_t at             # where its numbers are in the state; -1: it does not move
    bint dynamic
    double inv_m           # 1/kg
    double inv_I           # 1/(kg m^2)
    double mass            # kg; 0 unless dynamic
    double inertia         # kg m^2; 0 unless it can turn
    Vec2 local_center      # m, in the shapes' frame
    double bounding_radius           # m
    double swept_radius     # m, how far from the centre turning moves its outline
    Vec2 weight            # m/s^2, of gravity
    Vec2 force             # N, of the user, for the whole run
    double torque          # N m
    double damping         # 1/s
    double spin_damping    # 1/s
    # the state that was loaded last
    Vec2 x                 # m, centre of mass
    double angle           # rad
    Pose pose              # of the shapes' frame
    Vec2 v                 # m/s
    double w               # rad/s
    Vec2 a                 # m/s^2
    double alpha           # rad/s^2
    # bounds on its motion in the step
    double speed           # m/s, of its centre
    double spin            # rad/s
    double way             # m, no point of it has come farther in the step
    double travelled       # m, the sum of these since the run began

ctypedef struct RunPair:
    int32_t shape_a        # ids; a < b
    int32_t shape_b
    int32_t a              # rows of the bodies
    int32_t b
    const Geometry* ga
    const Geometry* gb
    double mu
    double e
    double boost           # share of the approach that a blow gives besides
    double rolling         # share of the radius at which the normal force resists rolling
    bint runs              # one of the two surfaces does, as on a conveyor
    Vec2 surface_a         # m/s, in the bodies' frames: how fast they run
    Vec2 surface_b
    bint one_way           # one of the two is met from one side only: that of these directions
    Vec2 through_a         # unit, in the bodies' frames; 0: from all sides
    Vec2 through_b
    uint8_t behind         # features touch behind it; set while links are collected
    int8_t passing         # PassReason
    uint8_t n_void         # features that the filter does not want, until the pair has parted
    bint all_void          # all that are no links, since there were too many of them
    int32_t[2 * MOST_VOID] void_features
    double thickness       # m, of the thicker one: a motion shorter than that is seen
    double allowed         # m, >= 0: how deep it was when the run began, or has been since
    double clear           # m, how far apart they were when last looked at
    double looked          # m, what both had travelled then
    int32_t n_near
    Touch near[NEAR]       # features that were near then

ctypedef struct RunLink:
    int32_t pair
    int32_t a              # rows of the bodies
    int32_t b
    int8_t mode            # LinkMode
    int8_t slip            # SLIDES: sign of the slip, 0 without friction
    uint8_t held           # its slip has just come to an end, and is 0 whatever its digits say
    int8_t roll            # resists rolling: sign of the rolling, 0 where it is held
    uint8_t roll_held      # as held, of the rolling
    uint8_t dropped        # is just leaving its features: only while links are collected
    Touch at
    Feature g1             # of A, in its frame
    Feature g2
    uint8_t watched        # bits: which margins end it (see link.pxd)
    double mu
    double e
    double rest            # m, the gap it is held at: 0, or < 0 if it began deeper
    double fn              # N, normal force when last solved
    double ft              # N, friction on A along T = z x normal
    double base_n          # N, both at the last state that was accepted: redundant links stay near
    double base_t
    double vn              # m/s, gap rate when last measured
    double vt              # m/s, slip along T of A against B, with surfaces that run
    double drive           # m/s, of it: how fast A's surface runs over A, less B's over B
    double an              # m/s^2, gap acceleration then
    double bias_n          # m/s^2, velocity terms of the gap acceleration
    double bias_t          # m/s^2, of the slip
    double metric          # 1/kg, of its normal row
    double rolling         # share of fn that resists rolling at the distance of `round`; 0: none
    double round           # m, radius of what rolls
    double vr              # m/s, round times the turning of A against B
    double fr              # N, times round: torque on A that resists rolling, when last solved
    double base_r          # N, at the last state that was accepted
    double roll_metric     # 1/kg, of that row
    int32_t roll_row       # among the rows; -1: none
    double hit             # N s, sum of the normal impulses in the run
    int32_t row            # of its normal in the rows; friction, if it has a row, is the next one

# One condition on the acceleration (or velocity) of two bodies: test . (A, B) + bias, pushed along
# push. For normal rows of sliding links the two differ by friction; else they are the same.
ctypedef struct RunRow:
    int32_t a
    int32_t b
    double ja[3]           # test: x, y, turn of A
    double jb[3]
    double pa[3]           # force on A per unit of the unknown
    double pb[3]
    double bias
    double drive           # m/s, that surfaces add to the rate of the test
    double metric          # test M^-1 test
    double low             # bounds of the unknown
    double high
    int32_t normal         # friction: row of its normal; else -1
    double mu

cdef enum HoldMode:
    HOLD_FREE = 0          # does nothing: a limit that is not met
    HOLD_BEARS = 1         # its acceleration is 0, by whatever force that takes
    HOLD_PUSHES = 2        # a motor that does not reach its rate: all the force it has

# One row of a joint (engine2d/joint/joint.pxd). Rows of angles are scaled by a length, so that all
# are of m and N here; but for springs (SOFT), which keep the units of the joint.
ctypedef struct RunHold:
    int32_t joint          # in run.joints
    int32_t a              # rows of the bodies
    int32_t b
    int8_t kind            # RowKind
    int8_t mode            # HoldMode
    int8_t old_mode        # before the modes were found again
    int8_t slip            # HOLD_PUSHES: sign of C' - rate
    uint8_t held           # has just come to its rate: C' - rate is 0 whatever its digits say
    uint8_t rubs           # a DRIVE that is the joint's friction, and no motor
    double ja[3]
    double jb[3]
    double C               # m, for SOFT rows of angles rad
    double rate            # m/s: C', of DRIVE rows C' - rate
    double speed           # m/s: C'
    double bias            # m/s^2, velocity terms of C''
    double stiffness       # N/m, damping N s/m, of SOFT rows
    double damping
    double most            # N, of DRIVE rows
    double metric          # 1/kg, J M^-1 Jt; 0: nothing can move it
    double acceleration    # m/s^2, C'' when last found
    double f               # N, when last solved
    double base            # N, at the last state that was accepted
    int32_t row            # in the rows; -1: none

ctypedef struct RunJoint:
    JointData data         # a copy: the world's own is written when the run is done
    int32_t at             # row in the store of joints
    int32_t a              # rows of the bodies; the world is the one behind the last
    int32_t b
    int32_t first          # its rows among the holds
    int32_t n
    double scale           # m, a radian counts as
    bint broken
    Vec2 force             # N, on b at its anchor
    double torque          # N m, on b about its anchor

ctypedef struct HitRecord:
    double time            # s, since the run began
    int32_t pair
    bint flipped           # unused: kept 0
    Vec2 point             # m
    Vec2 normal            # unit, from B into A
    Vec2 impulse           # N s, on A
    double speed           # m/s, of approach
    double loss            # J, >= 0
    double settles         # s: when endless bouncing ends that this blow cut short; < 0: none did
    # of the closed form (engine2d.impact); -1: struck together with others; -2: an impulse without
    # collision
    int32_t path

cdef enum ChangeKind:
    CHANGE_BEGINS = 0      # a link begins to bear
    CHANGE_LEAVES = 1      # it bears no more
    CHANGE_SLIPS = 2
    CHANGE_STICKS = 3
    CHANGE_FEATURE = 4     # goes on with another edge, corner or arc
    CHANGE_LIMIT = 5       # of a joint: a limit is met and bears
    CHANGE_TAUT = 6        # a rope goes taut
    CHANGE_FREES = 7       # a limit or a rope bears no more
    CHANGE_TOOTH = 8       # the pawl of a ratchet drops behind a tooth
    CHANGE_BREAKS = 9      # a joint breaks
    CHANGE_ROLLS = 10      # what resists rolling begins to roll,
    CHANGE_HALTS = 11      # or has come to rest
    N_CHANGES = 12

ctypedef struct ChangeRecord:
    double time            # s, since the run began
    int32_t kind
    int32_t pair           # -1: of a joint
    int32_t joint          # in run.joints; -1: of a pair
    Vec2 point             # m

ctypedef struct RunCounters:
    int64_t steps
    int64_t rejected       # steps taken again, shorter
    int64_t evaluations    # of the accelerations
    int64_t events
    int64_t impacts        # single blows of the closed form
    int64_t together       # impacts solved together
    int64_t bisections     # halvings in the search for times
    int64_t micro_steps    # steps at velocity level where nothing else went on
    int64_t paradoxes      # impulses without collision
    int64_t lcps           # problems of modes solved

cdef enum FlagKind:
    FLAG_GAP = 0           # features of a pair have met
    FLAG_DIP = 1           # they may have met and parted again
    FLAG_FORCE = 2         # a link would pull
    FLAG_CONE_LOW = 3      # friction exceeds what sticks, along T or against it
    FLAG_CONE_HIGH = 4
    FLAG_CLOSES = 5        # a loose link would sink
    FLAG_SLIP = 6          # a slip has come to its end
    FLAG_MARGIN = 7        # a link leaves its features
    FLAG_BAND = 8          # a link leaves the wide band in which it rests
    FLAG_SINKS = 9         # a link that rests in a wide band closes
    FLAG_ROLL_LOW = 10     # more torque than resists rolling is needed, one way or the other
    FLAG_ROLL_HIGH = 11
    FLAG_HALT = 12         # what resists rolling has come to rest
    FLAG_SIDE = 13         # a link turns away from the front of a one-way shape
    FLAG_STOP = 14         # a limit of a joint is met
    FLAG_STOP_DIP = 15     # it may have been met and left again
    FLAG_STOP_FORCE = 16   # a limit would pull
    FLAG_STOP_CLOSES = 17  # a limit that is met without force would be passed
    FLAG_MOTOR_LOW = 18    # a motor needs more force than it has, one way or the other
    FLAG_MOTOR_HIGH = 19
    FLAG_MOTOR_RATE = 20   # a motor has come to its rate
    FLAG_TOOTH = 21        # a ratchet has passed a tooth
    FLAG_BREAK = 22        # a joint bears more force than it can,
    FLAG_TWIST = 23        # or more torque

ctypedef struct Flag:
    int32_t kind           # FlagKind
    int32_t index          # link; of FLAG_GAP and FLAG_DIP the pair; from FLAG_STOP on the hold
    int32_t part           # FLAG_MARGIN: which
    double slack           # how far below 0 it is seen; gaps: how deep the pair may be
    bint jumps             # gaps: the time was found by halving, the gap has no root there
    double level           # the value at which it happens
    RunLink probe          # FLAG_GAP, FLAG_DIP: the features
    double gap             # m, and m/s, of FLAG_DIP at the step's end
    double rate

ctypedef struct Run:
    RunBody* bodies
    int32_t n_bodies
    int32_t* moving        # rows of those that move
    int32_t n_moving
    RunPair* pairs
    int32_t n_pairs
    RunLink* links
    RunLink* fresh         # scratch, of the same room
    int32_t n_links
    int32_t link_room
    RunJoint* joints
    int32_t n_joints
    RunHold* holds
    int32_t n_holds
    double* felt           # m/s and rad/s, 3 a body: what an impulse gives to all bodies
    # tolerances
    double tol             # m
    double touch           # m, gaps up to this are contact
    double sunk            # m, how much deeper features may be that links are made of; 0 but for
    #                        what a micro-step has sunk
    double band            # m, gaps up to this rest; tol unless the user set resting_gap
    double band_speed      # m/s, rates up to this rest; 0: what rounding leaves
    bint wide              # the user set them: extra acceleration instead of projection
    int extra              # Extra
    double unit            # m, size of an ordinary body
    double pull            # m/s^2, the scale of accelerations
    double slow            # m/s: rates below are 0; follows the speeds
    # the state
    Py_ssize_t n           # numbers in it
    double* y
    double* y1             # at the end of a step
    double* y2             # scratch, within a step
    double* y3             # where an event is
    double* dy1
    double* dy2
    double* dy3
    double* k              # stages; the first is dy at the step's start
    double* weights        # of errors
    double t               # s, since the run began
    double duration        # s, of the run
    double h               # s, next step to try
    double taken           # s, of the step that is being looked at
    # rows
    RunRow* rows
    double* A              # room_rows^2
    double* LU
    double* b
    double* f
    double* g
    double* lo
    double* hi
    double* mu
    double* errors
    int* normal
    int* order
    int32_t n_rows
    int32_t room_rows
    LcpWorkspace* lcp
    bint failed            # a solve did not succeed
    # what happened
    HitRecord* hits
    int32_t n_hits
    int32_t hit_room
    ChangeRecord* changes
    int32_t n_changes
    int32_t change_room
    double impact_loss     # J, <= 0, of blows
    double impact_driven   # J, of kinematic bodies in blows
    double impact_motors   # J, of motors of any force in blows
    double projection      # J, that projections added
    RunCounters count
    int32_t bad_pair       # the pair that could not be resolved; -1: none
    # the loop
    bint restart           # something has happened: links and modes must be found again
    bint asks              # the user has a filter: it is asked which links there are to be
    bint asked             # that has been done for the links of this moment
    int32_t n_old          # links before these, in `fresh`
    int32_t crowded        # events that followed each other without time going by
    int32_t micro_row      # micro-steps since the last step
    double last_event      # s
    double least           # m/s^2: smaller accelerations are none
    bint pressed           # friction has just come to its limit: what is at it slips
    Flag event             # what the run has gone to
    Flag* flags            # what a step's end shows to have happened within it
    int32_t n_flags
    int32_t flag_room
