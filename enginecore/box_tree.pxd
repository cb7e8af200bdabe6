"""A balanced tree over the fat boxes, for questions: what overlaps a box, what does a ray meet."""

from libc.stdint cimport int32_t, int64_t

from enginecore.boxes cimport Box, Boxes

cdef struct Node:            # in preorder: the first child of node k is node k + 1
    Box box                  # around everything below
    int32_t skip             # the first node that is not below this one
    int32_t id               # of a leaf: its box; else INNER
    int32_t parent           # NOT_IN_TREE for the root
    int32_t unused           # fills the cache line

cdef enum:
    INNER = -1
    NOT_IN_TREE = -1         # in `leaf`: the box is not known
    APART = -2               # in `leaf`: the box is in `apart`

cdef struct Tree:
    Node* nodes
    int32_t n_nodes          # 2 n_leaves - 1, or 0
    int32_t n_leaves
    int32_t* leaf            # by id: its node, NOT_IN_TREE or APART
    int32_t* apart           # ids that came after the tree was built: looked at one by one
    int32_t n_apart
    bint built               # nodes and leaf hold what was in the tree when it was last settled
    int64_t wear             # how far boxes have strayed since it was built
    int32_t* order           # scratch for building

cdef struct Ray:             # the points start + t (end - start), 0 <= t <= 1
    double start[3]          # m
    double per_metre[3]      # 1 / (end - start); 0: the ray keeps this coordinate
    int entry[3]             # which of a Box's six numbers the ray crosses first, by axis
    int exit[3]              # and last

cdef struct Hit:
    double t                 # where the ray enters the box, 0 to 1
    int32_t id

cdef struct Hits:
    Hit* hits
    int64_t n                # met; stored while there is room
    int64_t room

# Called for every box that a ray meets before `limit`; t: where it enters. Returns the new limit,
# at most the old one: boxes entered later are not shown. A first-hit search returns its best t.
ctypedef double (*Meet)(void* context, int32_t id, double t, double limit) noexcept nogil

cdef void set_ray(const double* start, const double* end, int axes, Ray* ray) noexcept nogil
cdef void cast_ray(const Tree* tree, const Boxes* boxes, const Ray* ray, Meet meet,
                   void* context) noexcept nogil
cdef double collect(void* hits, int32_t id, double t, double limit) noexcept nogil
cdef void sort_hits(Hit* hits, int64_t n) noexcept nogil
cdef int64_t find_overlaps(const Tree* tree, const Box* exact, const Box* box, int32_t* out,
                           int64_t room) noexcept nogil


cdef class BoxTree:
    """Owner of the memory of a Tree; brought up to date only when somebody asks."""

    cdef Tree t
    cdef object buffers          # numpy arrays by name: they own the memory
    cdef Py_ssize_t capacity     # ids there is room for

    cdef int reserve(self, Py_ssize_t capacity) except -1
    cdef void settle(self, Boxes* boxes) noexcept nogil
