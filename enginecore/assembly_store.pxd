"""Assemblies: bodies that joints connect, and the plans of the factors that solve their joints.

Order, structure and schedule depend on the joints alone: contacts come and go around them. Nothing
is known of a joint but its two bodies and which of its rows have no bounds. docs/maths/joints.md.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t

from enginecore.assembly cimport Factor

# A joint as its assembly sees it.
ctypedef struct JointEdge:
    int32_t a            # rows of its bodies; -1: one that no force moves
    int32_t b
    int32_t hard         # a bit for each row without bounds: these are in the factor

# Two joints that share a body: which block their coupling is added to.
ctypedef struct Coupling:
    int32_t block        # of L
    int32_t i            # joints of the assembly; i is eliminated after j
    int32_t j
    uint8_t side_i       # 0: the shared body is a, 1: b
    uint8_t side_j
    int64_t at           # where its numbers begin among those of all couplings

cdef enum FactorAge:
    NO_FACTOR = 0        # of an earlier step
    EARLIER = 1          # of rows that were there earlier in the step
    PRESENT = 2          # of the present rows

# What kernels see of an assembly.
ctypedef struct Assembly:
    Factor* f            # NULL: not planned; blocks are the joints, in their order
    int32_t first        # its joints in `AssemblyStore.members`
    int32_t n
    Coupling* couplings
    int32_t n_couplings
    double* x            # rows of the factor: right side and solution
    bint is_dear         # the factor costs far more than a solve: kept while its system is the same
    int64_t n_system     # numbers of a dear system
    double* system       # the present one
    double* factored     # the one that the factor is of
    # Of which rows the factor is: FactorAge. Rows that are written anew make it older, the step of
    # its island begins without one: what a step does never depends on those before it
    int age
    # An engine's own, within a step:
    int32_t base         # of its hinges among those of the island
    int32_t listed       # how many of them are there


cdef class AssemblyStore:
    """The assemblies of a world. few_blocks: a factor of more blocks of L a joint is dear; 0: none
    is."""

    cdef Assembly* assemblies
    cdef int32_t n
    cdef int32_t* of_joint       # by row of the joint: its assembly; -1: no body of it is moved
    cdef int32_t* members        # rows of joints, assembly after assembly, ascending
    cdef JointEdge* edges        # what they were listed from
    cdef int32_t n_edges
    cdef int few_blocks
    cdef dict plans              # by the joints of an assembly: what is planned for it
    cdef dict arrays

    cdef void* hold(self, str name, Py_ssize_t n, Py_ssize_t size) except NULL
    cdef int number(self, int32_t n, int32_t n_bodies) except -1
    cdef int list_members(self, int32_t n) except -1

    # List the assemblies of n joints anew, if any of them has changed; all rows are below n_bodies.
    cdef int refresh(self, const JointEdge* edges, int32_t n, int32_t n_bodies) except -1

    # Plan the factor of assembly k, unless that was done.
    cdef int plan(self, int32_t k) except -1 nogil
    cdef int adopt_plan(self, int32_t k) except -1 with gil
