"""Laws of the particle method: conservation, symmetry, closed forms, and no particle lost."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from enginecore.particles import Particles, pair_jolt, plane_jolt
from tests.support import MET, counts

REPEATABLE = settings(derandomize=True, deadline=None)
unit = st.floats(0.0, 1.0)
friction = st.floats(0.0, 3.0)
seeds = st.integers(0, 2**32 - 1)
dims = st.integers(1, 3)
modes = st.sampled_from(["sequential", "jacobi"])
bouncing = st.fixed_dictionaries({"e": st.floats(0.1, 1.0), "mu": friction, "kp": unit})
laws = st.fixed_dictionaries({"e": unit, "mu": friction, "kp": unit})


def crowd(seed, dim, n=25):
    """Random x, v, r, m with many overlaps; coordinates in general position."""
    rng = np.random.default_rng(seed)
    size = 0.7 * n ** (1 / dim) * (3 if dim == 1 else 2)
    x, v = rng.uniform(0, size, (n, dim)), rng.normal(size=(n, dim))
    return x, v, rng.uniform(0.3, 1.5, n), 10.0 ** rng.uniform(-1, 1, n)


def rotation(seed, dim):
    """A random orthogonal matrix, a mirror in half of the cases."""
    q, r = np.linalg.qr(np.random.default_rng(seed).normal(size=(dim, dim)))
    return q * np.sign(np.diag(r))


def run(x, v, r, m, *args, steps=3, dt=0.02, **options):
    particles = Particles(x, v, r, m, *args, **options)
    for _ in range(steps):
        particles.step(dt)
    return particles


# ---- conservation --------------------------------------------------------------------------------


@REPEATABLE
@given(seeds, dims, modes, laws)
def test_pairs_keep_momentum(seed, dim, mode, law):
    x, v, r, m = crowd(seed, dim)
    particles = Particles(x, v, r, m, mode=mode, **law)
    before = particles.momentum
    for _ in range(5):
        particles.step(0.02)
    # jacobi may raise speeds, so the scale is the larger of before and after
    scale = np.sum(m[:, None] * np.maximum(np.abs(v), np.abs(particles.velocities)))
    assert np.max(np.abs(particles.momentum - before)) <= 1e-12 * scale


@REPEATABLE
@given(seeds, dims, modes, laws)
def test_projections_keep_the_centre_of_mass(seed, dim, mode, law):
    x, v, r, m = crowd(seed, dim)
    particles = run(x, v, r, m, mode=mode, steps=1, dt=0.0, **law)
    moved = np.sum(m[:, None] * (particles.positions - x), axis=0)
    assert np.max(np.abs(moved)) <= 1e-12 * np.sum(m[:, None] * (1.0 + np.abs(x)))


@REPEATABLE
@given(seeds, dims, laws, st.booleans())
def test_sequential_contacts_never_add_energy(seed, dim, law, walls):
    x, v, r, m = crowd(seed, dim)
    rng = np.random.default_rng(seed)
    planes = [(rng.uniform(0, 3, dim), rotation(seed + k, dim)[0]) for k in range(3 * walls)]
    particles = Particles(x, v, r, m, planes, **law)
    for _ in range(8):
        before = particles.energy.kinetic
        particles.step(0.02)
        assert particles.energy.kinetic <= before * (1 + 1e-13)


def scale_of(particles):
    """J, that energies are rounded relative to: kinetic, and potential without its sign."""
    x, g = np.abs(particles.positions), np.abs(particles.gravity)
    return particles.energy.kinetic + float((particles.masses * (x @ g)).sum())


@REPEATABLE
@given(seeds, dims, laws)
def test_a_sequential_step_without_planes_adds_no_energy_whatever_gravity_is(seed, dim, law):
    """Kinetic and potential: pairs share blows and projections by mass."""
    x, v, r, m = crowd(seed, dim)
    rng = np.random.default_rng(seed)
    particles = Particles(x, v, r, m, gravity=rng.normal(size=dim) * 10, **law)
    for _ in range(8):
        before = particles.energy.total
        particles.step(rng.choice([0.001, 0.02, 0.2]))
        assert particles.energy.total <= before + 1e-12 * scale_of(particles)


def lift_of_planes(particles, dt):
    """J, at most, that planes give the particles in a step by its half kick and by projections."""
    g, total = particles.gravity, 0.0
    law = {"e": particles.e, "mu": particles.mu, "kp": particles.kp}
    states = zip(particles.positions, particles.velocities, particles.radii, particles.masses)
    for x, v, r, m in states:
        v = v + 0.5 * dt * g
        for point, n in particles.planes:
            jolt = plane_jolt(x, v, r, point, n, **law)
            if jolt is not None:
                x, v = x + jolt.dx, v + jolt.dv
                total += max(0.0, -m * float(g @ (0.5 * dt * jolt.dv + jolt.dx)))
    return total


@counts(steps=100)
@settings(REPEATABLE, max_examples=60)
@given(seeds, dims, laws)
def test_a_sequential_step_adds_no_more_than_what_planes_lift(seed, dim, law):
    """The bound of docs/maths/particles.md, section 3.1."""
    x, v, r, m = crowd(seed, dim)
    rng = np.random.default_rng(seed)
    planes = [(np.zeros(dim), rotation(seed + k, dim)[0]) for k in range(2)]
    particles = Particles(x, v, r, m, planes, gravity=-10 * planes[0][1], **law)
    for _ in range(8):
        dt = rng.choice([0.001, 0.02, 0.1])
        before, lift = particles.energy.total, lift_of_planes(particles, dt)
        particles.step(dt)
        if particles.stats.rescued == 0:
            MET["steps"] += 1
            assert particles.energy.total <= before + lift + 1e-12 * scale_of(particles)


def test_the_bound_is_met_by_a_ball_on_a_floor():
    """One elastic ball that overlaps a floor by d at rest: g^2 h^2 / 2 + g kp d for each kg."""
    g, h, d, kp = 10.0, 0.02, 0.1, 0.3
    floor = [((0.0, 0.0), (0.0, 1.0))]
    ball = Particles([[0.0, 1.0 - d]], [[0.0, 0.0]], 1.0, 2.0, floor, e=1, kp=kp, gravity=(0, -g))
    before, lift = ball.energy.total, lift_of_planes(ball, h)
    ball.step(h)
    assert lift == pytest.approx(2.0 * (0.5 * g * g * h * h + g * kp * d), rel=1e-12)
    assert ball.energy.total - before == pytest.approx(lift, rel=1e-12)


@REPEATABLE
@given(seeds, dims, laws)
def test_jacobi_adds_no_energy_to_separate_pairs(seed, dim, law):
    """Nobody is in two contacts, so summing changes nothing and each contact dissipates."""
    rng = np.random.default_rng(seed)
    x = np.repeat(np.arange(12)[:, None] * 100.0, 2, axis=0) * np.eye(dim)[0]
    x = x + rng.uniform(-0.5, 0.5, x.shape)
    v, m = rng.normal(size=x.shape), 10.0 ** rng.uniform(-2, 2, len(x))
    particles = Particles(x, v, 1.0, m, mode="jacobi", **law)
    before = particles.energy.kinetic
    particles.step(0.0)
    assert particles.energy.kinetic <= before * (1 + 1e-13)


def test_jacobi_can_add_energy_where_contacts_share_a_particle():
    """The price of summing: one ball strikes two at once and both take the full blow."""
    x = [[0.0, 0.0], [1.7, 0.8], [1.7, -0.8]]  # the two struck do not touch each other
    v = [[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]]
    radii = [1.15, 0.76, 0.76]
    law = {"e": 1.0, "mu": 0.0, "kp": 0.0}
    summed = run(x, v, radii, 1.0, mode="jacobi", steps=1, dt=0.0, **law)
    in_turn = run(x, v, radii, 1.0, steps=1, dt=0.0, **law)
    assert summed.stats.impacts == in_turn.stats.impacts == 2
    assert summed.energy.kinetic > 1.5 * 0.5
    assert in_turn.energy.kinetic == pytest.approx(0.5, rel=1e-15)


# ---- symmetry ------------------------------------------------------------------------------------


@REPEATABLE
@given(seeds, dims, laws)
def test_swapping_a_and_b_swaps_the_answer(seed, dim, law):
    rng = np.random.default_rng(seed)
    xa, xb, va, vb = rng.uniform(-1, 1, (4, dim))
    ra, rb, ma, mb = rng.uniform(0.3, 2, 4)
    there = pair_jolt(xa, xb, va, vb, ra, rb, ma, mb, **law)
    back = pair_jolt(xb, xa, vb, va, rb, ra, mb, ma, **law)
    assert (there is None) == (back is None)
    if there:
        np.testing.assert_array_equal(there.dva, back.dvb)
        np.testing.assert_array_equal(there.dvb, back.dva)
        np.testing.assert_array_equal(there.dxa, back.dxb)
        np.testing.assert_array_equal(there.dxb, back.dxa)


@REPEATABLE
@given(seeds, dims, laws)
def test_order_does_not_matter_to_jacobi(seed, dim, law):
    x, v, r, m = crowd(seed, dim)
    p = np.random.default_rng(seed).permutation(len(x))
    one = run(x, v, r, m, mode="jacobi", steps=1, **law)
    other = run(x[p], v[p], r[p], m[p], mode="jacobi", steps=1, **law)
    np.testing.assert_allclose(one.positions[p], other.positions, atol=1e-11)
    np.testing.assert_allclose(one.velocities[p], other.velocities, atol=1e-11)


@REPEATABLE
@given(seeds, dims, modes, laws)
def test_a_moving_observer_sees_the_same(seed, dim, mode, law):
    x, v, r, m = crowd(seed, dim)
    u = np.random.default_rng(seed).normal(size=dim)
    one = run(x, v, r, m, mode=mode, steps=1, **law)
    other = run(x, v + u, r, m, mode=mode, steps=1, **law)
    np.testing.assert_allclose(one.velocities + u, other.velocities, atol=1e-10)
    np.testing.assert_allclose(one.positions + u * 0.02, other.positions, atol=1e-10)


@REPEATABLE
@given(seeds, dims, modes, bouncing)
def test_turned_or_mirrored_all_turns_alike(seed, dim, mode, law):
    """Not with e = 0: a particle that one plane stops dead has a speed of rounding size, and its
    sign decides whether the next plane pushes."""
    x, v, r, m = crowd(seed, dim)
    rng = np.random.default_rng(seed)
    q = rotation(seed, dim)
    planes = [(rng.uniform(-1, 0, dim), rotation(seed + k, dim)[0]) for k in range(2)]
    turned = [(point @ q.T, n @ q.T) for point, n in planes]
    g = rng.normal(size=dim)
    one = run(x, v, r, m, planes, gravity=g, mode=mode, steps=1, **law)
    other = run(x @ q.T, v @ q.T, r, m, turned, gravity=g @ q.T, mode=mode, steps=1, **law)
    np.testing.assert_allclose(one.velocities @ q.T, other.velocities, atol=1e-9)
    np.testing.assert_allclose(one.positions @ q.T, other.positions, atol=1e-9)


@REPEATABLE
@given(seeds, st.integers(1, 2), modes, laws)
def test_fewer_dimensions_are_a_special_case_of_more(seed, dim, mode, law):
    x, v, r, m = crowd(seed, dim)

    def wide(rows):
        return np.hstack([rows, np.zeros((len(rows), 1))])

    planes = [(np.zeros(dim), np.eye(dim)[0])]
    lifted = [(wide(p[None])[0], wide(n[None])[0]) for p, n in planes]
    one = run(x, v, r, m, planes, mode=mode, **law)
    other = run(wide(x), wide(v), r, m, lifted, mode=mode, **law)
    np.testing.assert_array_equal(wide(one.positions), other.positions)
    np.testing.assert_array_equal(wide(one.velocities), other.velocities)


# ---- closed forms --------------------------------------------------------------------------------


@REPEATABLE
@given(st.floats(0.1, 10), st.floats(0.1, 10), st.floats(-5, 5), st.floats(-5, 5), unit)
def test_a_central_impact_has_the_textbook_outcome(ma, mb, va, vb, e):
    jolt = pair_jolt([0.0], [1.5], [va], [vb], 1.0, 1.0, ma, mb, e, 0.7, 0.0)
    if va <= vb:
        assert jolt is None
        return
    common = (ma * va + mb * vb) / (ma + mb)
    assert va + jolt.dva[0] == pytest.approx(common - e * mb / (ma + mb) * (va - vb), abs=1e-12)
    assert vb + jolt.dvb[0] == pytest.approx(common + e * ma / (ma + mb) * (va - vb), abs=1e-12)


@pytest.mark.parametrize("mode", ["sequential", "jacobi"])
def test_equal_elastic_particles_exchange_velocities(mode):
    x, v = [[0.0, 0.0], [1.9, 0.0]], [[2.0, 0.5], [-1.0, 0.25]]
    particles = run(x, v, 1.0, 1.0, e=1.0, mu=0.0, kp=0.0, mode=mode, steps=1)
    assert particles.velocities.tolist() == [[-1.0, 0.5], [2.0, 0.25]]


def test_a_row_passes_the_blow_on():
    """Sequential order along the row: the first stops, the last leaves."""
    x = np.arange(6.0)[:, None] * 1.9
    v = np.zeros_like(x)
    v[0] = 3.0
    particles = run(x, v, 1.0, 1.0, e=1.0, mu=0.0, kp=0.0, steps=1)
    assert particles.velocities.ravel().tolist() == [0, 0, 0, 0, 0, 3.0]


@pytest.mark.parametrize("mode", ["sequential", "jacobi"])
def test_a_ball_bounces_for_ever_between_elastic_planes(mode):
    """Turns at 3.75 and 0.25, the first grid points past contact: the period is 7 s, exactly."""
    planes = [([0.0], [1.0]), ([4.0], [-1.0])]
    particles = Particles([[0.75]], [[1.0]], 0.5, 1.0, planes, e=1.0, kp=0.0, mode=mode)
    for _ in range(100 * 28):
        particles.step(0.25)
    assert particles.positions.tolist() == [[0.75]]
    assert particles.velocities.tolist() == [[1.0]]


def test_free_fall_is_exact():
    """Kick and drift solve uniform acceleration without error."""
    particles = run([[0.0, 0.0]], [[3.0, 4.0]], 1.0, 1.0, gravity=[0, -8], steps=64, dt=1 / 64)
    np.testing.assert_allclose(particles.positions, [[3.0, 0.0]], atol=1e-13)
    np.testing.assert_allclose(particles.velocities, [[3.0, -4.0]], atol=1e-13)


@pytest.mark.parametrize("e", [0.0, 0.5, 0.9])
def test_a_dropped_ball_rises_to_e_squared_of_its_height(e):
    dt = 1e-4
    particles = Particles([[1.5]], [[0.0]], 0.5, 1.0, [([0.0], [1.0])], e=e, kp=0, gravity=[-9.81])
    while particles.velocities[0, 0] <= 0 and particles.time < 0.5:
        particles.step(dt)
    rise = 0.0
    for _ in range(10_000):
        rise = max(rise, particles.positions[0, 0] - 0.5)
        particles.step(dt)
        if particles.velocities[0, 0] < 0:
            break
    assert rise == pytest.approx(e * e, abs=20 * dt)


@REPEATABLE
@given(st.floats(0.05, 1.0))
def test_projection_shrinks_the_overlap_by_its_factor(kp):
    """overlap' = (1 - kp) overlap for a pair, whatever the masses."""
    particles = run([[0.0], [1.5]], [[1e-9], [0.0]], 1.0, [1.0, 7.0], kp=kp, e=0.0, steps=1, dt=0.0)
    overlap = 2.0 - (particles.positions[1, 0] - particles.positions[0, 0])
    assert overlap == pytest.approx((1 - kp) * 0.5, abs=1e-15)


