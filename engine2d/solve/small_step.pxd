"""A step of one small island: strikes, resting contact, motion (docs/maths/fixed_step.md)."""

cimport cython
from libc.stdint cimport int32_t

from engine2d.body cimport Motion
from engine2d.joint.joint cimport JointData
from engine2d.joint.link cimport Link, Rider
from engine2d.solve.row cimport Row
from engine2d.solve.direct_system cimport DirectMemory
from engine2d.solve.solver_direct cimport DirectWorkspace
from engine2d.solve.step_context cimport StepContext
from engine2d.solve.sub_step cimport SubBody, SubContact

# Sub-steps of a step, unless the caller has a reason.
cdef enum:
    SUB_STEPS = 2

# BodyData.restless: how long an island is swept that Newton's method did not settle: in motion for
# RESTLESS sub-steps; at rest, if it is larger than islands in motion may be, for TIRED_STEPS steps,
# which is told by the flag TIRED.
cdef enum:
    RESTLESS = 120
    TIRED = 128
    TIRED_STEPS = 120

# Scratch for one island, never allocated inside.
ctypedef struct SmallMemory:
    int n_bodies         # room for so many bodies of an island
    int n_contacts       # and contacts
    int n_joints         # and joints
    int n_joint_rows     # and rows of these
    int n_world          # and bodies in the world
    JointData* joints    # of the world, of this step
    Link* links          # n_joints
    Rider* riders        # as sub-step bodies
    SubBody* bodies      # n_bodies + 2 n_contacts + 2 n_joints + 1: also those it leans on
    SubBody* saved       # likewise
    Motion* motions      # likewise
    SubContact* contacts  # n_contacts
    Row* rows            # 2 n_contacts, at least those of a strike
    int32_t* local_row   # n_world: the sub-step body of a body; -1 between the calls
    DirectMemory* direct


@cython.final
cdef class SmallWorkspace:
    """Memory for the largest island it was asked to reserve room for; it never shrinks."""
    cdef SmallMemory memory
    cdef DirectWorkspace _direct
    cdef object _arrays
    cdef int reserve(self, int n_bodies, int n_contacts, int n_world, int n_joints,
                     int n_joint_rows) except -1 nogil
    cdef int grow(self, int n_bodies, int n_contacts, int n_world, int n_joints,
                  int n_joint_rows) except -1 with gil

# How far an island is to go at once.
ctypedef struct Piece:
    double duration      # s
    double start         # s of the step that its bodies have gone by
    double ref_h         # s, a sub-step of it where nothing cuts it short
    bint may_cut         # it may stop where a fast body was struck, and is looked at again there

# Carry an island through a piece of time in `n_sub` equal sub-steps; returns how far it came (s).
# `body_rows`: its dynamic bodies; those with no time left stand, but can be struck.
# `contact_indices`: all contacts that push them, `joint_rows`: all joints that hold them, both
# ascending. Writes motions, places and bodies of
# these bodies, and of the contacts where they are, impulses, modes, sums, hits and STRUCK.
# Bodies that are not dynamic are met where their velocity takes them.
cdef double step_island(StepContext* ctx, const int32_t* body_rows, int n_bodies,
                        const int32_t* contact_indices, int n_contacts,
                        const int32_t* joint_rows, int n_joints, int n_sub,
                        const Piece* piece, SmallMemory* memory) noexcept nogil
