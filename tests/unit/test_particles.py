"""Particles: bit-equality with brute force, the two kernels, bad input, views, copies."""

import copy
import math
import pickle
import threading

import numpy as np
import pytest

from enginecore.particles import Particles, Stats, pair_jolt, plane_jolt

# ---- brute force, slow and plain -----------------------------------------------------------------


def dot(a, b):
    total = a[0] * b[0]
    for p, q in zip(a[1:], b[1:]):
        total += p * q
    return total


def moved(a, b, s):
    return [p + q * s for p, q in zip(a, b)]


def strike(n, overlap, v, law):
    e, mu, kp = law
    vn = dot(n, v)
    if not vn < 0:
        return None
    jolt = -(1 + e) * vn
    vt = moved(v, n, -vn)
    slip = math.sqrt(dot(vt, vt))
    dv = [p * jolt for p in n]
    if slip > 0:
        dv = moved(dv, vt, -min(mu * jolt / slip, 1.0))
    return dv, [p * (kp * overlap) for p in n]


def touch_pair(xa, xb, va, vb, reach, law):
    x = moved(xa, xb, -1.0)
    distance = math.sqrt(dot(x, x))
    if not reach - distance > 0:
        return None
    v = moved(va, vb, -1.0)
    if distance > 0:
        return strike([p / distance for p in x], reach - distance, v, law)
    speed = math.sqrt(dot(v, v))
    return strike([-p / speed for p in v], reach, v, law) if speed > 0 else None


def brute_step(x, v, r, m, planes, g, h, law, mode):
    """One step by the double loop i < j; lists of lists are changed in place."""
    n = len(x)
    v[:] = [moved(a, g, 0.5 * h) for a in v]
    dv, dx = [[0.0] * len(g) for _ in x], [[0.0] * len(g) for _ in x]

    def give(i, jolt, share):
        to_v, to_x = (v, x) if mode == "sequential" else (dv, dx)
        to_v[i] = moved(to_v[i], jolt[0], share)
        to_x[i] = moved(to_x[i], jolt[1], share)

    for i in range(n):
        for point, normal in planes:
            overlap = r[i] - dot(moved(x[i], point, -1.0), normal)
            jolt = strike(normal, overlap, v[i], law) if overlap > 0 else None
            if jolt:
                give(i, jolt, 1.0)
    for i in range(n):
        for j in range(i + 1, n):
            jolt = touch_pair(x[i], x[j], v[i], v[j], r[i] + r[j], law)
            if jolt:
                give(i, jolt, m[j] / (m[i] + m[j]))
                give(j, jolt, -(m[i] / (m[i] + m[j])))
    if mode == "jacobi":
        v[:] = [moved(a, b, 1.0) for a, b in zip(v, dv)]
        x[:] = [moved(a, b, 1.0) for a, b in zip(x, dx)]
    x[:] = [moved(a, b, h) for a, b in zip(x, v)]
    v[:] = [moved(a, g, 0.5 * h) for a in v]


def box(dim, size):
    """Planes around [0, size] on every axis."""
    planes = []
    for axis in range(dim):
        normal = np.zeros(dim)
        normal[axis] = 1.0
        planes += [(np.zeros(dim), normal), (np.full(dim, size), -normal)]
    return planes


def assert_same_as_brute_force(x, v, r, m, planes, g, law, mode, h, steps):
    """Step both and compare every bit after every step; return the summed stats."""
    names = dict(zip(("e", "mu", "kp"), law))
    particles = Particles(x, v, r, m, planes, gravity=g, mode=mode, **names)
    x, v = x.tolist(), v.tolist()
    r, m = particles.radii.tolist(), particles.masses.tolist()
    plain = [(list(map(float, p)), list(map(float, q))) for p, q in planes]
    sums = np.zeros(len(Stats._fields), int)
    for _ in range(steps):
        particles.step(h)
        brute_step(x, v, r, m, plain, list(map(float, g)), h, law, mode)
        np.testing.assert_array_equal(particles.velocities, v)
        # brute force does not know the no-loss rule: take over who was put back, nobody else
        differ = np.flatnonzero((particles.positions != x).any(axis=1))
        assert len(differ) == particles.stats.rescued
        for i in differ:
            x[i] = particles.positions[i].tolist()
        sums += particles.stats
    return Stats(*sums.tolist())


