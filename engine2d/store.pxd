"""The bodies and shapes of a world: who they are, and the arrays their numbers live in.

A body is a row in three arrays (engine2d.body), in the order of adding. Its handle holds an id and
a generation: the id finds the row, the generation tells a removed body from one that came later and
got the same id. A shape's id is that of its box in the broad phase.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from enginecore.body_store cimport BodyStore as Bodies
from enginecore.mix cimport FilterBits
from engine2d.body cimport BodyData, Motion, Place
from engine2d.collide.geometry cimport Geometry
from engine2d.shape cimport Shape
from engine2d.vec2 cimport Vec2

# Begins as a ShapeHead; what collisions of hulls ask for is in the first cache line.
ctypedef struct ShapeData:
    int32_t body           # row of its body; -1: no such shape
    int32_t next_shape     # of the same body; -1: none
    double thickness       # m, of its thinnest part, roughly: 2 area / perimeter; 0 for lines
    Geometry geometry      # its pointers are into the Shape, which the store keeps
    double friction
    double restitution
    FilterBits filter
    bint sensor
    uint32_t generation    # tells it from others that had the id
    bint renewed           # by replace_shape, until pairs have heard of it: another form
    double rolling         # share of the radius at which the normal force resists rolling
    double boost           # share of the approach that a blow gives besides
    Vec2 surface           # m/s, body's frame: how fast the surface runs
    Vec2 through           # unit, body's frame: the side it is met from; 0: from all
    double fill[3]         # to whole cache lines

# What add_body was told, read and checked.
ctypedef struct BodyInput:
    Vec2 position
    double angle
    Vec2 velocity
    double angular_velocity
    double mass            # kg; < 0: from the shapes
    double inertia         # kg m^2; < 0: from the shapes
    double gravity_scale
    double linear_damping
    double angular_damping
    uint8_t kind
    uint8_t flags


cdef enum:
    MOST_TOUCHED = 32      # shapes that are noted one by one for the queries; beyond, all count


cdef class BodyStore(Bodies):
    cdef Motion* motions
    cdef Place* places
    cdef Place* before           # places when the step began
    cdef BodyData* bodies
    cdef ShapeData* shapes
    cdef bint has_rules          # a shape has or had rules that solvers must know of
    cdef bint has_outlines       # a shape is or was an OUTLINE
    cdef bint has_renewed        # some shape is
    # shapes added, removed or put elsewhere since the last query, of which n_touched are noted
    # (more than MOST_TOUCHED: too many); queries clear it
    cdef int32_t[32] touched
    cdef int32_t n_touched
    cdef int64_t noted_edits     # of the edits since then, those whose shapes are noted

    cdef int reserve(self, int32_t capacity) except -1
    cdef int32_t insert(self, tuple shapes, const BodyInput* given) except -1
    cdef int measure(self, tuple shapes, const BodyInput* given, BodyData* out) except -1
    cdef int fill_shape(self, Shape shape, ShapeData* out) except -1
    cdef void note_rules(self, const ShapeData* shape) noexcept
    cdef void grow_reach(self, int32_t row, int32_t id) noexcept
    cdef void end_renewal(self) noexcept nogil
    cdef void keep_places(self) noexcept nogil

# What the store keeps of a shape, but for its body and its place among that body's shapes.
cdef void describe_shape(Shape shape, ShapeData* out)

# The box of a shape along the axes of the world, wherever its body is now.
cdef void bound_shape(const ShapeData* shape, const Place* place, Vec2* low,
                      Vec2* high) noexcept nogil

# Forget the user's forces, and the disturbance of what is not dynamic and does not move.
cdef void end_edits(BodyStore store) noexcept nogil
