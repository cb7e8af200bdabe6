"""engine3d.impact: the examples of the text, the two methods, the trace and the door."""

import math
from fractions import Fraction

import numpy as np
import pytest

from demos.scenes.impact3d import (
    EXAMPLE,
    FIGURE_4_K,
    FIGURE_4_MU,
    body_with_collision_matrix,
    figure_4_impacts,
)
from engine3d.impact import (
    NAMES,
    collide,
    collide_many,
    diverging_ray,
    sliding_rays,
)
from enginecore import SolverError, Status
from tests.support import load_golden, outcome

GOLDEN = [case["in"] for case in load_golden("impact3d")["cases"]]
NAN, INF = math.nan, math.inf


def final_velocity(arguments, **options):
    """u at the end, in the contact frame."""
    return collide(**arguments, trace=True, **options)[1].u[-1]


# -------------------------------------------------------------------------- section 1.2 of the text


def test_the_example_is_compressed_twice():
    impact, trace = collide(**EXAMPLE, trace=True)
    turns = np.flatnonzero(np.diff(trace.phase)) + 1
    assert np.allclose(trace.p_z[turns], (14.596025, 29.830600, 55.980694), rtol=0, atol=1e-6)
    assert np.array_equal(trace.u[turns, 2], np.zeros(3))
    assert trace.phase[-1] == 3
    first_decompression = trace.phase == 1
    highest = np.argmax(np.where(first_decompression, trace.u[:, 2], -np.inf))
    assert trace.p_z[highest] == pytest.approx(22.51049, abs=1e-5)
    assert np.allclose(trace.u[-1], (-18.304994, -63.756584, 3.191346), rtol=0, atol=1e-6)
    assert impact.path == "slide"


def barely_compressed_twice(excess):
    """The example with friction that makes d u_z/d p_z just negative for a moment, and the u_z at
    which that moment is the second compression: a tenth of the fall lies above u_z = 0."""
    k, K33 = np.array([4.0, -7.0]), 4.0
    friction = {**EXAMPLE, "mu": (1.0 + excess) * K33 / np.linalg.norm(k), "e": 1.0}
    # u_z - u_z0 over p_z does not depend on u_z0: look at it where u_z < 0 throughout
    _, trace = collide(**{**friction, "vA": (630.0, -780.0, -50.0)}, tol=1e-12, trace=True)
    rise = trace.u[:, 2] + 50.0
    fall = np.flatnonzero(np.diff(rise) < 0.0)
    top, bottom = rise[fall[0]], rise[fall[-1] + 1]
    return {**friction, "vA": (630.0, -780.0, -(0.9 * top + 0.1 * max(bottom, 0.0)))}


@pytest.mark.parametrize("excess", [1e-2, 1e-3, 1e-4, 1e-5])
@pytest.mark.parametrize("tol", [1e-8, 1e-10])
def test_a_short_second_compression_is_not_overlooked(excess, tol):
    arguments = barely_compressed_twice(excess)
    _, trace = collide(**arguments, tol=tol, trace=True)
    assert trace.phase[-1] == 3


def test_the_trace_tells_the_same_as_the_impact():
    impact, trace = collide(**EXAMPLE, trace=True)
    assert np.array_equal(outcome(impact), outcome(collide(**EXAMPLE)))
    assert trace.p_z[0] == 0.0
    assert np.all(np.diff(trace.p_z) >= 0.0)
    assert trace.p_z[-1] == pytest.approx(impact.p[2], rel=1e-15)
    assert trace.Wc[-1] == impact.Wc
    assert trace.Wd[-1] == pytest.approx(impact.Wd, rel=1e-12)
    assert np.all(np.diff(trace.Wc) <= 0.0)
    assert np.all(np.diff(trace.Wd) >= 0.0)
    # u_z < 0 in compression, > 0 in decompression, and W is its integral.
    assert np.all((trace.u[:, 2] <= 0.0) | (trace.phase % 2 == 1))
    work = np.concatenate(
        [[0.0], np.cumsum(np.diff(trace.p_z) * (trace.u[1:, 2] + trace.u[:-1, 2]) / 2)]
    )
    assert np.allclose(work, trace.Wc + trace.Wd, atol=2e-3)


