"""Runs of lines that change places within their array: what is between them goes, or makes room."""

from libc.stdint cimport int64_t
from libc.string cimport memmove

# Lines that stay neighbours.
ctypedef struct Run:
    int64_t first     # where they are
    int64_t n
    int64_t to        # where they go


cdef inline void add_run(Run* runs, int64_t* n_runs, int64_t first, int64_t end,
                         int64_t to) noexcept nogil:
    """Append the lines from `first` to `end` to the runs, if there are any."""
    if end > first:
        runs[n_runs[0]] = Run(first, end - first, to)
        n_runs[0] += 1


cdef inline void move_run(char* lines, Py_ssize_t size, const Run* run) noexcept nogil:
    if run.to != run.first:
        memmove(lines + run.to * size, lines + run.first * size, run.n * size)


cdef inline void move_runs(char* lines, Py_ssize_t size, const Run* runs,
                           int64_t n) noexcept nogil:
    """Move runs of lines of `size` bytes. They ascend, and so do the places they go to: the one
    order does not cross the other, so that what moves up is safe from what is below it, and what
    moves down from what is above."""
    cdef int64_t k = 0, last, i
    while k < n:
        last = k
        while last < n and runs[last].to > runs[last].first:
            last += 1
        if last == k:
            move_run(lines, size, &runs[k])
            k += 1
            continue
        # neighbours that move up: the last one first
        for i in range(last - 1, k - 1, -1):
            move_run(lines, size, &runs[i])
        k = last
