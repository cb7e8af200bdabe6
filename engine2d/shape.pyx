"""Shapes are values: geometry with density, friction, restitution and a filter.

Whatever its class, a shape is a run of straight edges and circular arcs (engine2d.outline), turned
anticlockwise, checked when it is made and never changed after.
"""

import numpy as np

from libc.math cimport INFINITY, cos, fabs, isfinite, sin

from enginecore.arguments cimport read_number, read_numbers
from engine2d.outline cimport bound_run, find_crossing, measure_run
from engine2d.vec2 cimport Vec2, add, length, scaled, sub, vec2

from enginecore.arguments import as_rows

# Points nearer than this share of the shape's size are the same, pieces nearer than it touch.
cdef double SAME = 1e-9
# An area below this share of the size squared is none.
cdef double NO_AREA = 1e-12
# A bulge of this size sweeps all but 1e-6 of a full turn.
cdef double MOST_BULGE = 4e6
cdef double TAN_EIGHTH = 0.41421356237309503  # tan(pi/8): the bulge of a quarter turn


cdef class Filter:
    """Who collides with whom.

    Two shapes of the same non-zero group always collide if it is positive and never if it is
    negative. Otherwise each one's category must have a bit in common with the other's mask.
    """

    def __init__(self, category=1, mask=0xFFFFFFFF, group=0):
        self.category = read_bits(category, "category")
        self.mask = read_bits(mask, "mask")
        if isinstance(group, bool) or not isinstance(group, int) or abs(group) > 0x7FFFFFFF:
            raise ValueError(f"group must be an integer of 32 bits, got {group!r}")
        self.group = group

    def allows(self, Filter other not None):
        """Whether a shape with this filter and one with the other collide."""
        if self.group == other.group and self.group != 0:
            return self.group > 0
        return (self.category & other.mask) != 0 and (other.category & self.mask) != 0

    def __repr__(self):
        return f"Filter(category={self.category:#x}, mask={self.mask:#x}, group={self.group})"

    def __eq__(self, other):
        return isinstance(other, Filter) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())

    def __reduce__(self):
        return Filter, self._key()

    def _key(self):
        return self.category, self.mask, self.group


cdef Filter EVERYTHING = Filter()


cdef class Shape:
    """What all shapes share; make a Circle, Box, Polygon, Capsule, Segment or Path."""

    def __init__(self):
        raise TypeError("make a Circle, Box, Polygon, Capsule, Segment or Path, not a Shape")

    cdef int read_material(self, dict material) except -1:
        """Take density, friction, restitution, sensor and filter out of the keywords."""
        self.density = read_at_least_zero(material.pop("density", 1.0), "density")
        self.friction = read_at_least_zero(material.pop("friction", 0.5), "friction")
        self.restitution = read_at_least_zero(material.pop("restitution", 0.0), "restitution")
        if self.restitution > 1.0:
            raise ValueError(f"restitution must be from 0 to 1, got {self.restitution!r}")
        self.sensor = bool(material.pop("sensor", False))
        given = material.pop("filter", EVERYTHING)
        if not isinstance(given, Filter):
            raise TypeError(f"filter must be a Filter, got {given!r}")
        self.filter = given
        if material:
            raise TypeError(f"{type(self).__name__} has no argument {next(iter(material))!r}")
        return 0

    cdef int set_outline(self, object points, object bulges, bint closed) except -1:
        """Keep an outline that is known to be good, and what follows from it."""
        cdef const double[:, ::1] p = points
        cdef const double[::1] b = bulges
        cdef Py_ssize_t n = p.shape[0]
        points.flags.writeable = False
        bulges.flags.writeable = False
        self.points_array = points
        self.bulges_array = bulges
        self.closed = closed
        self.box = bound_run(<const Vec2*> &p[0, 0], &b[0], n, n if closed else n - 1)
        self.moments.area = self.moments.second = 0.0
        self.moments.centroid = scaled(0.5, add(self.box.low, self.box.high))
        if closed:
            self.moments = measure_run(<const Vec2*> &p[0, 0], &b[0], n)
        return 0

    @property
    def points(self):
        """Corners of the outline (n x 2, m), anticlockwise; read-only."""
        return self.points_array

    @property
    def bulges(self):
        """tan(sweep/4) of the piece from each point to the next (n); 0: straight; read-only."""
        return self.bulges_array

    @property
    def area(self):
        """m^2; 0 for what encloses nothing."""
        return self.moments.area

    @property
    def mass(self):
        """kg: density times area."""
        return self.density * self.moments.area

    @property
    def centroid(self):
        """Centre of the area (m); of the bounds for what encloses none."""
        return self.moments.centroid.x, self.moments.centroid.y

    @property
    def inertia(self):
        """Moment of inertia about the centroid (kg m^2)."""
        return self.density * self.moments.second

    @property
    def bounds(self):
        """Least box with sides along the axes: ((x, y) low, (x, y) high) (m)."""
        return (self.box.low.x, self.box.low.y), (self.box.high.x, self.box.high.y)

    def replace(self, **changes):
        """The same shape with some arguments changed."""
        return type(self)(**{**self._arguments(), **changes})

    def _geometry(self):
        raise NotImplementedError

    def _arguments(self):
        """All arguments that make this shape again."""
        return {**self._geometry(), "density": self.density, "friction": self.friction,
                "restitution": self.restitution, "sensor": self.sensor, "filter": self.filter}

    def __repr__(self):
        shown = [f"{name}={value!r}" for name, value in self._geometry().items()]
        usual = {"density": 1.0, "friction": 0.5, "restitution": 0.0, "sensor": False,
                 "filter": EVERYTHING}
        shown += [f"{name}={getattr(self, name)!r}" for name, value in usual.items()
                  if getattr(self, name) != value]
        return f"{type(self).__name__}({', '.join(shown)})"

    def __eq__(self, other):
        return type(self) is type(other) and self._arguments() == other._arguments()

    def __hash__(self):
        return hash((type(self), *self._arguments().values()))

    def __reduce__(self):
        return rebuild, (type(self), self._arguments())


