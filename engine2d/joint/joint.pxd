"""What the world keeps of a joint, the rows it asks for, and the table of functions of each kind.

A row is one condition C on the places of two bodies, with its rates J = dC/dq. Which rows a joint
has depends on its settings, never on where its bodies are. docs/maths/joints.md.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int8_t, int32_t

from enginecore.joint cimport Joint as Handle, JointStore as Joints
from enginecore.joint_head cimport ACROSS, COLLIDES, DRIVE, RIGID, SOFT, STOP, JointHead
from engine2d.body cimport BodyData, Motion, Place
from engine2d.store cimport BodyStore
from engine2d.vec2 cimport Vec2

cdef enum JointKind:
    PIN = 0
    WELD = 1
    SLIDER = 2
    ROD = 3
    ROPE = 4
    SPRING = 5
    ROTARY_SPRING = 6
    WHEEL = 7
    MOTOR = 8
    GEAR = 9
    RATCHET = 10
    ANGLE_LIMIT = 11
    PULLEY = 12
    DRAG = 13
    N_KINDS = 14

cdef enum:
    MOST_ROWS = 8    # of a joint

cdef enum JointFlag:  # set by the handle, kept as long as the joint lives; 1 is COLLIDES
    FREE_TURN = 2     # a slider whose body may turn: a groove
    SLACK = 4         # a pulley whose rope may go slack

# Where a body is.
ctypedef struct Frame:
    Vec2 x           # m, centre of mass
    Vec2 q           # cosine and sine of its angle
    double angle     # rad, not wrapped
    Vec2 center      # m, centre of mass in the body's frame

# A row at given places; units: m and N for rows of places, rad and N m for rows of angles.
ctypedef struct JointRow:
    double ja[3]     # dC/dq of body a: x, y, angle
    double jb[3]
    double C         # m or rad
    double ha        # m, d2C/dangle^2 of body a; of ACROSS rows: 1/m, d2C of the line it is across
    double hb        # m, of body b
    double stiffness  # N/m, of SOFT rows
    double damping   # N s/m
    double rate      # m/s, of DRIVE rows
    double most      # N, the largest force, of DRIVE and of SOFT rows
    int kind         # RowKind

ctypedef struct JointData:
    JointHead head
    Vec2 anchor_a          # m, in the frame of its body, or in the world
    Vec2 anchor_b
    Vec2 axis              # unit, in the frame of a
    Vec2 ground_a          # m, in the world: where the rope of a pulley turns; the target of a drag
    Vec2 ground_b
    Vec2 force             # N s, on body b at its anchor, over the last step
    double torque          # N m s, on body b about its anchor, likewise
    double f[MOST_ROWS]    # N, of the rows in the last sub-step: a start for the next
    int8_t mode[MOST_ROWS]  # RowMode of the rows, for the direct solver

# What a kind can do.
ctypedef struct JointClass:
    # All rows with the bodies at these places; returns how many: at most MOST_ROWS.
    int (*rows)(const JointData* joint, const Frame* a, const Frame* b,
                JointRow* out) noexcept nogil
    # m or rad: what `reference` is the zero of; the length of lines, else the angle of b against a.
    double (*measure)(const JointData* joint, const Frame* a, const Frame* b) noexcept nogil
    # What the joint takes note of when a step is done; may be NULL.
    void (*finish)(JointData* joint, const Frame* a, const Frame* b) noexcept nogil


cdef class JointStore(Joints):
    """The joints of a world: rows in the order of adding, and their handles."""

    cdef BodyStore bodies
    cdef JointData* joints

    cdef void finish_step(self) noexcept nogil


# The table: kinds enter themselves when their modules are imported.
cdef int enter_kind(int kind, JointClass functions) except -1
cdef const JointClass* class_of(int kind) noexcept nogil

# Whether any force may hold a row: then it is a row of the factor.
cdef inline bint is_hard(const JointRow* row) noexcept nogil:
    return row.kind == RIGID or row.kind == ACROSS or (row.kind != STOP and row.most == INFINITY)

# Where a body is; row -1 is the world.
cdef Frame frame_of(const Place* places, const BodyData* bodies, int32_t row) noexcept nogil

# J, in the springs of a joint, and of a drag, that pulls with its spring and no more than it may.
cdef double energy_of(const JointData* joint, const Place* places,
                      const BodyData* bodies) noexcept nogil

# Likewise, by its rows.
cdef double energy_of_rows(const JointData* joint, const JointRow* rows, int n) noexcept nogil

# J M^-1 Jt of a row (1/kg) with the masses of its bodies.
cdef double response_of(const JointRow* row, const Motion* a, const Motion* b) noexcept nogil


cdef class Joint(Handle):
    cdef JointData own           # what it was made with, until it is added

    cdef int frames(self, Frame* a, Frame* b) except -1