@pytest.mark.parametrize("mode", ["sequential", "jacobi"])
@pytest.mark.parametrize("dim", [1, 2, 3])
@pytest.mark.parametrize("kp", [0.0, 0.3, 1.0])
def test_dense_equals_brute_force_bit_for_bit(dim, kp, mode):
    rng = np.random.default_rng(dim)
    n = 120
    size = {1: 90.0, 2: 16.0, 3: 8.0}[dim]  # crowded: most overlap several others
    x = rng.uniform(0.5, size - 0.5, (n, dim))
    v = rng.normal(size=(n, dim)) * 3
    r, m = rng.uniform(0.5, 1.0, n), rng.uniform(0.5, 2.0, n)
    g = [0.0] * (dim - 1) + [-9.81]
    law = (0.4, 0.3, kp)
    sums = assert_same_as_brute_force(x, v, r, m, box(dim, size), g, law, mode, 0.01, 12)
    assert sums.impacts > 100
    if mode == "sequential" and kp == 1.0:
        assert sums.strays > 10  # the search for moved particles was at work


@pytest.mark.parametrize("mode", ["sequential", "jacobi"])
@pytest.mark.parametrize("dim", [1, 2, 3])
def test_sizes_from_1_to_100_equal_brute_force(dim, mode):
    rng = np.random.default_rng(10 + dim)
    n = 120
    r = 10.0 ** rng.uniform(-1, 1, n)
    r[rng.integers(n)] = 10.0
    x = rng.uniform(-60 if dim < 3 else -20, 60 if dim < 3 else 20, (n, dim))
    if dim == 1:
        x *= 4
    v = -x * rng.uniform(0, 1, (n, 1))
    sums = assert_same_as_brute_force(
        x, v, r, r**dim, [], [0.0] * dim, (0.7, 0.1, 1.0), mode, 0.02, 10
    )
    assert sums.impacts > 20


