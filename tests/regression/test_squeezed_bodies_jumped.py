"""A light body between two heavy ones in flight, struck by one of them earlier than by the other,
was moved by each of the two impulses for another time: each was 1e5 times what it could bear, and
it came to be metres farther, outside of the room."""

import pytest

from tests.fuzz import rooms


@pytest.mark.parametrize(("family", "seed"), [("ratio", 50040), ("rich-ratio", 50058)])
def test_they_stay_in_the_room(family, seed):
    assert rooms.check_room(family, seed).out == 0