# ---- no particle is lost -------------------------------------------------------------------------


def heights(particles, planes):
    return np.array([(particles.positions - point) @ n for point, n in planes]).T


def assert_nobody_lost(particles, planes, dt, steps):
    """Who is in front of a plane stays in front of it, step after step, without gaining energy."""
    in_front = heights(particles, planes) >= 0.0
    for _ in range(steps):
        before = particles.energy.kinetic
        particles.step(dt)
        scale = np.abs(particles.positions).max() + 1.0
        now = heights(particles, planes)
        assert (now[in_front] >= -1e-14 * scale).all()
        if not particles.gravity.any() and particles.mode == "sequential":
            assert particles.energy.kinetic <= before * (1 + 1e-13)


@settings(REPEATABLE, max_examples=300)
@given(
    seeds,
    dims,
    modes,
    laws,
    st.integers(1, 6),
    st.floats(-3, 15),
    st.sampled_from([0.0, 1e-3, 0.1, 10.0]),
)
@example(0, 2, "sequential", {"e": 0.0, "mu": 0.0, "kp": 0.0}, 2, 12.0, 0.1)
def test_nobody_is_lost_at_any_speed(seed, dim, mode, law, count, magnitude, dt):
    rng = np.random.default_rng(seed)
    n = 12
    planes = [(rng.normal(size=dim), rotation(seed + k, dim)[0]) for k in range(count)]
    x = rng.normal(size=(n, dim)) * 2
    v = rng.normal(size=(n, dim)) * 10.0 ** rng.uniform(-3, magnitude, (n, 1))
    g = rng.normal(size=dim) * rng.choice([0.0, 10.0])
    particles = Particles(x, v, 0.3, 1.0, planes, gravity=g, mode=mode, **law)
    assert_nobody_lost(particles, planes, dt, 12)