@pytest.mark.parametrize("light", [False, True])
def test_a_giant_that_strays_finds_its_small_neighbours(light):
    """Equal masses make the giant jump at every blow, so its neighbours are found by a scan."""
    rng = np.random.default_rng(5)
    n = 150
    r = np.full(n, 0.1)
    r[n // 3] = 10.0
    m = np.ones(n) if light else r**2
    x = rng.uniform(-12, 12, (n, 2))
    x[n // 3] = 0.0
    sums = assert_same_as_brute_force(
        x, -x, r, m, [], [0.0, 0.0], (0.0, 0.2, 1.0), "sequential", 0.01, 5
    )
    assert sums.strays > 20


@pytest.mark.parametrize("offset", [0.0, 1e9, -3e12, 1e40])
def test_far_away_and_scattered_equal_brute_force(offset):
    """Outliers, a far origin and cells beyond the index range change nothing."""
    rng = np.random.default_rng(3)
    x = rng.uniform(0, 8, (60, 2)) + offset
    x[7], x[11], x[13], x[17] = (1e9, -1e9), (1e9 + 0.5, -1e9), (1e99, 1e-99), (-1e99, 0)
    v = rng.normal(size=(60, 2))
    sums = assert_same_as_brute_force(
        x, v, 0.6, 1.0, [], [0.0, 0.0], (0.5, 0.5, 0.5), "sequential", 0.01, 8
    )
    assert sums.impacts > 0


def test_coincident_crowd_equals_brute_force():
    """All in one point: no normal exists for the first pairs."""
    rng = np.random.default_rng(4)
    x = np.zeros((30, 3))
    x[20:] = rng.normal(size=(10, 3)) * 0.1
    v = rng.normal(size=(30, 3))
    v[3] = v[4]
    for mode in ("sequential", "jacobi"):
        assert_same_as_brute_force(
            x, v, 1.0, 1.0, [], [0.0, 0.0, 0.0], (0.5, 0.2, 0.5), mode, 0.05, 6
        )


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_a_list_serves_until_somebody_leaves_the_skin(dim):
    """Lone pairs, anywhere relative to cells, meet within their skins: nobody searches again."""
    rng = np.random.default_rng(dim)
    pairs = 300
    middle = np.zeros((pairs, dim))
    middle[:, 0] = np.arange(pairs) * 20.0 + rng.uniform(0, 10, pairs)
    middle[:, 1:] = rng.uniform(-50, 50, (pairs, dim - 1))
    along = rng.normal(size=(pairs, dim))
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    x = np.vstack([middle - 1.575 * along, middle + 1.575 * along])
    particles = Particles(x, np.vstack([along, -along]), 1.0, 1.0, e=1.0)
    particles.step(0.0)
    assert (particles.stats.searches, particles.stats.impacts) == (1, 0)
    for _ in range(10):
        particles.step(0.058)  # 0.58 in all, of a skin of 0.6
        assert particles.stats.impacts == 0
    particles.step(0.0)
    assert (particles.stats.searches, particles.stats.impacts) == (0, pairs)


def test_one_giant_does_not_make_the_search_quadratic():
    rng = np.random.default_rng(6)
    n = 10_000
    x = rng.uniform(0, 300, (n, 2))
    r = np.ones(n)
    r[5000] = 100.0
    particles = Particles(x, rng.normal(size=(n, 2)), r, r**2)
    particles.step(0.01)
    assert particles.stats.pairs_tested < 20 * n


def test_an_outlier_does_not_add_pairs():
    rng = np.random.default_rng(7)
    x = rng.uniform(0, 180, (10_000, 2))
    v = rng.normal(size=x.shape)
    near = Particles(x, v, 1.0, 1.0)
    near.step(0.001)
    x[17] = (1e9, -1e9)
    far = Particles(x, v, 1.0, 1.0)
    far.step(0.001)
    assert far.stats.pairs_tested <= near.stats.pairs_tested


# ---- the two events, alone -----------------------------------------------------------------------


def test_no_jolt_without_overlap_or_approach():
    law = {"e": 0.5, "mu": 0.5, "kp": 0.5}
    args = {"ra": 1.0, "rb": 1.0, "ma": 1.0, "mb": 1.0, **law}
    assert pair_jolt([0.0], [2.0], [1.0], [0.0], **args) is None  # just touching
    assert pair_jolt([0.0], [1.9], [-1.0], [0.0], **args) is None  # separating
    assert pair_jolt([0.0], [1.9], [0.0], [0.0], **args) is None  # resting
    assert pair_jolt([0.0], [1.9], [1.0], [0.0], **args) is not None
    assert plane_jolt([1.0], [-1.0], 1.0, [0.0], [1.0], **law) is None
    assert plane_jolt([0.9], [0.0], 1.0, [0.0], [1.0], **law) is None
    assert plane_jolt([-5.0], [-1.0], 1.0, [0.0], [1.0], **law) is not None  # behind: still held


def test_coincident_centres_meet_head_on():
    jolt = pair_jolt([1, 2], [1, 2], [3, 4], [0, 0], 1, 1, 1, 1, 1, 0.5, 1.0)
    np.testing.assert_allclose(jolt.dva, [-3, -4], rtol=1e-15)
    np.testing.assert_allclose(jolt.dvb, [3, 4], rtol=1e-15)
    np.testing.assert_allclose(jolt.dxa, [-0.6, -0.8], rtol=1e-15)
    assert pair_jolt([1, 2], [1, 2], [3, 4], [3, 4], 1, 1, 1, 1, 1, 0.5, 1.0) is None


def test_friction_stops_slip_but_never_reverses_it():
    jolt = pair_jolt([0, 0], [0, 1.9], [1, 1], [0, 0], 1, 1, 1, 3, 0.0, 1e6, 0.0)
    slip = 1.0 + jolt.dva[0] - jolt.dvb[0]
    assert abs(slip) < 1e-15
    jolt = plane_jolt([0, 0.9], [1, -1], 1, [0, 0], [0, 1], 0.0, 0.25, 0.0)
    np.testing.assert_allclose(jolt.dv, [-0.25, 1.0])


# ---- the object ----------------------------------------------------------------------------------


def gas(n=50, dim=2, mode="sequential", seed=0, **options):
    rng = np.random.default_rng(seed)
    size = 3.0 * n ** (1 / dim)
    x, v = rng.uniform(1, size - 1, (n, dim)), rng.normal(size=(n, dim))
    options.setdefault("gravity", [0.0] * (dim - 1) + [-1.0])
    return Particles(x, v, 1.0, 2.0, box(dim, size), mode=mode, **options)


def test_views_are_live_read_only_and_not_copies():
    particles = gas()
    views = [particles.positions, particles.velocities, particles.radii, particles.masses]
    before = views[0].copy()
    particles.step(0.01)
    assert not np.array_equal(views[0], before)
    assert np.shares_memory(views[0], particles.positions)
    for view in views:
        assert not view.flags.writeable
        with pytest.raises(ValueError):
            view[0] = 1.0


def test_views_outlive_the_particles():
    view = gas().positions
    assert np.isfinite(view).all()


def test_the_arrays_given_are_not_touched():
    x, v = np.zeros((1, 2)), np.ones((1, 2))
    Particles(x, v, 1.0, 1.0).step(1.0)
    assert (x == 0).all()
    assert (v == 1).all()


def test_attributes():
    particles = gas(e=0.25, mu=0.5, kp=0.125, mode="jacobi")
    assert (particles.e, particles.mu, particles.kp) == (0.25, 0.5, 0.125)
    assert particles.mode == "jacobi"
    assert (len(particles), particles.dim) == (50, 2)
    assert particles.gravity.tolist() == [0.0, -1.0]
    assert len(particles.planes) == 4
    assert [n.tolist() for _, n in particles.planes] == [[1, 0], [-1, 0], [0, 1], [0, -1]]
    particles.step(0.25)
    particles.step(0.25)
    assert particles.time == 0.5
    assert "50 in 2D" in repr(particles)
    assert Particles([[0.0]], [[0.0]], 1, 1).gravity.tolist() == [0.0]


def test_energy_and_momentum():
    particles = Particles([[0, 2], [5, 3]], [[1, 0], [0, -2]], 0.5, [2, 4], gravity=[0, -10])
    assert particles.energy == (0.5 * 2 * 1 + 0.5 * 4 * 4, 2 * 10 * 2 + 4 * 10 * 3, 169.0)
    assert particles.energy.total == particles.energy.kinetic + particles.energy.potential
    assert particles.momentum.tolist() == [2.0, -8.0]


def test_stats_count_the_last_step():
    particles = Particles([[0.0], [1.5], [50.0]], [[1.0], [0.0], [0.0]], 1.0, 1.0)
    particles.step(0.0)
    assert particles.stats == Stats(1, 1, 1, 0, 1, 0)
    particles.step(0.0)
    assert particles.stats == Stats(1, 1, 0, 0, 0, 0)


def test_a_step_of_zero_only_resolves_contacts():
    particles = Particles([[0.0], [1.5]], [[1.0], [0.0]], 1.0, 1.0, e=1.0, kp=1.0, gravity=[-9.81])
    particles.step(0.0)
    assert particles.velocities.ravel().tolist() == [0.0, 1.0]
    assert particles.positions.ravel().tolist() == [-0.25, 1.75]
    assert particles.time == 0.0


def test_set_state():
    particles = gas()
    particles.step(0.01)
    x, v = particles.positions + 100.0, particles.velocities * 2.0
    view = particles.positions
    particles.set_state(positions=x)
    np.testing.assert_array_equal(view, x)
    particles.set_state(velocities=v)
    np.testing.assert_array_equal(particles.velocities, v)
    np.testing.assert_array_equal(particles.positions, x)
    particles.set_state()
    particles.set_state(particles.positions[::-1], v)  # a view of itself
    np.testing.assert_array_equal(view, x[::-1])


def test_neighbours_follow_set_state():
    """The list of the last step must not survive a jump."""
    particles = Particles([[0.0], [10.0]], [[1.0], [0.0]], 1.0, 1.0)
    particles.step(0.0)
    particles.set_state(positions=[[0.0], [1.5]])
    particles.step(0.0)
    assert particles.stats.impacts == 1


@pytest.mark.parametrize("mode", ["sequential", "jacobi"])
@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, Particles.copy, lambda p: pickle.loads(pickle.dumps(p))]
)
def test_copies_go_the_same_way_alone(duplicate, mode):
    particles = gas(mode=mode)
    normal = np.array([3.0, 4.0]) / 5.0000001  # one that gets normalised
    particles = Particles(
        particles.positions, particles.velocities, 1.0, 2.0, [([0, 0], normal)], mode=mode
    )
    for _ in range(5):
        particles.step(0.01)
    twin = duplicate(particles)
    assert twin.time == particles.time
    assert twin.stats == particles.stats
    before = particles.positions.copy()
    for _ in range(5):
        twin.step(0.01)
    np.testing.assert_array_equal(particles.positions, before)
    for _ in range(5):
        particles.step(0.01)
    np.testing.assert_array_equal(particles.positions, twin.positions)
    np.testing.assert_array_equal(particles.velocities, twin.velocities)


