"""Runge-Kutta steps of order 8 with an embedded error estimate.

The method is the one of Dormand and Prince with error estimators of orders 5 and 3, known as
DOP853 (Hairer, Norsett, Wanner: Solving Ordinary Differential Equations I, section II.5), whose
coefficients these are. No interpolant: to land on an event, take a shorter step again.
"""

import numpy as np

from libc.math cimport fabs, isfinite, pow, sqrt

from enginecore.arguments cimport read_number
from enginecore.scalar cimport greater, lesser

from enginecore.arguments import finite_rows
from enginecore.status import SolverError, Status

cdef extern from *:
    """
    static const double DOP_C[12] = {
        0.0, 0.05260015195876773, 0.0789002279381516, 0.1183503419072274,
        0.2816496580927726, 0.3333333333333333, 0.25, 0.3076923076923077,
        0.6512820512820513, 0.6, 0.8571428571428571, 1.0,
    };
    static const double DOP_A[12][11] = {
        {0},
        {0.05260015195876773},
        {0.0197250569845379, 0.0591751709536137},
        {0.02958758547680685, 0, 0.08876275643042054},
        {0.2413651341592667, 0, -0.8845494793282861, 0.924834003261792},
        {0.037037037037037035, 0, 0, 0.17082860872947386, 0.12546768756682242},
        {0.037109375, 0, 0, 0.17025221101954405, 0.06021653898045596, -0.017578125},
        {0.03709200011850479, 0, 0, 0.17038392571223998, 0.10726203044637328,
         -0.015319437748624402, 0.008273789163814023},
        {0.6241109587160757, 0, 0, -3.3608926294469414, -0.868219346841726, 27.59209969944671,
         20.154067550477894, -43.48988418106996},
        {0.47766253643826434, 0, 0, -2.4881146199716677, -0.590290826836843, 21.230051448181193,
         15.279233632882423, -33.28821096898486, -0.020331201708508627},
        {-0.9371424300859873, 0, 0, 5.186372428844064, 1.0914373489967295, -8.149787010746927,
         -18.52006565999696, 22.739487099350505, 2.4936055526796523, -3.0467644718982196},
        {2.273310147516538, 0, 0, -10.53449546673725, -2.0008720582248625, -17.9589318631188,
         27.94888452941996, -2.8589982771350235, -8.87285693353063, 12.360567175794303,
         0.6433927460157636},
    };
    static const double DOP_B[12] = {
        0.054293734116568765, 0, 0, 0,
        0, 4.450312892752409, 1.8915178993145003, -5.801203960010585,
        0.3111643669578199, -0.1521609496625161, 0.20136540080403034, 0.04471061572777259,
    };
    static const double DOP_E3[12] = {
        -0.18980075407240762, 0, 0, 0,
        0, 4.450312892752409, 1.8915178993145003, -5.801203960010585,
        -0.4226823213237919, -0.1521609496625161, 0.20136540080403034, 0.02265179219836082,
    };
    static const double DOP_E5[12] = {
        0.01312004499419488, 0, 0, 0,
        0, -1.2251564463762044, -0.4957589496572502, 1.6643771824549864,
        -0.35032884874997366, 0.3341791187130175, 0.08192320648511571, -0.022355307863886294,
    };
    """
    const double DOP_C[12]
    const double DOP_A[12][11]
    const double DOP_B[12]
    const double DOP_E3[12]
    const double DOP_E5[12]

# Step-size control: aim a little below the tolerance, change by no more than these factors.
cdef double SAFETY = 0.9
cdef double LEAST_FACTOR = 0.2
cdef double MOST_FACTOR = 6.0


cdef void take_step(Derivative f, void* context, Py_ssize_t n, double t, const double* y,
                    double h, double* k, double* y1) noexcept nogil:
    """One step of length h; see ode.pxd."""
    cdef Py_ssize_t stage
    for stage in range(1, STAGES):
        combine(n, stage, DOP_A[stage], h, y, k, y1)
        f(t + DOP_C[stage] * h, y1, k + stage * n, context)
    combine(n, STAGES, DOP_B, h, y, k, y1)


cdef inline void combine(Py_ssize_t n, Py_ssize_t stages, const double* weights, double h,
                         const double* y, const double* k, double* out) noexcept nogil:
    """out = y + h sum_s weights[s] k[s]."""
    cdef Py_ssize_t i, stage
    cdef double a
    for i in range(n):
        out[i] = weights[0] * k[i]
    for stage in range(1, stages):
        a = weights[stage]
        if a != 0.0:
            for i in range(n):
                out[i] += a * k[stage * n + i]
    for i in range(n):
        out[i] = y[i] + h * out[i]


