"""What any impact in space must obey, over wide ranges of bodies and motions."""

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine2d.impact import collide as collide_2d
from engine3d.impact import collide, diverging_ray, sliding_rays
from tests.support import (
    Mechanics,
    is_fixed,
    make_approaching,
    numbers,
    outcome,
    powers,
    unit,
    vectors,
)

# Rounding, relative to the sum of what is added up.
ROUNDING = 1e-12
# The integrator's tolerance is 1e-10 a step, relative to the speeds; ten steps and the mass ratios
# between speed and energy make this.
INTEGRATION = 1e-8


@st.composite
def rotations(draw):
    """Rotation matrices, by a quaternion."""
    q = draw(vectors(4, 1.0).filter(lambda q: np.linalg.norm(q) > 0.1))
    w, x, y, z = unit(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


@st.composite
def impacts(draw, fixed=True):
    """Arguments of collide; one body may be immovable, and it may move all the same."""
    bodies = {}
    for which in "AB":
        m = draw(powers(-2, 2))
        turn = draw(rotations())
        moments = [m * draw(powers(-1, 0.7)) ** 2 for _ in range(3)]
        bodies["m" + which] = m
        bodies["I" + which] = turn @ np.diag(moments) @ turn.T
        bodies["r" + which] = draw(vectors(3, 2.0))
        bodies["v" + which] = draw(vectors(3, 50.0))
        bodies["w" + which] = draw(vectors(3, 50.0))
    immovable = draw(st.sampled_from(["", "", "A", "B"])) if fixed else ""
    if immovable:
        bodies["m" + immovable] = draw(st.sampled_from([None, np.inf]))
        bodies["I" + immovable] = None
    f = draw(
        st.one_of(
            st.sampled_from([np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.0, -1.0])]),
            vectors(3, 1e-9).map(lambda d: unit(np.array([0.0, 0.0, -1.0]) + d)),
            vectors(3, 1.0).filter(lambda f: np.linalg.norm(f) > 0.1).map(unit),
        )
    )
    e = draw(st.one_of(st.sampled_from([0.0, 1.0]), numbers(0.0, 1.0)))
    mu = draw(st.one_of(st.sampled_from([0.0, 0.5]), numbers(0.0, 10.0)))
    return {"e": e, "mu": mu, "f": f, **bodies}


def approaching(**options):
    """Impacts in which the contact closes, so that there is something to look at."""
    return impacts(**options).map(make_approaching)


@given(approaching(fixed=False))
def test_momentum_is_kept(arguments):
    m = Mechanics(arguments, collide(**arguments))
    change = m.momentum(True) - m.momentum(False)
    assert np.abs(change).max() <= ROUNDING * m.momentum_scale()


@given(approaching())
def test_angular_momentum_about_the_contact_is_kept(arguments):
    m = Mechanics(arguments, collide(**arguments))
    for which in "AB":
        if not is_fixed(arguments["m" + which]):
            change = m.angular_momentum(which, True) - m.angular_momentum(which, False)
            assert np.abs(change).max() <= ROUNDING * m.angular_scale(which)


@given(approaching())
def test_an_immovable_body_keeps_its_motion(arguments):
    impact = collide(**arguments)
    for which in "AB":
        if is_fixed(arguments["m" + which]):
            assert np.array_equal(getattr(impact, "v" + which), arguments["v" + which])
            assert np.array_equal(getattr(impact, "w" + which), arguments["w" + which])


@given(approaching())
def test_energy_never_rises(arguments):
    m = Mechanics(arguments, collide(**arguments))
    before, after = m.energy(False), m.energy(True)
    assert after <= before + INTEGRATION * m.energy_scale()


@given(approaching())
def test_energy_is_kept_without_friction_at_full_restitution(arguments):
    arguments = {**arguments, "mu": 0.0, "e": 1.0}
    m = Mechanics(arguments, collide(**arguments))
    before, after = m.energy(False), m.energy(True)
    assert abs(after - before) <= ROUNDING * m.energy_scale()


@given(approaching())
def test_bodies_do_not_approach_afterwards(arguments):
    m = Mechanics(arguments, collide(**arguments))
    assert m.contact_velocity(True) @ arguments["f"] >= -INTEGRATION * m.speed_scale()


@given(approaching())
def test_friction_stays_in_its_cone(arguments):
    m = Mechanics(arguments, collide(**arguments))
    pn, pt = m.normal_impulse(), m.tangential_impulse()
    assert pn >= 0.0
    assert pt <= arguments["mu"] * pn + INTEGRATION * np.linalg.norm(m.impact.p)


@given(approaching())
def test_stronge_restitution(arguments):
    impact = collide(**arguments)
    assert impact.Wc <= 0.0 <= impact.Wd
    assert abs(impact.Wd + arguments["e"] ** 2 * impact.Wc) <= ROUNDING * abs(impact.Wc)


@given(approaching(), numbers(2.0, 5.0))
def test_slip_ends_for_good_where_friction_holds(arguments, mu):
    m = Mechanics(arguments, collide(**{**arguments, "mu": mu}))
    if m.impact.path == "stable_stick":
        u = m.contact_velocity(True)
        slip = u - (u @ arguments["f"]) * arguments["f"]
        assert np.linalg.norm(slip) <= INTEGRATION * m.speed_scale()


def same(first, second, size, tolerance=1e-7):
    """Whether two outcomes agree; rounding in the input may be magnified near the origin."""
    return np.abs(first - second).max() <= tolerance * size