def test_the_trace_is_in_the_frame_it_names():
    arguments = GOLDEN[0]
    _, trace = collide(**arguments, trace=True)
    f = np.array(arguments["f"])
    assert np.allclose(trace.frame @ f, (0, 0, 1), atol=1e-15)
    assert np.allclose(trace.frame @ trace.frame.T, np.eye(3), atol=1e-15)
    assert np.linalg.det(trace.frame) == pytest.approx(1.0)


# ----------------------------------------------------------------------------- figure 4 of the text


def test_a_body_can_be_found_for_the_matrix_of_figure_4():
    mass, inertia, r = body_with_collision_matrix(FIGURE_4_K)
    cross = np.cross(np.eye(3), r).T
    K = np.eye(3) / mass + cross.T @ np.linalg.inv(inertia) @ cross
    assert np.allclose(K, FIGURE_4_K, atol=1e-12)


def test_the_rays_of_figure_4():
    rays = sliding_rays(FIGURE_4_K, FIGURE_4_MU)
    assert np.allclose(
        np.degrees([ray.angle for ray in rays]), (86.669, 209.082, 281.352, 322.897), atol=5e-4
    )
    assert [ray.kind for ray in rays] == ["diverging"] + ["converging"] * 3
    assert diverging_ray(FIGURE_4_K, FIGURE_4_MU) == pytest.approx(rays[0].angle, abs=1e-14)


def test_exactly_five_of_the_sixteen_starts_reach_the_origin():
    paths = [collide(**arguments).path for arguments in figure_4_impacts()]
    reached = [n * 22.5 for n, path in enumerate(paths) if path == "unstable_stick"]
    assert reached == [225.0, 247.5, 270.0, 292.5, 315.0]
    assert {path for n, path in enumerate(paths) if not 10 <= n <= 14} == {"slide"}


def test_all_sixteen_end_on_the_diverging_ray():
    angle = diverging_ray(FIGURE_4_K, FIGURE_4_MU)
    for arguments in figure_4_impacts(approach=2000.0):
        u = final_velocity(arguments)
        assert math.atan2(u[1], u[0]) == pytest.approx(angle, abs=0.02)


# -------------------------------------------------------------------------------------- the methods


def test_euler_converges_at_first_order():
    """A tenth of the step, a tenth of the error, in the mean over impacts of every kind."""
    cases = [case["in"] for case in load_golden("impact3d")["cases"] if case["sensitivity"] < 10.0]
    errors = []
    for parts in (100, 1000, 10_000):
        worst = []
        for given in cases[::4]:
            exact = collide(**given)
            step = (np.linalg.norm(exact.p) + 1e-9) / parts
            euler = collide(**given, method="euler", step=step)
            size = np.abs(outcome(exact)).max()
            worst.append(np.abs(outcome(euler) - outcome(exact)).max() / size)
        errors.append(np.mean(worst))
    orders = -np.diff(np.log10(errors))
    assert np.allclose(orders, 1.0, atol=0.15)
    assert errors[-1] < 1e-4


def test_euler_stops_only_where_the_bodies_part():
    """The erratum: with e = 0 the text's loop would stop after one step, still approaching."""
    u = final_velocity({**EXAMPLE, "e": 0.0}, method="euler", step=0.01)
    assert u[2] >= 0.0


def test_a_smaller_tolerance_gives_a_smaller_error():
    exact = outcome(collide(**EXAMPLE, tol=1e-14))
    size = np.abs(exact).max()
    for tol in (1e-4, 1e-6, 1e-8, 1e-10, 1e-12):
        assert np.abs(outcome(collide(**EXAMPLE, tol=tol)) - exact).max() <= 10.0 * tol * size


