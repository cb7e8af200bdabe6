"""Vec2 as users see it; the struct that kernels use is in engine2d.vec2."""

from engine2d.vec2 cimport Vec2 as Pair

# A Vec2 of Python's.
cdef object as_vector(Pair v)
