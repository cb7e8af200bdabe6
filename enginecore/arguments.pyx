"""Reading Python arguments at the API boundary: numbers, vectors, rows; errors name them.

What can be read is turned into doubles here; whether the values make sense is for the caller.
"""

import operator

import numpy as np

from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_CheckExact
from libc.math cimport INFINITY, fabs, isfinite

FARTHEST = 1e12
FASTEST = 1e9
LIGHTEST = 1e-100
HEAVIEST = 1e100

# What can be iterated over but is no vector.
cdef tuple UNORDERED = (str, bytes, bytearray, memoryview, dict, set, frozenset)

# Of what is done several times in one call.
cdef int64_t MOST_COUNT = 1000000000

# Tags are names, not data.
cdef enum:
    LONGEST_TAG = 100         # characters
    GREATEST_TAG = 0x7FFFFFFF


cdef bint is_complex(object value) except -1:
    # numpy makes a float of its complex numbers, by dropping a part of them
    return isinstance(value, (complex, np.complexfloating)) or (
        isinstance(value, np.ndarray) and value.dtype.kind == "c")


cdef double read_number(object value, str name) except? -1.0:
    if isinstance(value, (str, bytes, bytearray)) or is_complex(value):
        raise TypeError(f"{name} must be a number, got {value!r}")
    try:
        return <double> value
    except TypeError:
        raise TypeError(f"{name} must be a number, got {value!r}") from None
    except OverflowError:
        raise ValueError(f"{name} must be a number within the range of doubles") from None


cdef bint read_flag(object value, str name) except -1:
    if value is True or value is False:
        return value is True
    try:
        return bool(value)
    except (TypeError, ValueError):
        # numpy knows no truth of arrays of several
        raise TypeError(f"{name} must be True or False, got {value!r}") from None


cdef double read_mass(object value, str name) except? -1.0:
    return INFINITY if value is None else read_number(value, name)


cdef inline double read_quickly(object value, str name) except? -1.0:
    """As read_number; most numbers are floats."""
    return PyFloat_AS_DOUBLE(value) if PyFloat_CheckExact(value) else read_number(value, name)


cdef double read_within(object value, str name, double most) except? -1.0:
    cdef double number = read_number(value, name)
    if not fabs(number) <= most:
        raise ValueError(f"{name} must be finite and within +-{most:g}, got {value!r}")
    return number


cdef double read_angle(object value, str name) except? -1.0:
    return read_within(value, name, FARTHEST)


cdef double read_rate(object value, str name) except? -1.0:
    return read_within(value, name, FASTEST)


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


cdef int64_t read_count(object value, str name) except -1:
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, got {value!r}") from None
    if isinstance(value, bool) or not 1 <= number <= MOST_COUNT:
        raise ValueError(f"{name} must be from 1 to {MOST_COUNT}, got {value!r}")
    return number


cdef double read_inert(object value, str name) except? -1.0:
    cdef double number = read_number(value, name)
    if not LIGHTEST <= number <= HEAVIEST:
        raise ValueError(f"{name} must be > 0 and within {LIGHTEST:g} to {HEAVIEST:g}, "
                         f"got {value!r}")
    return number


cdef double read_strength(object value, str name) except? -1.0:
    cdef double number = read_number(value, name)
    if not number >= 0.0:
        raise ValueError(f"{name} must be >= 0, got {value!r}")
    return number


cdef int read_numbers(object value, str name, Py_ssize_t count, double* out) except -1:
    cdef Py_ssize_t i = 0
    try:
        if isinstance(value, UNORDERED) or isinstance(value, np.ma.MaskedArray):
            raise TypeError
        for item in value:
            if i == count or isinstance(item, (str, bytes)) or is_complex(item):
                raise ValueError
            out[i] = <double> item
            i += 1
        if i != count:
            raise ValueError
    except (TypeError, ValueError, OverflowError):
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
    fit, TypeError if something in it is not a real number; both name the argument.
    """
    array = as_floats(name, value, none)
    lead = array.ndim - len(tail)
    if lead not in (0, 1) or array.shape[lead:] != tuple(tail):
        wanted = " or ".join(str(shape) for shape in (tuple(tail), ("n", *tail)))
        raise ValueError(f"{name} must have shape {wanted}, got {array.shape}")
    return array


def as_floats(name, value, none):
    """The value as a contiguous float64 array; TypeError if it is anything but real numbers."""
    if none is not None:
        value = _replace_none(value, none)
    try:
        if isinstance(value, np.ma.MaskedArray) or isinstance(value, UNORDERED):
            raise TypeError
        array = np.asarray(value)
        if array.dtype.kind == "O":  # Python numbers too large for numpy's integers, None, others
            array = np.array([float(_real(item)) for item in array.ravel()]).reshape(array.shape)
        if array.dtype.kind not in "biuf":
            raise TypeError
        return array.astype(np.float64, order="C", copy=False).reshape(array.shape)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{name} must be an array of real numbers, got {value!r}") from None


def _real(item):
    if item is None or isinstance(item, (str, bytes)) or is_complex(item):
        raise TypeError
    return item


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


def finite_rows(name, value, tail=(), n=None):
    """An array (n, *tail) of finite numbers, with any number of rows if n is None."""
    array = as_rows(name, value, tail)
    if array.ndim == len(tail) or (n is not None and array.shape[0] != n):
        raise ValueError(f"{name} must have {'rows' if n is None else f'{n} rows'}, "
                         f"got shape {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite, got {value!r}")
    return array


def unit_rows(name, value, width, n=None, tolerance=1e-6):
    """An array (n, width) of unit vectors, each normalised if it is one to within the tolerance."""
    array = finite_rows(name, value, (width,), n)
    sizes = np.sqrt((array * array).sum(axis=1))
    bad = np.flatnonzero(~(np.abs(sizes - 1.0) <= tolerance))
    if bad.size:
        i = int(bad[0])
        raise ValueError(f"{name} must be unit vectors, got {array[i].tolist()} in row {i}")
    return array / sizes[:, None]


def row_numbers(name, value, count, rows):
    """An array of `count` integers that each number one of so many rows."""
    array = np.asarray(value)
    if array.shape != (count,) or (count and array.dtype.kind not in "iu"):
        raise ValueError(f"{name} must be {count} integers, got {value!r}")
    if count and not (0 <= array.min() and array.max() < rows):
        raise ValueError(f"{name} must be from 0 to {rows - 1}, got {value!r}")
    return array


def refuse(name, value, wanted, where=""):
    """Raise ValueError: what the argument must be, what was given, and where if it has rows.

    `wanted` maps names, or first letters of names, to what they must be.
    """
    must = wanted[name if name in wanted else name[0]]
    raise ValueError(f"{name} must be {must}, got {value!r}{where}")


def read_tag(value):
    """A tag at the API boundary: a small integer or a short string."""
    if isinstance(value, str) and len(value) <= LONGEST_TAG:
        return str(value)
    if (isinstance(value, (int, np.integer)) and not isinstance(value, bool)
            and abs(int(value)) <= GREATEST_TAG):
        return int(value)
    raise ValueError(f"tag must be a string of at most {LONGEST_TAG} characters or an integer "
                     f"within +-{GREATEST_TAG}, got {value!r}")


def _replace_none(value, replacement):
    """The value with the replacement for itself or for each of its items if they are None."""
    if value is None:
        return replacement
    if isinstance(value, np.ndarray) and value.dtype.kind == "O":
        value = value.tolist()
    if isinstance(value, (list, tuple)) and any(item is None for item in value):
        return [replacement if item is None else item for item in value]
    return value
