"""Reading points and boxes at the API boundary of a broad phase."""

from enginecore.boxes cimport Box

cdef double LARGEST      # m, of any coordinate: differences and products stay finite

# One point (axes,) or points (n, axes), finite, as a contiguous float64 array.
cdef object read_points(str name, value, int axes, bint many)

# Low and high corners, likewise, as two arrays with low <= high.
cdef object read_boxes(str low_name, lows, str high_name, highs, int axes, bint many)

# A Box from two corners of `axes` numbers.
cdef void fill_box(Box* box, const double* low, const double* high, int axes) noexcept nogil
