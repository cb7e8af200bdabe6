# distutils: include_dirs = engine2d/solve enginecore
# distutils: depends = engine2d/solve/lanes.h engine2d/solve/lanes_pass.h enginecore/lane_backends.h
"""Passes over contacts that push bodies apart little by little."""

from libc.math cimport INFINITY, M_PI
from libc.stdint cimport int32_t

from engine2d.body cimport Motion

cdef extern from "lanes.h" nogil:
    ctypedef struct LaneLine:
        pass
    ctypedef struct LaneDrive:
        pass
    ctypedef struct LaneMass:
        pass
    ctypedef void (*LaneSoftPass)(LaneLine*, Block*, int32_t, const Softness*, double, double,
                                  int) noexcept
    ctypedef void (*LaneRelaxPass)(LaneLine*, Block*, int32_t, double) noexcept
    ctypedef void (*LaneDriveLines)(LaneLine*, LaneDrive*, const LaneMass*, int32_t, double,
                                    double) noexcept
    ctypedef void (*LaneMoveLines)(LaneLine*, const LaneDrive*, int32_t, double) noexcept
    ctypedef double (*LaneSumGain)(const LaneLine*, const LaneDrive*, const LaneMass*, int32_t,
                                   double*, double*, double*) noexcept
    ctypedef void (*LaneScaleLines)(LaneLine*, LaneDrive*, const LaneMass*, int32_t,
                                    double) noexcept
    ctypedef struct LaneBackend:
        const char* name
        LaneSoftPass soft
        LaneRelaxPass relax
        LaneDriveLines drive
        LaneMoveLines move
        LaneSumGain gain
        LaneScaleLines scale
    int list_lane_backends(LaneBackend* out) noexcept

cdef LaneBackend found[4]
cdef int n_found = list_lane_backends(found)
cdef LaneBackend lanes = found[0]    # the fastest


cdef Softness make_soft(double hertz, double damping_ratio, double h) noexcept nogil:
    """The implicit Euler step h (s) of a spring and damper of this frequency (1/s)."""
    cdef Softness out
    cdef double omega = 2.0 * M_PI * hertz
    cdef double a1 = 2.0 * damping_ratio + h * omega, a2 = h * omega * a1
    out.rate = omega / a1
    out.mass_scale = a2 / (1.0 + a2)
    out.deep = INFINITY
    return out


cdef void pass_soft(Motion* lines, Block* blocks, int32_t n, const Softness* soft, double h,
                    double fastest, bint backwards) noexcept nogil:
    lanes.soft(<LaneLine*>lines, blocks, n, soft, h, fastest, backwards)


cdef void pass_rigid(Motion* lines, Block* blocks, int32_t n, double h) noexcept nogil:
    lanes.relax(<LaneLine*>lines, blocks, n, h)


cdef void drive_lines(Motion* lines, Drive* drives, const LineMass* masses, int32_t n, double h,
                      double share) noexcept nogil:
    lanes.drive(<LaneLine*>lines, <LaneDrive*>drives, <const LaneMass*>masses, n, h, share)


cdef void move_lines(Motion* lines, const Drive* drives, int32_t n, double h) noexcept nogil:
    lanes.move(<LaneLine*>lines, <const LaneDrive*>drives, n, h)


cdef double sum_gain(const Motion* lines, const Drive* drives, const LineMass* masses, int32_t n,
                     double* forced, double* kinetic, double* along) noexcept nogil:
    return lanes.gain(<const LaneLine*>lines, <const LaneDrive*>drives, <const LaneMass*>masses, n,
                      forced, kinetic, along)


cdef void scale_lines(Motion* lines, Drive* drives, const LineMass* masses, int32_t n,
                      double share) noexcept nogil:
    lanes.scale(<LaneLine*>lines, <LaneDrive*>drives, <const LaneMass*>masses, n, share)


# ---- Python face, for tests ----------------------------------------------------------------------


def lane_names():
    """The backends this machine can use, the fastest first. All give the same bits."""
    return [found[k].name.decode() for k in range(n_found)]


def use_lanes(name):
    """Let all worlds use one of these backends from now on."""
    global lanes
    if name not in lane_names():
        raise ValueError(f"name must be one of {', '.join(lane_names())}, got {name!r}")
    lanes = found[lane_names().index(name)]
