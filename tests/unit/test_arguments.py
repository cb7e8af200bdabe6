"""The door: what counts as numbers, and what is refused by name."""

import numpy as np
import pytest

from engine2d.impact import collide
from enginecore.arguments import as_rows, finite_rows, row_numbers, stretch_rows, unit_rows

NO_NUMBERS = {
    "string": "12",
    "strings": ["1.0", "2.0"],
    "bytes": b"ab",
    "dict": {0: 1.0, 1: 2.0},
    "set": {1.0, 2.0},
    "complex": np.array([1.0 + 2.0j, 0.0]),
    "masked": np.ma.array([1.0, 2.0], mask=[True, False]),
    "dates": np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[D]"),
    "ragged": [[1.0], [1.0, 2.0]],
    "none": [None, 1.0],
    "objects": np.array([1.0, "2"], dtype=object),
    "huge": [10**400, 1],
}


@pytest.mark.parametrize("kind", NO_NUMBERS)
def test_what_is_no_array_of_real_numbers_is_refused(kind):
    with pytest.raises(TypeError, match="^speed must be an array of real numbers, got "):
        as_rows("speed", NO_NUMBERS[kind])


@pytest.mark.parametrize(
    "value", [[1, 2], (1.0, 2.0), np.array([1, 2], np.float32), np.arange(1, 5)[::2] * 1 + [0, -1]]
)
def test_real_numbers_of_any_kind_are_taken(value):
    array = as_rows("speed", value)
    assert array.dtype == np.float64
    assert array.flags.c_contiguous
    assert array.tolist() == [1.0, 2.0]


def test_none_may_stand_for_a_number():
    assert as_rows("mass", None, none=np.inf).shape == ()
    assert as_rows("mass", [1, None], none=np.inf).tolist() == [1.0, np.inf]
    assert as_rows("mass", np.array([1, None], object), none=np.inf).tolist() == [1.0, np.inf]
    with pytest.raises(TypeError, match="mass must be an array of real numbers"):
        as_rows("mass", None)


@pytest.mark.parametrize("value", ["ab", b"ab", {0: 1, 1: 2}, {1, 2}, (1, "2"), (1, 10**400), 1j])
def test_vectors_of_a_single_call_are_as_strict(value):
    bodies = (1, 1, (0, -1), (0, -2), 0), (None, None, (0, 0), (0, 0), 0)
    with pytest.raises(ValueError, match="^f must be 2 numbers, got "):
        collide(1, 0, value, *bodies[0], *bodies[1])


def test_numbers_of_a_single_call_are_as_strict():
    bodies = (1, 1, (0, -1), (0, -2), 0), (None, None, (0, 0), (0, 0), 0)
    for value in ("1", b"1", None, [1], 1j):
        with pytest.raises(TypeError, match="^e must be a number, got "):
            collide(value, 0, (0, 1), *bodies[0], *bodies[1])
    with pytest.raises(ValueError, match="^e must be a number within the range of doubles"):
        collide(10**400, 0, (0, 1), *bodies[0], *bodies[1])


def test_rows_have_one_length():
    rows = {"a": as_rows("a", [1.0, 2.0]), "b": as_rows("b", 3.0)}
    n, stretched = stretch_rows(rows, {"a": (), "b": ()})
    assert n == 2
    assert stretched["b"].tolist() == [3.0, 3.0]


def test_finite_unit_and_numbered_rows():
    with pytest.raises(ValueError, match="x must have 3 rows"):
        finite_rows("x", [1.0, 2.0], (), 3)
    with pytest.raises(ValueError, match="x must be finite"):
        finite_rows("x", [1.0, np.nan])
    with pytest.raises(ValueError, match=r"n must be unit vectors, got \[0.0, 2.0\] in row 1"):
        unit_rows("n", [(1, 0), (0, 2)], 2)
    assert unit_rows("n", [(1 + 1e-7, 0)], 2).tolist() == [[1.0, 0.0]]
    with pytest.raises(ValueError, match="body must be from 0 to 2"):
        row_numbers("body", [0, 3], 2, 3)
    with pytest.raises(ValueError, match="body must be 2 integers"):
        row_numbers("body", [0.0, 1.0], 2, 3)
