# distutils: include_dirs = engine3d/solve enginecore
"""What the stages of a large island share: its bodies as lines, its manifolds in blocks."""

from libc.stdint cimport int32_t, uint64_t

from engine3d.solve.solver_iterative cimport Block, Line
from engine3d.vec3 cimport Mat3, Vec3

cdef enum:
    LANES = 4
    COLOURS = 64        # the last is for what finds no other: blocks of one manifold
    KINDS = 4           # spheres, one point, two, three or four
    GROUPS = 2 * COLOURS * KINDS

# What a sub-step does to a body besides contacts, and how its line is read back.
ctypedef struct Drive:
    Mat3 mid          # rotation at the orientation expected halfway through the step
    Mat3 to_line      # root^T mid^T: whitens an angular impulse
    Vec3 v0           # m/s, in this sub-step before contacts: the rest is what they gave
    Vec3 w0           # whitened
    Vec3 a            # m/s^2, of external forces
    Vec3 alpha        # whitened angular acceleration of torques
    double keep_v     # share of the velocity that damping leaves in a sub-step
    double keep_w
    int32_t row       # of the body in the world; -1: a surface that moves by itself
    bint pushed       # contacts gave it something in a sub-step before the last

# A manifold before it has a place in a block.
ctypedef struct Found:
    int32_t pair
    int32_t a         # lines of its bodies
    int32_t b
    int32_t group     # which blocks it may go to: fixed or not, colour, kind
    int32_t hidden    # bits of contacts that are none, since they are flush with a face beside them

# A contact that bounces.
ctypedef struct Bouncer:
    int32_t block
    int32_t lane
    int32_t point
    double speed      # m/s, of approach: the greatest until it has met
    # m/s, that gravity can make of it: what passes give in between may be far more
    double most

# A manifold that resists rolling or spin.
ctypedef struct Roller:
    int32_t block
    int32_t lane
    Vec3 held         # N m, on B: what was kept from the last sub-step

# Room for an island, owned by LargeBuffers.
ctypedef struct LargeWorkspace:
    Line* lines            # line 0 is whatever does not move
    Drive* drives
    int32_t* line_of       # by row: its line, or -1
    uint64_t* used         # by line: colours taken
    Found* found
    int32_t* floors        # by line: the last pair of the island with a face under it, or -1
    int32_t* next_floor    # by pair of the island: the one before that has the same body, or -1
    Bouncer* bouncers
    Roller* rollers
    Block* blocks          # those of two moving bodies first
    double* stops          # by row: share of its way in this step, for stop_fast
    double* allowed        # by row: m, that it may go in this step
    double work            # J, that boosts and surfaces which run gave in this step
    int32_t n_lines
    int32_t n_found
    int32_t n_bouncers
    int32_t n_rollers
    int32_t n_blocks
    int32_t first_fixed    # where the blocks with an immovable body begin
