"""Whether solids overlap."""

from engine2d.collide.outline_pairs cimport Search
from engine2d.vec2 cimport Vec2

# Whether the shapes overlap: their boundaries cross, or one lies in the other.
cdef bint overlap(Search* s) noexcept nogil

# Whether the shapes overlap after A has been moved.
cdef bint overlap_after(Search* s, Vec2 way) noexcept nogil

# Whether the shapes are apart after A has been moved by `way`, or a little farther.
cdef bint leads_out(Search* s, Vec2 way) noexcept nogil
