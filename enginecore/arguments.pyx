"""Reading Python arguments at the door: numbers, vectors and rows, with errors that name them.

What can be read is turned into doubles here; whether the values make sense is for the caller.
"""

import numpy as np

from libc.math cimport INFINITY


cdef double read_number(object value, str name) except? -1.0:
    try:
        return <double> value
    except TypeError:
        raise TypeError(f"{name} must be a number, got {value!r}") from None


cdef double read_mass(object value, str name) except? -1.0:
    return INFINITY if value is None else read_number(value, name)


cdef int read_numbers(object value, str name, Py_ssize_t count, double* out) except -1:
    cdef Py_ssize_t i = 0
    try:
        for item in value:
            if i == count:
                raise ValueError
            out[i] = <double> item
            i += 1
        if i != count:
            raise ValueError
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be {count} numbers, got {value!r}") from None
    return 0


cdef int read_columns(arrays, const double** out) except -1:
    cdef const double[::1] column
    cdef Py_ssize_t i = 0
    for array in arrays:
        column = array.reshape(-1)
        out[i] = &column[0]
        i += 1
    return 0


cdef int write_columns(arrays, double** out) except -1:
    cdef double[::1] column
    cdef Py_ssize_t i = 0
    for array in arrays:
        column = array.reshape(-1)
        out[i] = &column[0]
        i += 1
    return 0


def as_rows(name, value, tail=(), none=None):
    """The value as a float64 array of shape tail or (n, *tail), C-contiguous.

    Where `none` is given, it stands for each None in the value. ValueError if the shape does not
    fit, TypeError if something in it is not a number; both name the argument.
    """
    if none is not None:
        value = _replace_none(value, none)
    try:
        array = np.ascontiguousarray(value, dtype=np.float64)
        if np.ndim(value) == 0:
            array = array.reshape(())  # ascontiguousarray makes scalars one-dimensional
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be an array of numbers, got {value!r}") from None
    lead = array.ndim - len(tail)
    if lead not in (0, 1) or array.shape[lead:] != tuple(tail):
        wanted = " or ".join(str(shape) for shape in (tuple(tail), ("n", *tail)))
        raise ValueError(f"{name} must have shape {wanted}, got {array.shape}")
    return array


def stretch_rows(arrays, tails):
    """All arrays with one common leading length n, which each has or lacks; returns (n, arrays).

    `arrays` maps names to what as_rows returned, `tails` names to their tails.
    """
    lengths = {name: a.shape[0] for name, a in arrays.items() if a.ndim > len(tails[name])}
    n = next(iter(lengths.values()), 1)
    for name, length in lengths.items():
        if length != n:
            first = next(iter(lengths))
            raise ValueError(f"{name} has {length} rows, but {first} has {n}")
    stretched = {
        name: np.ascontiguousarray(np.broadcast_to(a, (n, *tails[name])))
        for name, a in arrays.items()
    }
    return n, stretched


def refuse(name, value, wanted, where=""):
    """Raise ValueError: what the argument must be, what was given, and where if it has rows.

    `wanted` maps names, or first letters of names, to what they must be.
    """
    must = wanted[name if name in wanted else name[0]]
    raise ValueError(f"{name} must be {must}, got {value!r}{where}")


def _replace_none(value, replacement):
    if value is None:
        return replacement
    if isinstance(value, (list, tuple)) and any(item is None for item in value):
        return [replacement if item is None else item for item in value]
    return value
