"""A sub-step of one small island: its bodies and contacts, and where they are.

Each body flies its own parabola through the sub-step; a strike at time t bends it there and nobody
waits (docs/maths/fixed_step.md).
"""

from libc.stdint cimport int32_t

from enginecore.hit cimport Hit
from engine2d.body cimport KINEMATIC, RESTING, Motion
from engine2d.collide.narrow_phase cimport Touch
from engine2d.joint.link cimport Link, Rider
from engine2d.pose cimport Pose, rotate
from engine2d.solve.axes cimport write_axes as write_axes_of
from engine2d.solve.energy cimport Momentum
from engine2d.solve.integrate cimport turn_by
from engine2d.solve.row cimport Row
from engine2d.solve.direct_system cimport DirectMemory
from engine2d.solve.step_context cimport StepContext
from engine2d.vec2 cimport Vec2, add, scaled, sub, vec2

cdef extern from *:
    """
    #define ENGINE_LEAST_APPROACH 1e-12
    """
    # m/s: slower approaches are rounding, whatever the threshold.
    double LEAST_APPROACH "ENGINE_LEAST_APPROACH"

cdef enum:
    MOST_GROUPED = 8   # contacts struck as one

# A body within a sub-step. Its way: x + v t + a t^2/2, and likewise its angle.
ctypedef struct SubBody:
    int32_t floors[2]    # contacts with what it stands on, of two static shapes; -1: none
    Vec2 x               # m, centre of mass at the sub-step's start, as the present way has it
    double angle         # rad
    Vec2 v               # m/s
    double w             # rad/s
    Vec2 a               # m/s^2, as predicted
    double alpha         # rad/s^2
    Pose pose            # of the shapes' frame at the start
    Pose mid             # halfway, and at the end, without acceleration
    Pose end
    Vec2 local_center    # m, in the shapes' frame
    Vec2 outer           # m/s^2, of gravity, the user and damping
    double outer_turn    # rad/s^2
    Vec2 old_v           # m/s, when the resting forces begin to act
    double old_w
    Vec2 free_v          # m/s, at the sub-step's end, without contacts
    double free_w
    double inv_m         # 1/kg
    double inv_I         # 1/(kg m^2)
    double bounding_radius  # m
    double speed         # m/s, no point of it is faster, now
    double consumed      # s of the sub-step up to its last strike
    int32_t row          # of the body in the world
    double free_way      # m, that it may go after a strike before it must be looked at again
    double struck_dv     # m/s, by how much strikes of this step changed the speed of its points
    int32_t carried_by   # of one that waits: the body it goes along with meanwhile; -1: none
    double swept_radius  # m, how far from the centre turning moves its outline
    bint movable
    bint waits           # was struck off its way and goes no farther before it is looked at again
    bint propped         # touches what cannot be pushed, slowly, under its centre or beside it:
    Vec2 prop            # unit, along this
    double prop_low      # m, with arms from here
    double prop_high     # to here
    bint through         # has no time left: stands, with its velocity, and can be struck
    bint shaken          # is borne by others that do not move steadily
    bint carried         # is borne by what moves by itself
    bint bears           # carries load in this sub-step
    bint unsteady        # by contacts that are not at rest
    bint turned_on       # was turned along by the next edge of a bent floor

# A contact within a sub-step.
ctypedef struct SubContact:
    int32_t contact      # index in the world
    int32_t a            # sub-step bodies
    int32_t b
    double time          # s, of impact; < 0: none in this sub-step
    double approach      # m/s, then
    double gap           # m, at the start
    double rate          # m/s, of the gap at the start; > 0: opens
    bint halts           # its bodies go no farther than `time` before they are looked at again
    double turn_n        # m/s, the c terms of its rows
    double turn_t
    bint fresh           # the contact is up to date with the poses at the start
    bint ready           # stood still when its rows were made: they hold as long as it does
    bint yields          # a kinematic body found no room there: it stands, and does not push out
    bint hidden          # behind the floor that its body stands on: it is not there
    # what strikes change of the contact in the world, before them
    double sum_n
    double sum_t
    int32_t hit
    Hit blow
    double toi
    int32_t flags

