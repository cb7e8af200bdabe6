"""The direct solver: one case with a known answer for each kind of row, and how it gets there."""

import numpy as np
import pytest
from engine2d.solve.solver_direct import _solve

H = 1 / 120
INF = np.inf
LOW, INSIDE, HIGH = -1, 0, 1


def block(speed=(0.0, -10 * H, 0.0), mu=0.5, **more):
    """A square block of mass 2 on the ground, by its two lower corners."""
    J = []
    for x in (-0.5, 0.5):
        J.append([[0, 1, x], [0, -1, 0]])
        J.append([[-1, 0, -0.5], [1, 0, 0]])
    rows = {
        "J": np.array(J, float),
        "bodies": [(0, 1)] * 4,
        "inverse_mass": [(0.5, 3.0), (0, 0)],
        "velocities": [speed, (0, 0, 0)],
        "bias": [0.0] * 4,
        "lo": [0.0] * 4,
        "hi": [INF] * 4,
        "normal": [-1, 0, -1, 2],
        "mu": [0, mu, 0, mu],
    }
    rows.update(more)
    return rows


def one_row(lo, hi, velocity=1.0, mass=2.0, **more):
    """One row along x between a body and the ground."""
    return _solve([[[1, 0, 0], [-1, 0, 0]]], [(0, 1)], [(1 / mass, 1.0), (0, 0)],
                  [(velocity, 0, 0), (0, 0, 0)], [0.0], [lo], [hi], [-1], [0.0],
                  **more)  # fmt: skip


def test_a_block_at_rest_shares_its_weight():
    answer = _solve(**block())
    assert answer["p"][::2] == pytest.approx([10 * H, 10 * H], rel=1e-10)
    assert answer["velocities"] == pytest.approx(0.0, abs=1e-12)
    assert list(answer["mode"][::2]) == [INSIDE, INSIDE]


def test_a_block_that_slides_is_slowed_by_mu_times_its_weight():
    answer = _solve(**block(speed=(1.0, -10 * H, 0.0), mu=0.3))
    assert answer["velocities"][0] == pytest.approx([1.0 - 0.3 * 10 * H, 0, 0], abs=1e-12)
    # T = z x N points to -x: friction on a block that slides to +x is at its upper bound
    assert list(answer["mode"][1::2]) == [HIGH, HIGH]
    assert answer["p"][1::2] == pytest.approx(0.3 * answer["p"][::2], rel=1e-12)


def test_a_push_below_the_bound_sticks():
    answer = _solve(**block(speed=(0.49 * 10 * H, -10 * H, 0.0)))
    assert answer["velocities"][0] == pytest.approx(0.0, abs=1e-12)


def test_what_moves_apart_is_left_alone():
    answer = _solve(**block(speed=(0.3, 1.0, 0.0)))
    assert np.all(answer["p"] == 0.0)
    assert answer["velocities"][0].tolist() == [0.3, 1.0, 0.0]


def test_bias_asks_for_a_rate():
    answer = _solve(**block(bias=[-0.5, 0.0, -0.5, 0.0]))
    assert answer["velocities"][0, 1] == pytest.approx(0.5, rel=1e-10)


def test_an_equality_row_pulls_and_pushes():
    for velocity in (1.0, -1.0):
        answer = one_row(-INF, INF, velocity)
        assert answer["p"] == pytest.approx([-2.0 * velocity])
        assert answer["velocities"][0, 0] == pytest.approx(0.0, abs=1e-12)


def test_a_bounded_row_gives_no_more_than_its_bounds():
    strong = one_row(-3.0, 3.0)
    assert strong["p"] == pytest.approx([-2.0])
    assert strong["mode"][0] == INSIDE
    weak = one_row(-0.5, 0.5)
    assert weak["p"] == pytest.approx([-0.5])
    assert weak["mode"][0] == LOW
    assert weak["velocities"][0, 0] == pytest.approx(0.75)
    assert one_row(-0.5, 0.5, -1.0)["mode"][0] == HIGH


def test_a_soft_row_yields():
    # y = u + soft p = 0: p = -v/(1/m + soft)
    answer = one_row(-INF, INF, soft=[0.5])
    assert answer["p"] == pytest.approx([-1.0])
    assert answer["velocities"][0, 0] == pytest.approx(0.5)


def test_rows_between_immovable_bodies_do_nothing():
    answer = _solve([[[1, 0, 0], [-1, 0, 0]]], [(0, 1)], [(0, 0), (0, 0)],
                    [(-1, 0, 0), (0, 0, 0)], [0.0], [0.0], [INF], [-1], [0.0])  # fmt: skip
    assert answer["p"][0] == 0.0
    assert answer["solved"]


def test_impulses_that_still_hold_are_kept():
    first = _solve(**block())
    second = _solve(**block(), p=first["p"], mode=first["mode"])
    assert second["kept"] == 1
    assert second["newton_steps"] == 0
    assert np.array_equal(second["p"], first["p"])


def test_redundant_contacts_keep_their_share():
    """Two more contacts under the block: the impulses given satisfy the problem and stay."""
    rows = block()
    rows["J"] = np.concatenate([rows["J"], rows["J"]])
    for name in ("bodies", "bias", "lo", "hi", "mu"):
        rows[name] = list(rows[name]) * 2
    rows["normal"] = [-1, 0, -1, 2, -1, 4, -1, 6]
    uneven = np.zeros(8)
    uneven[::2] = np.array([1.5, 1.2, 0.5, 0.8]) * 10 * H
    answer = _solve(**rows, p=uneven, mode=[INSIDE] * 8)
    # a little more weight: the difference is spread, the rest stays
    rows["velocities"] = [(0, -11 * H, 0), (0, 0, 0)]
    heavier = _solve(**rows, p=answer["p"], mode=answer["mode"])
    change = heavier["p"][::2] - answer["p"][::2]
    assert change == pytest.approx([0.5 * H] * 4, rel=1e-5)


def test_the_same_bits_every_time():
    rows = block(speed=(0.4, -0.3, 0.7))
    first = _solve(**rows)
    for _ in range(3):
        again = _solve(**rows)
        assert again["p"].tobytes() == first["p"].tobytes()
        assert again["velocities"].tobytes() == first["velocities"].tobytes()


def test_warm_values_that_make_no_sense_do_no_harm():
    clean = _solve(**block())
    odd = _solve(**block(), p=[np.nan, INF, -1e300, 5.0], mode=[HIGH, LOW, INSIDE, HIGH])
    assert odd["velocities"] == pytest.approx(clean["velocities"], abs=1e-9)


def test_no_rows_change_nothing():
    answer = _solve(np.zeros((0, 2, 3)), np.zeros((0, 2), int), [(1, 1)], [(1, 2, 3)], [], [], [],
                    [], [])  # fmt: skip
    assert answer["velocities"].tolist() == [[1, 2, 3]]
    assert answer["solved"]