cdef class Circle(Shape):
    """A disc: radius (m) and centre (m, in the body's frame)."""

    cdef readonly double radius
    cdef Vec2 middle

    def __init__(self, radius, center=(0.0, 0.0), **material):
        self.radius = read_positive(radius, "radius")
        self.middle = read_vector(center, "center")
        self.read_material(material)
        x, y, r = self.middle.x, self.middle.y, self.radius
        self.set_outline(np.array([(x - r, y), (x + r, y)]), np.ones(2), True)

    @property
    def center(self):
        """Centre (m)."""
        return self.middle.x, self.middle.y

    def _geometry(self):
        return {"radius": self.radius, "center": self.center}


cdef class Box(Shape):
    """A rectangle, width by height (m), its middle at center (m), turned by angle (rad).

    radius (m) rounds the corners off inside these measures.
    """

    cdef readonly double width, height, angle, radius
    cdef Vec2 middle

    def __init__(self, width, height, center=(0.0, 0.0), angle=0.0, radius=0.0, **material):
        self.width = read_positive(width, "width")
        self.height = read_positive(height, "height")
        self.middle = read_vector(center, "center")
        self.angle = read_finite(angle, "angle")
        self.radius = read_at_least_zero(radius, "radius")
        self.read_material(material)
        if 2.0 * self.radius > min(self.width, self.height):
            raise ValueError(f"radius must be at most half of width {self.width!r} and height "
                             f"{self.height!r}, got {radius!r}")
        points, bulges = self.corners()
        self.set_outline(points, bulges, True)

    cdef object corners(self):
        """Points and bulges, from the lower left corner on."""
        cdef double c = cos(self.angle), s = sin(self.angle), r = self.radius
        cdef double x = 0.5 * self.width, y = 0.5 * self.height
        if r == 0.0:
            local = np.array([(-x, -y), (x, -y), (x, y), (-x, y)])
            bulges = np.zeros(4)
        else:
            local = np.array([(r - x, -y), (x - r, -y), (x, r - y), (x, y - r),
                              (x - r, y), (r - x, y), (-x, y - r), (-x, r - y)])
            bulges = np.array([0.0, TAN_EIGHTH] * 4)
            local, bulges = without_doubles(local, bulges, True)
        points = local @ np.array([(c, s), (-s, c)]) + np.array(self.center)
        return np.ascontiguousarray(points), bulges

    @property
    def center(self):
        """Middle (m)."""
        return self.middle.x, self.middle.y

    def _geometry(self):
        return {"width": self.width, "height": self.height, "center": self.center,
                "angle": self.angle, "radius": self.radius}


cdef class Polygon(Shape):
    """A polygon, convex or not, by its vertices (n x 2, m), either way round.

    radius (m) rounds its corners off, inner and outer ones, between the edges.
    """

    cdef readonly double radius
    cdef object given

    def __init__(self, vertices, radius=0.0, **material):
        points = read_points(vertices, "vertices")
        self.radius = read_at_least_zero(radius, "radius")
        self.read_material(material)
        points, bulges = without_doubles(points, np.zeros(len(points)), True)
        if len(points) < 3:
            raise ValueError(f"vertices must be at least three different points, got {vertices!r}")
        points, bulges = anticlockwise(points, bulges, "vertices")
        self.given = points
        if self.radius > 0.0:
            points, bulges = round_off(points, self.radius)
        check_crossings(points, bulges, True, "vertices")
        self.set_outline(points, bulges, True)

    @property
    def vertices(self):
        """Its corners before rounding (n x 2, m), anticlockwise."""
        return self.given

    def _geometry(self):
        return {"vertices": tuple(map(tuple, self.given.tolist())), "radius": self.radius}


