"""What A and b of resting contact must obey in the plane."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine2d.contact_force import assemble
from tests.support import numbers, powers, vectors

N_BODIES = 4
TOLERANCE = 1e-10


@st.composite
def scenes(draw):
    """Arguments of assemble: four bodies, the first immovable, and up to six contacts."""
    n, m = N_BODIES, draw(st.integers(1, 6))

    def each(strategy, count):
        return [draw(strategy) for _ in range(count)]

    pairs = [draw(st.permutations(range(n)))[:2] for _ in range(m)]
    angles = np.array(each(numbers(0.0, 2 * np.pi), m))
    radius = st.one_of(st.just(0.0), numbers(0.3, 3.0))
    return {
        "mass": np.array([np.inf, *each(powers(-1, 1), n - 1)]),
        "inertia": np.array([np.inf, *each(powers(-1, 1), n - 1)]),
        "x": np.array(each(vectors(2, 3.0), n)),
        "v": np.array(each(vectors(2, 3.0), n)),
        "w": np.array(each(numbers(-3.0, 3.0), n)),
        "force": np.array(each(vectors(2, 10.0), n)),
        "torque": np.array(each(numbers(-10.0, 10.0), n)),
        "body1": np.array([pair[0] for pair in pairs]),
        "body2": np.array([pair[1] for pair in pairs]),
        "point": np.array(each(vectors(2, 3.0), m)),
        "normal": np.column_stack([np.cos(angles), np.sin(angles)]),
        "r1": np.array(each(radius, m)),
        "r2": np.array(each(st.one_of(st.just(np.inf), numbers(0.3, 3.0), numbers(-9.0, -3.5)), m)),
    }


def same(first, second):
    scale = max(1.0, *(np.abs(x).max() for x in first))
    return all(np.abs(a - b).max() <= TOLERANCE * scale for a, b in zip(first, second))


@given(scenes())
def test_the_matrix_is_symmetric_and_forces_never_take_energy(scene):
    A, _ = assemble(**scene)
    assert np.array_equal(A, A.T)
    assert np.linalg.eigvalsh(A).min() >= -1e-12 * max(1.0, np.abs(A).max())


@given(scenes())
def test_which_body_comes_first_makes_no_difference(scene):
    swapped = {
        **scene,
        "body1": scene["body2"],
        "body2": scene["body1"],
        "normal": -scene["normal"],
        "r1": scene["r2"],
        "r2": scene["r1"],
    }
    assert same(assemble(**scene), assemble(**swapped))


@given(scenes(), vectors(2, 5.0), vectors(2, 5.0))
def test_a_common_velocity_and_place_make_no_difference(scene, velocity, place):
    moved = {
        **scene,
        "v": scene["v"] + velocity,
        "x": scene["x"] + place,
        "point": scene["point"] + place,
    }
    assert same(assemble(**scene), assemble(**moved))


@given(scenes(), numbers(0.0, 2 * np.pi))
def test_turning_the_frame_makes_no_difference(scene, angle):
    c, s = np.cos(angle), np.sin(angle)
    turn = np.array([[c, s], [-s, c]])
    turned = {
        **scene,
        **{name: scene[name] @ turn for name in ("x", "v", "force", "point", "normal")},
    }
    assert same(assemble(**scene), assemble(**turned))


@given(scenes())
def test_an_arc_of_great_radius_is_a_straight_edge(scene):
    straight = {**scene, "r2": np.full(len(scene["r2"]), np.inf)}
    nearly = {**scene, "r2": np.full(len(scene["r2"]), 1e9)}
    (_, b), (_, other) = assemble(**straight), assemble(**nearly)
    # the terms left over are speeds squared, at most 1e4, over the radius
    assert np.abs(b - other).max() <= 1e-4


@given(scenes())
def test_forces_change_accelerations_as_the_matrix_says(scene):
    """Applying contact forces as external ones gives A f + b."""
    A, b = assemble(**scene)
    f = np.linspace(1.0, 2.0, len(b))
    force, torque = scene["force"].copy(), scene["torque"].copy()
    for i, (one, two) in enumerate(zip(scene["body1"], scene["body2"])):
        push, point = f[i] * scene["normal"][i], scene["point"][i]
        for body, sign in ((one, 1.0), (two, -1.0)):
            arm = point - scene["x"][body]
            force[body] += sign * push
            torque[body] += sign * (arm[0] * push[1] - arm[1] * push[0])
    _, pushed = assemble(**{**scene, "force": force, "torque": torque})
    assert same([A @ f + b], [pushed])
