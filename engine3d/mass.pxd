"""Volume, centre and inertia in closed form; principal axes (docs/maths/rigid3d.md)."""

from libc.stdint cimport int32_t

from engine3d.vec3 cimport Mat3, Vec3

ctypedef struct Moments:
    double volume    # m^3
    Vec3 centroid    # m
    Mat3 second      # m^5, inertia tensor about the centroid at density 1

cdef Moments sphere_moments(Vec3 middle, double radius) noexcept nogil

# The frame's columns are the directions of the sides.
cdef Moments box_moments(Vec3 middle, const Mat3* frame, Vec3 half) noexcept nogil
cdef Moments capsule_moments(Vec3 a, Vec3 b, double radius) noexcept nogil
cdef Moments cylinder_moments(Vec3 middle, Vec3 axis, double radius, double height) noexcept nogil

# Faces are loops of corners: corners[first[k]] to corners[first[k + 1] - 1].
cdef Moments hull_moments(const Vec3* points, int32_t n, const int32_t* first,
                          const int32_t* corners, int32_t n_faces) noexcept nogil

# What a mass at an arm adds to an inertia tensor.
cdef Mat3 point_inertia(double mass, Vec3 arm) noexcept nogil

# Principal moments and axes of a symmetric matrix: m = axes diag(moments) axes^T; axes are the
# columns, a rotation. Diagonal matrices keep their digits.
cdef void principal(const Mat3* m, Vec3* moments, Mat3* axes) noexcept nogil

# axes diag(f) axes^T.
cdef Mat3 from_principal(const Mat3* axes, Vec3 f) noexcept nogil
