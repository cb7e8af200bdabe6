"""Pins and nothing else: bridges, chains and nets in the order in which they are eliminated.

What `link.pxd` does for joints of every kind, for islands that plain pins hold and factors solve:
all there is to know of a pin is side by side, and its rows are never written out. The terms are
those of docs/maths/joints.md.
"""

from libc.stdint cimport int32_t

from engine2d.body cimport Motion
from enginecore.assembly_store cimport Assembly
from engine2d.joint.joint cimport JointData
from engine2d.joint.link cimport Rider
from engine2d.solve.books cimport Books
from engine2d.vec2 cimport Vec2

# A pin within a sub-step. y = (v + w x d) of b less that of a, plus the bias.
ctypedef struct Hinge:
    JointData* joint
    int32_t a            # riders
    int32_t b
    Vec2 local_a         # m, arms in the frames of the bodies
    Vec2 local_b
    Vec2 da              # m, arms in the world: at mid-step, or where bodies are
    Vec2 db
    Vec2 bias            # m/s; or m, where the anchors are apart
    Vec2 p               # N s, on b

# Put a joint into its place of the elimination, the n-th of the assembly; hinges are those of the
# assembly. Riders are at the start of the step. Returns its longer arm (m).
cdef double put_hinge(JointData* joint, const Assembly* a, int32_t n, int32_t rider_a,
                      int32_t rider_b, const Rider* riders, Hinge* hinges) noexcept nogil

# link.predict, of what hinges ask for: half turns, and frames at mid-step.
cdef void predict_turns(Rider* riders, int32_t n, double h) noexcept nogil

# link.prepare_links: arms and bias at the middle of h seconds, impulses of last time's forces.
cdef void prepare_hinges(Hinge* hinges, int32_t n, const Rider* riders,
                         double h) noexcept nogil

# link.stiffen.
cdef double stiffen_hinges(const Hinge* hinges, int32_t n, Rider* riders, int32_t n_riders,
                           double h, Motion* motions) noexcept nogil

# Apply the impulses that there are.
cdef void start_hinges(const Hinge* hinges, int32_t n, Motion* motions) noexcept nogil

# assemblies.solve_assembly, of the hinges of one assembly.
cdef double solve_hinges(Assembly* a, Hinge* hinges, Motion* motions,
                         double enough) noexcept nogil

# Let the pins of an assembly answer motions `probe` that impulses gave; its masses are those of
# `motions`, with which the pins are factored if they are not.
cdef void spread_hinges(Assembly* a, const Hinge* hinges, const Motion* motions,
                        Motion* probe) noexcept nogil

# link.take_links.
cdef double take_hinges(const Hinge* hinges, int32_t n, const Rider* riders, const Motion* motions,
                        double h, Books* books) noexcept nogil

# link.position_rows.
cdef double place_hinges(Hinge* hinges, int32_t n, const Rider* riders) noexcept nogil
