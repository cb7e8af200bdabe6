"""Memory that numpy owns, for arrays of structs."""

import numpy as np

cdef enum:
    LINE = 64         # bytes, of a cache line


cdef void* address(object array) except? NULL:
    cdef size_t at = array.ctypes.data
    return <void*> at


cdef object grown(object array, Py_ssize_t size):
    longer = np.zeros(size, array.dtype)
    longer[:array.size] = array
    return longer


cdef object longer_lines(object old, Py_ssize_t count, Py_ssize_t size):
    raw = np.zeros(count * size + LINE, np.uint8)
    cdef Py_ssize_t skip = (LINE - <size_t> address(raw) % LINE) % LINE
    new = raw[skip:skip + count * size]
    if old is not None:
        new[:len(old)] = old
    return new


cdef void* hold(object arrays, object name, Py_ssize_t count, Py_ssize_t size) except NULL:
    arrays[name] = longer_lines(None, count, size)
    return address(arrays[name])
