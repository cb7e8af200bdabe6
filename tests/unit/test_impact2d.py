"""The door of engine2d.impact: forms of input, errors, arrays, closed forms by hand."""

import math
from fractions import Fraction

import numpy as np
import pytest

from engine2d.impact import NAMES, PATH_TABLE, collide, collide_many
from tests.support import load_golden

# A ball of mass 2 falls straight onto another of mass 1 at rest.
BALLS = {
    "e": 0.5,
    "mu": 0.3,
    "f": (0.0, 1.0),
    "mA": 2.0,
    "IA": 0.8,
    "rA": (0.0, -1.0),
    "vA": (0.0, -3.0),
    "wA": 0.0,
    "mB": 1.0,
    "IB": 0.1,
    "rB": (0.0, 0.5),
    "vB": (0.0, 0.0),
    "wB": 0.0,
}
GOLDEN = [case["in"] for case in load_golden("impact2d")["cases"]]


def golden_arrays():
    """The golden inputs as arguments of collide_many."""
    return {name: [given[name] for given in GOLDEN] for name in NAMES}


def test_a_central_impact_is_newtons():
    impact = collide(**BALLS)
    # Momentum 6 N s is shared; they part at e times the 3 m/s of approach.
    assert np.allclose(impact.vA, (0.0, -1.5), atol=1e-15)
    assert np.allclose(impact.vB, (0.0, -3.0), atol=1e-15)
    assert (impact.wA, impact.wB) == (0.0, 0.0)
    assert np.allclose(impact.p, (0.0, 3.0), atol=1e-15)
    # Reduced mass 2/3: 3 J are spent, a quarter of them comes back.
    assert impact.Wc == pytest.approx(-3.0)
    assert impact.Wd == pytest.approx(0.75)
    assert impact.path == "3a/6/8b"


def test_equal_balls_swap_velocities():
    impact = collide(**{**BALLS, "e": 1.0, "mA": 1.0, "mu": 0.0})
    assert np.allclose(impact.vA, (0.0, 0.0), atol=1e-15)
    assert np.allclose(impact.vB, (0.0, -3.0), atol=1e-15)


def test_a_spinning_disc_grips_the_floor_and_rolls_off():
    """Backspin dropped on a sticky floor: u_t = 0 after; 1/2 m v r is kept about the contact."""
    disc = {**BALLS, "e": 0.0, "mu": 5.0, "mA": 1.0, "IA": 0.5, "wA": -6.0, "mB": None, "IB": None}
    impact = collide(**disc)
    assert impact.vA[0] + impact.wA * 1.0 == pytest.approx(0.0, abs=1e-15)
    assert impact.vA[0] == pytest.approx(2.0)


@pytest.mark.parametrize("immovable", [None, math.inf])
def test_a_wall_may_move_and_its_inertia_is_not_looked_at(immovable):
    wall = {"mB": immovable, "IB": math.nan, "vB": (0.0, 1.0), "wB": 0.0}
    impact = collide(**{**BALLS, **wall})
    assert np.array_equal(impact.vB, (0.0, 1.0))
    # Seen from the wall: 4 m/s in, 2 m/s out.
    assert np.allclose(impact.vA, (0.0, 3.0), atol=1e-15)


@pytest.mark.parametrize("infinite", [None, math.inf])
def test_infinite_inertia_means_no_turning(infinite):
    impact = collide(**{**BALLS, "IA": infinite, "vA": (4.0, -3.0)})
    assert impact.wA == 0.0
    assert impact.wB != 0.0


def test_a_separating_contact_comes_back_unchanged():
    parting = {**BALLS, "vA": (1.0, 0.25), "wA": 7.0}
    impact = collide(**parting)
    assert impact.path == "separating"
    assert np.array_equal(impact.vA, (1.0, 0.25))
    assert (impact.wA, impact.wB) == (7.0, 0.0)
    assert np.array_equal(impact.p, (0.0, 0.0))
    assert (impact.Wc, impact.Wd) == (0.0, 0.0)


def test_a_normal_within_tolerance_is_normalised():
    impact = collide(**{**BALLS, "f": (0.0, 1.0 + 9e-7)})
    assert np.array_equal(impact.p, collide(**BALLS).p)


NAN, INF = math.nan, math.inf
BAD = [
    *[("e", value) for value in (-0.1, 1.1, NAN, INF)],
    *[("mu", value) for value in (-0.1, NAN, INF)],
    *[
        ("f", value)
        for value in ((0.0, 1.1), (0.0, 0.0), (NAN, 1.0), (0.0, INF), (1.0,), 3.0, "ab")
    ],
    *[(m, value) for m in ("mA", "mB") for value in (0.0, -1.0, NAN, -INF)],
    *[(i, value) for i in ("IA", "IB") for value in (0.0, -1.0, NAN, -INF)],
    *[
        (v, value)
        for v in ("rA", "vA", "rB", "vB")
        for value in ((NAN, 0.0), (0.0, INF), (1, 2, 3))
    ],
    *[(w, value) for w in ("wA", "wB") for value in (NAN, INF)],
]


@pytest.mark.parametrize(("name", "value"), BAD)
def test_a_bad_value_is_named(name, value):
    with pytest.raises(ValueError, match=rf"^{name} must be ") as caught:
        collide(**{**BALLS, name: value})
    assert repr(value) in str(caught.value)


@pytest.mark.parametrize("name", ["e", "mu", "mA", "IA", "wB"])
def test_what_is_no_number_is_named(name):
    with pytest.raises(TypeError, match=rf"^{name} must be a number, got 'heavy'"):
        collide(**{**BALLS, name: "heavy"})


