"""Round particles that collide with each other and with planes, in 1, 2 or 3 dimensions.

The impulse method of docs/maths/particles.md. A step works on a copy of the state (`grains`) and
writes the state only when all of it went well.
"""

from typing import NamedTuple

import numpy as np

from libc.math cimport NAN, fabs, sqrt
from libc.stdint cimport int32_t, int64_t

from enginecore.arguments cimport is_complex
from enginecore.cells cimport Ball, PairFinder, pair_key
from enginecore.grains cimport (
    Counts, Cursor, Grain, IMPACT, Jolt, Law, Plane, Vec, arrive, depart, dot, moved, place,
    read_vec, scaled, store, strayed, strike_pairs, sum_pairs, touch_pair, touch_plane, wrap,
)
from enginecore.memory cimport address

cdef double LARGEST = 1e100       # of any quantity, SI: squares and products stay finite
cdef double SMALLEST = 1e-100     # of radii and masses
cdef double UNIT_TOLERANCE = 1e-6   # how far from 1 a plane normal's length may be
cdef double UNIT_ROUNDING = 2e-15   # on the squared length: as good as normalising again
cdef int64_t MAX_PAIRS = 1 << 27  # near pairs in one list: 1.6 GB

if sizeof(Grain) != 64 or sizeof(Ball) != 32 or sizeof(Jolt) != 48 or sizeof(Plane) != 48:
    raise ImportError("enginecore.particles: the compiler pads structs of doubles")


class PairJolt(NamedTuple):
    dva: object
    dvb: object
    dxa: object
    dxb: object


class PlaneJolt(NamedTuple):
    dv: object
    dx: object


class Energy(NamedTuple):
    kinetic: float
    potential: float
    total: float


class Stats(NamedTuple):
    pairs_tested: int
    contacts: int
    impacts: int
    rescued: int
    searches: int
    strays: int


# ---- what users may give ------------------------------------------------------------------------

cdef double number(str name, value, double low, double high) except? -1.0:
    """`value` as a double within [low, high], or an error that names it."""
    cdef double result
    try:
        if isinstance(value, (str, bytes)) or np.ndim(value) != 0 or is_complex(value):
            raise TypeError
        result = float(value)
    except OverflowError:
        result = float("inf")
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number, got {value!r}") from None
    if not low <= result <= high:
        raise ValueError(f"{name} must be a number from {low:g} to {high:g}, got {value!r}")
    return result


cdef object numbers(str name, value, double low):
    """A fresh float64 array with every element within [low, LARGEST]."""
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(f"{name} must be an array of numbers, got {value!r}") from None
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must be an array of numbers, got {value!r}")
    array = np.array(array, dtype=np.float64, order="C")
    bad = ~((array >= low) & (array <= LARGEST))
    if bad.any():
        at = tuple(int(k) for k in np.argwhere(bad)[0])
        raise ValueError(f"{name} must be within [{low:g}, {LARGEST:g}], "
                         f"got {float(array[at])!r}" + (f" at {at}" if at else ""))
    return array


cdef object rows(str name, value, shape):
    """A fresh (n, dim) array of finite numbers; any n and dim when shape is None."""
    array = numbers(name, value, -LARGEST)
    if shape is not None and array.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, got {array.shape}")
    if array.ndim != 2 or not 1 <= array.shape[1] <= 3:
        raise ValueError(f"{name} must have shape (n, 1), (n, 2) or (n, 3), got {array.shape}")
    return array


cdef object column(str name, value, Py_ssize_t n):
    """A fresh (n,) array of positive numbers; one number stands for all."""
    array = numbers(name, value, SMALLEST)
    if array.ndim == 0:
        return np.full(n, array)
    if array.shape != (n,):
        raise ValueError(f"{name} must be one number or have shape ({n},), got {array.shape}")
    return array


cdef Vec vector(str name, value, int dim) except *:
    """`value` as a vector of dim numbers."""
    cdef const double[::1] array
    given = numbers(name, value, -LARGEST)
    if given.shape != (dim,):
        raise ValueError(f"{name} must have {dim} numbers, got {value!r}")
    array = given
    return Vec(array[0], array[1] if dim > 1 else 0.0, array[2] if dim > 2 else 0.0)


