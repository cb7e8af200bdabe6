"""Bodies that slept on a floor of space stayed in the air when it let them through."""

import pytest

from engine3d import Box, Filter, World

DT = 1 / 60


@pytest.mark.parametrize(
    ("name", "value"), [("sensor", True), ("filter", Filter(2, 0)), ("one_way", (0, 0, -1))]
)
@pytest.mark.parametrize("of_the_floor", [True, False])
def test_a_shape_that_bears_no_more_wakes_what_rests_on_it(name, value, of_the_floor):
    world = World()
    floor = world.add_static(Box(20, 20, 1), position=(0, 0, -0.5))
    box = world.add_body(Box(1, 1, 1), position=(0, 0, 0.5), mass=1.0, inertia=(1, 1, 1))
    for _ in range(150):
        world.step(DT)
    assert not box.awake
    if name == "one_way" and not of_the_floor:
        value = (0, 0, 1)  # met from above only, and the floor is below
    setattr((floor if of_the_floor else box).shapes[0], name, value)
    for _ in range(60):
        world.step(DT)
    assert box.position.z == pytest.approx(0.5 - 9.81 / 2, abs=0.2)
