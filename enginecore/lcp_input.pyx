"""What users may hand to the LCP solvers: what is refused is named, with its value.

A TypeError for what is no real number or no array of them, a ValueError for the rest.
"""

import numpy as np

from enginecore.arguments import as_rows

from libc.math cimport INFINITY, fabs, sqrt

from enginecore.arguments cimport read_number
from enginecore.lcp cimport LcpMethod, LcpOptions

cdef double DEFAULT_TOL = 1e-10
cdef double SYMMETRY = 1e-10    # |A_ij - A_ji| allowed, over sqrt(A_ii A_jj)

cdef enum:
    MOST = (1 << 30) - 1        # iterations

METHODS = ("auto", "lemke", "dantzig", "minmap", "pgs")


cdef LcpMethod method_number(method) except *:
    if not isinstance(method, str) or method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, got {method!r}")
    return <LcpMethod><int>METHODS.index(method)


cdef int read_options(LcpOptions* options, tol, max_iterations, relaxation, bint warm) except -1:
    options.tol = DEFAULT_TOL if tol is None else read_number(tol, "tol")
    if not 0.0 < options.tol < INFINITY:
        raise ValueError(f"tol must be finite and > 0, got {tol!r}")
    options.max_iterations = 0
    if max_iterations is not None:
        options.max_iterations = whole_number("max_iterations", max_iterations)
    options.relaxation = read_number(relaxation, "relaxation")
    if not 0.0 < options.relaxation < 2.0:
        raise ValueError(f"relaxation must be between 0 and 2, got {relaxation!r}")
    options.warm = warm
    return 0


cdef int whole_number(str name, value) except -1:
    """A number from 1 to MOST, given as an integer or as a real number without a fraction."""
    cdef double number = read_number(value, name)
    if not 1.0 <= number <= MOST or number != <int>number:
        raise ValueError(f"{name} must be a whole number from 1 to {MOST}, got {value!r}")
    return <int>number


cdef real_array(str name, value):
    """The value as a contiguous float64 array of its own shape."""
    if type(value) is np.ndarray and value.dtype == np.float64:
        return np.asarray(value, order="C")
    try:
        shape = np.shape(value)
    except ValueError:                  # ragged: as_rows says so
        shape = ()
    return as_rows(name, value, shape)


cdef const double[:, ::1] square_matrix(str name, value) except *:
    """A square matrix of finite numbers."""
    cdef const double[:, ::1] view
    array = real_array(name, value)
    if array.shape == (0,):             # what [] becomes
        array = array.reshape(0, 0)
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise ValueError(f"{name} must be a square matrix, got the shape {array.shape}")
    view = array
    if view.shape[0]:
        require_finite(name, &view[0, 0], array.size, view.shape[0])
    return view


cdef const double[::1] row_vector(str name, value, Py_ssize_t n) except *:
    """n numbers, which need not be finite."""
    array = real_array(name, value)
    if array.ndim != 1 or array.shape[0] != n:
        raise ValueError(f"{name} must have the shape ({n},), got {array.shape}")
    return array


cdef const double[::1] finite_vector(str name, value, Py_ssize_t n) except *:
    """n finite numbers."""
    cdef const double[::1] array = row_vector(name, value, n)
    if n:
        require_finite(name, &array[0], n, 0)
    return array


cdef const double[::1] bound_vector(str name, value, double default, Py_ssize_t n) except *:
    """A bound for each row from None, one number or n of them."""
    if value is None:
        return np.full(n, default)
    array = real_array(name, value)
    return np.full(n, array) if array.ndim == 0 else row_vector(name, array, n)


cdef bint all_finite(const double* values, Py_ssize_t count) noexcept nogil:
    """Whether no value is NaN or infinite: either makes zero times it NaN, and the sum too."""
    cdef double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0
    cdef Py_ssize_t i, whole = count & ~<Py_ssize_t>3
    for i in range(0, whole, 4):
        s0 += 0.0 * values[i]
        s1 += 0.0 * values[i + 1]
        s2 += 0.0 * values[i + 2]
        s3 += 0.0 * values[i + 3]
    for i in range(whole, count):
        s0 += 0.0 * values[i]
    return s0 + s1 + s2 + s3 == 0.0


cdef int require_finite(str name, const double* values, Py_ssize_t count, Py_ssize_t n) except -1:
    """Refuse NaN and infinities; n > 0: the values are a matrix with rows of n."""
    cdef Py_ssize_t i
    if all_finite(values, count):
        return 0
    i = 0
    while fabs(values[i]) < INFINITY:
        i += 1
    where = f"[{i // n}, {i % n}]" if n else f"[{i}]"
    raise ValueError(f"{name} must be finite, got {name}{where} = {values[i]!r}")


