"""Shapes are values: geometry with density, friction, restitution and a filter.

Checked when they are made, and never changed after.
"""

import cython
import numpy as np

from libc.math cimport INFINITY, M_PI, cos, isfinite, sin, sqrt
from libc.string cimport memset

from enginecore.arguments cimport read_flag
from enginecore.scalar cimport greater, lesser
from engine3d.arguments cimport (
    read_at_least_zero, read_direction, read_finite, read_orientation, read_positive, read_vector,
    read_velocity,
)
from engine3d.collide.geometry cimport (
    CYLINDER, HOLLOW, HULL, MOST_CORNERS, MOST_SIDES, PLANE, ROUND, SEGMENT, reach_along,
)
from engine3d.mass cimport (
    box_moments, capsule_moments, cylinder_moments, hull_moments, sphere_moments,
)
from engine3d.quat cimport matrix_of
from engine3d.vec3 cimport (
    Mat3, apply, length, negated, scaled, sub, unit, vec3,
)
from engine3d.vector cimport as_vector

from enginecore.arguments import finite_rows, read_tag
from enginecore.filter import Filter as _Filter
from engine3d.collide.convex_hull import convex_hull, edges_of

cdef Filter EVERYTHING = _Filter()
# A volume below this share of the size cubed is none.
cdef double NO_VOLUME = 1e-12
# Two edges are parallel if the sine of their angle is less.
cdef double PARALLEL_SIDES = 1e-9
# m. Of points farther out the fifth powers leave the range of doubles.
cdef double FARTHEST_POINT = 1e60
cdef list BOX_FACES = [(0, 4, 6, 2), (1, 3, 7, 5), (0, 1, 5, 4), (2, 6, 7, 3), (0, 2, 3, 1),
                       (4, 5, 7, 6)]

# A cylinder meets spheres, planes and hollow spheres as the round thing it is, other solids as a
# prism of so many sides.
cdef enum:
    SIDES = 32
cdef list PRISM_FACES = [tuple(range(SIDES - 1, -1, -1)), tuple(range(SIDES, 2 * SIDES)), *(
    (k, (k + 1) % SIDES, SIDES + (k + 1) % SIDES, SIDES + k) for k in range(SIDES))]