cdef double estimate_error(Py_ssize_t n, double h, const double* k,
                           const double* weights) noexcept nogil:
    """The local error over the weights; see ode.pxd."""
    cdef Py_ssize_t i, stage
    cdef double e3, e5, sum3 = 0.0, sum5 = 0.0
    for i in range(n):
        e3 = e5 = 0.0
        for stage in range(STAGES):
            e3 += DOP_E3[stage] * k[stage * n + i]
            e5 += DOP_E5[stage] * k[stage * n + i]
        e3 /= weights[i]
        e5 /= weights[i]
        sum3 += e3 * e3
        sum5 += e5 * e5
    if sum5 == 0.0:
        return 0.0
    # The fifth-order estimate, damped by the third-order one so that it behaves like h^8.
    return fabs(h) * sum5 / sqrt((sum5 + 0.01 * sum3) * n)


cdef double next_step_factor(double error) noexcept nogil:
    """The change of h after a step with this error; see ode.pxd."""
    if not isfinite(error):
        return LEAST_FACTOR
    if error == 0.0:
        return MOST_FACTOR
    return lesser(MOST_FACTOR, greater(LEAST_FACTOR, SAFETY * pow(error, -0.125)))


# ------------------------------------------------------------------------------- the Python face

# What the kernel's callback needs of the Python one: f, its first error, the number of unknowns.
cdef class _Callback:
    cdef object f, error
    cdef Py_ssize_t n

    def __init__(self, f, n):
        self.f, self.error, self.n = f, None, n

    cdef int call(self, double t, const double* y, double* dy) except -1:
        cdef Py_ssize_t i
        state = np.array([y[i] for i in range(self.n)])
        slope = finite_rows("f(t, y)", self.f(t, state), (), self.n)
        for i in range(self.n):
            dy[i] = slope[i]
        return 0


cdef void call_python(double t, const double* y, double* dy, void* context) noexcept with gil:
    """Call f; after its first error it is not called again, and the slopes are 0."""
    cdef _Callback callback = <_Callback> context
    cdef Py_ssize_t i
    if callback.error is None:
        try:
            callback.call(t, y, dy)
            return
        except BaseException as error:  # also Ctrl-C: it is raised again once the step is over
            callback.error = error
    for i in range(callback.n):
        dy[i] = 0.0


def integrate(f, y0, t0, t1, tol=1e-10, max_steps=100_000):
    """Integrate dy/dt = f(t, y) from t0 to t1; returns (y at t1, number of evaluations of f).

    The error of each step is kept below tol (1 + |y|) in each component. This is the stepper of
    the engine's own kernels, for checking and for teaching. Raises SolverError after max_steps,
    and what f raises.
    """
    cdef double start_time = read_number(t0, "t0"), end = read_number(t1, "t1")
    cdef double tolerance = read_number(tol, "tol"), t, h, error
    if not 1e-15 <= tolerance <= 0.1:
        raise ValueError(f"tol must be from 1e-15 to 0.1, got {tol!r}")
    if not isfinite(end - start_time):
        raise ValueError(f"t0 and t1 must be finite, got {t0!r} and {t1!r}")
    if isinstance(max_steps, bool) or not isinstance(max_steps, int) or max_steps < 1:
        raise ValueError(f"max_steps must be an integer >= 1, got {max_steps!r}")
    start = finite_rows("y0", y0)
    cdef Py_ssize_t n = start.shape[0], i, evaluations = 1
    if n == 0:
        return start.copy(), 0
    cdef double[::1] y = start.copy(), y1 = np.empty(n), weights = np.empty(n)
    cdef double[::1] k = np.empty(STAGES * n)
    cdef _Callback callback = _Callback(f, n)
    t = start_time
    h = (end - t) / 16.0
    call_python(t, &y[0], &k[0], <void*> callback)
    for _ in range(max_steps):
        if callback.error is not None:
            raise callback.error
        if t == end:
            return np.asarray(y), evaluations
        if fabs(h) > fabs(end - t):
            h = end - t
        take_step(call_python, <void*> callback, n, t, &y[0], h, &k[0], &y1[0])
        evaluations += STAGES - 1
        for i in range(n):
            weights[i] = tolerance * (1.0 + greater(fabs(y[i]), fabs(y1[i])))
        error = estimate_error(n, h, &k[0], &weights[0])
        if error <= 1.0 and callback.error is None:
            t = end if h == end - t else t + h
            y[:] = y1
            call_python(t, &y[0], &k[0], <void*> callback)
            evaluations += 1
        h *= next_step_factor(error)
    raise SolverError(f"no end after {max_steps} steps at t = {t!r}", Status.MAX_ITERATIONS)
