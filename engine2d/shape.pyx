"""Shapes are values: geometry with density, friction, restitution and a filter.

Whatever its class, a shape is a run of straight edges and circular arcs (engine2d.collide.outline),
turned anticlockwise, checked when it is made and never changed after.
"""

import cython
import numpy as np

from libc.math cimport INFINITY, cos, isfinite, fabs, sin
from libc.stdint cimport int32_t

from enginecore.arguments cimport read_flag
from enginecore.filter cimport Filter
from enginecore.scalar cimport greater
from engine2d.arguments cimport (
    read_at_least_zero, read_finite, read_positive, read_vector, read_velocity,
)
from engine2d.collide.geometry cimport (
    BLOCK, OUTLINE, Feature, Geometry, build_features, count_boxes, turn_one_way)
from engine2d.collide.outline cimport Bounds, bound_run, measure_run
from engine2d.shape_form cimport (
    SAME, anticlockwise, check_crossings, describe_core, farthest, find_normals, inset,
    measure_rounded, read_bulges, read_points, round_off, thicken, without_doubles)
from engine2d.vec2 cimport Vec2, add, length, scaled, sub, vec2
from engine2d.vector cimport as_vector

from enginecore.arguments import read_tag
from enginecore.filter import Filter as _Filter

cdef double TAN_EIGHTH = 0.41421356237309503  # tan(pi/8): the bulge of a quarter turn


globals()["Filter"] = _Filter      # engine2d.shape.Filter: a name users may import
cdef Filter EVERYTHING = _Filter()