cdef class Shape:
    """What all shapes share; make a Sphere, Box, Capsule, Cylinder, Polyhedron, Plane or
    HollowSphere.

    density (kg/m^3), friction (Coulomb's), restitution (0 to 1). rolling_resistance and
    spin_resistance: torques that resist rolling, and spin about the normal, at most these times the
    radius times the normal force. surface_velocity (m/s, in the body's frame): how fast the surface
    runs, as on a conveyor. one_way (a direction, in the body's frame): met from that side only,
    passed through from others. boost: share of the speed of approach that a blow gives besides, as
    a bumper does. sensor: reports overlaps, pushes nothing. filter: a Filter, who
    collides with whom; None: everything with everything. tag: a name or a small integer, for
    handlers of events.
    """

    def __init__(self):
        raise TypeError("make a Sphere, Box, Capsule, Cylinder, Polyhedron, Plane or HollowSphere, "
                        "not a Shape")

    cdef int read_material(self, density, friction, restitution, rolling_resistance,
                           spin_resistance, surface_velocity, one_way, boost, sensor, filter,
                           tag) except -1:
        """What it is made of, who it collides with and what its user calls it."""
        if self.filter is not None:
            raise TypeError("a shape never changes: use replace() to make another")
        if filter is not None and not isinstance(filter, Filter):
            raise TypeError(f"filter must be a Filter, got {filter!r}")
        self.density = read_at_least_zero(density, "density")
        self.friction = read_at_least_zero(friction, "friction")
        self.restitution = read_at_least_zero(restitution, "restitution")
        if self.restitution > 1.0:
            raise ValueError(f"restitution must be from 0 to 1, got {restitution!r}")
        self.rolling_resistance = read_at_least_zero(rolling_resistance, "rolling_resistance")
        self.spin_resistance = read_at_least_zero(spin_resistance, "spin_resistance")
        self.surface = read_velocity(surface_velocity, "surface_velocity")
        self.through = vec3(0.0, 0.0, 0.0)
        if one_way is not None:
            read_direction(one_way, "one_way")
            self.through = read_vector(one_way, "one_way")
        self.boost = read_at_least_zero(boost, "boost")
        self.sensor = read_flag(sensor, "sensor")
        self.tag = None if tag is None else read_tag(tag)
        # the last thing to be set: without it a shape is not finished
        self.filter = EVERYTHING if filter is None else filter
        memset(&self.geometry, 0, sizeof(Geometry))
        return 0

    cdef int set_round(self, int32_t kind, int32_t n, double radius) except -1:
        """Be a sphere or capsule of n corners in own_core; `moments` are known."""
        cdef Geometry* g = &self.geometry
        g.kind, g.n_core, g.radius = kind, n, radius
        g.core = self.own_core
        g.middle = self.moments.centroid
        g.bounding_radius = length(sub(self.own_core[0], g.middle)) + radius
        g.thickness = 2.0 * radius
        if n == 2:
            g.axis = unit(sub(self.own_core[1], self.own_core[0]))
        return self.check_size()

    cdef int set_hull(self, object points, list faces) except -1:
        """Be a polyhedron of corners (n x 3) and faces; the moments are measured here."""
        cdef Geometry* g = &self.geometry
        cdef double[:, ::1] core, normals, dirs
        cdef double[::1] offsets
        cdef int32_t[::1] first, corners, edges
        cdef int32_t k
        first_of = np.cumsum([0] + [len(loop) for loop in faces]).astype(np.int32)
        loops = np.array([corner for loop in faces for corner in loop], np.int32)
        rims = edges_of(faces)
        core, first, corners = np.ascontiguousarray(points), first_of, loops
        self.moments = hull_moments(<const Vec3*> &core[0, 0], <int32_t> core.shape[0], &first[0],
                                    &corners[0], <int32_t> len(faces))
        # what overflows here has moments that do, too
        with np.errstate(all="ignore"):
            found = _face_planes(points, faces)
            ways = _directions(points, rims)
        if not (np.isfinite(found[0]).all() and np.isfinite(ways).all()):
            raise OverflowError(f"a {type(self).__name__} must not be so small, or so far from its "
                                f"body's origin, that its corners are one: {points.tolist()}")
        normals, offsets, dirs = found[0], found[1], ways
        edges = np.array(rims, np.int32).reshape(-1)
        self.kept = (core, first, corners, normals, offsets, dirs, edges)
        g.kind, g.n_core, g.n_faces = HULL, <int32_t> core.shape[0], <int32_t> len(faces)
        g.n_edges, g.n_dirs = <int32_t> len(rims), <int32_t> dirs.shape[0]
        g.core, g.normals, g.offsets = <Vec3*> &core[0, 0], <Vec3*> &normals[0, 0], &offsets[0]
        g.first, g.corners, g.edges, g.dirs = (&first[0], &corners[0], &edges[0],
                                               <Vec3*> &dirs[0, 0])
        g.middle = self.moments.centroid
        g.thickness = INFINITY
        for k in range(g.n_core):
            g.bounding_radius = greater(g.bounding_radius, length(sub(g.core[k], g.middle)))
        for k in range(g.n_faces):
            g.thickness = lesser(g.thickness, g.offsets[k] + reach_along(g, negated(g.normals[k])))
        return self.check_size()

    cdef int check_size(self) except -1:
        """Bounds, the last thing to be set; OverflowError if it is too large for its moments."""
        cdef Geometry* g = &self.geometry
        if not (isfinite(g.bounding_radius)
                and isfinite(self.moments.second.x.x + self.moments.second.y.y)
                and self.moments.volume > 0.0):
            raise OverflowError(f"a {type(self).__name__} must not be so large or small that its "
                                "moments leave the range of doubles")
        g.high = vec3(reach_along(g, vec3(1, 0, 0)), reach_along(g, vec3(0, 1, 0)),
                      reach_along(g, vec3(0, 0, 1)))
        g.low = vec3(-reach_along(g, vec3(-1, 0, 0)), -reach_along(g, vec3(0, -1, 0)),
                     -reach_along(g, vec3(0, 0, -1)))
        return 0

    @property
    def surface_velocity(self):
        """How fast its surface runs over it (m/s, body's frame): of a conveyor."""
        return as_vector(self.surface)

    @property
    def one_way(self):
        """The side (a direction, body's frame) from which it is met; None: from all."""
        return None if (self.through.x == 0.0 and self.through.y == 0.0 and self.through.z == 0.0) \
            else as_vector(self.through)

    @property
    def volume(self):
        """m^3; 0 for a Plane or HollowSphere."""
        return self.moments.volume

    @property
    def mass(self):
        """kg: density times volume."""
        return self.density * self.moments.volume

    @property
    def centroid(self):
        """Centre of the volume (m)."""
        return as_vector(self.moments.centroid)

    @property
    def inertia(self):
        """Inertia tensor about the centroid (3 x 3, kg m^2)."""
        cdef Mat3 m = self.moments.second
        return self.density * np.array([[m.x.x, m.x.y, m.x.z], [m.y.x, m.y.y, m.y.z],
                                        [m.z.x, m.z.y, m.z.z]])

    @property
    def bounds(self):
        """Least box along the axes: ((x, y, z) low, (x, y, z) high) (m)."""
        return as_vector(self.geometry.low), as_vector(self.geometry.high)

    def replace(self, **changes):
        """The same shape with some arguments changed."""
        return type(self)(**{**self._arguments(), **changes})

    def _geometry(self):
        raise NotImplementedError

    def _arguments(self):
        """All arguments that make this shape again."""
        return {**self._geometry(), "density": self.density, "friction": self.friction,
                "restitution": self.restitution, "rolling_resistance": self.rolling_resistance,
                "spin_resistance": self.spin_resistance,
                "surface_velocity": tuple(self.surface_velocity),
                "one_way": None if self.one_way is None else tuple(self.one_way),
                "boost": self.boost, "sensor": self.sensor, "filter": self.filter,
                "tag": self.tag}

    def __repr__(self):
        usual = {"density": 1.0, "friction": 0.5, "restitution": 0.0, "rolling_resistance": 0.0,
                 "spin_resistance": 0.0, "surface_velocity": (0.0, 0.0, 0.0), "one_way": None,
                 "boost": 0.0, "sensor": False, "filter": EVERYTHING, "tag": None}
        shown = [f"{name}={value!r}" for name, value in self._geometry().items()]
        shown += [f"{name}={getattr(self, name)!r}" for name, value in usual.items()
                  if getattr(self, name) != value]
        return f"{type(self).__name__}({', '.join(shown)})"

    def __eq__(self, other):
        return type(self) is type(other) and self._arguments() == other._arguments()

    def __hash__(self):
        return hash((type(self), *self._arguments().values()))

    def __reduce__(self):
        return rebuild, (type(self), self._arguments())


