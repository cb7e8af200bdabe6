"""Memory that numpy owns, for arrays of structs."""

# Where a numpy array's memory begins; good while the array lives.
cdef void* address(object array) except? NULL
# A longer copy of a one-dimensional array: what it holds, then zeros.
cdef object grown(object array, Py_ssize_t size)
# Room for `count` structs of a size (bytes) that begins on a cache line, as an array of bytes: what
# `old` (or None) holds, then zeros.
cdef object longer_lines(object old, Py_ssize_t count, Py_ssize_t size)
# The same without what was there, kept in a dictionary (or list) under a name; returns where.
cdef void* hold(object arrays, object name, Py_ssize_t count, Py_ssize_t size) except NULL