def test_a_hopelessly_small_step_is_an_error_not_a_hang():
    with pytest.raises(SolverError, match="step limit") as caught:
        collide(**EXAMPLE, method="euler", step=1e-9)
    assert caught.value.status is Status.MAX_ITERATIONS


@pytest.mark.parametrize("scale", [1e-200, 1e-20, 1e20, 1e140])
def test_speed_has_no_scale(scale):
    scaled = {**EXAMPLE, "vA": tuple(scale * x for x in EXAMPLE["vA"])}
    assert np.allclose(outcome(collide(**scaled)) / scale, outcome(collide(**EXAMPLE)), rtol=1e-9)


@pytest.mark.parametrize("scale", [1e-100, 1e-6, 1e6, 1e60])
def test_mass_has_no_scale(scale):
    scaled = {**EXAMPLE, "mA": scale, "IA": scale * EXAMPLE["IA"]}
    assert np.allclose(outcome(collide(**scaled)), outcome(collide(**EXAMPLE)), rtol=1e-9)


# ----------------------------------------------------------------------------------------- the door


def golden_arrays():
    return {name: [given[name] for given in GOLDEN] for name in NAMES}


@pytest.mark.parametrize("options", [{}, {"tol": 1e-6}, {"method": "euler"}])
def test_many_impacts_have_the_bits_of_single_ones(options):
    many = collide_many(**golden_arrays(), **options)
    for i, given in enumerate(GOLDEN):
        one = collide(**given, **options)
        for name in ("vA", "wA", "vB", "wB", "p", "Wc", "Wd"):
            assert np.array_equal(getattr(many, name)[i], getattr(one, name)), (i, name)
        assert many.path[i] == one.path


def test_a_separating_contact_comes_back_unchanged():
    impact, trace = collide(**{**EXAMPLE, "vA": (1.0, 2.0, 0.5)}, trace=True)
    assert impact.path == "separating"
    assert np.array_equal(impact.vA, (1.0, 2.0, 0.5))
    assert np.array_equal(impact.p, np.zeros(3))
    assert len(trace.p_z) == 0


def test_infinite_inertia_means_no_turning():
    for infinite in (None, INF):
        impact = collide(**{**EXAMPLE, "IA": infinite})
        assert np.array_equal(impact.wA, np.zeros(3))
        many = collide_many(**{**EXAMPLE, "IA": [infinite, EXAMPLE["IA"]], "e": [0.9, 0.9]})
        assert np.array_equal(many.vA[0], impact.vA)
        assert np.array_equal(many.vA[1], collide(**EXAMPLE).vA)


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("tilt", [0.0, 1e-300, 1e-160, 1e-17, 1e-9])
def test_normals_at_and_near_the_z_axis(sign, tilt):
    f = np.array([tilt, -tilt, sign])
    arguments = {**EXAMPLE, "f": f, "vA": (3.0, -2.0, -4.0 * sign)}
    exact = collide(**{**arguments, "f": (0.0, 0.0, sign)})
    assert np.allclose(outcome(collide(**arguments)), outcome(exact), rtol=0, atol=1e-7)


