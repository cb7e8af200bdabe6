# distutils: include_dirs = engine3d/solve enginecore
# distutils: depends = engine3d/solve/lanes.h engine3d/solve/lanes_pass.h enginecore/lane_backends.h
"""Passes over contacts that push bodies apart little by little."""

from libc.math cimport M_PI
from libc.stdint cimport int32_t

cdef extern from "lanes.h" nogil:
    ctypedef void (*LanePass)(Line*, Block*, int32_t, const Softness*, double, double, int,
                              int) noexcept
    ctypedef struct LaneBackend:
        const char* name
        LanePass run "pass"
    int list_lane_backends(LaneBackend* out) noexcept

cdef LaneBackend found[4]
cdef int n_found = list_lane_backends(found)
cdef LaneBackend lanes = found[0]    # the fastest


cdef Softness make_soft(double hertz, double damping_ratio, double h, double skin) noexcept nogil:
    """The implicit Euler step h (s) of a spring and damper of this frequency (1/s)."""
    cdef Softness out
    cdef double omega = 2.0 * M_PI * hertz
    cdef double a1 = 2.0 * damping_ratio + h * omega, a2 = h * omega * a1
    out.rate = omega / a1
    out.mass_scale = a2 / (1.0 + a2)
    out.impulse_scale = 1.0 / (1.0 + a2)
    out.skin = skin
    return out


cdef void run_pass(Line* lines, Block* blocks, int32_t n, const Softness* soft, double h,
                   double fastest, bint backwards, bint relax) noexcept nogil:
    lanes.run(lines, blocks, n, soft, h, fastest, backwards, relax)


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
