"""Reading arguments of the plane at the door: points, poses, numbers within bounds."""

from libc.math cimport INFINITY, fabs, isfinite

from enginecore.arguments cimport read_number, read_numbers

FARTHEST = 1e12


cdef Vec2 read_vector(object value, str name) except *:
    """Two finite numbers."""
    cdef Vec2 out
    if type(value) is tuple and len(<tuple> value) == 2:    # what nearly everybody passes
        out.x = read_number((<tuple> value)[0], name)
        out.y = read_number((<tuple> value)[1], name)
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


cdef double read_finite(object value, str name) except? -1.0:
    cdef double number = read_number(value, name)
    if not isfinite(number):
        raise ValueError(f"{name} must be finite, got {value!r}")
    return number


cdef double read_at_least_zero(object value, str name) except? -1.0:
    cdef double number = read_number(value, name)
    if not 0.0 <= number < INFINITY:
        raise ValueError(f"{name} must be finite and >= 0, got {value!r}")
    return number


cdef double read_positive(object value, str name) except? -1.0:
    cdef double number = read_number(value, name)
    if not 0.0 < number < INFINITY:
        raise ValueError(f"{name} must be finite and > 0, got {value!r}")
    return number