@pytest.mark.parametrize("masses", [(None, None), (INF, INF), (None, INF)])
def test_two_immovable_bodies_are_refused(masses):
    with pytest.raises(ValueError, match="mA and mB are both immovable"):
        collide(**{**BALLS, "mA": masses[0], "mB": masses[1]})
    with pytest.raises(ValueError, match="mA and mB are both immovable in row 0"):
        collide_many(**{**BALLS, "mA": masses[0], "mB": masses[1]})


def test_numbers_beyond_doubles_are_an_error_not_a_nan():
    with pytest.raises(OverflowError, match="too large"):
        collide(**{**BALLS, "vA": (0.0, -1e308), "vB": (0.0, 1e308)})
    with pytest.raises(OverflowError, match="impact 1 "):
        collide_many(
            **{**BALLS, "vA": [(0.0, -1.0), (0.0, -1e308)], "vB": [(0.0, 0.0), (0.0, 1e308)]}
        )


def test_many_impacts_have_the_bits_of_single_ones():
    many = collide_many(**golden_arrays())
    for i, given in enumerate(GOLDEN):
        one = collide(**given)
        for name in ("vA", "wA", "vB", "wB", "p", "Wc", "Wd"):
            assert np.array_equal(getattr(many, name)[i], getattr(one, name)), (i, name)
        assert many.path[i] == one.path


def test_what_is_the_same_for_all_need_not_be_repeated():
    heights = np.linspace(0.1, 5.0, 7)
    falls = np.column_stack([np.zeros(7), -np.sqrt(2 * 10 * heights)])
    many = collide_many(**{**BALLS, "vA": falls})
    assert many.vA.shape == (7, 2)
    assert many.path.shape == (7,)
    assert np.allclose(many.Wc, -heights * 20 * (2 / 3) / 2)


def test_no_impacts_are_no_problem():
    many = collide_many(**{**BALLS, "vA": np.zeros((0, 2))})
    assert [len(field) for field in many] == [0] * 8


def test_many_names_the_bad_row_and_leaves_the_input_alone():
    arrays = {**BALLS, "vA": np.array([[0.0, -1.0], [0.0, math.nan]])}
    before = arrays["vA"].copy()
    with pytest.raises(ValueError, match=r"^vA must be two finite numbers, got .* in row 1"):
        collide_many(**arrays)
    assert np.array_equal(arrays["vA"], before, equal_nan=True)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("vA", np.zeros((2, 3)), r"vA must have shape \(2,\) or \('n', 2\), got \(2, 3\)"),
        ("e", np.zeros((2, 2)), r"e must have shape"),
        ("wA", np.zeros(3), r"wA has 3 rows, but vA has 2"),
    ],
)
def test_shapes_that_do_not_fit_are_named(name, value, message):
    with pytest.raises(ValueError, match=message):
        collide_many(**{**BALLS, "vA": [(0.0, -1.0)] * 2, name: value})


def test_what_is_no_array_of_numbers_is_named():
    with pytest.raises(TypeError, match="mu must be an array of real numbers"):
        collide_many(**{**BALLS, "mu": ["slippery"]})


def test_paths_have_the_words_of_the_golden_file():
    known = {path for path in PATH_TABLE if path is not None}
    assert {case["branch"] for case in load_golden("impact2d")["cases"]} < known


@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e-160, 1e-101, 1e-99, 1e120])
def test_speed_has_no_scale(scale):
    glancing = {**BALLS, "vA": (2.0, -3.0), "e": 0.7}
    slow = collide(**{**glancing, "vA": (2.0 * scale, -3.0 * scale)})
    usual = collide(**glancing)
    assert np.allclose(slow.vA / scale, usual.vA, rtol=1e-14)
    assert np.allclose(slow.p / scale, usual.p, rtol=1e-14)
    assert slow.path == usual.path


@pytest.mark.parametrize("slenderness", [1e-6, 1e-9, 1e-12, 1e-15])
def test_a_slender_rod_that_sticks_keeps_its_digits(slenderness):
    """Against exact fractions: K_nn - K_tn^2/K_tt loses as many digits as the rod is slender."""
    rod = {**BALLS, "e": 0.25, "mu": 3.0, "mA": 1.0, "IA": slenderness, "rA": (-0.3, -0.7)}
    hit = collide(**{**rod, "vA": (0.0, -1.0), "mB": None, "IB": None})
    x, y, j = Fraction(-0.3), Fraction(-0.7), 1 / Fraction(slenderness)
    rate = (1 + j * x * x) - (j * x * y) ** 2 / (1 + j * y * y)
    assert hit.path == "3a/6/8b"
    assert hit.p[1] == pytest.approx(float(Fraction(5, 4) / rate), rel=1e-14)


def test_needles_of_any_slenderness_leave_the_floor():
    """No rounding in K, however badly conditioned, makes an impact without end or the wrong way."""
    rng = np.random.default_rng(7)
    n = 4000
    slender = 10.0 ** rng.uniform(-18, 0, n)
    angle = rng.uniform(0, 2 * np.pi, n)
    needles = {
        **BALLS,
        "mA": 1.0,
        "IA": slender,
        "mB": None,
        "IB": None,
        "mu": rng.uniform(0, 3, n),
    }
    needles["rA"] = np.column_stack([np.cos(angle), np.sin(angle)])
    needles["vA"] = np.column_stack([rng.normal(size=n), -rng.random(n)])
    many = collide_many(**needles)
    assert (many.p[:, 1] > 0.0).all()
    # it never takes more than to stop and throw back a point of the same mass
    assert (many.p[:, 1] <= 2.0 * 1.5 * (1.0 + 10.0 * np.abs(needles["vA"][:, 0]))).all()
