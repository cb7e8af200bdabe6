"""Reading points and boxes at the API boundary of a broad phase, with errors that name them."""

from libc.math cimport fabs

from enginecore.arguments import as_rows

from enginecore.memory cimport address

LARGEST = 1e100


cdef Py_ssize_t first_bad(const double* values, Py_ssize_t n) noexcept nogil:
    """The first number that is not finite or too large; n if there is none."""
    cdef Py_ssize_t k
    for k in range(n):
        if not fabs(values[k]) <= LARGEST:
            return k
    return n


cdef Py_ssize_t first_reversed(const double* lows, const double* highs,
                               Py_ssize_t n) noexcept nogil:
    """The first k with low > high; n if there is none."""
    cdef Py_ssize_t k
    for k in range(n):
        if lows[k] > highs[k]:
            return k
    return n


cdef void fill_box(Box* box, const double* low, const double* high, int axes) noexcept nogil:
    cdef int axis
    for axis in range(3):
        box.low[axis] = low[axis] if axis < axes else 0.0
        box.high[axis] = high[axis] if axis < axes else 0.0


cdef object read_points(str name, value, int axes, bint many):
    cdef Py_ssize_t bad
    array = as_rows(name, value, (axes,))
    if (array.ndim == 2) != many:
        wanted = f"(n, {axes})" if many else f"({axes},)"
        raise ValueError(f"{name} must have shape {wanted}, got {array.shape}")
    bad = first_bad(<const double*>address(array), array.size)
    if bad < array.size:
        raise ValueError(f"{name} must be within [-{LARGEST:g}, {LARGEST:g}], "
                         f"got {array.reshape(-1).item(bad)!r}{in_row(bad, axes, many)}")
    return array


cdef object read_boxes(str low_name, lows, str high_name, highs, int axes, bint many):
    cdef Py_ssize_t bad
    low = read_points(low_name, lows, axes, many)
    high = read_points(high_name, highs, axes, many)
    if low.shape != high.shape:
        raise ValueError(f"{high_name} must have as many rows as {low_name}, "
                         f"got {high.shape[0]} and {low.shape[0]}")
    bad = first_reversed(<const double*>address(low), <const double*>address(high), low.size)
    if bad < low.size:
        raise ValueError(f"{low_name} must not exceed {high_name}, "
                         f"got {low.reshape(-1).item(bad)!r} > {high.reshape(-1).item(bad)!r}"
                         f"{in_row(bad, axes, many)}")
    return low, high


cdef str in_row(Py_ssize_t k, int axes, bint many):
    return f" in row {k // axes}" if many else ""
