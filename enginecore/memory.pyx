"""Memory that numpy owns, for arrays of structs."""

import numpy as np

cdef enum:
    LINE = 64         # bytes, of a cache line


cdef void* address_of(object array) except NULL:
    cdef unsigned char[::1] view = array
    return &view[0]


cdef object longer_lines(object old, Py_ssize_t count, Py_ssize_t size):
    raw = np.zeros(count * size + LINE, np.uint8)
    cdef Py_ssize_t skip = (LINE - <size_t> address_of(raw) % LINE) % LINE
    new = raw[skip:skip + count * size]
    if old is not None:
        new[:len(old)] = old
    return new
