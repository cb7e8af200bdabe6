"""Reading arguments of the plane at the API boundary: points, poses, numbers within bounds."""

from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_CheckExact
from libc.math cimport INFINITY, fabs, isfinite

from enginecore.arguments cimport read_number, read_numbers

FARTHEST = 1e12
FASTEST = 1e9
LIGHTEST = 1e-100
HEAVIEST = 1e100


cdef inline double read_quickly(object value, str name) except? -1.0:
    """As read_number; most numbers are floats."""
    return PyFloat_AS_DOUBLE(value) if PyFloat_CheckExact(value) else read_number(value, name)


cdef Vec2 read_vector(object value, str name) except *:
    """Two finite numbers."""
    cdef Vec2 out
    if isinstance(value, tuple) and len(<tuple> value) == 2:    # what nearly everybody passes
        first, second = <tuple> value
        if PyFloat_CheckExact(first) and PyFloat_CheckExact(second):
            out.x, out.y = PyFloat_AS_DOUBLE(first), PyFloat_AS_DOUBLE(second)
        else:
            read_numbers(value, name, 2, &out.x)
    else:
        read_numbers(value, name, 2, &out.x)
    if not (isfinite(out.x) and isfinite(out.y)):
        raise ValueError(f"{name} must be two finite numbers, got {value!r}")
    return out


cdef Vec2 read_place(object value, str name) except *:
    """A point that is not out of all bounds."""
    cdef Vec2 out = read_vector(value, name)
    if fabs(out.x) > FARTHEST or fabs(out.y) > FARTHEST:
        raise ValueError(f"{name} must be within {FARTHEST:g} m of the origin, got {value!r}")
    return out


cdef Vec2 read_velocity(object value, str name) except *:
    """Two numbers that can be speeds."""
    cdef Vec2 out = read_vector(value, name)
    if fabs(out.x) > FASTEST or fabs(out.y) > FASTEST:
        raise ValueError(f"{name} must be within +-{FASTEST:g} along each axis, got {value!r}")
    return out


cdef double read_angle(object value, str name) except? -1.0:
    """An angle that still has digits for a small turn."""
    return read_within(value, name, FARTHEST)


cdef double read_rate(object value, str name) except? -1.0:
    """A number that can be a rate of turning."""
    return read_within(value, name, FASTEST)


cdef double read_within(object value, str name, double most) except? -1.0:
    cdef double number = read_number(value, name)
    if not fabs(number) <= most:
        raise ValueError(f"{name} must be finite and within +-{most:g}, got {value!r}")
    return number


cdef double read_finite(object value, str name) except? -1.0:
    cdef double number = read_quickly(value, name)
    if not isfinite(number):
        raise ValueError(f"{name} must be finite, got {value!r}")
    return number


cdef double read_at_least_zero(object value, str name) except? -1.0:
    cdef double number = read_quickly(value, name)
    if not 0.0 <= number < INFINITY:
        raise ValueError(f"{name} must be finite and >= 0, got {value!r}")
    return number


cdef double read_positive(object value, str name) except? -1.0:
    cdef double number = read_quickly(value, name)
    if not 0.0 < number < INFINITY:
        raise ValueError(f"{name} must be finite and > 0, got {value!r}")
    return number


cdef double read_inert(object value, str name) except? -1.0:
    """A mass or an inertia."""
    cdef double number = read_number(value, name)
    if not LIGHTEST <= number <= HEAVIEST:
        raise ValueError(f"{name} must be > 0 and within {LIGHTEST:g} to {HEAVIEST:g}, "
                         f"got {value!r}")
    return number