@pytest.mark.parametrize("mode", ["sequential", "jacobi"])
def test_same_input_same_bits(mode):
    first, second = gas(500, 3, mode), gas(500, 3, mode)
    for _ in range(20):
        first.step(0.02)
        second.step(0.02)
    assert first.positions.tobytes() == second.positions.tobytes()
    assert first.velocities.tobytes() == second.velocities.tobytes()
    assert first.stats == second.stats


@pytest.mark.parametrize("mode", ["sequential", "jacobi"])
@pytest.mark.parametrize("dim", [1, 2, 3])
def test_no_particles(dim, mode):
    nobody = np.zeros((0, dim))
    particles = Particles(nobody, nobody, 1.0, 1.0, box(dim, 1.0), mode=mode)
    particles.step(0.1)
    assert len(particles) == 0
    assert particles.positions.shape == (0, dim)
    assert particles.energy == (0.0, 0.0, 0.0)
    assert particles.momentum.tolist() == [0.0] * dim
    particles.set_state(positions=np.zeros((0, dim)))
    assert particles.copy().time == 0.1


def test_numbers_and_sequences_of_many_kinds_are_taken():
    particles = Particles(
        np.arange(4, dtype=np.int32).reshape(2, 2),
        np.asfortranarray(np.ones((2, 2), np.float32)),
        (1, 2.5),
        np.int64(3),
        iter([((0, 0), (0, 1))]),
        gravity=(0, -9.81),
    )
    particles.step(np.float32(0.5))
    assert particles.radii.tolist() == [1.0, 2.5]
    assert particles.masses.tolist() == [3.0, 3.0]


