"""Systems of joints solved exactly: a block-sparse LDLt whose order depends on the joints alone.

Block i is a joint of width[i] rows. Two blocks couple where they share a body; bodies are given as
lists of blocks, and nothing else is known of them. docs/maths/joints.md.
"""

from libc.stdint cimport int32_t, int64_t

# What kernels see of a factor. Places are those of the elimination: place k is block order[k].
ctypedef struct Factor:
    int32_t n             # blocks
    int32_t rows          # rows of all blocks
    int32_t n_lower       # blocks of L below the diagonal
    int32_t* order        # n: the block that is eliminated k-th
    int32_t* place        # n: when a block is eliminated
    int32_t* width        # n, by place: rows of the block
    int32_t* start        # n + 1, by place: its first row
    int32_t* begin        # n + 1, by place: its column among the blocks of L
    int32_t* below        # n_lower: the place of each block's row
    int32_t* head         # n + 1, by place: its row among the blocks of L, in `left` and `at`
    int32_t* left         # n_lower: column of each block, row after row
    int32_t* at           # n_lower: and which block it is
    int64_t* offset       # n_lower + 1: where the numbers of each block of L begin
    int64_t* diagonal     # n + 1, by place: where those of its diagonal block begin
    int32_t* map          # n: scratch
    double* D             # diagonal blocks, whole; before `factor_blocks` those of A
    double* inverse       # their inverses
    double* L             # blocks of A below the diagonal, then of L D
    double* W             # blocks of L
    double* size          # rows: the diagonal of A
    bint pairs            # every block has two rows, as pins of the plane have: its own kernel
    bint thin             # and each column of L at most one block, as those of chains have
    bint path             # and these are those of a chain that is eliminated from both ends in turn
    bint triples          # or three, as balls, rods and ropes of space


cdef class BlockFactor:
    """Memory and order of one factor."""

    cdef Factor f
    cdef object arrays

    cdef int32_t* ints(self, str name, Py_ssize_t n) except NULL
    cdef double* reals(self, str name, Py_ssize_t n) except NULL
    cdef int64_t* longs(self, str name, Py_ssize_t n) except NULL
    cdef object eliminate(self, const int32_t* width, int32_t n_bodies, const int32_t* first,
                          const int32_t* member)

    # Find the order for blocks of these widths; body k has the blocks from member[first[k]] up to
    # member[first[k + 1]].
    cdef int plan(self, int32_t n, const int32_t* width, int32_t n_bodies, const int32_t* first,
                  const int32_t* member) except -1

# Which block of L couples two blocks, not places; -1: none.
cdef int32_t find_block(const Factor* f, int32_t i, int32_t j) noexcept nogil

# Set all numbers to zero, before those of A are added.
cdef void clear_blocks(Factor* f) noexcept nogil

# Factor A + shift diag(A) in place. Pivots that rounding took below nothing are left out: their
# rows depend on others. Returns how many.
cdef int32_t factor_blocks(Factor* f, double shift) noexcept nogil

# Solve for x, rows in the order of the elimination (f.start), in place.
cdef void solve_blocks(Factor* f, double* x) noexcept nogil
