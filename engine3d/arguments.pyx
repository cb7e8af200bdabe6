"""Reading arguments of space at the API boundary: points, orientations, numbers within bounds."""

import numpy as np

from libc.math cimport INFINITY, fabs, isfinite, sqrt

from enginecore.arguments cimport read_numbers
from engine3d.quat cimport quat
from engine3d.vec3 cimport dot, scaled, vec3

from enginecore.arguments import as_floats

# Two halves of a tensor that differ by no more than this share of it are the same.
cdef double SYMMETRIC = 1e-9


cdef Vec3 read_vector(object value, str name) except *:
    cdef Vec3 out
    read_numbers(value, name, 3, &out.x)
    if not (isfinite(out.x) and isfinite(out.y) and isfinite(out.z)):
        raise ValueError(f"{name} must be three finite numbers, got {value!r}")
    return out


cdef Vec3 read_place(object value, str name) except *:
    cdef Vec3 out = read_vector(value, name)
    if fabs(out.x) > FARTHEST or fabs(out.y) > FARTHEST or fabs(out.z) > FARTHEST:
        raise ValueError(f"{name} must be within {FARTHEST:g} m of the origin, got {value!r}")
    return out


cdef Vec3 read_velocity(object value, str name) except *:
    cdef Vec3 out = read_vector(value, name)
    if fabs(out.x) > FASTEST or fabs(out.y) > FASTEST or fabs(out.z) > FASTEST:
        raise ValueError(f"{name} must be within +-{FASTEST:g} along each axis, got {value!r}")
    return out


cdef Vec3 read_direction(object value, str name) except *:
    cdef Vec3 out = read_vector(value, name)
    cdef double most = max(fabs(out.x), fabs(out.y), fabs(out.z))
    if not most > 0.0:
        raise ValueError(f"{name} must not be zero, got {value!r}")
    out = vec3(out.x / most, out.y / most, out.z / most)
    return scaled(1.0 / sqrt(dot(out, out)), out)


cdef Quat read_orientation(object value, str name) except *:
    cdef double[4] q
    cdef double most, size
    read_numbers(value, name, 4, q)
    most = max(fabs(q[0]), fabs(q[1]), fabs(q[2]), fabs(q[3]))
    if not 0.0 < most < INFINITY:
        raise ValueError(f"{name} must be a quaternion (w, x, y, z), finite and not zero, "
                         f"got {value!r}")
    size = sqrt((q[0] / most) ** 2 + (q[1] / most) ** 2 + (q[2] / most) ** 2 + (q[3] / most) ** 2)
    # what is a unit quaternion already keeps its digits
    if fabs(most * size - 1.0) < 4e-16:
        return quat(q[0], q[1], q[2], q[3])
    if most > 1e150 or most < 1e-150:
        # its size is out of range, or has lost its digits
        return quat(q[0] / most / size, q[1] / most / size, q[2] / most / size,
                    q[3] / most / size)
    size = most * size
    return quat(q[0] / size, q[1] / size, q[2] / size, q[3] / size)


cdef Mat3 read_inertia(object value, str name) except *:
    cdef Mat3 out
    array = np.array(as_floats(name, value, None))
    if array.shape == (3,):
        array = np.diag(array)
    if array.shape != (3, 3) or not np.isfinite(array).all():
        raise ValueError(f"{name} must be 3 moments or a 3 x 3 tensor of finite numbers, "
                         f"got {value!r}")
    if np.abs(array - array.T).max() > SYMMETRIC * np.abs(array).max():
        raise ValueError(f"{name} must be symmetric, got {value!r}")
    array = 0.5 * (array + array.T)
    if not np.linalg.eigvalsh(array).min() >= LIGHTEST or np.abs(array).max() > HEAVIEST:
        raise ValueError(f"{name} must have principal moments > 0 within {LIGHTEST:g} to "
                         f"{HEAVIEST:g}, got {value!r}")
    out.x = vec3(array[0, 0], array[0, 1], array[0, 2])
    out.y = vec3(array[1, 0], array[1, 1], array[1, 2])
    out.z = vec3(array[2, 0], array[2, 1], array[2, 2])
    return out