def test_a_nearly_unit_normal_is_normalised():
    particles = Particles([[0.0, 0.0]], [[0.0, 0.0]], 1, 1, [([0, 0], [0.6 * 1.0000005, 0.8])])
    assert abs(np.linalg.norm(particles.planes[0][1]) - 1.0) < 1e-15


def test_threads_cannot_step_the_same_particles_at_once():
    particles = gas(20_000)
    done, refused = [], []

    def work():
        for _ in range(20):
            try:
                particles.step(0.25)
                done.append(1)
            except RuntimeError:
                refused.append(1)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) + len(refused) == 60
    assert particles.time == 0.25 * len(done)


def test_one_that_was_never_initialised_is_empty():
    particles = Particles.__new__(Particles)
    particles.step(0.1)
    assert len(particles) == 0
    with pytest.raises(TypeError, match="twice"):
        gas().__init__([[0.0]], [[0.0]], 1.0, 1.0)


# ---- no particle is lost -------------------------------------------------------------------------


def test_a_bullet_stops_at_the_wall_and_comes_back():
    particles = Particles([[5.0, 1.0]], [[-1e6, 3.0]], 0.1, 1.0, [([0, 0], [1, 0])], e=0.5, mu=0.0)
    particles.step(1.0)
    assert particles.stats.rescued == 1
    assert particles.positions.tolist() == [[0.0, 4.0]]  # along the wall it went on
    assert particles.velocities.tolist() == [[-1e6, 3.0]]
    particles.step(0.0)
    assert particles.velocities.tolist() == [[5e5, 3.0]]


def test_who_starts_behind_a_plane_may_stay_there():
    particles = Particles([[-5.0]], [[0.0]], 0.1, 1.0, [([0.0], [1.0])])
    particles.step(1.0)
    assert particles.positions.tolist() == [[-5.0]]
    assert particles.stats.rescued == 0