cdef class Sphere(Shape):
    """Sphere(radius, center=(0.0, 0.0, 0.0), *, density=1.0, friction=0.5, \
restitution=0.0, rolling_resistance=0.0, spin_resistance=0.0, surface_velocity=(0.0, 0.0, 0.0), \
one_way=None, boost=0.0, sensor=False, filter=None, tag=None)\n--\n\n\
A ball: radius (m) and centre (m, in the body's frame).

    density to tag: what it is made of and what it is, as in Shape.
    """

    cdef readonly double radius

    @cython.embedsignature(False)
    def __init__(self, radius, center=(0.0, 0.0, 0.0), *, density=1.0, friction=0.5,
                 restitution=0.0, rolling_resistance=0.0, spin_resistance=0.0,
                 surface_velocity=(0.0, 0.0, 0.0), one_way=None, boost=0.0, sensor=False,
                 filter=None, tag=None):
        cdef double r = read_positive(radius, "radius")
        cdef Vec3 middle = read_vector(center, "center")
        self.read_material(density, friction, restitution, rolling_resistance, spin_resistance,
                           surface_velocity, one_way, boost, sensor, filter, tag)
        self.radius = r
        self.moments = sphere_moments(middle, r)
        self.own_core[0] = middle
        self.set_round(ROUND, 1, r)

    @property
    def center(self):
        """Centre (m)."""
        return as_vector(self.own_core[0])

    def _geometry(self):
        return {"radius": self.radius, "center": tuple(self.center)}


