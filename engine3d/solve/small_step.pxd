"""A step of one small island: strikes, resting contact, motion (docs/maths/solver3d.md)."""

cimport cython
from libc.stdint cimport int32_t

from engine3d.joint.joint cimport JointData
from engine3d.joint.link cimport LinkMemory, LinkWorkspace
from engine3d.solve.cone cimport Cone
from engine3d.contact cimport Contact, Pair, StepContext
from engine3d.solve.solver_direct cimport DirectMemory, DirectWorkspace
from engine3d.solve.sub_step cimport SubBody, SubContact

# Sub-steps of a step, unless something meets.
cdef enum:
    SUB_STEPS = 2

# Scratch for one island, never allocated inside.
ctypedef struct SmallMemory:
    int n_bodies         # room for so many bodies of an island
    int n_pairs          # and pairs
    int n_slots          # and slots of contacts
    int n_world          # and bodies in the world
    SubBody* bodies      # n_bodies + 2 n_pairs: also those the island leans on
    SubContact* contacts  # n_slots
    Cone* cones          # n_slots, at least those of a strike
    double* V            # 6 (sub-step bodies + 1)
    Pair* old_pairs      # n_pairs: as they were, to be given back
    Contact* old_contacts  # n_slots
    double* swept_until  # n_pairs, as in SubStep
    int32_t* swept_turn  # n_pairs
    int32_t* local_row   # n_world: the sub-step body of a body; -1 between the calls
    DirectMemory* direct
    LinkMemory* links    # of joints


@cython.final
cdef class SmallWorkspace:
    """Memory for the largest island it was asked to reserve room for; it never shrinks."""
    cdef SmallMemory memory
    cdef DirectWorkspace _direct
    cdef LinkWorkspace _links
    cdef int n_joints    # room for so many joints of an island
    cdef int n_joint_cones
    cdef list _arrays
    cdef int reserve(self, int n_bodies, int n_pairs, int n_slots, int n_world, int n_joints,
                     int n_joint_cones, int n_direct, int n_direct_cones,
                     int n_world_joints) except -1 nogil
    cdef int grow(self, int n_bodies, int n_pairs, int n_slots, int n_world, int n_joints,
                  int n_joint_cones, int n_direct, int n_direct_cones,
                  int n_world_joints) except -1 with gil

# Whether an island with joints is solved by the factors of its assemblies, which must be planned
# then; joint_rows less `offset` are rows of its joints.
cdef bint is_sparse(const StepContext* ctx, int n_bodies, const int32_t* pair_numbers, int n_pairs,
                    const JointData* joints, const int32_t* joint_rows, int32_t offset,
                    int n_joints) noexcept nogil

# Room that the pairs of an island need for their contacts.
cdef int32_t count_slots(const StepContext* ctx, const int32_t* pair_numbers,
                         int n_pairs) noexcept nogil

# Carry an island through ctx.dt. `body_rows`: its dynamic bodies; `pair_numbers`: all pairs that
# may push them, ascending; `joint_rows`: its joints. Writes motions and places of these bodies,
# and the pairs' contacts.
# Bodies that are not dynamic are met where their velocity takes them and are not written. Where a
# body was struck off to where nobody has looked and ctx.may_look, nothing is written but ctx.need.
# False, and nothing is written: so much meets in it that it should be stepped as a large one.
cdef bint step_island(StepContext* ctx, const int32_t* body_rows, int n_bodies,
                      const int32_t* pair_numbers, int n_pairs, const int32_t* joint_rows,
                      int n_joints, SmallMemory* memory) noexcept nogil