def test_an_impossible_corner_keeps_the_particle_where_it_was():
    """Two planes face each other in the same place: only the place itself is allowed."""
    planes = [([0, 0], [1, 0]), ([0, 0], [-1, 0])]
    particles = Particles([[0.0, 0.0]], [[7.0, 1.0]], 0.1, 1.0, planes, e=1.0, mu=0.0, kp=1.0)
    for _ in range(5):
        particles.step(1.0)
        assert particles.positions[0, 0] == 0.0


# ---- bad input -----------------------------------------------------------------------------------

GOOD = {
    "positions": [[0.0, 0.0], [5.0, 0.0]],
    "velocities": [[0.0, 0.0], [0.0, 0.0]],
    "radii": 1.0,
    "masses": 1.0,
}
NAN, INF = math.nan, math.inf


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("positions", [[0.0, NAN], [5.0, 0.0]]),
        ("positions", [[0.0, INF], [5.0, 0.0]]),
        ("positions", [[0.0, 1e101], [5.0, 0.0]]),
        ("positions", [0.0, 1.0]),
        ("positions", 1.0),
        ("positions", []),
        ("positions", [[0.0], [1.0, 2.0]]),
        ("positions", np.zeros((2, 0))),
        ("positions", np.zeros((2, 4))),
        ("positions", np.zeros((2, 2, 2))),
        ("velocities", [[0.0, 0.0]]),
        ("velocities", [[0.0], [0.0]]),
        ("velocities", 0.0),
        ("velocities", [[0.0, -INF], [0.0, 0.0]]),
        ("velocities", [[0.0, NAN], [0.0, 0.0]]),
        ("radii", 0.0),
        ("radii", -1.0),
        ("radii", [1.0, 0.0]),
        ("radii", NAN),
        ("radii", INF),
        ("radii", 1e-101),
        ("radii", [1.0, 1.0, 1.0]),
        ("radii", [[1.0, 1.0]]),
        ("masses", 0.0),
        ("masses", [1.0, -1.0]),
        ("masses", INF),
        ("masses", NAN),
        ("masses", [1.0]),
        ("e", -0.1),
        ("e", 1.1),
        ("e", NAN),
        ("mu", -0.1),
        ("mu", INF),
        ("kp", -0.1),
        ("kp", 1.1),
        ("kp", NAN),
        ("gravity", [0.0]),
        ("gravity", [0.0, NAN]),
        ("gravity", 9.81),
        ("mode", "gauss"),
        ("mode", None),
        ("planes", [([0, 0], [0, 2])]),
        ("planes", [([0, 0], [0, 1 + 2e-6])]),
        ("planes", [([0, 0], [0, 0])]),
        ("planes", [([0, 0], [NAN, 1])]),
        ("planes", [([INF, 0], [0, 1])]),
        ("planes", [([0, 0, 0], [0, 1])]),
        ("planes", [([0, 0], [0, 0, 1])]),
        ("planes", [([0, 0],)]),
        ("planes", [([0, 0], [0, 1], 3)]),
    ],
)
def test_a_bad_value_is_named(name, value):
    with pytest.raises(ValueError, match=name.rstrip("s")):
        Particles(**{**GOOD, name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("positions", "abc"),
        ("positions", None),
        ("positions", [[1j, 0.0], [0.0, 0.0]]),
        ("velocities", [["a", "b"], ["c", "d"]]),
        ("radii", "1"),
        ("masses", object()),
        ("e", "0.5"),
        ("e", None),
        ("mu", [0.5]),
        ("kp", 1j),
        ("gravity", "down"),
        ("planes", 5),
        ("planes", [5]),
        ("planes", [("a", "b")]),
    ],
)
def test_a_bad_type_is_named(name, value):
    with pytest.raises(TypeError, match=name.rstrip("s")):
        Particles(**{**GOOD, name: value})


def test_the_value_is_shown():
    with pytest.raises(ValueError, match=r"e must be .* got 1\.5"):
        Particles(**GOOD, e=1.5)
    with pytest.raises(ValueError, match=r"masses .* got -3\.0 at \(1,\)"):
        Particles(**{**GOOD, "masses": [1, -3]})
    with pytest.raises(ValueError, match="'gauss'"):
        Particles(**GOOD, mode="gauss")


def assert_unchanged_by(particles, error, match, call):
    x, v, time = particles.positions.copy(), particles.velocities.copy(), particles.time
    with pytest.raises(error, match=match):
        call()
    np.testing.assert_array_equal(particles.positions, x)
    np.testing.assert_array_equal(particles.velocities, v)
    assert particles.time == time