cdef class Box(Shape):
    """Box(x, y, z, center=(0.0, 0.0, 0.0), orientation=(1.0, 0.0, 0.0, 0.0), *, density=1.0, \
friction=0.5, \
restitution=0.0, rolling_resistance=0.0, spin_resistance=0.0, surface_velocity=(0.0, 0.0, 0.0), \
one_way=None, boost=0.0, sensor=False, filter=None, tag=None)\n--\n\n\
A box with sides x, y, z (m), its middle at center (m), turned by orientation (w, x, y, z).

    density to tag: what it is made of and what it is, as in Shape.
    """

    cdef readonly double x, y, z
    cdef Vec3 middle
    cdef Quat turn

    @cython.embedsignature(False)
    def __init__(self, x, y, z, center=(0.0, 0.0, 0.0), orientation=(1.0, 0.0, 0.0, 0.0), *,
                 density=1.0, friction=0.5, restitution=0.0, rolling_resistance=0.0,
                 spin_resistance=0.0, surface_velocity=(0.0, 0.0, 0.0), one_way=None, boost=0.0,
                 sensor=False, filter=None, tag=None):
        cdef Vec3 sides = vec3(read_positive(x, "x"), read_positive(y, "y"), read_positive(z, "z"))
        cdef Vec3 middle = read_vector(center, "center")
        cdef Quat turn = read_orientation(orientation, "orientation")
        cdef Geometry* g = &self.geometry
        cdef Moments exact
        cdef Vec3 half = scaled(0.5, sides), p
        cdef Mat3 frame = matrix_of(turn)
        cdef int32_t k
        self.read_material(density, friction, restitution, rolling_resistance, spin_resistance,
                           surface_velocity, one_way, boost, sensor, filter, tag)
        self.x, self.y, self.z, self.middle, self.turn = sides.x, sides.y, sides.z, middle, turn
        points = np.empty((8, 3))
        for k in range(8):
            p = apply(&frame, vec3(half.x if k & 1 else -half.x, half.y if k & 2 else -half.y,
                                   half.z if k & 4 else -half.z))
            points[k] = p.x + middle.x, p.y + middle.y, p.z + middle.z
        exact = box_moments(middle, &frame, half)
        self.set_hull(points, BOX_FACES)
        self.moments = exact
        g.middle, g.frame, g.half, g.boxed = middle, frame, half, True
        g.thickness = 2.0 * lesser(half.x, lesser(half.y, half.z))
        g.bounding_radius = length(half)
        self.check_size()

    @property
    def center(self):
        """Its middle (m)."""
        return as_vector(self.middle)

    @property
    def orientation(self):
        """Unit quaternion (w, x, y, z) that turns its sides."""
        return self.turn.w, self.turn.x, self.turn.y, self.turn.z

    def _geometry(self):
        return {"x": self.x, "y": self.y, "z": self.z, "center": tuple(self.center),
                "orientation": self.orientation}


