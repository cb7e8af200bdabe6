"""Which balls come near each other: cells of several sizes, reached by hashing, no bounding box."""

from libc.stdint cimport int32_t, int64_t, uint64_t

cdef extern from *:
    """
    /* Ask for memory that is about to be written, read or both. */
    #if defined(__GNUC__) || defined(__clang__)
    #define engine_prefetch(address) __builtin_prefetch(address, 1)
    #else
    #define engine_prefetch(address) ((void)(address))
    #endif
    """
    void prefetch "engine_prefetch"(const void* address) noexcept nogil

cdef enum:
    MAX_LEVELS = 64      # size classes, each half the size of the one before
    AHEAD = 8            # entries of `partner` that may be read beyond its last row: valid indices

cdef struct Ball:
    double x[3]          # centre, m; unused axes are 0
    double reach         # m; two balls are near when their distance is at most the sum of reaches

cdef struct Entry:       # a ball in bucket order, so that the search reads memory in a row
    double x[3]
    double reach
    int32_t id           # the ball's index in the caller's order
    int32_t level        # its size class

cdef struct Level:
    double widest        # m, the largest reach of the class; 0: nobody in it
    double per_metre     # cells per metre; a cell is as wide as the largest ball of the class

cdef struct Pair:
    int32_t low          # index of one ball
    int32_t high         # index of the other, > low

cdef struct Grid:        # what the kernels see of a PairFinder
    Py_ssize_t n         # balls
    int dim              # axes in use: 1, 2 or 3
    uint64_t mask        # buckets - 1; their number is a power of two
    int n_levels         # classes 0 (largest) to n_levels - 1 may be occupied
    Level levels[MAX_LEVELS]
    int32_t* bucket      # n: bucket of each ball, caller's order
    int32_t* level       # n: class of each ball, caller's order
    int32_t* first       # buckets + 1: where each bucket begins in entries
    Entry* entries       # n
    int32_t* head        # buckets: first moved ball of each bucket, or NOBODY
    int32_t* next        # n: next moved ball of the same bucket, NOBODY, or UNMOVED
    Pair* found          # capacity: pairs as they are met
    int64_t capacity

cdef enum:
    NOBODY = -1
    UNMOVED = -2

cdef struct Queue:       # pairs in need of a test beyond the listed ones, smallest first
    int64_t* keys        # a binary heap of low << 32 | high
    int64_t count

cdef inline int64_t pair_key(int64_t low, int64_t high) noexcept nogil:
    """Orders pairs by low, then high."""
    return low << 32 | high

cdef int64_t pop(Queue* queue) noexcept nogil


cdef class PairFinder:
    """Lists near pairs. `start` (n + 1) and `partner` hold them by row: for ball i the balls
    j > i with |x_i - x_j| <= reach_i + reach_j, ascending. Valid until the next `find`.

    A ball that moves afterwards is announced with `move`; its new pairs go to `late`."""

    cdef Grid grid
    cdef Queue late
    cdef int64_t late_capacity
    cdef object buffers         # numpy arrays by name: they own the memory
    cdef int64_t* start
    cdef int32_t* partner
    cdef int64_t moves          # balls announced since the last `find`

    cdef bint find(self, const Ball* balls, Py_ssize_t n, int dim, int64_t limit) except -1
    cdef bint move(self, const Ball* balls, int32_t moved, int64_t after, int64_t limit) except -1
    cdef void reserve_balls(self, Py_ssize_t n)
    cdef void reserve_pairs(self, int64_t count)
    cdef void reserve_late(self, int64_t count)