@pytest.mark.parametrize("dt", [-0.1, NAN, INF, -INF, 1e101, 10**400])
def test_a_bad_step_changes_nothing(dt):
    particles = gas()
    assert_unchanged_by(particles, ValueError, "dt", lambda: particles.step(dt))


@pytest.mark.parametrize("dt", ["1", None, [0.1], 1j])
def test_a_step_of_the_wrong_type_changes_nothing(dt):
    particles = gas()
    assert_unchanged_by(particles, TypeError, "dt", lambda: particles.step(dt))


def test_a_bad_state_changes_nothing():
    particles = gas()
    x = particles.positions
    bad = x.copy()
    bad[3, 1] = NAN
    for call in (
        lambda: particles.set_state(positions=bad),
        lambda: particles.set_state(positions=x + 1, velocities=bad),
        lambda: particles.set_state(velocities=x[:10]),
        lambda: particles.set_state(positions=x[:, :1]),
    ):
        assert_unchanged_by(particles, ValueError, "positions|velocities", call)


@pytest.mark.parametrize("mode", ["sequential", "jacobi"])
def test_motion_out_of_range_changes_nothing(mode):
    options = {"mode": mode, "e": 1.0, "kp": 1.0}
    particles = Particles([[0.0], [1.0]], [[1e99], [-1e99]], 1.0, 1.0, **options)
    assert_unchanged_by(particles, OverflowError, "dt", lambda: particles.step(1e60))
    assert_unchanged_by(particles, OverflowError, "dt", lambda: particles.step(1e100))
    particles = Particles([[0.0], [1.0]], [[0], [0]], 1.0, 1.0, gravity=[1e100], **options)
    assert_unchanged_by(particles, OverflowError, "particle 0", lambda: particles.step(1e100))
    particles.step(1e-100)  # still usable


def test_too_many_in_one_place_are_refused_and_change_nothing():
    """16 500 particles in one place are more pairs than a list may hold."""
    n = 16_500
    particles = Particles(np.zeros((n, 1)), np.zeros((n, 1)), 1.0, 1.0)
    assert_unchanged_by(particles, MemoryError, "pairs", lambda: particles.step(0.1))
    particles.set_state(positions=np.arange(n)[:, None] * 3.0)
    particles.step(0.1)


@pytest.mark.parametrize("field", ["xa", "xb", "va", "vb", "ra", "rb", "ma", "mb", "e", "mu", "kp"])
def test_pair_jolt_names_what_is_wrong(field):
    args = {"xa": [0.0], "xb": [1.0], "va": [1.0], "vb": [0.0], "ra": 1, "rb": 1}
    args |= {"ma": 1, "mb": 1, "e": 0.5, "mu": 0, "kp": 0}
    assert pair_jolt(**args) is not None
    bad = [NAN] if field[0] in "xv" else NAN
    with pytest.raises(ValueError, match=rf"\b{field}\b"):
        pair_jolt(**{**args, field: bad})
    with pytest.raises(TypeError, match=rf"\b{field}\b"):
        pair_jolt(**{**args, field: "x"})


@pytest.mark.parametrize("field", ["x", "v", "r", "point", "n", "e", "mu", "kp"])
def test_plane_jolt_names_what_is_wrong(field):
    args = {"x": [0.0], "v": [-1.0], "r": 1, "point": [0.0], "n": [1.0], "e": 0.5, "mu": 0, "kp": 0}
    assert plane_jolt(**args) is not None
    bad = [NAN] if field in ("x", "v", "point", "n") else NAN
    with pytest.raises(ValueError, match=rf"\b{field}\b"):
        plane_jolt(**{**args, field: bad})
    with pytest.raises(TypeError, match=rf"\b{field}\b"):
        plane_jolt(**{**args, field: "x"})


@pytest.mark.parametrize("x", [[], [0.0] * 4])
def test_jolts_refuse_other_dimensions(x):
    with pytest.raises(ValueError, match="xa"):
        pair_jolt(x, x, x, x, 1, 1, 1, 1, 0.5, 0, 0)
    with pytest.raises(ValueError, match="x must"):
        plane_jolt(x, x, 1, x, x, 0.5, 0, 0)
