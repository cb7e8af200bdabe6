"""Particles inside a step: their data, the two collision kernels and the stages.

The letters are those of docs/maths/particles.md.
"""

from libc.math cimport sqrt
from libc.stdint cimport int32_t, int64_t

from enginecore.cells cimport Ball, Queue

cdef struct Vec:
    double x
    double y
    double z              # unused axes are 0 throughout, so one code serves 1, 2 and 3 dimensions

cdef struct Grain:        # a particle while a step works on it: 64 bytes, one cache line
    Vec x                 # centre, m
    Vec v                 # velocity, m/s
    double r              # radius, m
    double m              # mass, kg

cdef struct Plane:
    Vec point             # any point on it, m
    Vec n                 # unit normal; points to the free side

cdef struct Law:
    double e              # restitution, 0 to 1
    double mu             # friction coefficient, >= 0
    double kp             # share of the overlap that a projection removes, 0 to 1

cdef struct Jolt:
    Vec v                 # change of velocity, m/s (of a relative to b where there are two)
    Vec x                 # change of position, m (likewise)

cdef struct Counts:       # of the last step
    int64_t pairs_tested
    int64_t contacts      # overlaps, with particles and planes
    int64_t impacts       # those of them that were struck
    int64_t rescued       # particles put back in front of a plane
    int64_t searches      # of all neighbours: 0 or 1
    int64_t strays        # times that a particle needed new neighbours within the step

cdef struct Step:         # all that a step works with
    Py_ssize_t n          # particles
    int dim               # 1, 2 or 3
    bint sequential       # the mode; else jacobi
    double h              # time step, s
    Vec g                 # gravity, m/s^2
    Law law
    const double* x       # n * dim: the state at the start
    const double* v
    const double* r       # n
    const double* m
    Py_ssize_t n_planes
    const Plane* planes
    double typical        # m, the median radius
    double limit          # of any coordinate and speed
    Grain* grains         # n: the particles as they change
    Ball* balls           # n: where they were when their neighbours were searched, and skins
    Jolt* sums            # n, jacobi only
    Counts counts

cdef enum Touch:
    APART                 # no overlap
    RESTING               # overlap, not approaching
    IMPACT                # overlap, approaching: a jolt was written

cdef struct Cursor:       # the pair struck last
    Py_ssize_t i
    int32_t j


cdef inline Vec sub(Vec a, Vec b) noexcept nogil:
    return Vec(a.x - b.x, a.y - b.y, a.z - b.z)

cdef inline Vec scaled(Vec a, double s) noexcept nogil:
    return Vec(a.x * s, a.y * s, a.z * s)

cdef inline Vec moved(Vec a, Vec b, double s) noexcept nogil:
    """a + s b"""
    return Vec(a.x + b.x * s, a.y + b.y * s, a.z + b.z * s)

cdef inline double dot(Vec a, Vec b) noexcept nogil:
    return a.x * b.x + a.y * b.y + a.z * b.z


cdef inline Vec read_vec(const double* p, int dim) noexcept nogil:
    return Vec(p[0], p[1] if dim > 1 else 0.0, p[2] if dim > 2 else 0.0)

cdef inline void write_vec(Vec a, int dim, double* p) noexcept nogil:
    p[0] = a.x
    if dim > 1:
        p[1] = a.y
    if dim > 2:
        p[2] = a.z


cdef inline Touch strike(Vec n, double overlap, Vec v, const Law* law, Jolt* out) noexcept nogil:
    """The jolt of a relative to b, for contact normal n (b to a) and relative velocity v.

    Steps b.2 to c.5 of the notes with the reduced mass left out: the caller shares the jolt
    among a and b. Friction is cut off at the slip itself, so it stops slip, never reverses it.
    """
    cdef double vn = dot(n, v)
    cdef double jolt, slip, cut
    cdef Vec vt
    if not vn < 0.0:
        return RESTING
    jolt = -(1.0 + law.e) * vn
    vt = moved(v, n, -vn)
    slip = sqrt(dot(vt, vt))
    out.v = scaled(n, jolt)
    if slip > 0.0:
        cut = min(law.mu * jolt / slip, 1.0)
        out.v = moved(out.v, vt, -cut)
    out.x = scaled(n, law.kp * overlap)
    return IMPACT


cdef inline Touch touch_pair(const Grain* a, const Grain* b, const Law* law,
                             Jolt* out) noexcept nogil:
    """Steps a.1 to c.5 for two particles. Writes the jolt of a relative to b when IMPACT."""
    cdef Vec x = sub(a.x, b.x)
    cdef Vec v
    cdef double reach = a.r + b.r
    cdef double squared = dot(x, x)
    cdef double distance, speed
    # Safely apart without a root; the margin leaves every close call to the exact test below.
    if squared > reach * reach * (1.0 + 1e-9):
        return APART
    distance = sqrt(squared)
    if not reach - distance > 0.0:
        return APART
    v = sub(a.v, b.v)
    if distance > 0.0:
        return strike(Vec(x.x / distance, x.y / distance, x.z / distance), reach - distance, v,
                      law, out)
    # Coincident centres: as if they had met head on, along their relative velocity.
    speed = sqrt(dot(v, v))
    if not speed > 0.0:
        return RESTING
    return strike(Vec(-v.x / speed, -v.y / speed, -v.z / speed), reach, v, law, out)


cdef inline double height(const Plane* p, Vec x) noexcept nogil:
    """Signed distance (m) of a point in front of a plane."""
    return dot(sub(x, p.point), p.n)


cdef inline Touch touch_plane(const Grain* a, const Plane* p, const Law* law,
                              Jolt* out) noexcept nogil:
    """The same for a particle and a plane, which does not give way."""
    cdef double overlap = a.r - height(p, a.x)
    if not overlap > 0.0:
        return APART
    return strike(p.n, overlap, a.v, law, out)


cdef inline void place(const Grain* a, Ball* ball) noexcept nogil:
    """Put the ball where the particle is."""
    ball.x[0] = a.x.x
    ball.x[1] = a.x.y
    ball.x[2] = a.x.z


cdef inline bint strayed(const Grain* a, const Ball* ball) noexcept nogil:
    """Whether a particle has left the skin it had when its neighbours were searched."""
    cdef Vec x = sub(a.x, Vec(ball.x[0], ball.x[1], ball.x[2]))
    cdef double skin = ball.reach - a.r
    return not dot(x, x) <= skin * skin * (1.0 - 1e-6)     # less a little, for rounding


cdef bint arrive(Step* step) noexcept nogil
cdef bint strike_pairs(Step* step, const int64_t* start, const int32_t* partner, Queue* late,
                       Cursor* at) noexcept nogil
cdef void sum_pairs(Step* step, const int64_t* start, const int32_t* partner) noexcept nogil
cdef Py_ssize_t depart(Step* step) noexcept nogil
cdef void store(const Step* step, double* x, double* v) noexcept nogil
cdef void wrap(Step* step) noexcept nogil
