"""Volume, centre and inertia in closed form; mass.pxd has the contracts."""

from libc.math cimport M_PI, fabs, sqrt

from engine3d.vec3 cimport (
    add, add_scaled, cross, diagonal, dot, length, mat3, scaled, sub, times_transposed, vec3,
)

cdef enum:
    JACOBI_SWEEPS = 12     # converges quadratically: six are enough for any 3 x 3


cdef Moments sphere_moments(Vec3 middle, double radius) noexcept nogil:
    cdef Moments out
    cdef double i
    out.volume = 4.0 / 3.0 * M_PI * radius * radius * radius
    out.centroid = middle
    i = 0.4 * out.volume * radius * radius
    out.second = diagonal(i, i, i)
    return out


cdef Moments box_moments(Vec3 middle, const Mat3* frame, Vec3 half) noexcept nogil:
    cdef Moments out
    out.volume = 8.0 * half.x * half.y * half.z
    out.centroid = middle
    out.second = from_principal(frame, scaled(out.volume / 3.0, vec3(
        half.y * half.y + half.z * half.z, half.x * half.x + half.z * half.z,
        half.x * half.x + half.y * half.y)))
    return out


cdef inline Mat3 about_axis(Vec3 axis, double along, double beside) noexcept nogil:
    """The tensor of a solid of revolution: beside 1 + (along - beside) axis axis^T."""
    cdef double d = along - beside
    return mat3(vec3(beside + d * axis.x * axis.x, d * axis.x * axis.y, d * axis.x * axis.z),
                vec3(d * axis.y * axis.x, beside + d * axis.y * axis.y, d * axis.y * axis.z),
                vec3(d * axis.z * axis.x, d * axis.z * axis.y, beside + d * axis.z * axis.z))


cdef Moments capsule_moments(Vec3 a, Vec3 b, double radius) noexcept nogil:
    cdef Moments out
    cdef Vec3 way = sub(b, a)
    cdef double h = length(way), r2 = radius * radius
    cdef double tube = M_PI * r2 * h, ball = 4.0 / 3.0 * M_PI * r2 * radius
    out.volume = tube + ball
    out.centroid = scaled(0.5, add(a, b))
    out.second = about_axis(
        scaled(1.0 / h, way), 0.5 * tube * r2 + 0.4 * ball * r2,
        tube * (h * h / 12.0 + 0.25 * r2) + ball * (0.4 * r2 + 0.25 * h * h + 0.375 * h * radius))
    return out


cdef Moments cylinder_moments(Vec3 middle, Vec3 axis, double radius, double height) noexcept nogil:
    cdef Moments out
    cdef double r2 = radius * radius
    out.volume = M_PI * r2 * height
    out.centroid = middle
    out.second = about_axis(axis, 0.5 * out.volume * r2,
                            out.volume * (3.0 * r2 + height * height) / 12.0)
    return out


cdef inline void add_outer(double s, Vec3 a, Mat3* m) noexcept nogil:
    """m += s a a^T."""
    m.x = add_scaled(m.x, s * a.x, a)
    m.y = add_scaled(m.y, s * a.y, a)
    m.z = add_scaled(m.z, s * a.z, a)


cdef inline Mat3 tensor_of(const Mat3* c) noexcept nogil:
    """trace(c) 1 - c: the inertia of a covariance."""
    cdef double t = c.x.x + c.y.y + c.z.z
    return mat3(vec3(t - c.x.x, -c.x.y, -c.x.z), vec3(-c.y.x, t - c.y.y, -c.y.z),
                vec3(-c.z.x, -c.z.y, t - c.z.z))


