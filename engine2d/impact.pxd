"""Frictional impact of two bodies at one point, in closed form (docs/maths/impact2d.md)."""

from engine2d.vec2 cimport Vec2

# One of the two bodies. An immovable body has inv_m = inv_I = 0.
ctypedef struct ImpactBody:
    double inv_m  # 1/kg
    double inv_I  # 1/(kg m^2), about the centre of mass; 0: does not turn
    Vec2 r        # m, from the centre of mass to the contact
    Vec2 v        # m/s, of the centre of mass
    double w      # rad/s

ctypedef struct ImpactInput:
    double e   # restitution, 0 to 1: minus the work of decompression is e^2 that of compression
    double mu  # Coulomb friction, >= 0
    Vec2 f     # unit normal, from B into A
    ImpactBody a
    ImpactBody b

ctypedef struct ImpactOutput:
    Vec2 vA
    double wA
    Vec2 vB
    double wB
    Vec2 p     # N s, impulse on A (B gets -p), world axes
    double Wc  # J, work of the normal force in compression, <= 0
    double Wd  # J, in decompression, >= 0
    int path   # the branches taken: start + APPROACH approach + STICK stick + END end, see below

# Places of the branches in a path, and the branches in the order of the steps of the text; 0 in a
# place: that step was not passed.
cdef enum:
    APPROACH = 8
    STICK = 64
    END = 512
cdef enum PathStart:
    START_SEPARATING = 0  # already moving apart: nothing happens
    START_STICK = 1       # 3a: no slip
    START_RIGHT_CONVERGING = 2   # 3b: slips towards +t, and friction slows it down
    START_RIGHT_DIVERGING = 3    # 3b: friction cannot slow it down
    START_LEFT_CONVERGING = 4    # 3c: the same towards -t
    START_LEFT_DIVERGING = 5
cdef enum PathApproach:
    APPROACH_STICKS_COMPRESSING = 1    # 4b: slip ends before compression does
    APPROACH_STICKS_JAMMING = 2        # 4b with k_n <= 0: sliding only presses harder
    APPROACH_STICKS_DECOMPRESSING = 3  # 4c: slip ends in decompression
    APPROACH_SLIDES = 4                # 4d: slides to the end
cdef enum PathStick:
    STICK_STABLE = 1  # 6
    STICK_RIGHT = 2   # 7+: friction is too weak, slips off towards +t
    STICK_LEFT = 3    # 7-
cdef enum PathEnd:
    END_FROM_COMPRESSION = 1    # 8b
    END_FROM_DECOMPRESSION = 2  # 8c

# Which input is bad: 0 for none, otherwise the place in collide's signature, from 1.
cdef int find_fault(const ImpactInput* given) noexcept nogil

# The impact itself; the input must have no fault. f is normalised here.
cdef void strike(const ImpactInput* given, ImpactOutput* out) noexcept nogil

# The same for bodies that yield as K (4 numbers, row by row, 1/kg: change of the velocity of A
# against B at the contact per impulse, world axes) says, because joints hold them. u (m/s) is that
# velocity, f a unit normal. Writes p, Wc, Wd and path of `out` only.
cdef void strike_held(double e, double mu, Vec2 f, const double* K, Vec2 u,
                      ImpactOutput* out) noexcept nogil
