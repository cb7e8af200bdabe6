"""The bodies and shapes of a world: who they are, and the arrays their numbers live in."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from enginecore.body_head cimport BodyHead
from enginecore.boxes cimport Box
from enginecore.broad_phase cimport BroadPhase
from enginecore.handle_table cimport HandleTable
from enginecore.mix cimport FilterBits
from engine3d.body cimport BodyData, Motion, Place
from engine3d.collide.geometry cimport Geometry
from engine3d.quat cimport Quat
from engine3d.shape cimport Shape
from engine3d.vec3 cimport Mat3, Vec3

# m, by which boxes are larger, times the world's unit: pairs are looked for again when a body has
# left its fat box.
cdef extern from *:
    """
    #define ENGINE_FAT 0.05
    """
    double FAT "ENGINE_FAT"

ctypedef struct ShapeData:
    int32_t body           # row of its body; -1: no such shape
    int32_t next_shape     # of the same body; -1: none
    const Geometry* geometry  # in the Shape, which the store keeps
    double friction
    double restitution
    double rolling         # share of the radius
    double spinning        # likewise
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


cdef class BodyStore:
    cdef BodyHead* heads
    cdef Motion* motions
    cdef Place* places
    cdef Place* before           # places when the step began
    cdef BodyData* bodies
    cdef Motion* motions_before  # likewise motions
    cdef double* need            # m, see StepContext
    cdef double* speeds          # m/s, of the fastest point of each body: scratch of a step
    cdef ShapeData* shapes
    cdef int32_t n_bodies        # rows, removed ones among them until they are settled
    cdef int32_t n_removed       # rows whose body is gone
    cdef int32_t capacity
    cdef int32_t shape_capacity
    cdef object arrays           # numpy arrays by name: they own the memory
    cdef HandleTable table
    cdef list shape_objects      # Shape by shape id
    cdef list shape_handles      # BodyShape by shape id; None: not made yet
    cdef object world            # a weak reference to the world it is of
    cdef uint32_t generations    # of shapes ever added
    cdef int64_t shape_edits     # grows when shapes of bodies are added, removed or changed
    cdef bint has_renewed        # some shape is
    cdef BroadPhase phase
    cdef int64_t edits           # grows with every change that the pairs must hear of
    cdef bint disturbed          # a body that is not dynamic was moved or changed
    cdef bint busy               # a call is under way that nothing may interrupt

    cdef int reserve(self, int32_t capacity) except -1
    cdef int reserve_shapes(self, int32_t capacity) except -1
    cdef int32_t insert(self, tuple shapes, const BodyInput* given) except -1
    cdef int measure(self, tuple shapes, const BodyInput* given, BodyData* out) except -1
    cdef int32_t add_shape(self, Shape shape, int32_t row) except -1
    cdef int fill_shape(self, Shape shape, ShapeData* out) except -1
    cdef void grow_reach(self, int32_t row, int32_t id) noexcept
    cdef object ids_of(self, int32_t row)
    cdef int measure_again(self, int32_t row, tuple shapes, BodyData* out) except -1
    cdef void set_mass_of(self, int32_t row, const BodyData* data) noexcept
    cdef int32_t attach_shape(self, Shape shape, int32_t row) except -1
    cdef int replace_shape(self, int32_t id, Shape shape, bint is_alike) except -1
    cdef int drop_shape(self, int32_t id) except -1
    cdef void end_renewal(self) noexcept
    cdef bint has_shape(self, int32_t id, uint32_t generation) noexcept
    cdef int enter(self, str what) except -1
    cdef int drop(self, int32_t row) except -1
    cdef void settle(self) noexcept
    cdef void set_masses(self, int32_t row) noexcept nogil
    cdef void moved(self, int32_t row) noexcept nogil
    cdef void wake(self, int32_t row) noexcept nogil
    cdef int check_idle(self, str what) except -1

# The box of a shape along the axes of the world, wherever its body is now.
cdef void bound_shape(const ShapeData* shape, const Place* place, Box* out) noexcept nogil

# Forget the user's forces, and the disturbance of what is not dynamic and does not move.
cdef void end_edits(BodyStore store) noexcept nogil