cdef Vec direction(str name, value, int dim) except *:
    """`value` as a unit vector, normalised unless it already is to rounding."""
    cdef Vec n = vector(name, value, dim)
    cdef double squared = dot(n, n)
    if not fabs(sqrt(squared) - 1.0) <= UNIT_TOLERANCE:
        raise ValueError(f"{name} must have length 1, got {value!r} of length {sqrt(squared)!r}")
    return n if fabs(squared - 1.0) <= UNIT_ROUNDING else scaled(n, 1.0 / sqrt(squared))


cdef object read_planes(planes, int dim):
    """Planes as an array (planes, 6) of points and unit normals, padded with zeros."""
    cdef Vec point, n
    table = []
    try:
        planes = list(planes)
    except TypeError:
        raise TypeError(f"planes must be pairs (point, normal), got {planes!r}") from None
    for plane in planes:
        try:
            given, normal = plane
        except (TypeError, ValueError) as error:
            raise type(error)(f"planes must be pairs (point, normal), got {plane!r}") from None
        point = vector("plane point", given, dim)
        n = direction("plane normal", normal, dim)
        table.append((point.x, point.y, point.z, n.x, n.y, n.z))
    return np.array(table, dtype=np.float64).reshape(-1, 6)


cdef Law read_law(e, mu, kp) except *:
    return Law(number("e", e, 0.0, 1.0), number("mu", mu, 0.0, LARGEST),
               number("kp", kp, 0.0, 1.0))


cdef object as_array(Vec a, int dim):
    return np.array((a.x, a.y, a.z)[:dim])


