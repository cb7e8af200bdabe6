# distutils: include_dirs = engine2d/solve enginecore
"""What the stages of large islands share: their bodies as lines, their manifolds in blocks.

docs/maths/iterative_solver.md.
"""

from libc.stdint cimport int32_t, uint8_t, uint64_t

from engine2d.body cimport DYNAMIC, Motion
from engine2d.contact cimport Contact
from engine2d.solve.energy cimport Momentum
from engine2d.solve.solver_iterative cimport Block, Drive, LineMass
from engine2d.solve.step_context cimport StepContext
from engine2d.vec2 cimport Vec2, add, scaled, sub, turn

cdef enum:
    LANES = 4
    COLOURS = 64                   # bits of a mask; the last one is for what finds no other
    KINDS = 3                      # of manifolds, see below
    GROUPS = 2 * KINDS * COLOURS   # fixed or not, colour, kind

# Manifolds that blocks keep apart.
cdef enum ManifoldKind:
    ROUND_POINT       # of centred discs with each other or what stands: turning changes no gap
    ONE_POINT
    TWO_POINTS

# Shares of the velocities that damping leaves a body in a sub-step.
ctypedef struct Keep:
    double v
    double w

# Who a line is.
ctypedef struct Tag:
    int32_t row       # of the body in the world
    uint8_t moves     # 0: static, kinematic
    uint8_t stands    # has no time left: keeps its place, and takes blows
    uint8_t pushed    # contacts gave it something in the last sub-step; for bouncers
    uint8_t is_round  # its turning changes no gap: centred discs, line 0

# A manifold before it has a place in a block.
ctypedef struct Found:
    int32_t contact   # its first point
    int32_t n_points
    int32_t a         # lines of its bodies
    int32_t b
    int32_t group     # which blocks it may go to: fixed or not, colour, kind

# A manifold that bounces.
ctypedef struct Bouncer:
    int32_t block
    int32_t lane
    double mass[2]    # kg, of its points, while it is held back

cdef enum:
    NO_SUPPORT = -1   # Account.support: nothing that cannot be pushed
    ON_SEVERAL = -2   # bodies that move differently, or stand

# What contacts may give to an island (large_energy.pyx).
ctypedef struct Account:
    int32_t first     # its lines
    int32_t end
    int32_t support   # the line of what it leans on: 0 what stands; or one of the above
    bint is_free      # nothing holds or drives it: both momenta are to stay what they are
    double limit      # J, in a sub-step
    double per_time2  # J/s^2: times t^2, what external forces give from rest in a time t
    double kinetic    # J, when the step began
    double work_now   # J, that kinematic bodies gave in this sub-step
    double work       # J, and in the step so far
    double contacts   # J, that contacts did in the step, on the way bodies went
    double share      # of their velocities that bodies lose (< 0) when the next sub-step begins
    Momentum before   # of a free one, when the step began

# Room for a step, owned by LargeBuffers.
ctypedef struct LargeWorkspace:
    int32_t* rows          # bodies of the islands added so far
    int32_t* touching      # their contacts
    int32_t* doubtful      # of these, those that have to be confirmed
    int32_t n_rows
    int32_t n_touching
    int32_t n_doubtful
    Account* accounts      # of the islands
    int32_t n_islands
    double dt              # s, that the islands added go
    double start           # s of the step that they have gone by
    double h               # s, of a sub-step
    int32_t* island_of     # by line of a body that moves: its account
    LineMass* masses       # by line
    Motion* lines          # line 0 is whatever does not move
    Drive* drives
    Keep* keeps
    bint is_damped         # some body is
    bint is_waiting        # some body stands
    bint is_slowed         # some island has a share to lose
    Tag* tags
    int32_t* floors        # by line, two: contacts with what it stands on; -1: none
    int32_t* line_of       # by row: its line, or -1
    uint64_t* used         # by line: colours taken
    Found* found
    Bouncer* bouncers
    Block* blocks          # those of two moving bodies first
    int32_t n_lines
    int32_t n_found
    int32_t n_bouncers
    int32_t n_blocks
    int32_t first_fixed    # where the blocks with an immovable body begin
    int32_t most_bodies    # what there is room for
    int32_t most_contacts


cdef inline Vec2 arm_of(const StepContext* ctx, const Contact* contact, int32_t row, Vec2 point,
                        const Motion* line) noexcept nogil:
    """m, from the centre of a body to a point of a contact: when it meets, if that is known. A
    body whose time is over stands until then."""
    cdef Vec2 arm = sub(point, ctx.places[row].x)
    if contact.toi > 0.0 and (ctx.left[row] > 0.0 or ctx.bodies[row].kind != DYNAMIC):
        return sub(arm, scaled(contact.toi, line.v))
    return arm


cdef inline Vec2 point_then(const StepContext* ctx, const Contact* contact, bint of_a, Vec2 d,
                            double turned) noexcept nogil:
    """m, where the point of a contact is when its body A, or B, has come and turned so far since
    the piece began."""
    cdef int32_t row = contact.a if of_a else contact.b
    cdef Vec2 arm = arm_of(ctx, contact, row, contact.at.point, &ctx.motions[row])
    # on the surface, which is half the gap away
    arm = add(arm, scaled((0.5 if of_a else -0.5) * contact.at.gap, contact.at.normal))
    return add(add(ctx.places[row].x, d), add(arm, turn(turned, arm)))


cdef inline double speed_at(const Motion* a, const Motion* b, const Block* m, int lane,
                            int k) noexcept nogil:
    """m/s, at which point k of a manifold opens."""
    return (m.nx[lane] * (a.v.x - b.v.x) + m.ny[lane] * (a.v.y - b.v.y)
            + m.point[k].ra[lane] * a.w - m.point[k].rb[lane] * b.w)


cdef inline double gap_at(const Motion* a, const Motion* b, const Block* m, int lane,
                          int k) noexcept nogil:
    """m, between the surfaces at point k."""
    return (m.point[k].gap[lane] + m.nx[lane] * (a.d.x - b.d.x) + m.ny[lane] * (a.d.y - b.d.y)
            + m.point[k].ra[lane] * a.turned - m.point[k].rb[lane] * b.turned)
