"""The greater and the lesser of two numbers, as one instruction.

libc's fmax and fmin must look after NaN and so are calls, with every register saved around them.
"""


cdef inline double greater(double a, double b) noexcept nogil:
    """The greater; b where one of them is a NaN."""
    return a if a > b else b


cdef inline double lesser(double a, double b) noexcept nogil:
    """The lesser; b where one of them is a NaN."""
    return a if a < b else b