cdef class _Stretched(Shape):
    """What a Capsule and a Segment share: a line from a to b, and a radius around it."""

    cdef readonly double radius
    cdef Vec2 start, end

    cdef int read_line(self, a, b, double radius, dict material) except -1:
        self.start = read_vector(a, "a")
        self.end = read_vector(b, "b")
        self.radius = radius
        self.read_material(material)
        if length(sub(self.end, self.start)) <= SAME * radius:
            raise ValueError(f"a and b must be different points, got {a!r} and {b!r}")
        if radius > 0.0:
            points, bulges = thicken(self.start, self.end, radius)
        else:
            points, bulges = np.array([self.a, self.b]), np.zeros(2)
        self.set_outline(points, bulges, radius > 0.0)
        return 0

    @property
    def a(self):
        """One end (m)."""
        return self.start.x, self.start.y

    @property
    def b(self):
        """The other end (m)."""
        return self.end.x, self.end.y

    def _geometry(self):
        return {"a": self.a, "b": self.b, "radius": self.radius}


cdef class Capsule(_Stretched):
    """All points within radius (m) of the line from a to b (m)."""

    def __init__(self, a, b, radius, **material):
        self.read_line(a, b, read_positive(radius, "radius"), material)


cdef class Segment(_Stretched):
    """The line from a to b (m), for walls and floors; both sides collide.

    With radius (m) it is as thick as a Capsule; without, it has no area and no mass of its own.
    """

    def __init__(self, a, b, radius=0.0, **material):
        self.read_line(a, b, read_at_least_zero(radius, "radius"), material)


cdef class Path(Shape):
    """A run of straight edges and circular arcs through points (n x 2, m).

    bulges: tan(sweep/4) of the piece from each point to the next, positive where it turns left, 0
    where it is straight; n of them, or n - 1 if the run is open; None: all straight. Closed (the
    default), it is a solid body, either way round; open, it is a line such as terrain.
    """

    def __init__(self, points, bulges=None, closed=True, **material):
        given = read_points(points, "points")
        n = len(given)
        arcs = read_bulges(bulges, n if closed else n - 1)
        self.read_material(material)
        given, arcs = without_doubles(given, np.append(arcs, np.zeros(n - len(arcs))), closed)
        if len(given) < 2:
            raise ValueError(f"points must be at least two different points, got {points!r}")
        if closed:
            given, arcs = anticlockwise(given, arcs, "points")
        check_crossings(given, arcs, closed, "points")
        self.set_outline(given, arcs, closed)

    def _geometry(self):
        bulges = self.bulges_array[:len(self.bulges_array) - (not self.closed)]
        return {"points": tuple(map(tuple, self.points_array.tolist())),
                "bulges": tuple(bulges.tolist()), "closed": self.closed}


# ------------------------------------------------------------------------------------ outlines

cdef tuple thicken(Vec2 a, Vec2 b, double radius):
    """The outline of all points within radius of the line from a to b."""
    cdef Vec2 along = sub(b, a)
    cdef Vec2 right = scaled(radius / length(along), vec2(along.y, -along.x))
    points = np.array([(a.x + right.x, a.y + right.y), (b.x + right.x, b.y + right.y),
                       (b.x - right.x, b.y - right.y), (a.x - right.x, a.y - right.y)])
    return points, np.array([0.0, 1.0, 0.0, 1.0])


cdef tuple without_doubles(points, bulges, bint closed):
    """The run without pieces of no length."""
    size = float(np.ptp(points, axis=0).max()) if len(points) else 0.0
    steps = np.hypot(*(np.roll(points, -1, axis=0) - points).T)
    keep = steps > SAME * size
    if not closed:
        keep[len(keep) - 1] = True
    if keep.all():
        return points, bulges
    return np.ascontiguousarray(points[keep]), np.ascontiguousarray(bulges[keep])