cdef object frozen(array):
    """A view of the same memory that cannot be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


# ---- the two events, alone ----------------------------------------------------------------------

def pair_jolt(xa, xb, va, vb, ra, rb, ma, mb, e, mu, kp):
    """What the contact of particles a and b does to them; None unless they overlap and approach."""
    cdef int dim = numbers("xa", xa, -LARGEST).size
    cdef Grain a, b
    cdef Law law = read_law(e, mu, kp)
    cdef Jolt jolt
    cdef double share
    if not 1 <= dim <= 3:
        raise ValueError(f"xa must have 1, 2 or 3 numbers, got {xa!r}")
    a = Grain(vector("xa", xa, dim), vector("va", va, dim), number("ra", ra, SMALLEST, LARGEST),
              number("ma", ma, SMALLEST, LARGEST))
    b = Grain(vector("xb", xb, dim), vector("vb", vb, dim), number("rb", rb, SMALLEST, LARGEST),
              number("mb", mb, SMALLEST, LARGEST))
    if touch_pair(&a, &b, &law, &jolt) != IMPACT:
        return None
    share = b.m / (a.m + b.m)
    dva = as_array(scaled(jolt.v, share), dim)
    dxa = as_array(scaled(jolt.x, share), dim)
    share = a.m / (a.m + b.m)
    return PairJolt(dva, as_array(scaled(jolt.v, -share), dim),
                    dxa, as_array(scaled(jolt.x, -share), dim))


def plane_jolt(x, v, r, point, n, e, mu, kp):
    """What the contact with a plane does to a particle; None unless it overlaps and approaches."""
    cdef int dim = numbers("x", x, -LARGEST).size
    cdef Grain a
    cdef Plane plane
    cdef Law law = read_law(e, mu, kp)
    cdef Jolt jolt
    if not 1 <= dim <= 3:
        raise ValueError(f"x must have 1, 2 or 3 numbers, got {x!r}")
    a = Grain(vector("x", x, dim), vector("v", v, dim), number("r", r, SMALLEST, LARGEST), 1.0)
    plane = Plane(vector("point", point, dim), direction("n", n, dim))
    if touch_plane(&a, &plane, &law, &jolt) != IMPACT:
        return None
    return PlaneJolt(as_array(jolt.v, dim), as_array(jolt.x, dim))


# ---- many ---------------------------------------------------------------------------------------

cdef class Particles:

    def __cinit__(self, *args, **options):
        # even one that was never initialised is a valid set of no particles
        self.s.dim = 1
        self.finder = PairFinder()

    def __init__(self, positions, velocities, radii, masses, planes=(), e=0.5, mu=0.3, kp=0.3,
                 gravity=None, mode="sequential"):
        if self.x_array is not None:
            raise TypeError("Particles cannot be initialised twice")
        x = rows("positions", positions, None)
        v = rows("velocities", velocities, x.shape)
        r = column("radii", radii, x.shape[0])
        m = column("masses", masses, x.shape[0])
        self.s.dim = x.shape[1]
        self.s.law = read_law(e, mu, kp)
        self.s.g = Vec(0.0, 0.0, 0.0) if gravity is None else vector("gravity", gravity, self.s.dim)
        if mode not in ("sequential", "jacobi"):
            raise ValueError(f"mode must be 'sequential' or 'jacobi', got {mode!r}")
        self.s.sequential = mode == "sequential"
        self.plane_array = read_planes(planes, self.s.dim)
        self.x_array, self.v_array, self.r_array, self.m_array = x, v, r, m
        self.allocate()

    cdef void allocate(self):
        """Make the buffers of a step and set every pointer."""
        cdef Py_ssize_t n = self.x_array.shape[0], line = sizeof(Grain)
        grains = np.zeros((n + 1) * line, np.uint8)
        balls = np.full((n, 4), np.nan)     # NaN: everybody has strayed, so search first
        sums = np.zeros((0 if self.s.sequential else n, 6))
        self.scratch = (grains, balls, sums)
        self.s.grains = <Grain*>((<size_t>address(grains) + line - 1) // line * line)
        self.s.balls = <Ball*>address(balls)
        self.s.sums = <Jolt*>address(sums)
        self.s.x = <const double*>address(self.x_array)
        self.s.v = <const double*>address(self.v_array)
        self.s.r = <const double*>address(self.r_array)
        self.s.m = <const double*>address(self.m_array)
        self.s.planes = <const Plane*>address(self.plane_array)
        self.s.n_planes = self.plane_array.shape[0]
        self.s.typical = np.median(self.r_array) if n else 0.0
        self.s.limit = LARGEST
        self.finder.reserve_balls(n)
        self.s.n = n

    def step(self, dt):
        """Advance by dt seconds."""
        cdef double h = number("dt", dt, 0.0, LARGEST)
        cdef Py_ssize_t misfit
        cdef bint stale
        if self.busy:
            raise RuntimeError("step: another step of the same particles is under way")
        self.busy = True
        try:
            self.s.h = h
            self.s.counts = Counts(0, 0, 0, 0, 0, 0)
            with nogil:
                stale = arrive(&self.s)
            if self.s.sequential:
                self.strike_in_turn(stale)
            else:
                self.strike_at_once(stale)
            with nogil:
                misfit = depart(&self.s)
            if misfit < self.s.n:
                raise OverflowError(f"dt = {dt!r} would take particle {misfit} out of range "
                                    f"(beyond {LARGEST:g}); nothing was changed")
            # with the GIL: other threads see the state before or after the step, not a mixture
            store(&self.s, <double*>self.s.x, <double*>self.s.v)
            self.elapsed += h
        except BaseException:
            self.forget_neighbours()
            raise
        finally:
            self.busy = False

    cdef void strike_in_turn(self, bint stale):
        """Pairs one after another, by index."""
        cdef Cursor at = Cursor(0, -1)
        cdef bint done = False
        self.refresh_neighbours(stale)
        while True:
            with nogil:
                done = strike_pairs(&self.s, self.finder.start, self.finder.partner,
                                    &self.finder.late, &at)
            if done:
                return
            self.follow(at.i, at)
            self.follow(at.j, at)

    cdef void follow(self, Py_ssize_t i, Cursor at):
        """Find the neighbours of particle i anew if it has left its skin; `at`: pairs done."""
        if not strayed(&self.s.grains[i], &self.s.balls[i]):
            return
        place(&self.s.grains[i], &self.s.balls[i])
        self.s.counts.strays += 1
        if not self.finder.move(self.s.balls, <int32_t>i, pair_key(at.i, at.j), MAX_PAIRS):
            raise MemoryError(f"more than {MAX_PAIRS} pairs of particles are near each other")

    cdef void strike_at_once(self, bint stale):
        """Pairs all from the same state, summed."""
        self.refresh_neighbours(stale)
        with nogil:
            sum_pairs(&self.s, self.finder.start, self.finder.partner)

    cdef void refresh_neighbours(self, bint stale):
        """List the pairs that can touch before somebody leaves the skin, unless the list holds."""
        if not stale and self.finder.moves == 0:
            return
        with nogil:
            wrap(&self.s)
        self.s.counts.searches += 1
        if not self.finder.find(self.s.balls, self.s.n, self.s.dim, MAX_PAIRS):
            raise MemoryError(f"more than {MAX_PAIRS} pairs of particles are near each other")

    cdef void forget_neighbours(self):
        """Make the next step search."""
        if self.s.n:
            self.s.balls[0].reach = NAN

    def set_state(self, positions=None, velocities=None):
        """Replace positions (m), velocities (m/s) or both."""
        shape = (self.s.n, self.s.dim)
        x = self.x_array if positions is None else rows("positions", positions, shape)
        v = self.v_array if velocities is None else rows("velocities", velocities, shape)
        if self.busy:
            raise RuntimeError("set_state: a step of the same particles is under way")
        self.x_array[:] = x
        self.v_array[:] = v

    def copy(self):
        """An independent twin that will take the same steps."""
        make, state = self.__reduce__()
        return make(*state)

    def __reduce__(self):
        arguments = (self.x_array, self.v_array, self.r_array, self.m_array, self.planes)
        options = {"e": self.e, "mu": self.mu, "kp": self.kp, "gravity": self.gravity,
                   "mode": self.mode}
        return _restored, (arguments, options, self.elapsed, tuple(self.stats))

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def __len__(self):
        return self.s.n

    def __repr__(self):
        return (f"<Particles: {self.s.n} in {self.s.dim}D, {self.s.n_planes} planes, {self.mode}, "
                f"time={self.elapsed:g} s>")

    @property
    def positions(self):
        """(n, dim), m."""
        return frozen(self.x_array)

    @property
    def velocities(self):
        """(n, dim), m/s."""
        return frozen(self.v_array)

    @property
    def radii(self):
        """(n,), m."""
        return frozen(self.r_array)

    @property
    def masses(self):
        """(n,), kg."""
        return frozen(self.m_array)

    @property
    def planes(self):
        """Pairs (point, unit normal)."""
        dim = self.s.dim
        return [(frozen(row[:dim]), frozen(row[3:3 + dim])) for row in self.plane_array]

    @property
    def dim(self):
        """1, 2 or 3."""
        return self.s.dim

    @property
    def e(self):
        """Restitution."""
        return self.s.law.e

    @property
    def mu(self):
        """Friction coefficient."""
        return self.s.law.mu

    @property
    def kp(self):
        """Projection factor."""
        return self.s.law.kp

    @property
    def gravity(self):
        """(dim,), m/s^2."""
        return as_array(self.s.g, self.s.dim)

    @property
    def mode(self):
        """'sequential' or 'jacobi'."""
        return "sequential" if self.s.sequential else "jacobi"

    @property
    def time(self):
        """Seconds since the start."""
        return self.elapsed

    @property
    def energy(self):
        """Kinetic, potential (-m g.x) and total, J."""
        cdef double kinetic = 0.0, potential = 0.0
        cdef Py_ssize_t i
        cdef Vec x, v
        for i in range(self.s.n):
            x = read_vec(&self.s.x[i * self.s.dim], self.s.dim)
            v = read_vec(&self.s.v[i * self.s.dim], self.s.dim)
            kinetic += 0.5 * self.s.m[i] * dot(v, v)
            potential -= self.s.m[i] * dot(self.s.g, x)
        return Energy(kinetic, potential, kinetic + potential)

    @property
    def momentum(self):
        """(dim,), kg m/s."""
        cdef Vec p = Vec(0.0, 0.0, 0.0)
        cdef Py_ssize_t i
        for i in range(self.s.n):
            p = moved(p, read_vec(&self.s.v[i * self.s.dim], self.s.dim), self.s.m[i])
        return as_array(p, self.s.dim)

    @property
    def stats(self):
        """Counts of the last step."""
        return Stats(self.s.counts.pairs_tested, self.s.counts.contacts, self.s.counts.impacts,
                     self.s.counts.rescued, self.s.counts.searches, self.s.counts.strays)


def _restored(arguments, options, time, stats):
    """Particles as they were when pickled or copied."""
    cdef Particles twin = Particles(*arguments, **options)
    twin.elapsed = time
    twin.s.counts = Counts(stats[0], stats[1], stats[2], stats[3], stats[4], stats[5])
    return twin
