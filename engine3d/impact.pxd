"""Frictional impact of two bodies at one point in space (docs/maths/impact3d.md)."""

from enginecore.status cimport StatusCode
from engine3d.impact_contact cimport ImpactEnd, Trace
from engine3d.vec3 cimport Mat3, Vec3

# One of the two bodies. An immovable body has inv_m = 0 and inv_I = 0.
ctypedef struct ImpactBody:
    double inv_m  # 1/kg
    Mat3 inv_I    # 1/(kg m^2), about the centre of mass, world axes; 0: does not turn
    Vec3 r        # m, from the centre of mass to the contact
    Vec3 v        # m/s, of the centre of mass
    Vec3 w        # rad/s

ctypedef struct ImpactInput:
    double e   # restitution, 0 to 1: minus the work of decompression is e^2 that of compression
    double mu  # Coulomb friction, >= 0
    Vec3 f     # unit normal, from B into A
    ImpactBody a
    ImpactBody b

cdef enum ImpactMethod:
    ADAPTIVE
    EULER

ctypedef struct ImpactOptions:
    ImpactMethod method
    double tol   # adaptive: relative error aimed at
    double step  # euler: N s of normal impulse in a step; 0: a thousandth of a simple impact's

ctypedef struct ImpactOutput:
    Vec3 vA
    Vec3 wA
    Vec3 vB
    Vec3 wB
    Vec3 p     # N s, impulse on A (B gets -p), world axes
    double Wc  # J, work of the normal force in compression, <= 0
    double Wd  # J, in decompression, >= 0
    ImpactEnd path
    Py_ssize_t evaluations  # of the right-hand side
    double unit_impulse  # N s, unit of the impulses in the trace
    double unit_speed    # m/s, unit of the speeds in the trace

# Which input is bad: 0 for none, otherwise the place in collide's signature, from 1.
cdef int find_fault(const ImpactInput* given) noexcept nogil

# The impact itself; the input must have no fault. f is normalised here. trace may be NULL.
cdef StatusCode strike(const ImpactInput* given, const ImpactOptions* options, Trace* trace,
                       ImpactOutput* out) noexcept nogil