cdef tuple anticlockwise(points, bulges, str name):
    """The closed run, turned round if need be; ValueError if it encloses nothing."""
    cdef const double[:, ::1] p = points
    cdef const double[::1] b = bulges
    cdef double area = measure_run(<const Vec2*> &p[0, 0], &b[0], p.shape[0]).area
    size = float(np.ptp(points, axis=0).max())
    if not fabs(area) > NO_AREA * size * size:
        raise ValueError(f"{name} enclose no area, or as much one way round as the other")
    if area > 0.0:
        return points, bulges
    # The piece from i to i + 1 becomes the one from n - 2 - i, turned the other way.
    return np.ascontiguousarray(points[::-1]), np.ascontiguousarray(-np.roll(bulges[::-1], -1))


cdef int check_crossings(points, bulges, bint closed, str name) except -1:
    """ValueError naming the pieces if any two meet other than end to end."""
    cdef const double[:, ::1] p = points
    cdef const double[::1] b = bulges
    cdef Py_ssize_t n = p.shape[0], i = 0, j = 0
    cdef double gap = SAME * float(np.ptp(points, axis=0).max())
    cdef bint crosses
    with nogil:
        crosses = find_crossing(<const Vec2*> &p[0, 0], &b[0], n, n if closed else n - 1, gap,
                                &i, &j)
    if crosses:
        def describe(k):
            start, end = points[k].tolist(), points[(k + 1) % n].tolist()
            return f"{'arc' if bulges[k] else 'edge'} from {tuple(start)} to {tuple(end)}"
        raise ValueError(f"{name} make an outline that meets itself: the {describe(i)} and the "
                         f"{describe(j)}")
    return 0


cdef tuple round_off(points, double radius):
    """The polygon with each corner replaced by an arc of this radius between its edges."""
    before = points - np.roll(points, 1, axis=0)
    after = np.roll(points, -1, axis=0) - points
    edges = np.hypot(*after.T)
    turns = np.arctan2(before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0],
                       (before * after).sum(axis=1))
    # An arc that turns by `turn` begins radius tan(turn/2) before the corner.
    cuts = radius * np.abs(np.tan(turns / 2.0))
    if (cuts + np.roll(cuts, -1) > edges * (1.0 + SAME)).any():
        raise ValueError(f"radius must leave room for the arcs along every edge, got {radius!r}")
    starts = points - before / np.roll(edges, 1)[:, None] * cuts[:, None]
    ends = points + after / edges[:, None] * cuts[:, None]
    outline = np.stack([starts, ends], axis=1).reshape(-1, 2)
    bulges = np.stack([np.tan(turns / 4.0), np.zeros(len(turns))], axis=1).reshape(-1)
    return without_doubles(np.ascontiguousarray(outline), bulges, True)


# ----------------------------------------------------------------------------------- the door

cdef double read_finite(object value, str name) except? -1.0:
    cdef double number = read_number(value, name)
    if not isfinite(number):
        raise ValueError(f"{name} must be finite, got {value!r}")
    return number


cdef double read_at_least_zero(object value, str name) except? -1.0:
    cdef double number = read_number(value, name)
    if not 0.0 <= number < INFINITY:
        raise ValueError(f"{name} must be finite and >= 0, got {value!r}")
    return number


cdef double read_positive(object value, str name) except? -1.0:
    cdef double number = read_number(value, name)
    if not 0.0 < number < INFINITY:
        raise ValueError(f"{name} must be finite and > 0, got {value!r}")
    return number


cdef Vec2 read_vector(object value, str name) except *:
    cdef Vec2 out
    read_numbers(value, name, 2, &out.x)
    if not (isfinite(out.x) and isfinite(out.y)):
        raise ValueError(f"{name} must be two finite numbers, got {value!r}")
    return out


cdef object read_points(object value, str name):
    points = as_rows(name, value, (2,)).copy()
    if points.ndim != 2:
        raise ValueError(f"{name} must be a list of points, got {value!r}")
    bad = np.flatnonzero(~np.isfinite(points).all(axis=1))
    if bad.size:
        raise ValueError(f"{name} must be finite, got {points[bad[0]].tolist()} at {bad[0]}")
    return points


cdef object read_bulges(object value, Py_ssize_t count):
    if value is None:
        return np.zeros(count)
    bulges = as_rows("bulges", value, ())
    if bulges.shape != (count,):
        raise ValueError(f"bulges must be {count} numbers, one for each piece, got {value!r}")
    if not (np.abs(bulges) <= MOST_BULGE).all():
        raise ValueError(f"bulges must be finite and sweep less than a full turn, got {value!r}")
    return bulges.copy()


cdef unsigned int read_bits(object value, str name) except? 0:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 0xFFFFFFFF:
        raise ValueError(f"{name} must be an integer from 0 to 0xffffffff, got {value!r}")
    return value


def rebuild(kind, arguments):
    """Make a shape again, for pickle and copy."""
    return kind(**arguments)
