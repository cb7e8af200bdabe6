# distutils: include_dirs = engine2d
"""Large islands through a step, by sub-steps of a spring-like solver.

docs/maths/iterative_solver.md.
"""

from libc.stdint cimport int32_t, uint8_t, uint64_t

from engine2d.body cimport Motion
from engine2d.solver_iterative cimport Block
from engine2d.step_context cimport StepContext
from engine2d.vec2 cimport Vec2

# What a sub-step does to a body besides contacts: one cache line.
ctypedef struct Drive:
    Vec2 a            # m/s^2, of external forces
    double alpha      # rad/s^2
    double keep_v     # share of the velocity that damping leaves in a sub-step
    double keep_w
    Vec2 v0           # m/s, in this sub-step before contacts: the rest is what they gave
    double w0         # rad/s

# Who a line is.
ctypedef struct Tag:
    int32_t row       # of the body in the world
    uint8_t moves     # 0: static, kinematic
    uint8_t pushed    # contacts gave it something in the last sub-step
    uint8_t unused[2]

# A manifold before it has a place in a block.
ctypedef struct Found:
    int32_t contact   # its first point
    int32_t n_points
    int32_t a         # lines of its bodies
    int32_t b
    int32_t group     # which blocks it may go to: fixed or not, colour, number of points

# A manifold that bounces.
ctypedef struct Bouncer:
    int32_t block
    int32_t lane
    double mass[2]    # kg, of its points, while it is held back

# Room for a step, owned by LargeBuffers.
ctypedef struct LargeWorkspace:
    int32_t* rows          # bodies of the islands added so far
    int32_t* touching      # their contacts
    int32_t n_rows
    int32_t n_touching
    Motion* lines          # line 0 is whatever does not move
    Drive* drives
    Tag* tags
    int32_t* line_of       # by row: its line, or -1
    uint64_t* used         # by line: colours taken
    Found* found
    Bouncer* bouncers
    Block* blocks          # those of two moving bodies first
    int32_t n_lines
    int32_t n_found
    int32_t n_bouncers
    int32_t n_blocks
    int32_t first_fixed    # where the blocks with an immovable body begin
    int32_t most_bodies    # what there is room for
    int32_t most_contacts


cdef class LargeBuffers:
    cdef LargeWorkspace work
    cdef dict arrays       # own the memory

    cdef size_t hold(self, str name, Py_ssize_t n, Py_ssize_t size) except 0
    # Room for a world of so many bodies and contacts.
    cdef int reserve(self, Py_ssize_t bodies, Py_ssize_t contacts) except -1

# Add an island to those that the next call of step_large carries: rows of its bodies, and the
# indices of all its contacts, ascending.
cdef void add_island(const int32_t* rows, int32_t n_rows, const int32_t* touching,
                     int32_t n_touching, LargeWorkspace* work) noexcept nogil

# Whether bodies of an island were put into each other: it is then to be carried alone, `buried`.
cdef bint is_buried(const StepContext* ctx, const int32_t* touching, int32_t n) noexcept nogil

# Carry the islands added through ctx.dt. Writes motions, places, contacts and counters.
cdef void step_large(StepContext* ctx, LargeWorkspace* work, bint buried) noexcept nogil
