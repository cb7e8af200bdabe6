"""A disc wedged between two walls of a long open path, whose shallow overlaps do not lead out at
once, got one contact instead: a line that has all of the path on one side, 6 m away. It was pushed
through the walls, fell back, and gained energy."""

import pytest

from engine2d.collide.narrow_phase import contact_points
from tests.fuzz import rooms
from tests.fuzz.room_families import draw_room


@pytest.mark.parametrize("at", [(-1.40302, -6.67751), (-1.41028, -6.67555), (-1.16782, -6.79359)])
def test_its_contacts_are_with_the_walls(at):
    room = draw_room("terrain", 50093)
    disc, path = room.bodies[8].shapes[0], room.walls[4].shapes[0]
    contacts = contact_points(path, (0, 0), disc, at, 0.02)
    assert contacts
    assert min(contact.gap for contact in contacts) > -2 * disc.radius


def test_it_rests_there():
    """It gained 0.13 % in a step."""
    assert rooms.check_room("terrain", 50093, "iterative").worst < 3e-4