cdef class Capsule(Shape):
    """Capsule(a, b, radius, *, density=1.0, friction=0.5, \
restitution=0.0, rolling_resistance=0.0, spin_resistance=0.0, surface_velocity=(0.0, 0.0, 0.0), \
one_way=None, boost=0.0, sensor=False, filter=None, tag=None)\n--\n\n\
All points within radius (m) of the segment from a to b (m).

    density to tag: what it is made of and what it is, as in Shape.
    """

    cdef readonly double radius

    @cython.embedsignature(False)
    def __init__(self, a, b, radius, *, density=1.0, friction=0.5,
                 restitution=0.0, rolling_resistance=0.0, spin_resistance=0.0,
                 surface_velocity=(0.0, 0.0, 0.0), one_way=None, boost=0.0, sensor=False,
                 filter=None, tag=None):
        cdef Vec3 start = read_vector(a, "a"), end = read_vector(b, "b")
        cdef double r = read_positive(radius, "radius")
        if not length(sub(end, start)) > 0.0:
            raise ValueError(f"a and b must differ, got {a!r} and {b!r}; a Sphere has one centre")
        self.read_material(density, friction, restitution, rolling_resistance, spin_resistance,
                           surface_velocity, one_way, boost, sensor, filter, tag)
        self.radius = r
        self.own_core[0], self.own_core[1] = start, end
        self.moments = capsule_moments(start, end, r)
        self.set_round(SEGMENT, 2, r)

    @property
    def a(self):
        """Centre of one end (m)."""
        return as_vector(self.own_core[0])

    @property
    def b(self):
        """Centre of the other end (m)."""
        return as_vector(self.own_core[1])

    def _geometry(self):
        return {"a": tuple(self.a), "b": tuple(self.b), "radius": self.radius}


cdef class Cylinder(Shape):
    """Cylinder(radius, height, center=(0.0, 0.0, 0.0), orientation=(1.0, 0.0, 0.0, 0.0), *, \
density=1.0, friction=0.5, \
restitution=0.0, rolling_resistance=0.0, spin_resistance=0.0, surface_velocity=(0.0, 0.0, 0.0), \
one_way=None, boost=0.0, sensor=False, filter=None, tag=None)\n--\n\n\
A cylinder of radius and height (m) along z, its middle at center (m), turned by orientation.

    density to tag: what it is made of and what it is, as in Shape.
    """

    cdef readonly double radius, height
    cdef Vec3 middle
    cdef Quat turn

    @cython.embedsignature(False)
    def __init__(self, radius, height, center=(0.0, 0.0, 0.0), orientation=(1.0, 0.0, 0.0, 0.0), *,
                 density=1.0, friction=0.5, restitution=0.0, rolling_resistance=0.0,
                 spin_resistance=0.0, surface_velocity=(0.0, 0.0, 0.0), one_way=None, boost=0.0,
                 sensor=False, filter=None, tag=None):
        cdef double r = read_positive(radius, "radius"), h = read_positive(height, "height")
        cdef Vec3 middle = read_vector(center, "center"), axis
        cdef Quat turn = read_orientation(orientation, "orientation")
        cdef Mat3 frame = matrix_of(turn)
        cdef Geometry* g = &self.geometry
        self.read_material(density, friction, restitution, rolling_resistance, spin_resistance,
                           surface_velocity, one_way, boost, sensor, filter, tag)
        self.radius, self.height, self.middle, self.turn = r, h, middle, turn
        # its prism, for pairs that have no closed form
        self.set_hull(prism(middle, &frame, r, 0.5 * h), PRISM_FACES)
        axis = apply(&frame, vec3(0.0, 0.0, 1.0))
        self.moments = cylinder_moments(middle, axis, r, h)
        g.kind, g.radius, g.axis, g.offset, g.middle = CYLINDER, r, axis, 0.5 * h, middle
        g.bounding_radius = sqrt(g.offset * g.offset + r * r)
        g.thickness = 2.0 * lesser(r, g.offset)
        self.check_size()

    @property
    def center(self):
        """Its middle (m)."""
        return as_vector(self.middle)

    @property
    def orientation(self):
        """Unit quaternion (w, x, y, z) that turns its axis from z."""
        return self.turn.w, self.turn.x, self.turn.y, self.turn.z

    def _geometry(self):
        return {"radius": self.radius, "height": self.height, "center": tuple(self.center),
                "orientation": self.orientation}


