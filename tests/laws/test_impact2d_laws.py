"""What any impact in the plane must obey, over wide ranges of bodies and motions."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine2d.impact import collide
from tests.support import Mechanics, is_fixed, make_approaching, numbers, outcome, powers, vectors

# Rounding, relative to the sum of what is added up: a few hundred operations of 1.1e-16 each.
ROUNDING = 1e-12
# For answers compared with those of another frame: the same, times how strongly an answer may
# depend on its input here (radius over radius of gyration, squared, is at most 1e4).
FRAMES = 1e-9


@st.composite
def impacts(draw, fixed=True):
    """Arguments of collide; one body may be immovable, and it may move all the same."""
    bodies = {}
    for which in "AB":
        m = draw(powers(-3, 3))
        bodies["m" + which] = m
        bodies["I" + which] = m * draw(powers(-1.3, 1)) ** 2
        bodies["r" + which] = draw(vectors(2, 5.0))
        bodies["v" + which] = draw(vectors(2, 100.0))
        bodies["w" + which] = draw(numbers(-100.0, 100.0))
    immovable = draw(st.sampled_from(["", "", "A", "B"])) if fixed else ""
    if immovable:
        bodies["m" + immovable] = draw(st.sampled_from([None, np.inf]))
        bodies["I" + immovable] = None
    angle = draw(numbers(0.0, 2 * np.pi))
    e = draw(st.one_of(st.sampled_from([0.0, 1.0]), numbers(0.0, 1.0)))
    mu = draw(st.one_of(st.sampled_from([0.0, 0.5]), numbers(0.0, 10.0)))
    return {"e": e, "mu": mu, "f": np.array([np.cos(angle), np.sin(angle)]), **bodies}


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
            assert abs(change) <= ROUNDING * m.angular_scale(which)


@given(approaching())
def test_an_immovable_body_keeps_its_motion(arguments):
    impact = collide(**arguments)
    for which in "AB":
        if is_fixed(arguments["m" + which]):
            assert np.array_equal(getattr(impact, "v" + which), arguments["v" + which])
            assert getattr(impact, "w" + which) == arguments["w" + which]


@given(approaching())
def test_energy_never_rises(arguments):
    m = Mechanics(arguments, collide(**arguments))
    before, after = m.energy(False), m.energy(True)
    assert after <= before + ROUNDING * m.energy_scale()


@given(approaching())
def test_energy_is_kept_without_friction_at_full_restitution(arguments):
    arguments = {**arguments, "mu": 0.0, "e": 1.0}
    m = Mechanics(arguments, collide(**arguments))
    before, after = m.energy(False), m.energy(True)
    assert abs(after - before) <= ROUNDING * m.energy_scale()


@given(approaching())
def test_bodies_do_not_approach_afterwards(arguments):
    m = Mechanics(arguments, collide(**arguments))
    assert m.contact_velocity(True) @ arguments["f"] >= -ROUNDING * m.speed_scale()


@given(approaching())
def test_friction_stays_in_its_cone(arguments):
    m = Mechanics(arguments, collide(**arguments))
    pn, pt = m.normal_impulse(), m.tangential_impulse()
    assert pn >= 0.0
    assert pt <= arguments["mu"] * pn + ROUNDING * np.linalg.norm(m.impact.p)


@given(approaching())
def test_stronge_restitution(arguments):
    impact = collide(**arguments)
    assert impact.Wc <= 0.0 <= impact.Wd
    assert abs(impact.Wd + arguments["e"] ** 2 * impact.Wc) <= ROUNDING * abs(impact.Wc)


@given(approaching())
def test_work_of_the_impulse_is_the_change_of_energy(arguments):
    """The normal's work Wc + Wd and friction's, which is never positive, make up the change."""
    m = Mechanics(arguments, collide(**arguments))
    change = m.energy(True) - m.energy(False)
    friction = change - m.impact.Wc - m.impact.Wd
    assert friction <= ROUNDING * m.energy_scale()


@given(approaching())
def test_without_friction_it_is_newtons_restitution(arguments):
    arguments = {**arguments, "mu": 0.0}
    m = Mechanics(arguments, collide(**arguments))
    before = m.contact_velocity(False) @ arguments["f"]
    after = m.contact_velocity(True) @ arguments["f"]
    assert abs(after + arguments["e"] * before) <= ROUNDING * m.speed_scale()


@given(approaching())
def test_the_mirror_image_is_bit_for_bit_the_same(arguments):
    def mirror(vector):
        return np.array([-vector[0], vector[1]])

    reflected = dict(arguments)
    for name in ("f", "rA", "vA", "rB", "vB"):
        reflected[name] = mirror(arguments[name])
    for name in ("wA", "wB"):
        reflected[name] = -arguments[name]
    impact, image = collide(**arguments), collide(**reflected)
    assert np.array_equal(image.vA, mirror(impact.vA))
    assert np.array_equal(image.vB, mirror(impact.vB))
    assert np.array_equal(image.p, mirror(impact.p))
    assert (image.wA, image.wB) == (-impact.wA, -impact.wB)
    assert (image.Wc, image.Wd) == (impact.Wc, impact.Wd)


@given(approaching())
def test_swapping_a_and_b_changes_nothing(arguments):
    swapped = {"e": arguments["e"], "mu": arguments["mu"], "f": -arguments["f"]}
    for name in ("m", "I", "r", "v", "w"):
        swapped[name + "A"], swapped[name + "B"] = arguments[name + "B"], arguments[name + "A"]
    impact, other = collide(**arguments), collide(**swapped)
    back = np.concatenate([np.ravel(x) for x in (other.vB, other.wB, other.vA, other.wA)])
    assert np.abs(outcome(impact) - back).max() <= FRAMES * np.abs(outcome(impact)).max()


@given(approaching(), vectors(2, 100.0))
def test_a_common_velocity_makes_no_difference(arguments, velocity):
    moving = {**arguments, "vA": arguments["vA"] + velocity, "vB": arguments["vB"] + velocity}
    impact, other = collide(**arguments), collide(**moving)
    size = 200.0 + np.abs(outcome(impact)).max()
    assert np.abs(other.vA - velocity - impact.vA).max() <= FRAMES * size
    assert np.abs(other.vB - velocity - impact.vB).max() <= FRAMES * size
    assert abs(other.wA - impact.wA) <= FRAMES * size * 100.0
    assert abs(other.wB - impact.wB) <= FRAMES * size * 100.0


@given(approaching(), numbers(0.0, 2 * np.pi))
def test_turning_the_frame_turns_the_answer(arguments, angle):
    c, s = np.cos(angle), np.sin(angle)
    turn = np.array([[c, -s], [s, c]])
    turned = dict(arguments)
    for name in ("f", "rA", "vA", "rB", "vB"):
        turned[name] = turn @ arguments[name]
    impact, other = collide(**arguments), collide(**turned)
    size = 200.0 + np.abs(outcome(impact)).max()
    assert np.abs(turn @ impact.vA - other.vA).max() <= FRAMES * size
    assert np.abs(turn @ impact.vB - other.vB).max() <= FRAMES * size
    assert abs(other.wA - impact.wA) <= FRAMES * size * 100.0
    assert abs(other.wB - impact.wB) <= FRAMES * size * 100.0
