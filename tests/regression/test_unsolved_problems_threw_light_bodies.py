"""A body of 0.1 g between a wall and heavy ones, in an island whose problem nothing settled, became
ten times faster than anything was and went through the wall: too little energy for an audit."""

from tests.fuzz import rooms


def test_it_stays_in_the_room():
    assert rooms.check_room("ratio", 60113).out == 0
