"""What the world keeps of a body: three lines of numbers, in three arrays of one order."""

from libc.stdint cimport int32_t, uint8_t

from enginecore.body_head cimport (
    AWAKE, BULLET, DYNAMIC, FIXED_ROTATION, GIVEN_INERTIA, GIVEN_MASS, INITIAL_OVERLAP, KINEMATIC,
    NO_SLEEP, STATIC, BodyHead,
)
from engine2d.pose cimport Pose
from engine2d.vec2 cimport Vec2

# 64 bytes: what the solvers read and write.
ctypedef struct Motion:
    Vec2 v          # m/s, of the centre of mass
    double w        # rad/s
    double inv_I    # 1/(kg m^2); 0: no impulse turns it
    Vec2 d          # m, how far the centre has come since the step began
    double turned   # rad, how far it has turned since then
    double inv_m    # 1/kg; 0: no impulse moves it

# 64 bytes: where it is.
ctypedef struct Place:
    Pose pose       # of the frame its shapes are given in
    Vec2 x          # m, centre of mass
    double angle    # rad, not wrapped; pose.q holds its cosine and sine
    double bounding_radius    # m, the farthest point of its shapes from the centre of mass

cdef enum PlaneBodyFlag:
    # bore load on resting contacts in the last sub-step: a is what it felt; set and cleared by the
    # solvers
    RESTING = 32

# The rest, 192 bytes: it begins as a BodyHead; what every stage asks for is in the first line.
ctypedef struct BodyData:
    uint8_t kind           # BodyKind
    uint8_t flags          # BodyFlag
    uint8_t given          # BodyGiven: what its user said, and shapes do not change
    uint8_t restless       # sub-steps for which its island is swept; see small_step.choose_effort
    int32_t island         # of this step; -1: none (static, kinematic)
    int32_t id             # its place in the table of handles
    int32_t first_shape    # its shapes, a list through ShapeData.next_shape; -1: none
    double still           # s for which it has been slow enough to sleep
    double swept_radius    # m, how far from the centre turning moves its outline; 0: a centred disc
    double thickness       # m, of its thinnest shape
    Vec2 local_center      # m, centre of mass in the shapes' frame
    double push            # m, that its user's forces, not gravity, can add to its way in a step
    # BodySettings:
    double mass, gravity_scale, linear_damping, angular_damping
    double inertia         # kg m^2, about the centre of mass; infinite unless dynamic
    Vec2 force             # N, of the user, until the next step is done
    double torque          # N m
    Vec2 a                 # m/s^2, of the last sub-step, for times of impact
    double alpha           # rad/s^2
    # For sleep: what it did since it was last woken or had left its place; sleep.pyx writes these,
    # BodyStore.wake begins anew by rock_time = 0.
    Vec2 rock_at           # m, where its centre was then
    float rock_angle       # rad, and how it was turned
    float rock_time        # s since then; 0: not begun
    float rock_path        # m, that its farthest points went since then
    float rock_wander      # m, the most that they were away from there
    double last_w          # rad/s, one sub-step before the last, of bodies with joints


cdef inline BodyHead* head_of(BodyData* body) noexcept nogil:
    """The head of a body: its first fields; body.pyx checks that they are where they must be."""
    return <BodyHead*> body
