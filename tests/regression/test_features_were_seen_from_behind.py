"""What had flown past an edge was struck by it from behind, metres away: deep in its line, with its
foot on it. With sweeps, so was what would be behind it at the end of the piece. And what would meet
the inside of an arc counted as touching it, since it was beyond it: it went in 96 tiny pieces, and
then through. Found by `python -m tests.fuzz.passes`."""

import pytest

from engine2d import Circle, Path, Polygon, World
from tests.fuzz import passes

DT = 1 / 60
WRONG = [(8150, "auto"), (8150, "direct"), (4599, "iterative")]


@pytest.mark.parametrize(("seed", "solver"), WRONG)
def test_what_flies_past_is_not_struck(seed, solver):
    one = passes.fly(seed, solver)
    assert one.nearest > passes.NEAR
    assert one.hits == 0
    assert one.off < 1e-9


@pytest.mark.parametrize("solver", ["auto", "iterative", "direct"])
def test_what_meets_the_inside_of_an_arc_is_told(solver):
    one = passes.fly(6043, solver)
    assert one.nearest < -passes.NEAR
    assert one.hits > 0


@pytest.mark.parametrize("solver", ["auto", "iterative"])
@pytest.mark.parametrize("aside", [0.02, 0.1, 0.3])
def test_discs_fly_past_the_ends_of_edges(solver, aside):
    """At 700 m/s, 6 m in half a step: past the corner of a polygon, and behind its edges."""
    for k in range(60):
        world = World(gravity=(0, 0), solver=solver)
        world.add_static(Polygon([(0, 0), (1, 0.1), (1.2, 0.6), (0.3, 0.7)]))
        disc = world.add_body(Circle(0.1), position=(-2 - 0.1 * k, 0.8 + aside), velocity=(700, 0))
        world.step(DT)
        assert len(world.events.hits) == len(world.events.begins) == 0
        assert tuple(disc.velocity) == (700.0, 0.0)


@pytest.mark.parametrize("speed", [200.0, 1000.0, 1900.0])
@pytest.mark.parametrize("way", [2.0, 2.9])
def test_crescents_meet_posts_inside(speed, way):
    """A crescent with its hollow side ahead, at a thin post that it meets with that."""
    crescent = Path([(-0.3, 0), (0.3, 0)], [0.7, -0.4])
    world = World(gravity=(0, 0))
    body = world.add_body(crescent, velocity=(0, speed))
    body.position = (0, -way)
    post = world.add_static(Circle(0.02))
    for _ in range(3):
        world.step(DT)
        if world.events.hits:
            break
    assert world.events.hits
    assert body.velocity[1] < speed
    assert post.position == (0, 0)
