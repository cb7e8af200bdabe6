"""A step of one small island: its bodies and contacts within a sub-step, and where they are.

An island has its own clock: its sub-steps end where something meets, so that strikes are at the
time of impact with all bodies at the same time. docs/maths/contact3d.md.
"""

from libc.stdint cimport int32_t

from engine3d.collide.narrow_phase cimport Touch
from engine3d.contact cimport Contact, Pair, StepContext
from engine3d.joint.link cimport LinkMemory
from engine3d.pose cimport Pose
from engine3d.quat cimport Quat
from engine3d.solve.cone cimport Cone
from engine3d.solve.integrate cimport spin_of
from engine3d.solve.solver_direct cimport DirectMemory
from engine3d.vec3 cimport Mat3, Vec3, add, cross, dot, length, sub

cdef extern from *:
    """
    #define ENGINE_NO_REST 1e-9
    """
    # s, as a share of the step: shorter rests are none.
    double NO_TIME "ENGINE_NO_REST"

cdef enum:
    MOST_GROUPED = 16   # contacts struck as one

# A body within a sub-step.
ctypedef struct SubBody:
    Vec3 x               # m, centre of mass, now
    Quat q               # orientation of the shapes' frame
    Pose pose            # of that frame
    Vec3 v               # m/s
    Vec3 w               # rad/s
    Vec3 L               # kg m^2/s
    Mat3 inv_I           # 1/(kg m^2), shapes' frame
    Mat3 root            # its square root
    Mat3 inv_root        # the inverse of that
    double inv_m         # 1/kg
    double root_m        # kg^(1/2); 0: immovable
    Vec3 local_center    # m, in the shapes' frame
    Vec3 outer           # m/s^2, of gravity and the user
    Vec3 torque          # N m, of the user
    double bounding_radius  # m
    double swept_radius  # m
    double allowed       # m, that it may still go in this step before it must be looked at again
    double speed         # m/s: no point of it is faster now
    Pose mid             # of the shapes' frame halfway through the sub-step, and at its end, if it
    Pose end             # moves on as it does now
    Vec3 x_mid           # m, centre of mass then
    Vec3 x_end
    Vec3 free_v          # m/s, at the end of the sub-step without contacts
    Vec3 free_L
    Quat free_q
    Vec3 new_v           # m/s, of the solver
    Vec3 new_w
    Vec3 impulse_L       # kg m^2/s, of the contacts in this sub-step
    int32_t row          # of the body in the world
    int32_t turn         # s.turn when something but its own flight last moved it
    bint movable
    bint bears           # carries load in this sub-step
    bint thrown          # an unsolved problem made it so fast that its new motion was slowed
    bint rests           # touches something that neither closes nor opens: free fall is not its way

# A contact within a sub-step.
ctypedef struct SubContact:
    Contact* c
    Pair* pair
    int32_t a            # sub-step bodies
    int32_t b
    int32_t cone         # its place in the solve; -1: not part of it
    double gap           # m, at the start
    double rate          # m/s, of the gap at the start; > 0: opens
    double time          # s, of impact within the sub-step; < 0: none
    Vec3 n               # the axes of its rows
    Vec3 t1
    Vec3 t2
    Vec3 held            # N m, against turning at the start: of the last contact of its pair
    Vec3 drive           # m/s, how fast A's surface runs, less B's
    Vec3 ra              # m, from the centres of mass to the point, halfway
    Vec3 rb

# A step of one island, and the scratch of all its stages.
ctypedef struct SubStep:
    StepContext* ctx
    SubBody* bodies
    int n_bodies         # the movable ones first
    int n_movable
    SubContact* contacts
    int n_contacts
    Cone* cones          # one a sub-step contact, at least MOST_GROUPED
    double* V            # 6 a sub-step body, and 6
    DirectMemory* direct
    double h             # s, of this sub-step
    double left          # s, of the step
    # s: an impulse of a shorter sub-step counts as a force over this time when it is the start of
    # the next solve. Of sweeps the start matters, and a blow within a moment is no lasting force.
    double least_h
    double force         # m/s^2, the strongest of gravity and the accelerations of users' forces
    double threshold     # m/s: slower approaches rest
    double drift         # m/s: the most that a contact at rest moves
    Vec3 origin          # m, where potential energies are counted from
    double work          # J, that surfaces which run gave in this sub-step
    bint driven          # kinematic bodies or torques may add energy
    bint powered         # so may motors, drags, surfaces that run and bumpers, in its whole step
    int strikes_left     # of the bound for the step
    int32_t turn         # how many sub-steps there were
    int32_t hits         # ctx.hits.n when the step of the island began
    double* swept_until  # s of the step, by pair: it meets nothing until then
    int32_t* swept_turn  # s.turn when that was found; MEETS: it was not
    bint early           # contacts that will meet within this sub-step are struck before they do
    LinkMemory* links    # NULL: the island has no joints
    int joint_cones      # where theirs begin among the cones of the last solve


cdef inline Vec3 point_velocity(const SubBody* body, Vec3 point) noexcept nogil:
    """Velocity of the body's point that is at `point` now."""
    return add(body.v, cross(body.w, sub(point, body.x)))


cdef inline double closing_at(const SubBody* a, const SubBody* b, const Touch* at) noexcept nogil:
    """m/s: how fast the gap of a touch closes."""
    return -dot(at.normal, sub(point_velocity(a, at.point), point_velocity(b, at.point)))


cdef inline void set_speed(SubBody* body) noexcept nogil:
    """The bound on the speed of a body's points."""
    body.speed = length(body.v) + length(body.w) * body.bounding_radius


cdef inline void sync_spin(SubBody* body) noexcept nogil:
    """Angular velocity from angular momentum."""
    if body.movable:
        body.w = spin_of(&body.pose.r, &body.inv_I, body.L)


cdef inline double way_speed(const SubBody* body) noexcept nogil:
    """m/s: how fast a body leaves what was looked at for it."""
    return length(body.v) + length(body.w) * body.swept_radius