cdef class Polyhedron(Shape):
    """Polyhedron(points, *, density=1.0, friction=0.5, \
restitution=0.0, rolling_resistance=0.0, spin_resistance=0.0, surface_velocity=(0.0, 0.0, 0.0), \
one_way=None, boost=0.0, sensor=False, filter=None, tag=None)\n--\n\n\
The convex hull of points (n x 3, m).

    density to tag: what it is made of and what it is, as in Shape.
    """

    cdef object corner_array
    cdef object loops

    @cython.embedsignature(False)
    def __init__(self, points, *, density=1.0, friction=0.5,
                 restitution=0.0, rolling_resistance=0.0, spin_resistance=0.0,
                 surface_velocity=(0.0, 0.0, 0.0), one_way=None, boost=0.0, sensor=False,
                 filter=None, tag=None):
        given = finite_rows("points", points, (3,))
        if given.size and np.abs(given).max() > FARTHEST_POINT:
            raise ValueError(f"points must be within {FARTHEST_POINT:g} m, got {points!r}")
        hull = convex_hull(given)
        if len(hull.corners) > MOST_CORNERS:
            raise ValueError(f"points must have a hull of at most {MOST_CORNERS} corners, "
                             f"got {len(hull.corners)}")
        sides = max(len(face) for face in hull.faces)
        if sides > MOST_SIDES:
            raise ValueError(f"faces must have at most {MOST_SIDES} corners, got {sides}")
        self.read_material(density, friction, restitution, rolling_resistance, spin_resistance,
                           surface_velocity, one_way, boost, sensor, filter, tag)
        self.set_hull(hull.corners, hull.faces)
        if not self.moments.volume > NO_VOLUME * self.geometry.bounding_radius ** 3:
            raise ValueError("points must not all lie in a plane")
        hull.corners.flags.writeable = False
        self.corner_array, self.loops = hull.corners, hull.faces

    @property
    def points(self):
        """Corners of the hull (n x 3, m); read-only."""
        return self.corner_array

    @property
    def faces(self):
        """Corner numbers of each face, anticlockwise as seen from outside."""
        return list(self.loops)

    def _geometry(self):
        return {"points": tuple(map(tuple, self.corner_array.tolist()))}


cdef class Plane(Shape):
    """Plane(normal, offset=0.0, *, density=1.0, friction=0.5, \
restitution=0.0, rolling_resistance=0.0, spin_resistance=0.0, surface_velocity=(0.0, 0.0, 0.0), \
one_way=None, boost=0.0, sensor=False, filter=None, tag=None)\n--\n\n\
The half space below a plane: all x with normal . x <= offset (m). It has no mass.

    density to tag: what it is made of and what it is, as in Shape.
    """

    @cython.embedsignature(False)
    def __init__(self, normal, offset=0.0, *, density=1.0, friction=0.5,
                 restitution=0.0, rolling_resistance=0.0, spin_resistance=0.0,
                 surface_velocity=(0.0, 0.0, 0.0), one_way=None, boost=0.0, sensor=False,
                 filter=None, tag=None):
        cdef Vec3 n = read_direction(normal, "normal")
        cdef double at = read_finite(offset, "offset")
        cdef Geometry* g = &self.geometry
        self.read_material(density, friction, restitution, rolling_resistance, spin_resistance,
                           surface_velocity, one_way, boost, sensor, filter, tag)
        g.kind, g.axis, g.offset = PLANE, n, at
        g.bounding_radius = g.thickness = INFINITY
        g.low, g.high = vec3(-INFINITY, -INFINITY, -INFINITY), vec3(INFINITY, INFINITY, INFINITY)
        self.moments.centroid = scaled(at, n)

    @property
    def normal(self):
        """Unit vector out of the half space."""
        return as_vector(self.geometry.axis)

    @property
    def offset(self):
        """Distance of the plane from the origin, along the normal (m)."""
        return self.geometry.offset

    def _geometry(self):
        return {"normal": tuple(self.normal), "offset": self.offset}


