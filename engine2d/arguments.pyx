"""Reading points of the plane at the API boundary; enginecore.arguments reads numbers."""

from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_CheckExact
from libc.math cimport fabs, isfinite

from enginecore.arguments cimport read_numbers


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