@given(approaching())
def test_swapping_a_and_b_changes_nothing(arguments):
    swapped = {"e": arguments["e"], "mu": arguments["mu"], "f": -arguments["f"]}
    for name in ("m", "I", "r", "v", "w"):
        swapped[name + "A"], swapped[name + "B"] = arguments[name + "B"], arguments[name + "A"]
    impact, other = collide(**arguments), collide(**swapped)
    back = np.concatenate([other.vB, other.wB, other.vA, other.wA])
    assert same(outcome(impact), back, np.abs(outcome(impact)).max())


@given(approaching(), vectors(3, 50.0))
def test_a_common_velocity_makes_no_difference(arguments, velocity):
    moving = {**arguments, "vA": arguments["vA"] + velocity, "vB": arguments["vB"] + velocity}
    impact, other = collide(**arguments), collide(**moving)
    back = np.concatenate([other.vA - velocity, other.wA, other.vB - velocity, other.wB])
    assert same(outcome(impact), back, 100.0 + np.abs(outcome(impact)).max())


@given(approaching(), rotations())
def test_turning_the_frame_turns_the_answer(arguments, turn):
    turned = dict(arguments)
    for name in ("f", "rA", "vA", "wA", "rB", "vB", "wB"):
        turned[name] = turn @ arguments[name]
    for name in ("IA", "IB"):
        if arguments[name] is not None:
            turned[name] = turn @ arguments[name] @ turn.T
    impact, other = collide(**arguments), collide(**turned)
    back = np.concatenate([turn.T @ x for x in (other.vA, other.wA, other.vB, other.wB)])
    assert same(outcome(impact), back, 100.0 + np.abs(outcome(impact)).max())


@given(approaching())
def test_the_mirror_image_is_the_same(arguments):
    """Mirrored in x: vectors change their x, angular velocities (axial) keep theirs alone."""
    flip = np.diag([-1.0, 1.0, 1.0])
    mirrored = dict(arguments)
    for name in ("f", "rA", "vA", "rB", "vB"):
        mirrored[name] = flip @ arguments[name]
    for name in ("wA", "wB"):
        mirrored[name] = -flip @ arguments[name]
    for name in ("IA", "IB"):
        if arguments[name] is not None:
            mirrored[name] = flip @ arguments[name] @ flip
    impact, image = collide(**arguments), collide(**mirrored)
    back = np.concatenate([flip @ image.vA, -flip @ image.wA, flip @ image.vB, -flip @ image.wB])
    assert same(outcome(impact), back, 100.0 + np.abs(outcome(impact)).max())


@st.composite
def planar_impacts(draw):
    """Arguments of the 2D collide, with the third dimension's moments of inertia beside them."""
    bodies, moments = {}, {}
    for which in "AB":
        m = draw(powers(-2, 2))
        bodies["m" + which] = m
        bodies["I" + which] = m * draw(powers(-1, 0.7)) ** 2
        bodies["r" + which] = draw(vectors(2, 2.0))
        bodies["v" + which] = draw(vectors(2, 50.0))
        bodies["w" + which] = draw(numbers(-50.0, 50.0))
        moments[which] = [m * draw(powers(-1, 0.7)) ** 2 for _ in range(2)]
    angle = draw(numbers(0.0, 2 * np.pi))
    arguments = {
        "e": draw(numbers(0.0, 1.0)),
        "mu": draw(numbers(0.0, 3.0)),
        "f": np.array([np.cos(angle), np.sin(angle)]),
        **bodies,
    }
    return make_approaching(arguments), moments


@given(planar_impacts())
def test_planar_data_give_the_planar_answer(planar):
    arguments, moments = planar
    embedded = dict(arguments)
    for name in ("f", "rA", "vA", "rB", "vB"):
        embedded[name] = np.append(arguments[name], 0.0)
    for which in "AB":
        embedded["w" + which] = np.array([0.0, 0.0, arguments["w" + which]])
        embedded["I" + which] = np.diag([*moments[which], arguments["I" + which]])
    flat, deep = collide_2d(**arguments), collide(**embedded)
    size = 100.0 + np.abs(outcome(flat)).max()
    back = np.array([*deep.vA[:2], deep.wA[2], *deep.vB[:2], deep.wB[2]])
    assert same(outcome(flat), back, size, tolerance=1e-9)
    assert max(abs(deep.vA[2]), abs(deep.vB[2])) <= 1e-9 * size


@st.composite
def collision_matrices(draw):
    """Symmetric positive definite 3 x 3 matrices with condition numbers up to 1e4."""
    turn = draw(rotations())
    return turn @ np.diag([draw(powers(-2, 2)) for _ in range(3)]) @ turn.T


@settings(max_examples=500)
@given(collision_matrices(), numbers(0.01, 3.0))
def test_the_diverging_ray_by_the_quartic_and_by_the_monotone_root(K, mu):
    K = 0.5 * (K + K.T)
    margin = np.linalg.norm(np.linalg.solve(K[:2, :2], K[:2, 2])) / mu
    assume(abs(margin - 1.0) > 1e-6 and np.linalg.norm(K[:2, 2]) > 1e-9)
    found = diverging_ray(K, mu)
    diverging = [ray.angle for ray in sliding_rays(K, mu) if ray.kind == "diverging"]
    if margin < 1.0:
        assert found is None
        assert diverging == []
    else:
        assert len(diverging) == 1
        difference = (diverging[0] - found + np.pi) % (2 * np.pi) - np.pi
        # Both are roots of the same equation; its condition falls as sticking becomes stable.
        assert abs(difference) <= 1e-12 / (margin - 1.0) + 1e-10
