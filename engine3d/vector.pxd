"""Vec3 as users see it; the struct that kernels use is in engine3d.vec3."""

from engine3d.vec3 cimport Vec3 as Triple

# A Vec3 of Python's.
cdef object as_vector(Triple v)