cdef class HollowSphere(Shape):
    """HollowSphere(radius, center=(0.0, 0.0, 0.0), *, density=1.0, friction=0.5, \
restitution=0.0, rolling_resistance=0.0, spin_resistance=0.0, surface_velocity=(0.0, 0.0, 0.0), \
one_way=None, boost=0.0, sensor=False, filter=None, tag=None)\n--\n\n\
All of space but the inside of a sphere: a container of radius and center (m), without mass.

    density to tag: what it is made of and what it is, as in Shape.
    """

    cdef readonly double radius

    @cython.embedsignature(False)
    def __init__(self, radius, center=(0.0, 0.0, 0.0), *, density=1.0, friction=0.5,
                 restitution=0.0, rolling_resistance=0.0, spin_resistance=0.0,
                 surface_velocity=(0.0, 0.0, 0.0), one_way=None, boost=0.0, sensor=False,
                 filter=None, tag=None):
        cdef double r = read_positive(radius, "radius")
        cdef Vec3 middle = read_vector(center, "center")
        cdef Geometry* g = &self.geometry
        self.read_material(density, friction, restitution, rolling_resistance, spin_resistance,
                           surface_velocity, one_way, boost, sensor, filter, tag)
        self.radius = r
        self.own_core[0] = middle
        g.kind, g.n_core, g.core, g.middle, g.radius = HOLLOW, 1, self.own_core, middle, r
        g.bounding_radius = g.thickness = INFINITY
        g.low, g.high = vec3(-INFINITY, -INFINITY, -INFINITY), vec3(INFINITY, INFINITY, INFINITY)
        self.moments.centroid = middle

    @property
    def center(self):
        """Centre (m)."""
        return as_vector(self.own_core[0])

    def _geometry(self):
        return {"radius": self.radius, "center": tuple(self.center)}


# ---- making -------------------------------------------------------------------------------------

cdef object prism(Vec3 middle, const Mat3* frame, double radius, double half):
    """Corners of the regular prism inside a cylinder: its lower end, then the upper one."""
    cdef int32_t k
    cdef Vec3 p
    cdef double angle
    points = np.empty((2 * SIDES, 3))
    for k in range(2 * SIDES):
        angle = 2.0 * M_PI * (k % SIDES) / SIDES
        p = apply(frame, vec3(radius * cos(angle), radius * sin(angle),
                              half if k >= SIDES else -half))
        points[k] = p.x + middle.x, p.y + middle.y, p.z + middle.z
    return points


def _face_planes(points, faces):
    """Outward unit normals and offsets of faces: mean normals, so that no corner is preferred."""
    normals = np.empty((len(faces), 3))
    offsets = np.empty(len(faces))
    for k, loop in enumerate(faces):
        corners = points[list(loop)]
        middle = corners.mean(axis=0)
        arms = corners - middle
        normal = np.cross(arms, np.roll(arms, -1, axis=0)).sum(axis=0)
        normals[k] = normal / np.sqrt(normal @ normal)
        offsets[k] = (corners @ normals[k]).max()
    return normals, offsets


def _directions(points, rims):
    """Directions of edges, parallel ones once."""
    found = []
    for i, j, _, _ in rims:
        way = points[j] - points[i]
        way = way / np.sqrt(way @ way)
        if not any(np.linalg.norm(np.cross(way, other)) < PARALLEL_SIDES for other in found):
            found.append(way)
    return np.array(found)


def rebuild(kind, arguments):
    """Make a shape again, for pickle and copy."""
    return kind(**arguments)
