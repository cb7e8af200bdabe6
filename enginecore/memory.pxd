"""Memory that numpy owns, for arrays of structs."""

# Room for `count` structs of a size (bytes) that begins on a cache line, as an array of bytes: what
# `old` (or None) holds, then zeros. `address` of it stays good while the array lives.
cdef object longer_lines(object old, Py_ssize_t count, Py_ssize_t size)
cdef void* address_of(object array) except NULL
