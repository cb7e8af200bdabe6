"""Joints within a sub-step of an island: their rows for the solver, and what tension makes stiff.

docs/maths/joints3d.md has the terms.
"""

cimport cython
from libc.stdint cimport int32_t

from enginecore.assembly_store cimport Assembly
from engine3d.joint.joint cimport MOST_ROWS, Frame, JointData, JointRow
from engine3d.solve.cone cimport Bounded
from engine3d.vec3 cimport Mat3, Vec3

cdef enum:
    LINKED_SUB_STEPS = 4

# A body as its joints see it, beside its SubBody.
ctypedef struct Rider:
    Frame start          # where it is when the sub-step begins
    Frame mid            # halfway, and at the end, with the velocity it has then
    Frame end
    Mat3 stiffness       # N m/rad, of turning it under the forces of its joints
    Mat3 root            # of the inertia that tension makes of 1, whitened; its inverse
    Mat3 inv_root
    double[6] free       # whitened velocity without impulses
    Vec3 last_w          # rad/s, one sub-step before
    Mat3 change          # from the last root to this one, for rows that were written with that
    bint turned          # it is not 1
    bint tense           # root is not 1
    bint joined          # has a joint
    int32_t group        # a sub-step body it hangs together with: itself for the first

# A joint within a sub-step.
ctypedef struct Link:
    JointData* joint
    int32_t a            # sub-step bodies
    int32_t b
    int32_t first        # its cones among those of joints
    int32_t n            # rows
    double[MOST_ROWS] old_rate  # m/s, of the rows at mid-step with the velocities of the start
    JointRow[MOST_ROWS] at      # the rows at mid-step, C of the start

# Scratch for one island, never allocated inside.
ctypedef struct LinkMemory:
    Rider* riders        # one a sub-step body
    Link* links
    Bounded* boxes       # one a cone of joints
    double* felt         # 18 (bodies + 1): whitened velocities that unit impulses of a blow give
    double* felt_p       # 9 a cone: the joints' impulses then
    double* diagonal     # 2 a contact, 1/kg: response along the normal and across
    JointData* joints    # of the world
    Assembly* assemblies  # of the world, and the lists of their joints: AssemblyStore
    int32_t* of_joint
    int32_t* members
    int32_t* link_of     # by row of a joint of the world: its link
    int32_t n_riders     # room
    int32_t n_links
    int32_t n_boxes
    int32_t n_slots
    int32_t n_joints     # of the world
    bint sparse          # the island is solved by its assemblies: needs_assemblies
    int32_t n            # links of the island
    int32_t n_cones      # that these have
    bint is_held         # some joint is to what no force moves
    double give          # share of its response that a row gives: loops hold more than once


@cython.final
cdef class LinkWorkspace:
    """Memory for the largest island it was asked to reserve room for; it never shrinks."""
    cdef LinkMemory memory
    cdef dict _arrays
    cdef int reserve(self, int32_t n_riders, int32_t n_links, int32_t n_boxes,
                     int32_t n_slots) except -1
    cdef int reserve_joints(self, int32_t n_joints) except -1