cdef class Shape:
    """What all shapes share; make a Circle, Box, Polygon, Capsule, Segment or Path.

    density (kg/m^2), friction (Coulomb's), restitution (0 to 1). rolling_resistance: the torque
    that     resists rolling, at most this times the radius times the normal force. surface_velocity
    (m/s, in the body's frame): how fast the surface runs, as on a conveyor. one_way (a direction,
    in the body's frame): met from that side only, passed through from others. boost: share of the
    speed of approach that a blow gives besides, as a bumper does: its work is booked. sensor:
    reports overlaps, pushes nothing. filter: a Filter, who collides with whom; None: everything
    with everything. tag: a name or a small integer, for handlers of events.
    """

    def __init__(self):
        raise TypeError("make a Circle, Box, Polygon, Capsule, Segment or Path, not a Shape")

    cdef int read_material(self, density, friction, restitution, rolling_resistance,
                           surface_velocity, one_way, boost, sensor, filter, tag) except -1:
        """What it is made of, who it collides with and what its user calls it."""
        if self.geometry.core != NULL or self.geometry.features != NULL:
            raise TypeError("a shape never changes: use replace() to make another")
        self.density = read_at_least_zero(density, "density")
        self.friction = read_at_least_zero(friction, "friction")
        self.restitution = read_at_least_zero(restitution, "restitution")
        if self.restitution > 1.0:
            raise ValueError(f"restitution must be from 0 to 1, got {restitution!r}")
        self.rolling_resistance = read_at_least_zero(rolling_resistance, "rolling_resistance")
        self.surface = read_velocity(surface_velocity, "surface_velocity")
        self.through = vec2(0.0, 0.0) if one_way is None else read_vector(one_way, "one_way")
        if one_way is not None and not length(self.through) > 0.0:
            raise ValueError(f"one_way must be a direction, not zero, got {one_way!r}")
        self.boost = read_at_least_zero(boost, "boost")
        self.sensor = read_flag(sensor, "sensor")
        if filter is not None and not isinstance(filter, Filter):
            raise TypeError(f"filter must be a Filter, got {filter!r}")
        self.filter = EVERYTHING if filter is None else filter
        self.tag = None if tag is None else read_tag(tag)
        return 0

    cdef int keep_outline(self, object points, object bulges) except -1:
        """Keep the run that goes round the shape."""
        points.flags.writeable = False
        bulges.flags.writeable = False
        self.points_array = points
        self.bulges_array = bulges
        return 0

    cdef int make_outline(self) except -1:
        """Write down the run of a shape that was made without one: when it is first asked for."""
        raise NotImplementedError

    cdef int set_core(self, int32_t n, double radius) except -1:
        """Be a disc or hull of n <= 4 corners in own_core; `closed` and `moments` are known."""
        cdef Geometry g
        describe_core(&g, self.own_core, self.own_normals, n, radius, self.closed,
                      self.moments.centroid)
        return self.set_geometry(&g)

    cdef int set_geometry(self, const Geometry* g) except -1:
        """Be this, the last thing to be set; OverflowError if it is too large for its moments."""
        if not (isfinite(g.bounding_radius) and isfinite(self.moments.second)):
            raise OverflowError(f"a {type(self).__name__} must not be so large that its moment of "
                                f"inertia leaves the range of doubles")
        self.geometry = g[0]
        return 0

    cdef int set_polygon(self, object points, double radius) except -1:
        """Be the hull of a polygon whose corners have this radius, if it is convex, else features
        of the outline that is kept."""
        cdef const double[:, ::1] p = points
        cdef int32_t n = <int32_t> p.shape[0], count
        cdef Vec2* core = self.own_core
        cdef Vec2* normals = self.own_normals
        cdef double[:, :, ::1] room
        cdef Geometry g
        self.measure_outline(True)
        if n > 4:
            self.kept = np.empty((2, n, 2))
            room = self.kept
            core = <Vec2*> &room[0, 0, 0]
            normals = <Vec2*> &room[1, 0, 0]
        count = inset(<const Vec2*> &p[0, 0], n, radius, core, normals)
        if count == 0:
            return self.set_features()
        describe_core(&g, core, normals, count, radius, True, self.moments.centroid)
        return self.set_geometry(&g)

    cdef int measure_outline(self, bint closed) except -1:
        """Set the moments of the run that is kept."""
        cdef const double[:, ::1] p = self.points_array
        cdef const double[::1] b = self.bulges_array
        cdef Py_ssize_t n = p.shape[0]
        cdef Bounds box
        self.closed = closed
        if closed:
            self.moments = measure_run(<const Vec2*> &p[0, 0], &b[0], n)
        else:
            box = bound_run(<const Vec2*> &p[0, 0], &b[0], n, n - 1)
            self.moments.centroid = scaled(0.5, add(box.low, box.high))
        return 0

    cdef int set_features(self) except -1:
        """Be the features of the run that is kept and measured."""
        cdef const double[:, ::1] p = self.points_array
        cdef const double[::1] b = self.bulges_array
        cdef double[:, ::1] features, blocks
        cdef Py_ssize_t n = p.shape[0], k
        cdef Geometry g
        g.kind = OUTLINE
        g.closed = self.closed
        g.radius = 0.0
        g.n_core = 0
        g.core = g.normals = NULL
        g.n_features = <int32_t> (2 * n if self.closed else 4 * (n - 1))
        g.n_blocks = (g.n_features + BLOCK - 1) // BLOCK
        self.kept = (np.zeros((g.n_features, sizeof(Feature) // sizeof(double))),
                     np.zeros((count_boxes(g.n_features), sizeof(Bounds) // sizeof(double))))
        features, blocks = self.kept
        build_features(<const Vec2*> &p[0, 0], &b[0], n, self.closed, <Feature*> &features[0, 0],
                       <Bounds*> &blocks[0, 0])
        g.features = <const Feature*> &features[0, 0]
        g.convex = self.closed and turn_one_way(g.features, g.n_features)
        g.flattest = 0.0
        for k in range(g.n_features):
            if g.features[k].r != INFINITY:
                g.flattest = greater(g.flattest, fabs(g.features[k].r))
        g.blocks = <const Bounds*> &blocks[0, 0]
        g.box = bound_run(<const Vec2*> &p[0, 0], &b[0], n, n if self.closed else n - 1)
        g.middle = self.moments.centroid
        g.bounding_radius = farthest(<const Vec2*> &p[0, 0], &b[0], n,
                                     n if self.closed else n - 1, g.middle)
        return self.set_geometry(&g)

    @property
    def surface_velocity(self):
        """How fast its surface runs over it (m/s, body's frame): of a conveyor."""
        return as_vector(self.surface)

    @property
    def one_way(self):
        """The side (a direction, body's frame) from which it is met; None: from all."""
        return as_vector(self.through) if (self.through.x != 0.0 or self.through.y != 0.0) else None

    @property
    def points(self):
        """Corners of the outline (n x 2, m), anticlockwise; read-only."""
        if self.points_array is None:
            self.make_outline()
        return self.points_array

    @property
    def bulges(self):
        """tan(sweep/4) of the piece from each point to the next (n); 0: straight; read-only."""
        if self.bulges_array is None:
            self.make_outline()
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
        return as_vector(self.moments.centroid)

    @property
    def inertia(self):
        """Moment of inertia about the centroid (kg m^2)."""
        return self.density * self.moments.second

    @property
    def bounds(self):
        """Least box with sides along the axes: ((x, y) low, (x, y) high) (m)."""
        cdef Bounds box = self.geometry.box
        return as_vector(box.low), as_vector(box.high)

    def replace(self, **changes):
        """The same shape with some arguments changed."""
        cdef Shape out
        if type(self) in FORMS and not changes.keys() - set(MATERIALS):
            # the form was checked when this one was made
            out = type(self).__new__(type(self))
            given = {name: changes.get(name, getattr(self, name)) for name in MATERIALS}
            out.read_material(given["density"], given["friction"], given["restitution"],
                              given["rolling_resistance"], given["surface_velocity"],
                              given["one_way"], given["boost"], given["sensor"],
                              given["filter"], given["tag"])
            out.take_form(self)
            return out
        return type(self)(**{**self._arguments(), **changes})

    cdef int take_form(self, Shape other) except -1:
        """Be of the same form as another shape of the same class."""
        cdef int k
        self.closed, self.moments, self.kept = other.closed, other.moments, other.kept
        self.points_array, self.bulges_array = other.points_array, other.bulges_array
        for k in range(4):
            self.own_core[k], self.own_normals[k] = other.own_core[k], other.own_normals[k]
        self.geometry = other.geometry
        if other.geometry.core == &other.own_core[0]:
            self.geometry.core, self.geometry.normals = self.own_core, self.own_normals
        return 0

    def _geometry(self):
        raise NotImplementedError

    def _arguments(self):
        """All arguments that make this shape again."""
        return {**self._geometry(), "density": self.density, "friction": self.friction,
                "restitution": self.restitution, "rolling_resistance": self.rolling_resistance,
                "surface_velocity": (self.surface.x, self.surface.y),
                "one_way": None if self.one_way is None else (self.through.x, self.through.y),
                "boost": self.boost, "sensor": self.sensor, "filter": self.filter,
                "tag": self.tag}

    def __repr__(self):
        shown = [f"{name}={value!r}" for name, value in self._geometry().items()]
        usual = {"density": 1.0, "friction": 0.5, "restitution": 0.0, "rolling_resistance": 0.0,
                 "surface_velocity": (0.0, 0.0), "one_way": None, "boost": 0.0, "sensor": False,
                 "filter": EVERYTHING, "tag": None}
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
    """Circle(radius, center=(0.0, 0.0), *, density=1.0, friction=0.5, \
restitution=0.0, rolling_resistance=0.0, surface_velocity=(0.0, 0.0), one_way=None, boost=0.0, \
sensor=False, filter=None, tag=None)\n--\n\n\
A disc: radius (m) and centre (m, in the body's frame).

    density to tag: what it is made of and what it is, as in Shape.
    """

    cdef readonly double radius
    cdef Vec2 middle

    @cython.embedsignature(False)
    def __init__(self, radius, center=(0.0, 0.0), *, density=1.0,
                 friction=0.5, restitution=0.0, rolling_resistance=0.0, surface_velocity=(0.0, 0.0),
                 one_way=None, boost=0.0, sensor=False, filter=None, tag=None):
        self.radius = read_positive(radius, "radius")
        self.middle = read_vector(center, "center")
        self.read_material(density, friction, restitution, rolling_resistance, surface_velocity,
                           one_way, boost, sensor, filter, tag)
        self.closed = True
        self.moments = measure_rounded(self.middle, 0.0, 0.0, self.radius)
        self.own_core[0] = self.middle
        self.set_core(1, self.radius)

    cdef int make_outline(self) except -1:
        x, y, r = self.middle.x, self.middle.y, self.radius
        return self.keep_outline(np.array([(x - r, y), (x + r, y)]), np.ones(2))

    @property
    def center(self):
        """Centre (m)."""
        return as_vector(self.middle)

    def _geometry(self):
        return {"radius": self.radius, "center": (self.middle.x, self.middle.y)}

    cdef int take_form(self, Shape other) except -1:
        cdef Circle given = other
        self.radius, self.middle = given.radius, given.middle
        return Shape.take_form(self, other)


cdef class Box(Shape):
    """Box(width, height, center=(0.0, 0.0), angle=0.0, radius=0.0, *, density=1.0, friction=0.5, \
restitution=0.0, rolling_resistance=0.0, surface_velocity=(0.0, 0.0), one_way=None, boost=0.0, \
sensor=False, filter=None, tag=None)\n--\n\n\
A rectangle, width by height (m), its middle at center (m), turned by angle (rad).

    radius (m) rounds the corners off inside these measures.

    density to tag: what it is made of and what it is, as in Shape.
    """

    cdef readonly double width, height, angle, radius
    cdef Vec2 middle

    @cython.embedsignature(False)
    def __init__(self, width, height, center=(0.0, 0.0), angle=0.0, radius=0.0, *, density=1.0,
                 friction=0.5, restitution=0.0, rolling_resistance=0.0, surface_velocity=(0.0, 0.0),
                 one_way=None, boost=0.0, sensor=False, filter=None, tag=None):
        self.width = read_positive(width, "width")
        self.height = read_positive(height, "height")
        self.middle = read_vector(center, "center")
        self.angle = read_finite(angle, "angle")
        self.radius = read_at_least_zero(radius, "radius")
        self.read_material(density, friction, restitution, rolling_resistance, surface_velocity,
                           one_way, boost, sensor, filter, tag)
        if 2.0 * self.radius > min(self.width, self.height):
            raise ValueError(f"radius must be at most half of width {self.width!r} and height "
                             f"{self.height!r}, got {radius!r}")
        self.closed = True
        self.moments = measure_rounded(self.middle, self.width - 2.0 * self.radius,
                                       self.height - 2.0 * self.radius, self.radius)
        self.set_core(self.place_corners(), self.radius)

    cdef int take_form(self, Shape other) except -1:
        cdef Box given = other
        self.width, self.height, self.angle = given.width, given.height, given.angle
        self.radius, self.middle = given.radius, given.middle
        return Shape.take_form(self, other)

    cdef int32_t place_corners(self) noexcept:
        """Write corners and normals of the core; returns how many there are."""
        cdef double c = cos(self.angle), s = sin(self.angle)
        cdef double x = 0.5 * self.width - self.radius, y = 0.5 * self.height - self.radius
        cdef double none = SAME * greater(self.width, self.height) if self.radius > 0.0 else 0.0
        cdef Vec2 m = self.middle, across = vec2(x * c, x * s), up = vec2(-y * s, y * c)
        cdef Vec2* core = self.own_core
        cdef Vec2* normals = self.own_normals
        if x <= none and y <= none:
            core[0] = m
            return 1
        if x <= none or y <= none:
            # rounded off to a line along the longer side
            if y <= none:
                up = across
                c, s = s, -c
            core[0] = sub(m, up)
            core[1] = add(m, up)
            normals[0] = vec2(c, s)
            normals[1] = vec2(-c, -s)
            return 2
        core[0] = vec2(m.x - across.x - up.x, m.y - across.y - up.y)
        core[1] = vec2(m.x + across.x - up.x, m.y + across.y - up.y)
        core[2] = vec2(m.x + across.x + up.x, m.y + across.y + up.y)
        core[3] = vec2(m.x - across.x + up.x, m.y - across.y + up.y)
        normals[0] = vec2(s, -c)
        normals[1] = vec2(c, s)
        normals[2] = vec2(-s, c)
        normals[3] = vec2(-c, -s)
        return 4

    cdef int make_outline(self) except -1:
        """From the lower left corner on."""
        cdef double c = cos(self.angle), s = sin(self.angle), r = self.radius
        cdef double x = 0.5 * self.width, y = 0.5 * self.height
        if r == 0.0:
            points = np.array([(self.own_core[k].x, self.own_core[k].y) for k in range(4)])
            return self.keep_outline(points, np.zeros(4))
        local = np.array([(r - x, -y), (x - r, -y), (x, r - y), (x, y - r),
                          (x - r, y), (r - x, y), (-x, y - r), (-x, r - y)])
        local, bulges = without_doubles(local, np.array([0.0, TAN_EIGHTH] * 4), True)
        points = local @ np.array([(c, s), (-s, c)]) + np.array(self.center)
        return self.keep_outline(np.ascontiguousarray(points), bulges)

    @property
    def center(self):
        """Middle (m)."""
        return as_vector(self.middle)

    def _geometry(self):
        return {"width": self.width, "height": self.height,
                "center": (self.middle.x, self.middle.y),
                "angle": self.angle, "radius": self.radius}


cdef class Polygon(Shape):
    """Polygon(vertices, radius=0.0, *, density=1.0, friction=0.5, \
restitution=0.0, rolling_resistance=0.0, surface_velocity=(0.0, 0.0), one_way=None, boost=0.0, \
sensor=False, filter=None, tag=None)\n--\n\n\
A polygon, convex or not, by its vertices (n x 2, m), either way round.

    radius (m) rounds its corners off, inner and outer ones, between the edges.

    density to tag: what it is made of and what it is, as in Shape.
    """

    cdef readonly double radius
    cdef object given

    @cython.embedsignature(False)
    def __init__(self, vertices, radius=0.0, *, density=1.0,
                 friction=0.5, restitution=0.0, rolling_resistance=0.0, surface_velocity=(0.0, 0.0),
                 one_way=None, boost=0.0, sensor=False, filter=None, tag=None):
        points = read_points(vertices, "vertices")
        self.radius = read_at_least_zero(radius, "radius")
        self.read_material(density, friction, restitution, rolling_resistance, surface_velocity,
                           one_way, boost, sensor, filter, tag)
        points, bulges = without_doubles(points, np.zeros(len(points)), True)
        if len(points) < 3:
            raise ValueError(f"vertices must be at least three different points, got {vertices!r}")
        points, bulges = anticlockwise(points, bulges, "vertices")
        self.given = points
        if self.radius > 0.0:
            points, bulges = round_off(points, self.radius)
        check_crossings(points, bulges, True, "vertices")
        self.keep_outline(points, bulges)
        self.set_polygon(self.given, self.radius)

    cdef int take_form(self, Shape other) except -1:
        cdef Polygon given = other
        self.radius, self.given = given.radius, given.given
        return Shape.take_form(self, other)

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

    cdef int read_line(self, a, b, double radius) except -1:
        self.start = read_vector(a, "a")
        self.end = read_vector(b, "b")
        self.radius = radius
        if length(sub(self.end, self.start)) <= SAME * radius:
            raise ValueError(f"a and b must be different points, got {a!r} and {b!r}")
        return self.place_line()

    cdef int place_line(self) except -1:
        """Write the two corners of the core, and what follows from them."""
        cdef Vec2 along = sub(self.end, self.start)
        cdef double size = length(along)
        self.closed = self.radius > 0.0
        self.moments = measure_rounded(scaled(0.5, add(self.start, self.end)), size, 0.0,
                                       self.radius)
        self.own_core[0] = self.start
        self.own_core[1] = self.end
        self.own_normals[0] = vec2(along.y / size, -along.x / size)
        self.own_normals[1] = vec2(-along.y / size, along.x / size)
        return self.set_core(2, self.radius)

    cdef int make_outline(self) except -1:
        if self.radius > 0.0:
            points, bulges = thicken(self.start, self.end, self.radius)
        else:
            points, bulges = np.array([self.a, self.b]), np.zeros(2)
        return self.keep_outline(points, bulges)

    cdef int take_form(self, Shape other) except -1:
        cdef _Stretched given = other
        self.radius, self.start, self.end = given.radius, given.start, given.end
        return Shape.take_form(self, other)

    @property
    def a(self):
        """One end (m)."""
        return as_vector(self.start)

    @property
    def b(self):
        """The other end (m)."""
        return as_vector(self.end)

    def _geometry(self):
        return {"a": (self.start.x, self.start.y), "b": (self.end.x, self.end.y),
                "radius": self.radius}


cdef class Capsule(_Stretched):
    """Capsule(a, b, radius, *, density=1.0, friction=0.5, \
restitution=0.0, rolling_resistance=0.0, surface_velocity=(0.0, 0.0), one_way=None, boost=0.0, \
sensor=False, filter=None, tag=None)\n--\n\n\
All points within radius (m) of the line from a to b (m).

    density to tag: what it is made of and what it is, as in Shape.
    """

    @cython.embedsignature(False)
    def __init__(self, a, b, radius, *, density=1.0,
                 friction=0.5, restitution=0.0, rolling_resistance=0.0, surface_velocity=(0.0, 0.0),
                 one_way=None, boost=0.0, sensor=False, filter=None, tag=None):
        self.read_material(density, friction, restitution, rolling_resistance, surface_velocity,
                           one_way, boost, sensor, filter, tag)
        self.read_line(a, b, read_positive(radius, "radius"))


cdef class Segment(_Stretched):
    """Segment(a, b, radius=0.0, *, density=1.0, friction=0.5, \
restitution=0.0, rolling_resistance=0.0, surface_velocity=(0.0, 0.0), one_way=None, boost=0.0, \
sensor=False, filter=None, tag=None)\n--\n\n\
The line from a to b (m), for walls and floors; both sides collide.

    With radius (m) it is as thick as a Capsule; without, it has no area and no mass of its own.

    density to tag: what it is made of and what it is, as in Shape.
    """

    @cython.embedsignature(False)
    def __init__(self, a, b, radius=0.0, *, density=1.0,
                 friction=0.5, restitution=0.0, rolling_resistance=0.0, surface_velocity=(0.0, 0.0),
                 one_way=None, boost=0.0, sensor=False, filter=None, tag=None):
        self.read_material(density, friction, restitution, rolling_resistance, surface_velocity,
                           one_way, boost, sensor, filter, tag)
        self.read_line(a, b, read_at_least_zero(radius, "radius"))


cdef class Path(Shape):
    """Path(points, bulges=None, closed=True, *, density=1.0, friction=0.5, \
restitution=0.0, rolling_resistance=0.0, surface_velocity=(0.0, 0.0), one_way=None, boost=0.0, \
sensor=False, filter=None, tag=None)\n--\n\n\
A run of straight edges and circular arcs through points (n x 2, m).

    bulges: tan(sweep/4) of the piece from each point to the next, positive where it turns left, 0
    where it is straight; n of them, or n - 1 if the run is open; None: all straight. Closed (the
    default), it is a solid body, either way round; open, it is a line such as terrain.

    density to tag: what it is made of and what it is, as in Shape.
    """

    @cython.embedsignature(False)
    def __init__(self, points, bulges=None, closed=True, *, density=1.0,
                 friction=0.5, restitution=0.0, rolling_resistance=0.0, surface_velocity=(0.0, 0.0),
                 one_way=None, boost=0.0, sensor=False, filter=None, tag=None):
        given = read_points(points, "points")
        n = len(given)
        closed = read_flag(closed, "closed")
        arcs = read_bulges(bulges, n if closed else n - 1)
        self.read_material(density, friction, restitution, rolling_resistance, surface_velocity,
                           one_way, boost, sensor, filter, tag)
        given, arcs = without_doubles(given, np.append(arcs, np.zeros(n - len(arcs))), closed)
        if len(given) < 2:
            raise ValueError(f"points must be at least two different points, got {points!r}")
        hint = "; closed=False makes a line of them" if closed else ""
        if closed:
            given, arcs = anticlockwise(given, arcs, "points", hint)
        check_crossings(given, arcs, closed, "points", hint)
        self.keep_outline(given, arcs)
        if closed and not arcs.any():
            self.set_polygon(given, 0.0)
        elif not closed and len(given) == 2 and not arcs.any():
            self.measure_outline(False)
            make_line(self, given)
        else:
            self.measure_outline(closed)
            self.set_features()

    def _geometry(self):
        bulges = self.bulges_array[:len(self.bulges_array) - (not self.closed)]
        return {"points": tuple(map(tuple, self.points_array.tolist())),
                "bulges": tuple(bulges.tolist()), "closed": self.closed}


FORMS = frozenset((Circle, Box, Polygon, Capsule, Segment, Path))
MATERIALS = ("density", "friction", "restitution", "rolling_resistance", "surface_velocity",
             "one_way", "boost", "sensor", "filter", "tag")


cdef int make_line(Shape shape, points) except -1:
    """Make an open path of one straight edge what a Segment is."""
    cdef const double[:, ::1] p = points
    shape.own_core[0] = vec2(p[0, 0], p[0, 1])
    shape.own_core[1] = vec2(p[1, 0], p[1, 1])
    find_normals(shape.own_core, 2, shape.own_normals)
    return shape.set_core(2, 0.0)


def rebuild(kind, arguments):
    """Make a shape again, for pickle and copy."""
    return kind(**arguments)
