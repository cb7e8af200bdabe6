"""The bodies and shapes of a world: who they are, and the arrays their numbers live in."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from enginecore.body_head cimport BodyHead
from enginecore.body_store cimport BodyStore as Bodies
from enginecore.boxes cimport Box
from enginecore.mix cimport FilterBits
from engine3d.body cimport BodyData, Motion, Place
from engine3d.collide.geometry cimport Geometry
from engine3d.quat cimport Quat
from engine3d.shape cimport Shape
from engine3d.vec3 cimport Mat3, Vec3

ctypedef struct ShapeData:
    int32_t body           # row of its body; -1: no such shape
    int32_t next_shape     # of the same body; -1: none
    const Geometry* geometry  # in the Shape, which the store keeps
    double friction
    double restitution
    double rolling         # share of the radius
    double spinning        # likewise
    Vec3 surface           # m/s, body's frame: how fast it runs
    Vec3 through           # unit, body's frame: the side from which it is met; 0: from all
    double boost           # share of the approach that a blow gives besides
    FilterBits filter
    bint sensor
    uint32_t generation    # tells it from others that had the id
    bint renewed           # its form is new: pairs must look at each other anew

# What add_body was told, read and checked.
ctypedef struct BodyInput:
    Vec3 position
    Quat orientation
    Vec3 velocity
    Vec3 angular_velocity
    double mass            # kg; < 0: from the shapes
    Mat3 inertia           # kg m^2, about the centre of mass, in the frame of the shapes
    bint has_inertia       # else from the shapes
    double gravity_scale
    double linear_damping
    double angular_damping
    uint8_t kind
    uint8_t flags


cdef class BodyStore(Bodies):
    cdef BodyHead* heads
    cdef Motion* motions
    cdef Place* places
    cdef Place* before           # places when the step began
    cdef BodyData* bodies
    cdef Motion* motions_before  # likewise motions
    cdef double* need            # m, see StepContext
    cdef double* speeds          # m/s, of the fastest point of each body: scratch of a step
    cdef ShapeData* shapes
    cdef uint32_t generations    # of shapes ever added
    cdef bint has_renewed        # some shape is

    cdef int reserve(self, int32_t capacity) except -1
    cdef int32_t insert(self, tuple shapes, const BodyInput* given) except -1
    cdef int measure(self, tuple shapes, const BodyInput* given, BodyData* out) except -1
    cdef int fill_shape(self, Shape shape, ShapeData* out) except -1
    cdef void grow_reach(self, int32_t row, int32_t id) noexcept
    cdef void end_renewal(self) noexcept nogil

# The box of a shape along the axes of the world, wherever its body is now.
cdef void bound_shape(const ShapeData* shape, const Place* place, Box* out) noexcept nogil

# Forget the user's forces, and the disturbance of what is not dynamic and does not move.
cdef void end_edits(BodyStore store) noexcept nogil
