"""A step of one small island: strikes, resting contact, motion (docs/maths/fixed_step.md)."""

cimport cython
from libc.stdint cimport int32_t

from engine2d.body cimport Motion
from engine2d.row cimport Row
from engine2d.solver_direct cimport DirectMemory, DirectWorkspace
from engine2d.step_context cimport StepContext
from engine2d.strike cimport Meeting, Mover

# Sub-steps of a step, unless the caller has a reason.
cdef enum:
    SUB_STEPS = 2

# Scratch for one island, never allocated inside.
ctypedef struct SmallMemory:
    int n_bodies         # room for so many bodies of an island
    int n_contacts       # and contacts
    int n_world          # and bodies in the world
    Mover* movers        # n_bodies + 2 n_contacts: also those the island leans on
    Motion* motions      # likewise
    Meeting* meetings    # n_contacts
    Row* rows            # 2 n_contacts, at least those of a strike
    int32_t* local_row   # n_world: the mover of a body; -1 between the calls
    DirectMemory* direct


@cython.final
cdef class SmallWorkspace:
    """Memory for the largest island it was asked to reserve room for; it never shrinks."""
    cdef SmallMemory memory
    cdef DirectWorkspace _direct
    cdef object _arrays
    cdef int reserve(self, int n_bodies, int n_contacts, int n_world) except -1
    cdef void* allocate(self, Py_ssize_t which, Py_ssize_t size) except NULL

# Carry an island through ctx.dt in `n_sub` equal sub-steps. `body_rows`: its dynamic bodies;
# `contact_indices`: all contacts that push them, ascending. Writes motions, places and bodies of
# these bodies, and of the contacts where they are, impulses, modes, sums, hit_speed and STRUCK.
# Bodies that are not dynamic are met where their velocity takes them and are not written.
cdef void step_island(StepContext* ctx, const int32_t* body_rows, int n_bodies,
                      const int32_t* contact_indices, int n_contacts, int n_sub,
                      SmallMemory* memory) noexcept nogil
