"""Questions about boxes, asked of their tree: what overlaps, what a ray meets, what is near."""

from libc.stdint cimport int32_t, int64_t

from enginecore.boxes cimport Box, Boxes
from enginecore.box_tree cimport Tree

cdef struct Ray:             # a box that moves along a line, t = 0 to 1; of no size, a ray
    double ahead[3]          # m: at t = 0, the side that comes first along each axis
    double behind[3]         # m: and the one that comes last
    double per_metre[3]      # 1 / (way along the axis); 0: it keeps this coordinate
    int entry[3]             # which of a Box's six numbers it crosses first, by axis
    int exit[3]              # and last

cdef struct Hit:
    double t                 # where it enters the box, 0 to 1; or the squared distance, m^2
    int32_t id

cdef struct Hits:
    Hit* hits
    int64_t n                # met; stored while there is room
    int64_t room

# Called for every box that is met at t <= limit. Returns the new limit, at most the old one: what
# comes later is not shown. A search for the first returns its best t, one for all the same limit.
ctypedef double (*Meet)(void* context, int32_t id, double t, double limit) noexcept nogil

cdef void set_ray(const double* start, const double* end, int axes, Ray* ray) noexcept nogil
cdef void set_sweep(const Box* box, const double* way, int axes, Ray* ray) noexcept nogil
cdef void cast_ray(const Tree* tree, const Boxes* boxes, const Ray* ray, Meet meet,
                   void* context) noexcept nogil
cdef Py_ssize_t cast_rays(const Tree* tree, const Boxes* boxes, const double* starts,
                          const double* ends, Py_ssize_t at, Py_ssize_t n, int64_t* first,
                          Hits* out) noexcept nogil
cdef void look_near(const Tree* tree, const Boxes* boxes, const double* point, double limit,
                    Meet meet, void* context) noexcept nogil
cdef double collect(void* hits, int32_t id, double t, double limit) noexcept nogil
cdef void sort_hits(Hit* hits, int64_t n) noexcept nogil
cdef int64_t find_overlaps(const Tree* tree, const Box* exact, const Box* box, int32_t* out,
                           int64_t room) noexcept nogil
