"""A step of an island that joints hold together: chains, bridges, with contacts swept around them.

Islands that only joints hold, and large ones with joints; small ones with contacts and joints are
small_step's. docs/maths/joints.md.
"""

cimport cython
from libc.stdint cimport int32_t

from engine2d.body cimport Motion
from enginecore.assembly_store cimport Assembly
from engine2d.joint.hinges cimport Hinge
from engine2d.joint.joint cimport JointData, JointStore
from engine2d.joint.link cimport Link, Rider, turn_of
from engine2d.pose cimport rotate
from engine2d.solve.row cimport Row
from engine2d.solve.direct_system cimport DirectMemory
from engine2d.solve.solver_direct cimport DirectWorkspace
from engine2d.solve.small_step cimport Piece
from engine2d.solve.step_context cimport Island, StepContext
from engine2d.vec2 cimport Vec2, add

cdef enum:
    DIRECT_ROWS = 96     # up to so many rows joints are solved by the direct solver, bounds and all
    DIRECT_SUB_STEPS = 4
    SPARSE_SUB_STEPS = 2
    SWEPT_SUB_STEPS = 2
    MOST_HEAVY = 16      # contacts that are solved in the space that joints leave

# A contact of an island whose joints are solved exactly: it is swept.
ctypedef struct Swept:
    int32_t contact      # index in the world
    int32_t a            # riders
    int32_t b
    double rate          # m/s, of its gap when the step began
    double gap           # m, when it was last looked at
    double soft          # share of its response that the contact gives while it is soft
    int32_t heavy        # its number among those that are solved together; -1: it is swept
    # of this solve
    double d             # 1/kg, response of its normal
    double across        # and of its tangent
    double mass          # kg, what an impulse along the normal is the change of
    double mass_across

# Scratch for one island, never allocated inside.
ctypedef struct LinkMemory:
    Rider* riders        # bodies of the island, those its joints lean on, the world
    Motion* motions      # likewise
    Motion* probe        # likewise: what an impulse gives
    double* free_v       # 3 of each: velocities before the solve
    Link* links
    Hinge* hinges        # the same, where all are plain pins
    Row* rows
    int32_t* rider_of    # by row of a body: its rider; -1 between the calls
    int32_t* link_of     # by row of a joint: its link
    int32_t n_riders     # room
    int32_t n_links
    int32_t n_rows
    int32_t n_world      # bodies
    int32_t n_joints     # of the world
    int32_t n_swept
    Swept* swept         # contacts
    int32_t[MOST_HEAVY] heavy                     # which of them bear much
    double[4 * MOST_HEAVY * MOST_HEAVY] responses  # of their rows to each other (1/kg)
    DirectMemory* direct
    # of the world, of this step
    JointData* joints
    Assembly* assemblies
    const int32_t* of_joint
    const int32_t* members


# An island within a step.
ctypedef struct Linked:
    StepContext* ctx
    LinkMemory* m
    bint direct           # all rows by the direct solver; else assemblies by their factors
    int32_t n_riders
    int32_t n_movable     # of these, the first
    int32_t n_links
    int32_t n_rows        # of the links; those of contacts follow
    int32_t n_swept
    int32_t n_heavy
    bint has_bounds       # a joint has rows that are not in the factors
    bint is_damped        # a body has damping
    bint is_plain         # all joints are plain pins (Link.plain)
    double longest        # m, arm of these
    double kinetic        # J, when the piece begins
    double work           # J, that springs, motors and what moves by itself have done since
    double lifted         # J, that corrections of places gave since: height, springs
    double torn           # m or rad, the largest error of joints when the piece began
    double h              # s
    double whole_h        # s, where the piece is the whole step


cdef inline void shift(Rider* body, Vec2 d, double turned) noexcept nogil:
    """Bring a body on by d (m) and turn it (rad)."""
    body.start.x = add(body.start.x, d)
    body.start.angle += turned
    body.start.q = rotate(turn_of(turned), body.start.q)


@cython.final
cdef class LinkWorkspace:
    """Memory for the largest island it was asked to reserve room for; it never shrinks."""
    cdef LinkMemory memory
    cdef DirectWorkspace _direct
    cdef dict _arrays
    cdef int reserve(self, int32_t n_bodies, int32_t n_joints, int32_t n_rows, int32_t n_direct,
                     int32_t n_world, int32_t n_world_joints, int32_t n_contacts) except -1 nogil
    cdef int grow(self, int32_t n_bodies, int32_t n_joints, int32_t n_rows, int32_t n_direct,
                  int32_t n_world, int32_t n_world_joints, int32_t n_contacts) except -1 with gil

# Carry an island through a piece of time, all of it. body_rows: its dynamic bodies; joint_rows: its
# joints, contact_indices: its contacts, all ascending. Unless it has at most DIRECT_ROWS rows and
# no contacts, its assemblies must be planned.
cdef void step_linked(StepContext* ctx, const Island* island, const int32_t* body_rows,
                      const int32_t* joint_rows, const int32_t* contact_indices,
                      const Piece* piece, LinkMemory* memory) noexcept nogil

# Whether an island is solved by factors of its assemblies rather than directly.
cdef inline bint needs_plan(const Island* island) noexcept nogil:
    return island.n_joints > 0 and (island.n_contacts > 0 or island.n_joint_rows > DIRECT_ROWS)