cdef Moments hull_moments(const Vec3* points, int32_t n, const int32_t* first,
                          const int32_t* corners, int32_t n_faces) noexcept nogil:
    cdef Moments out
    cdef Mat3 spread = diagonal(0.0, 0.0, 0.0)
    cdef Vec3 origin = vec3(0.0, 0.0, 0.0), sum1 = vec3(0.0, 0.0, 0.0), a, b, c, s
    cdef double det, six = 0.0
    cdef int32_t k, i
    for k in range(n):
        origin = add_scaled(origin, 1.0 / n, points[k])
    # tetrahedra from the origin to each triangle of a face
    for k in range(n_faces):
        a = sub(points[corners[first[k]]], origin)
        for i in range(first[k] + 1, first[k + 1] - 1):
            b = sub(points[corners[i]], origin)
            c = sub(points[corners[i + 1]], origin)
            det = dot(a, cross(b, c))
            s = add(a, add(b, c))
            six += det
            sum1 = add_scaled(sum1, det, s)
            add_outer(det, a, &spread)
            add_outer(det, b, &spread)
            add_outer(det, c, &spread)
            add_outer(det, s, &spread)
    out.volume = six / 6.0
    s = scaled(0.25 / six, sum1)
    out.centroid = add(origin, s)
    spread.x, spread.y = scaled(1.0 / 120.0, spread.x), scaled(1.0 / 120.0, spread.y)
    spread.z = scaled(1.0 / 120.0, spread.z)
    add_outer(-out.volume, s, &spread)
    out.second = tensor_of(&spread)
    return out


cdef Mat3 point_inertia(double mass, Vec3 arm) noexcept nogil:
    cdef Mat3 spread = diagonal(0.0, 0.0, 0.0)
    add_outer(mass, arm, &spread)
    return tensor_of(&spread)


cdef Mat3 from_principal(const Mat3* axes, Vec3 f) noexcept nogil:
    cdef Mat3 left = mat3(vec3(axes.x.x * f.x, axes.x.y * f.y, axes.x.z * f.z),
                          vec3(axes.y.x * f.x, axes.y.y * f.y, axes.y.z * f.z),
                          vec3(axes.z.x * f.x, axes.z.y * f.y, axes.z.z * f.z))
    return times_transposed(&left, axes)


cdef void principal(const Mat3* m, Vec3* moments, Mat3* axes) noexcept nogil:
    cdef double[3][3] a
    cdef double[3][3] v
    cdef int _sweep, p, q, k
    cdef double theta, t, c, s, x, y, off
    for p in range(3):
        for q in range(3):
            a[p][q] = (&(&m.x)[p].x)[q]
            v[p][q] = 1.0 if p == q else 0.0
    for _sweep in range(JACOBI_SWEEPS):
        off = fabs(a[0][1]) + fabs(a[0][2]) + fabs(a[1][2])
        if off <= 1e-17 * (fabs(a[0][0]) + fabs(a[1][1]) + fabs(a[2][2])):
            break
        for p in range(2):
            for q in range(p + 1, 3):
                if a[p][q] == 0.0:
                    continue
                # the angle that makes entry p, q vanish (Golub and Van Loan, section 8.5)
                theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q])
                t = (1.0 if theta >= 0.0 else -1.0) / (fabs(theta) + sqrt(1.0 + theta * theta))
                c = 1.0 / sqrt(1.0 + t * t)
                s = t * c
                for k in range(3):
                    x, y = a[k][p], a[k][q]
                    a[k][p], a[k][q] = c * x - s * y, s * x + c * y
                for k in range(3):
                    x, y = a[p][k], a[q][k]
                    a[p][k], a[q][k] = c * x - s * y, s * x + c * y
                for k in range(3):
                    x, y = v[k][p], v[k][q]
                    v[k][p], v[k][q] = c * x - s * y, s * x + c * y
                a[p][q] = a[q][p] = 0.0
    moments[0] = vec3(a[0][0], a[1][1], a[2][2])
    axes[0] = mat3(vec3(v[0][0], v[0][1], v[0][2]), vec3(v[1][0], v[1][1], v[1][2]),
                   vec3(v[2][0], v[2][1], v[2][2]))