# A sub-step of one island, and the scratch of all its stages.
ctypedef struct SubStep:
    StepContext* ctx
    SubBody* bodies
    SubBody* saved       # as they were before strikes, where a kinematic body presses them
    int n_bodies         # the movable ones first
    int n_movable
    SubContact* contacts
    int n_contacts
    Row* rows            # two a sub-step contact, at least 2 MOST_GROUPED; then those of joints
    Link* links          # joints of the island
    Rider* riders        # its sub-step bodies as joints see them
    int n_links
    int n_link_rows
    Motion* motions      # one a sub-step body
    DirectMemory* direct
    double h             # s
    double start         # s, of the piece that has gone by
    double duration      # s, of the piece
    double ref_h         # s, a sub-step where nothing is cut short: thresholds go by it
    double whole_h       # s, where the piece is the whole step and nothing is cut short
    bint may_cut         # the first body that would have to wait ends the piece
    double cut           # s, of this sub-step when that is; < 0: not yet
    double force         # m/s^2, the strongest of gravity and the accelerations of users' forces
    double threshold     # m/s: slower approaches rest
    double drift         # m/s: the most that a contact at rest moves
    double kinetic       # J, of the island when the step began
    double work          # J, that kinematic bodies gave it since
    double lifted        # J, that corrections of its joints' places gave it since: height, springs
    double torn          # m or rad, the largest error of its joints when the piece began
    bint jammed          # kinematic bodies find no room in this sub-step: they stand
    Momentum before      # of the island when the piece began, if nothing holds it


cdef inline Pose place_frame(const SubBody* body, double dx, double dy,
                             double turned) noexcept nogil:
    """The pose of the shapes' frame when the centre has moved and the body has turned."""
    cdef Pose out
    out.q = turn_by(body.pose.q, turned)
    out.p = sub(vec2(body.x.x + dx, body.x.y + dy), rotate(out.q, body.local_center))
    return out


cdef inline double own_time(const SubBody* body, double t) noexcept nogil:
    """How far on its way a body is at time t: one that waits stays where its time is consumed."""
    return body.consumed if body.waits and t > body.consumed else t


cdef inline Pose pose_at(const SubBody* body, double t) noexcept nogil:
    """On its way, at time t."""
    cdef double s
    t = own_time(body, t)
    s = 0.5 * t * t
    return place_frame(body, body.v.x * t + body.a.x * s, body.v.y * t + body.a.y * s,
                       body.w * t + body.alpha * s)


cdef inline Pose pose_without_force(const SubBody* body, double t) noexcept nogil:
    """At time t if nothing acted on it."""
    t = own_time(body, t)
    return place_frame(body, body.v.x * t, body.v.y * t, body.w * t)


cdef inline Vec2 velocity_at(const SubBody* body, double t) noexcept nogil:
    """m/s, on its way at time t."""
    t = own_time(body, t)
    return add(body.v, scaled(t, body.a))


cdef inline double spin_at(const SubBody* body, double t) noexcept nogil:
    """rad/s."""
    return body.w + body.alpha * own_time(body, t)


cdef inline bint is_driver(const SubStep* s, const SubBody* body) noexcept nogil:
    """Whether it moves by itself."""
    return not body.movable and body.row >= 0 and s.ctx.bodies[body.row].kind == KINEMATIC


cdef inline void shift(SubBody* body, Vec2 dx, double turned) noexcept nogil:
    """Move a body by dx (m), and turn it."""
    body.pose = place_frame(body, dx.x, dx.y, turned)
    body.x = add(body.x, dx)
    body.angle += turned


cdef inline void write_axes(const Touch* at, const SubBody* a, const Pose* pose_a, const SubBody* b,
                            const Pose* pose_b, Row* n, Row* t) noexcept nogil:
    """Jacobians of a contact of two sub-step bodies that is up to date with these poses."""
    write_axes_of(at, pose_a, a.local_center, pose_b, b.local_center, n, t)


cdef inline double rate_of(const Row* row, const SubBody* a, const SubBody* b) noexcept nogil:
    """J v of a row, with the velocities at the start."""
    return (row.ja[0] * a.v.x + row.ja[1] * a.v.y + row.ja[2] * a.w
            + row.jb[0] * b.v.x + row.jb[1] * b.v.y + row.jb[2] * b.w)


cdef inline void go_back(SubStep* s) noexcept nogil:
    """To the velocities before the solve."""
    cdef int k
    for k in range(s.n_movable):
        s.motions[k].v, s.motions[k].w = s.bodies[k].free_v, s.bodies[k].free_w


cdef inline bint is_steady(const SubStep* s, const SubBody* body) noexcept nogil:
    """Whether it cannot be pushed, or rests on what bears it."""
    return not body.movable or s.ctx.bodies[body.row].flags & RESTING != 0
