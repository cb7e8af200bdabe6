"""An explicit Runge-Kutta step of order 8 with an error estimate, for kernels."""

# Fill dy/dt (n values) at (t, y). `context` is the caller's.
ctypedef void (*Derivative)(double t, const double* y, double* dy, void* context) noexcept nogil

cdef enum:
    STAGES = 12  # evaluations of a step, the first of which is dy at its start

# One step of length h from (t, y): writes the new y to y1 (n values) and the stages to k.
# k is scratch of STAGES * n doubles; its first n must hold dy/dt at (t, y) on entry.
cdef void take_step(Derivative f, void* context, Py_ssize_t n, double t, const double* y,
                    double h, double* k, double* y1) noexcept nogil

# The local error of the step just taken (stages in k), in units of the weights (n values > 0):
# at most 1 means that the step meets the tolerance the weights stand for.
cdef double estimate_error(Py_ssize_t n, double h, const double* k,
                           const double* weights) noexcept nogil

# The factor by which to change h after a step with this error, so that the next one just passes.
cdef double next_step_factor(double error) noexcept nogil