BAD = [
    *[("e", value) for value in (-0.1, 1.1, NAN)],
    *[("mu", value) for value in (-0.1, NAN, INF)],
    *[("f", value) for value in ((0, 0, 1.1), (0, 0, 0), (NAN, 0, 1), (0, 1), 3.0)],
    *[("mA", value) for value in (0.0, -1.0, NAN, -INF)],
    ("IA", -np.eye(3)),
    ("IA", np.zeros((3, 3))),
    ("IA", np.full((3, 3), NAN)),
    ("IA", np.array([[1.0, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])),
    ("IA", np.diag([1.0, -1.0, -1.0])),
    ("IA", np.full((3, 3), INF) + np.diag([0.0, NAN, 0.0])),
    ("IA", np.array([[1.0, 1e-7, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])),
    ("IA", np.array([[1.0, 0.0, 0.0], [0.0, 1e-9, 1e-12], [0.0, 0.0, 1e-9]])),
    *[
        (v, value)
        for v in ("rA", "vA", "wA", "rB", "vB", "wB")
        for value in ((NAN, 0, 0), (0, INF, 0), (1, 2))
    ],
]


@pytest.mark.parametrize(("name", "value"), BAD)
def test_a_bad_value_is_named(name, value):
    with pytest.raises(ValueError, match=rf"^{name} must be "):
        collide(**{**EXAMPLE, name: value})


STILL = (0.0, 0.0, 0.0)
FLOOR = {"mB": None, "IB": None, "rB": STILL, "vB": STILL, "wB": STILL}


def test_a_rod_that_spins_up_fast_about_its_axis():
    """The direction of slip settles ten thousand times faster than anything else happens."""
    for thin in (1e-4, 1e-6, 1e-9, 1e-12):
        rod = {"mA": 1.0, "IA": np.diag([thin, 1.0, 1.0]), "rA": (0, 0, -1), "wA": STILL}
        impact, trace = collide(0.5, 0.5, (0, 0, 1), vA=(1, -1, -1), **rod, **FLOOR, trace=True)
        assert trace.evaluations < 2000
        # no slip is left across the axis, and along it friction acts at full strength
        assert impact.p[0] ** 2 + impact.p[1] ** 2 <= (0.5 * impact.p[2]) ** 2 * (1 + 1e-9)


@pytest.mark.parametrize("off", [0.0, 1e-4, -1e-4, 1e-8, -1e-8, 1e-12])
def test_friction_at_the_edge_of_sticking(off):
    """Where sticking is about to become unstable, slip on the ray neither grows nor dies."""
    rng = np.random.default_rng(3)
    for _ in range(50):
        r, u = rng.normal(size=3), rng.normal(size=3)
        cross = np.cross(np.eye(3), r).T
        K = np.eye(3) + cross.T @ np.diag([1.0, 1 / 2, 1 / 3]) @ cross
        mu = (1.0 + off) * np.linalg.norm(np.linalg.solve(K[:2, :2], K[:2, 2]))
        body = {"mA": 1.0, "IA": np.diag([1.0, 2.0, 3.0]), "rA": r, "wA": STILL}
        _, trace = collide(
            0.5, mu, (0, 0, 1), vA=(u[0], u[1], -abs(u[2])), **body, **FLOOR, trace=True
        )
        assert trace.evaluations < 3000


@pytest.mark.parametrize("slenderness", [1e-6, 1e-9, 1e-12])
def test_a_slender_rod_that_sticks_keeps_its_digits(slenderness):
    """Against exact fractions, as in the plane."""
    x, z, j = Fraction(-0.3), Fraction(-0.7), 1 / Fraction(slenderness)
    rate = (1 + j * x * x) - (j * x * z) ** 2 / (1 + j * z * z)
    rod = {"mA": 1.0, "IA": np.diag([1.0, slenderness, 1.0]), "rA": (-0.3, 0, -0.7), "wA": STILL}
    impact = collide(0.25, 3.0, (0, 0, 1), vA=(0, 0, -1), **rod, **FLOOR)
    assert impact.path == "stable_stick"
    assert impact.p[2] == pytest.approx(float(Fraction(5, 4) / rate), rel=1e-13)


def test_an_infinite_moment_locks_its_axis_alone():
    free = {"mA": 1.0, "rA": (0.5, 0.4, -1), "wA": STILL, "vA": (1, 2, -1)}
    locked = collide(0.5, 0.3, (0, 0, 1), IA=np.diag([INF, 1.0, 2.0]), **free, **FLOOR)
    heavy = collide(0.5, 0.3, (0, 0, 1), IA=np.diag([1e15, 1.0, 2.0]), **free, **FLOOR)
    assert locked.wA[0] == 0.0
    assert np.allclose(locked.wA, heavy.wA, atol=1e-9)


def test_the_least_slip_counts():
    ball = {"mA": 1.0, "IA": np.eye(3), "rA": (0, 0, -1), "wA": STILL, "vA": (1e-13, 0, -1)}
    assert collide(0.5, 0.0, (0, 0, 1), **ball, **FLOOR).path == "slide"
    assert collide(0.5, 0.0, (0, 0, 1), **{**ball, "vA": (1e-17, 0, -1)}, **FLOOR).path != "slide"


def test_a_bad_row_is_named():
    with pytest.raises(ValueError, match=r"^vA must be three finite numbers, got .* in row 1"):
        collide_many(**{**EXAMPLE, "vA": [(0, 0, -1), (0, NAN, 0)]})
    with pytest.raises(ValueError, match=r"IA must have shape"):
        collide_many(**{**EXAMPLE, "IA": np.eye(2)})


def test_two_immovable_bodies_are_refused():
    with pytest.raises(ValueError, match="mA and mB are both immovable"):
        collide(**{**EXAMPLE, "mA": INF})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "magic"}, "method must be 'adaptive' or 'euler', got 'magic'"),
        ({"tol": 0.0}, "tol must be"),
        ({"tol": NAN}, "tol must be"),
        ({"step": -1.0}, "step must be"),
        ({"step": NAN}, "step must be"),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        collide(**EXAMPLE, **options)
    with pytest.raises(ValueError, match=message):
        collide_many(**EXAMPLE, **options)


