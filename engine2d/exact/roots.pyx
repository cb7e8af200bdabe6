"""Roots of a function of time on an interval: prediction by secants, bisection as the safe way."""

from libc.stdint cimport int64_t

cdef enum:
    MOST_SECANTS = 60
    MOST_HALVINGS = 200
# Secants that do not halve the interval so many times in a row give way to a halving.
cdef int PATIENCE = 3


cdef double find_root(Function f, void* context, double low, double f_low, double high,
                      double f_high, double level, double width,
                      int64_t* bisections) noexcept nogil:
    """Where f falls to a level; see roots.pxd."""
    cdef double a = low, b = high, fa = f_low - level, fb = f_high - level, x, fx, size
    cdef int _k, slow = 0, side = 0
    for _k in range(MOST_SECANTS):
        size = b - a
        if size <= width or fb == 0.0:
            return b
        x = b - fb * (b - a) / (fb - fa) if slow < PATIENCE else 0.5 * (a + b)
        if not a < x < b:
            x = 0.5 * (a + b)
        if slow >= PATIENCE:
            bisections[0] += 1
        if not a < x < b:
            return b
        fx = f(x, context) - level
        if fx > 0.0:
            a, fa = x, fx
            if side == 1:
                fb *= 0.5
            side = 1
        else:
            b, fb = x, fx
            if side == -1:
                fa *= 0.5
            side = -1
        slow = slow + 1 if b - a > 0.5 * size else 0
    return bisect(f, context, a, b, level, width, bisections)


cdef double bisect(Function f, void* context, double low, double high, double level, double width,
                   int64_t* bisections) noexcept nogil:
    """Where f falls to a level, by halving; see roots.pxd."""
    cdef double x
    cdef int _k
    for _k in range(MOST_HALVINGS):
        x = 0.5 * (low + high)
        if high - low <= width or not low < x < high:
            break
        bisections[0] += 1
        if f(x, context) > level:
            low = x
        else:
            high = x
    return high


# ------------------------------------------------------------------------- what tests see of it

cdef double call(double x, void* context) noexcept with gil:
    return (<object> context)(x)


def root_of(f, low, high, level=0.0, width=0.0, halving=False):
    """Where a Python function falls to a level between low and high: (x, halvings made)."""
    cdef int64_t count = 0
    cdef double a = low, b = high
    if halving:
        return bisect(call, <void*> f, a, b, level, width, &count), count
    return find_root(call, <void*> f, a, f(a), b, f(b), level, width, &count), count