cdef int require_order(const double[::1] lo, const double[::1] hi) except -1:
    cdef Py_ssize_t i
    for i in range(lo.shape[0]):
        if lo[i] != lo[i] or lo[i] == INFINITY:
            raise ValueError(f"lo must be a number below infinity, got lo[{i}] = {lo[i]!r}")
        if hi[i] != hi[i] or hi[i] == -INFINITY:
            raise ValueError(f"hi must be a number above -infinity, got hi[{i}] = {hi[i]!r}")
        if lo[i] > hi[i]:
            raise ValueError(f"lo must be <= hi, got lo[{i}] = {lo[i]!r} > hi[{i}] = {hi[i]!r}")
    return 0


cdef whole_numbers(str name, value, tuple shape, str wanted):
    """An array of this shape that holds integers."""
    array = None
    if not isinstance(value, np.ma.MaskedArray):
        try:
            array = np.asarray(value)
        except ValueError:              # ragged
            pass
    if array is None or array.shape != shape or (array.size and array.dtype.kind not in "iu"):
        raise ValueError(f"{name} must {wanted}, got {value!r}")
    return array


cdef friction_rows(friction, Py_ssize_t n, lo):
    """The two arrays of `friction`, checked."""
    try:
        normal, mu = friction
    except (TypeError, ValueError):
        raise ValueError(f"friction must be (normal, mu), got {friction!r}") from None
    normal = whole_numbers("friction: normal", normal, (n,), f"be {n} row numbers or -1")
    mu = real_array("friction: mu", mu)
    if mu.shape not in ((), (n,)):
        raise ValueError(f"friction: mu must be one number or {n}, got {mu!r}")
    mu = np.ascontiguousarray(np.broadcast_to(mu, (n,)))
    lows = np.asarray(bound_vector("lo", lo, 0.0, n))
    for i in np.flatnonzero(normal != -1):
        j = normal[i]
        if not 0 <= j < n or j == i or normal[j] != -1:
            raise ValueError(f"friction: normal[{i}] must be a row that is not friction, got {j}")
        if not 0.0 <= mu[i] < INFINITY:
            raise ValueError(f"friction: mu must be finite and >= 0, got mu[{i}] = {mu[i]}")
        if not lows[j] >= 0.0:
            raise ValueError(f"friction: lo of the normal row {j} must be >= 0, got {lows[j]}")
    return np.ascontiguousarray(normal, np.intc), mu


cdef bint is_symmetric(const double* A, Py_ssize_t n, bint required) except -1:
    """Whether A is symmetric with no negative diagonal; raise if `required` and not symmetric."""
    cdef Py_ssize_t i, j
    cdef double gap
    cdef bint positive = True
    for i in range(n):
        positive = positive and A[i * n + i] >= 0.0
        for j in range(i):
            gap = A[i * n + j] - A[j * n + i]
            # two roots, since the products would leave the range of doubles
            if gap != 0.0 and not fabs(gap) <= SYMMETRY * (
                    sqrt(fabs(A[i * n + i])) * sqrt(fabs(A[j * n + j]))):
                if required:
                    raise ValueError(
                        f"A must be symmetric for dantzig, got A[{i}, {j}] = {A[i * n + j]!r} and "
                        f"A[{j}, {i}] = {A[j * n + i]!r}")
                return False
    return positive


cdef block_masses(J, bodies, inverse_mass):
    """Body numbers as C integers, and M^-1 J' block by block."""
    n, width = J.shape[0], J.shape[2]
    bodies = whole_numbers("bodies", bodies, (n, 2), f"have the shape ({n}, 2) and whole numbers")
    masses = real_array("inverse_mass", inverse_mass)
    if masses.shape[1:] not in ((width,), (width, width)):
        raise ValueError(f"inverse_mass must have {width} numbers or a {width} x {width} matrix "
                         f"for each body, got the shape {masses.shape}")
    wrong = (bodies < -1) | (bodies >= len(masses))
    wrong = np.flatnonzero(wrong.any(axis=1) | (bodies[:, 0] == bodies[:, 1]))
    if len(wrong):
        raise ValueError(f"bodies must name two different bodies, or -1 for the world; "
                         f"got bodies[{wrong[0]}] = {tuple(bodies[wrong[0]].tolist())}")
    if not np.all(np.isfinite(masses)):
        raise ValueError("inverse_mass must be finite, got one that is not")
    diagonal = masses if masses.ndim == 2 else np.diagonal(masses, axis1=1, axis2=2)
    if diagonal.size and diagonal.min() < 0.0:
        raise ValueError(f"inverse_mass must be >= 0, got {float(diagonal.min())!r}")
    if masses.ndim == 2:
        MJ = masses[bodies] * J if len(masses) else np.zeros_like(J)
    else:
        MJ = np.einsum("rbij,rbj->rbi", masses[bodies], J)
    return np.ascontiguousarray(bodies, np.intc), np.ascontiguousarray(MJ)