def test_no_impacts_are_no_problem():
    many = collide_many(**{**EXAMPLE, "vA": np.zeros((0, 3))})
    assert [len(field) for field in many] == [0] * 8


def test_numbers_beyond_doubles_are_an_error_not_a_nan():
    with pytest.raises(OverflowError, match="too large"):
        collide(**{**EXAMPLE, "vA": (0, 0, -1e308), "vB": (0, 0, 1e308)})


# ----------------------------------------------------------------------------------------- the rays


def test_rays_refuse_what_is_no_collision_matrix():
    with pytest.raises(ValueError, match="K must be symmetric and positive definite"):
        diverging_ray(-np.eye(3), 0.5)
    with pytest.raises(ValueError, match="K must have shape"):
        diverging_ray(np.eye(2), 0.5)
    with pytest.raises(ValueError, match="mu must be"):
        sliding_rays(FIGURE_4_K, 0.0)
    with pytest.raises(ValueError, match="mu must be finite"):
        diverging_ray(FIGURE_4_K, NAN)
    for scale in (1e-200, 1e200):
        assert diverging_ray(FIGURE_4_K * scale, FIGURE_4_MU) == pytest.approx(
            diverging_ray(FIGURE_4_K, FIGURE_4_MU), abs=1e-14
        )
    with pytest.raises(TypeError, match="mu must be a number, got '0.5'"):
        diverging_ray(FIGURE_4_K, "0.5")
    with pytest.raises(ValueError, match="every direction"):
        sliding_rays(np.eye(3), 0.5)


def test_a_ray_at_exactly_half_a_turn_is_found():
    """a_4 = 0, the case in which tan(theta/2) is infinite."""
    K = np.array([[3.0, 0.0, -4.0], [0.0, 2.0, 0.0], [-4.0, 0.0, 9.0]])
    rays = sliding_rays(K, 0.5)
    assert [ray.angle for ray in rays if ray.kind == "diverging"] == [math.pi]
    assert diverging_ray(K, 0.5) == math.pi


def test_without_friction_slip_starts_along_the_coupling():
    assert diverging_ray(FIGURE_4_K, 0.0) == pytest.approx(math.atan2(6.0, 1.0), abs=1e-15)
