"""What the world keeps of a joint, the rows it asks for, and the table of functions of each kind.

A row is one condition C on the places of two bodies, with its rates J = dC/dq: three of the centre
of mass, three of turning about the world's axes. Which rows a joint has depends on its settings,
never on where its bodies are. docs/maths/joints3d.md.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t

from enginecore.joint cimport Joint as Handle, JointStore as Joints
from enginecore.joint_head cimport ACROSS, COLLIDES, DRIVE, RIGID, SOFT, STOP, JointHead
from engine3d.body cimport BodyData, Place
from engine3d.quat cimport Quat
from engine3d.store cimport BodyStore
from engine3d.vec3 cimport Mat3, Vec3

cdef enum JointKind:
    BALL = 0
    HINGE = 1
    WELD = 2
    SLIDER = 3
    ROD = 4
    ROPE = 5
    SPRING = 6
    DRAG = 7
    N_KINDS = 8

cdef enum:
    MOST_ROWS = 12   # of a joint
    MOST_HARD = 8    # of these without bounds

cdef enum JointFlag:  # set by the handle, kept as long as the joint lives; 1 is COLLIDES
    FREE_TURN = 2     # a slider whose body may turn about the axis
    TURNS = 4         # a drag that turns its body, too

# Where a body is.
ctypedef struct Frame:
    Vec3 x           # m, centre of mass
    Quat q           # orientation
    Mat3 r           # its matrix
    Vec3 center      # m, centre of mass in the body's frame

# A row at given places; units: m and N for rows of places, rad and N m for rows of angles.
ctypedef struct JointRow:
    double ja[6]     # dC/dq of body a: centre of mass, then turning
    double jb[6]
    double C         # m or rad
    Vec3 arm_a       # m, from the centre of a to where the force acts; 0 for rows of angles
    Vec3 arm_b
    double bend      # 1/m, of ACROSS rows: d2C of the line they are across
    double stiffness  # N/m, of SOFT rows
    double damping   # N s/m
    double rate      # m/s, of DRIVE rows
    double most      # N, the largest force, of DRIVE and of SOFT rows
    int kind         # RowKind

ctypedef struct JointData:
    JointHead head
    Vec3 anchor_a          # m, in the frame of its body, or in the world
    Vec3 anchor_b
    Vec3 axis              # unit, in the frame of a
    Vec3 axis_b            # the same in the frame of b
    Quat turn              # of b against a, that counts as none
    Vec3 force             # N s, on body b at its anchor, over the last step
    Vec3 torque            # N m s, on body b about its anchor, likewise
    double f[MOST_ROWS]    # N, of the rows in the last sub-step: a start for the next

# What a kind can do.
ctypedef struct JointClass:
    # All rows with the bodies at these places; returns how many: at most MOST_ROWS.
    int (*rows)(const JointData* joint, const Frame* a, const Frame* b,
                JointRow* out) noexcept nogil
    # m or rad: what `reference` is the zero of; the length of lines, else the angle of b against a.
    double (*measure)(const JointData* joint, const Frame* a, const Frame* b) noexcept nogil


cdef class JointStore(Joints):
    """The joints of a world: rows in the order of adding, and their handles."""

    cdef BodyStore bodies
    cdef JointData* joints


# The table: kinds enter themselves when their modules are imported.
cdef int enter_kind(int kind, JointClass functions) except -1
cdef const JointClass* class_of(int kind) noexcept nogil

# Whether any force may hold a row: then it is a row of the factor.
cdef inline bint is_hard(const JointRow* row) noexcept nogil:
    return row.kind == RIGID or row.kind == ACROSS or (row.kind != STOP and row.most == INFINITY)

# Where a body is; row -1 is the world.
cdef Frame frame_of(const Place* places, const BodyData* bodies, int32_t row) noexcept nogil


cdef class Joint(Handle):
    cdef JointData own           # what it was made with, until it is added

    cdef int frames(self, Frame* a, Frame* b) except -1
