"""enginecore.grid: levels, cells far out, boxes too wide for cells."""

import numpy as np
import pytest

from enginecore.grid import HashedGrid


def brute(lows, highs):
    both = np.ones((len(lows), len(lows)), bool)
    for low, high in zip(lows.T, highs.T):
        both &= (low[:, None] <= high) & (low <= high[:, None])
    return np.argwhere(np.triu(both, 1))


def small_boxes(n, rng, size=0.5):
    lows = rng.uniform(0, n**0.5, (n, 2))
    return lows, lows + size


def test_a_floor_and_walls_cost_each_box_one_look():
    rng = np.random.default_rng(1)
    lows, highs = small_boxes(2000, rng)
    grid = HashedGrid(2)
    grid.add_many(lows, highs)
    grid.update()
    alone = grid.stats.tested
    floors = np.array([[-1e6, -1.0], [-2e6, -1.0], [0.0, -1e5]])
    ceilings = floors + np.array([[2e6, 1.0], [1e6, 1.0], [0.1, 2e5]])
    grid.add_many(floors, ceilings)
    grid.update(lows + 0.001, highs + 0.001, ids=range(2000))
    # floors in two levels: at most three more looks for each box, and one pass each for the floors
    assert grid.stats.tested <= alone * 1.05 + 3 * 2000 + 3 * 2003
    everything = np.concatenate([lows + 0.001, floors])
    tops = np.concatenate([highs + 0.001, ceilings])
    assert np.array_equal(grid.pairs(), brute(everything, tops))


def test_many_boxes_a_thousand_times_wider_than_others():
    # too wide to look into cells, too many to look at everything: the tree is asked
    rng = np.random.default_rng(2)
    lows = np.concatenate([rng.uniform(0, 2e4, (600, 2)), rng.uniform(0, 2e4, (600, 2))])
    size = np.repeat([1e3, 1.0], 600)[:, None]
    grid = HashedGrid(2)
    grid.add_many(lows, lows + size)
    grid.update()
    assert np.array_equal(grid.pairs(), brute(lows, lows + size))
    assert grid.stats.tested < 0.1 * 1200**2
    lows += rng.normal(size=lows.shape) * 100
    grid.update(lows, lows + size)
    assert np.array_equal(grid.pairs(), brute(lows, lows + size))
    assert grid.stats.tested < 0.1 * 1200**2


def test_a_few_hundred_wide_boxes_move_among_many_small_ones():
    rng = np.random.default_rng(6)
    size = np.repeat([1e3, 1.0], [300, 2000])[:, None]
    lows = rng.uniform(0, 2e4, (2300, 2))
    grid = HashedGrid(2)
    grid.add_many(lows, lows + size)
    grid.update()
    for movers in (100, 3):
        # a hundred ask the tree, three look at every box
        lows[:movers] += rng.normal(size=(movers, 2)) * 500
        grid.update(lows, lows + size)
        assert np.array_equal(grid.pairs(), brute(lows, lows + size))
        assert len(grid.begun) > movers
        assert grid.stats.tested <= (30 * movers if movers > 64 else 2300 * movers)


@pytest.mark.parametrize("offset", [0.0, 1e6, -1e9, 1e15, 1e99])
@pytest.mark.parametrize("size", [0.0, 1e-9, 1.0])
def test_any_place_in_space(offset, size):
    rng = np.random.default_rng(3)
    # far out, cells are at least 32 units in the last place wide
    unit = max(size, 32 * np.spacing(abs(offset)), 1e-9)
    lows = offset + rng.integers(0, 30, (300, 2)) * unit
    grid = HashedGrid(2)
    grid.add_many(lows, lows + size)
    grid.update()
    assert np.array_equal(grid.pairs(), brute(lows, lows + size))
    assert grid.stats.tested < 300 * 10


def test_only_boxes_that_left_their_fat_box_are_looked_at():
    rng = np.random.default_rng(4)
    lows, highs = small_boxes(1000, rng)
    grid = HashedGrid(2, margin=0.1)
    grid.add_many(lows, highs)
    grid.update()
    grid.update(lows + 0.05, highs + 0.05)
    assert (grid.stats.moved, grid.stats.tested) == (0, 0)
    lows[17] += 0.3
    highs[17] += 0.3
    grid.update(lows, highs)
    assert grid.stats.moved == 1
    assert grid.stats.tested < 50


def test_looks_per_box_do_not_grow_with_their_number():
    looks = []
    for n in (500, 8000):
        lows, highs = small_boxes(n, np.random.default_rng(5), 1.0)
        grid = HashedGrid(2)
        grid.add_many(lows, highs)
        grid.update()
        looks.append(grid.stats.tested / n)
    assert looks[1] < 1.3 * looks[0]