@settings(REPEATABLE, max_examples=200)
@given(seeds, modes, laws, st.floats(1e-6, 1.0), st.floats(0, 9), st.integers(2, 3))
def test_nobody_is_lost_in_an_acute_corner(seed, mode, law, angle, magnitude, dim):
    """A wedge of the given angle, open to the right, and everything flying into it."""
    rng = np.random.default_rng(seed)
    n = 10
    normals = np.zeros((2, dim))
    half = angle / 2
    normals[:, :2] = [[math.sin(half), -math.cos(half)], [math.sin(half), math.cos(half)]]
    q = rotation(seed, dim)
    planes = [(np.zeros(dim), normal @ q.T) for normal in normals]
    x = np.zeros((n, dim))
    x[:, 0] = rng.uniform(0.1, 3, n)
    x[:, 1] = rng.uniform(-0.9, 0.9, n) * x[:, 0] * math.tan(half)
    v = rng.normal(size=(n, dim)) * 10.0**magnitude
    v[:, 0] = -np.abs(v[:, 0])
    particles = Particles(x @ q.T, v @ q.T, 0.2, 1.0, planes, mode=mode, **law)
    assert_nobody_lost(particles, planes, 0.1, 15)


@settings(REPEATABLE, max_examples=60)
@given(seeds, dims, modes, laws, st.floats(0, 1e5))
def test_nobody_is_lost_under_a_pile(seed, dim, mode, law, weight):
    """Many overlapping particles pressed into a corner of three planes."""
    rng = np.random.default_rng(seed)
    normals = [*np.eye(dim), np.ones(dim) / math.sqrt(dim)]
    planes = [(np.zeros(dim), normal) for normal in normals]
    x, v = rng.uniform(0, 2, (60, dim)), rng.normal(size=(60, dim))
    masses = 10.0 ** rng.uniform(-3, 3, 60)
    particles = Particles(
        x, v, 0.4, masses, planes, gravity=np.full(dim, -weight), mode=mode, **law
    )
    assert_nobody_lost(particles, planes, 0.02, 20)


@settings(REPEATABLE, max_examples=200)
@given(seeds, st.integers(2, 3))
def test_who_is_stopped_by_a_plane_goes_on_along_it(seed, dim):
    """The way along the plane is not lost, however the plane is turned."""
    rng = np.random.default_rng(seed)
    point, n = rng.normal(size=dim), rotation(seed, dim)[0]
    x = point + n * rng.uniform(1, 5) + rng.normal(size=dim) * 0.1
    v = rng.normal(size=dim) * 100
    v -= n * (v @ n + 1000)
    particles = run([x], [v], 0.1, 1.0, [(point, n)], steps=1, dt=1.0)
    goal = x + v
    goal -= n * ((goal - point) @ n)
    assert particles.stats.rescued == 1
    np.testing.assert_allclose(particles.positions, [goal], atol=1e-11)
    np.testing.assert_array_equal(particles.velocities, [v])
