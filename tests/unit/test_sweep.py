"""enginecore.sweep, and the interface that it shares with the grid."""

import copy
import threading

import numpy as np
import pytest

from enginecore.broad_phase import BroadPhase
from enginecore.grid import HashedGrid
from enginecore.sweep import SortAndSweep

BOTH = pytest.mark.parametrize("kind", [SortAndSweep, HashedGrid])
NAN, INF = float("nan"), float("inf")


def row_of(kind, n, spacing=1.0, **options):
    """n unit boxes in a row."""
    phase = kind(2, **options)
    at = np.arange(n) * spacing
    lows = np.stack([at, np.zeros(n)], axis=1)
    phase.add_many(lows, lows + 1.0)
    phase.update()
    return phase, lows


def state_of(phase):
    """Everything that can be seen of a broad phase."""
    return (
        phase.pairs().tolist(),
        phase.begun.tolist(),
        phase.ended.tolist(),
        [phase.box(i) for i in phase.ids],
        [phase.fat_box(i) for i in phase.ids],
        phase.stats,
    )


# ---- what it does --------------------------------------------------------------------------------


@BOTH
def test_touching_boxes_overlap(kind):
    phase, _ = row_of(kind, 4)
    assert phase.pairs().tolist() == [[0, 1], [1, 2], [2, 3]]
    apart, _ = row_of(kind, 4, spacing=np.nextafter(1.0, 2.0))
    assert apart.pairs().tolist() == []


@BOTH
def test_nothing_and_one(kind):
    phase = kind()
    phase.update()
    phase.update(np.empty((0, 2)), np.empty((0, 2)))
    assert phase.pairs().shape == phase.begun.shape == phase.ended.shape == (0, 2)
    assert len(phase) == 0
    assert phase.overlapping((-1, -1), (1, 1)).tolist() == []
    assert phase.ray((0, 0), (1, 1))[0].tolist() == []
    assert phase.rays(np.empty((0, 2)), np.empty((0, 2)))[0].tolist() == [0]
    id = phase.add((0, 0), (0, 0))
    phase.update()
    assert phase.pairs().tolist() == []
    assert phase.overlapping((0, 0), (0, 0)).tolist() == [id]
    ids, t = phase.ray((0, 0), (0, 0))
    assert (ids.tolist(), t.tolist()) == ([id], [0.0])


@BOTH
def test_pairs_begin_and_end(kind):
    phase, lows = row_of(kind, 3, spacing=2.0)
    lows[0, 0] += 1.5
    phase.update(lows, lows + 1)
    assert phase.begun.tolist() == phase.pairs().tolist() == [[0, 1]]
    phase.update(lows, lows + 1)
    assert phase.begun.tolist() == phase.ended.tolist() == []
    phase.remove(1)
    phase.update()
    assert phase.ended.tolist() == [[0, 1]]
    assert phase.pairs().tolist() == []


@BOTH
def test_some_boxes_can_be_moved_alone(kind):
    phase, lows = row_of(kind, 5, spacing=3.0)
    phase.update([[3.5, 0]], [[4.5, 1]], ids=[4])
    assert phase.pairs().tolist() == [[1, 4]]
    assert phase.stats.moved == 1
    assert phase.box(1) == (tuple(lows[1]), tuple(lows[1] + 1))


@BOTH
def test_an_id_is_given_out_again_only_after_an_update(kind):
    phase, _ = row_of(kind, 3)
    phase.remove(1)
    assert phase.add((0, 0), (1, 1)) == 3
    phase.update()
    assert phase.ended.tolist() == [[0, 1], [1, 2]]
    assert phase.add((0.5, 0), (1.5, 1)) == 1
    phase.update()
    assert phase.begun.tolist() == [[0, 1], [1, 3]]
    assert phase.ids.tolist() == [0, 1, 2, 3]


@BOTH
def test_growing_one_by_one(kind):
    phase = kind(2, margin=0.1)
    for n in range(200):
        assert phase.add((n, 0), (n + 1, 1)) == n
        phase.update()
        assert phase.begun.tolist() == ([[n - 1, n]] if n else [])
    assert len(phase.pairs()) == 199


@BOTH
def test_boxes_that_came_late_are_found_once(kind):
    phase, _ = row_of(kind, 100)
    assert phase.overlapping((0, 0), (200, 1)).size == 100
    # makes room for more, so that the tree is built anew now and not for the next ones
    assert phase.add((100, 0), (101, 1)) == 100
    assert phase.overlapping((0, 0), (200, 1)).size == 101
    late = [phase.add((k, 0), (k + 1, 1)) for k in range(5)]
    everybody = list(range(106))
    for shift in (0.0, 0.2, 0.4, 0.6):
        for k, id in enumerate(late):
            phase.update([(k + shift, 0)], [(k + shift + 1, 1)], ids=[id])
        assert phase.overlapping((0, 0), (200, 1)).tolist() == everybody
        assert sorted(phase.ray((-1, 0.5), (200, 0.5))[0].tolist()) == everybody
        assert sorted(phase.near((50, 0.5), 300)[0].tolist()) == everybody
        at = 2.05 + shift
        assert phase.overlapping((at, 0), (at, 1)).tolist() == [int(at), late[2]]
    for gone in (late[2], 50):
        phase.remove(gone)
        assert gone not in phase.overlapping((0, 0), (200, 1))
        assert gone not in phase.ray((-1, 0.5), (200, 0.5))[0]
        assert gone not in phase.near((50, 0.5), 300)[0]


@BOTH
def test_questions_know_of_changes_before_the_next_update(kind):
    phase, _ = row_of(kind, 3)
    new = phase.add((0, 0), (1, 1))
    phase.remove(0)
    assert phase.overlapping((0.2, 0.2), (0.3, 0.3)).tolist() == [new]
    assert phase.ray((-1, 0.5), (10, 0.5))[0].tolist() == [new, 1, 2]
    # pairs are still those of the last update
    assert phase.pairs().tolist() == [[0, 1], [1, 2]]


@BOTH
def test_questions_are_about_boxes_as_given(kind):
    phase = kind(2, margin=5.0)
    phase.add((0, 0), (1, 1))
    phase.update()
    assert phase.fat_box(0) == ((-5.0, -5.0), (6.0, 6.0))
    assert phase.overlapping((2, 2), (3, 3)).tolist() == []
    assert phase.ray((2, 2), (3, 3))[0].tolist() == []


@BOTH
def test_a_fat_box_stays_until_it_is_left_or_far_too_large(kind):
    phase = kind(1, margin=1.0)
    phase.add([0], [1])
    phase.update()
    assert phase.fat_box(0) == ((-1.0,), (2.0,))
    phase.update([[0.9]], [[1.9]])
    assert phase.fat_box(0) == ((-1.0,), (2.0,))
    assert phase.stats.moved == 0
    phase.update([[1.5]], [[2.5]])
    assert phase.fat_box(0) == ((0.5,), (3.5,))
    phase.update([[1.5]], [[12.5]])
    phase.update([[1.5]], [[9.5]])
    assert phase.fat_box(0) == ((0.5,), (13.5,))
    phase.update([[1.5]], [[9.0]])
    assert phase.fat_box(0) == ((0.5,), (10.0,))


@BOTH
def test_rays_come_in_order_of_entry_then_id(kind):
    phase = kind(2)
    for at in (5, 1, 3, 1):
        phase.add((at, 0), (at + 1, 1))
    ids, t = phase.ray((0, 0.5), (10, 0.5))
    assert ids.tolist() == [1, 3, 2, 0]
    assert t == pytest.approx([0.1, 0.1, 0.3, 0.5], rel=1e-15)
    ids, t = phase.ray((10, 0.5), (2, 0.5))
    assert ids.tolist() == [0, 2, 1, 3]
    assert t == pytest.approx([0.5, 0.75, 1.0, 1.0], rel=1e-15)
    # from inside, along a face, just short of it
    assert phase.ray((1.5, 0.5), (1.6, 0.5))[1].tolist() == [0.0, 0.0]
    assert phase.ray((0, 1), (10, 1))[0].tolist() == [1, 3, 2, 0]
    assert phase.ray((0, np.nextafter(1, 2)), (10, np.nextafter(1, 2)))[0].tolist() == []


@BOTH
def test_many_rays_outgrow_the_first_buffer(kind):
    phase, _ = row_of(kind, 300)
    starts = np.tile([[-1.0, 0.5]], (200, 1))
    first, ids, t = phase.rays(starts, starts + np.array([400.0, 0.0]))
    assert first.tolist() == list(range(0, 60001, 300))
    assert ids.reshape(200, 300).tolist() == [list(range(300))] * 200
    assert np.all(np.diff(t.reshape(200, 300), axis=1) > 0)


@BOTH
def test_identical_boxes(kind):
    phase = kind(3)
    phase.add_many(np.zeros((60, 3)), np.zeros((60, 3)))
    phase.update()
    assert len(phase.pairs()) == 60 * 59 // 2
    phase.update(np.arange(180.0).reshape(60, 3), np.arange(180.0).reshape(60, 3))
    assert len(phase.ended) == 60 * 59 // 2
    assert len(phase.pairs()) == 0


# ---- cost, counted -------------------------------------------------------------------------------


def test_swaps_are_counted_and_few_when_order_is_kept():
    phase, lows = row_of(SortAndSweep, 100, spacing=2.0)
    phase.update(lows + 0.7, lows + 1.7)
    assert phase.stats.swaps == 0
    lows[10, 0], lows[11, 0] = lows[11, 0], lows[10, 0]
    phase.update(lows + 0.7, lows + 1.7)
    assert phase.stats.swaps == 4
    assert phase.stats.rebuilds == 0


def test_broken_coherence_is_sorted_anew_in_n_log_n():
    n = 4000
    rng = np.random.default_rng(0)
    phase = SortAndSweep(1)
    lows = rng.uniform(0, 10 * n, (n, 1))
    phase.add_many(lows, lows + 1)
    phase.update()
    assert phase.stats.rebuilds == 1
    assert phase.stats.tested < n
    for _ in range(3):
        lows = rng.uniform(0, 10 * n, (n, 1))
        phase.update(lows, lows + 1)
        assert phase.stats.rebuilds == 1
        # gives up after some n log n swaps, far from the n^2 that an insertion sort would take
        assert phase.stats.swaps < 0.1 * n * n


def test_first_build_is_not_quadratic_when_every_axis_is_crowded():
    # a cross: along either axis half of the boxes overlap, yet there are few pairs
    n = 3000
    at = np.arange(n) * 2.0 - n
    arm = np.stack([at, np.zeros(n)], axis=1)
    lows = np.concatenate([arm, arm[:, ::-1]])
    phase = SortAndSweep(2)
    phase.add_many(lows, lows + 1)
    phase.update()
    assert phase.stats.tested < 30 * n
    assert len(phase.pairs()) == np.count_nonzero(np.all(lows[:n, None] == 0, axis=2)) == 1


# ---- what it refuses -----------------------------------------------------------------------------

BAD_CALLS = [
    (lambda p: p.add((NAN, 0), (1, 1)), "low .*nan"),
    (lambda p: p.add((0, 0), (INF, 1)), "high .*inf"),
    (lambda p: p.add((0, 0), (1, 1e101)), "high .*1e.101"),
    (lambda p: p.add((0, 2), (1, 1)), r"low .*high.* 2\.0 > 1\.0"),
    (lambda p: p.add((0,), (1, 1)), "low .*shape"),
    (lambda p: p.add((0, 0), [(1, 1)]), "high .*shape"),
    (lambda p: p.add_many([(0, 0), (0, NAN)], [(1, 1), (1, 1)]), "lows .*nan.*row 1"),
    (lambda p: p.add_many([(0, 0)], [(1, 1), (1, 1)]), "highs .*rows"),
    (lambda p: p.remove(3), "id .*3"),
    (lambda p: p.remove(-1), "id .*-1"),
    (lambda p: p.remove(10**30), "id .*1000"),
    (lambda p: p.box(99), "id .*99"),
    (lambda p: p.fat_box(-5), "id .*-5"),
    (lambda p: p.update(np.zeros((2, 2)), np.ones((2, 2))), "3 boxes.*2"),
    (lambda p: p.update(np.zeros((3, 3)), np.ones((3, 3))), "lows .*shape"),
    (lambda p: p.update(np.full((3, 2), -INF), np.ones((3, 2))), "lows .*inf.*row 0"),
    (lambda p: p.update(np.zeros((3, 2)), [[1, 1], [1, 1], [1, -1]]), "lows .*highs.*row 2"),
    (lambda p: p.update([(0, 0)], [(1, 1)], ids=[7]), "id .*7"),
    (lambda p: p.update([(0, 0)], [(1, 1)], ids=[0, 1]), "2 boxes"),
    (lambda p: p.overlapping((0, 0), (NAN, 1)), "high .*nan"),
    (lambda p: p.overlapping((1, 0), (0, 1)), "low .*high"),
    (lambda p: p.ray((0, INF), (1, 1)), "start .*inf"),
    (lambda p: p.ray((0, 0), (1, 1, 1)), "end .*shape"),
    (lambda p: p.sweep_box((0, 0), (1, 1), (NAN, 0)), "way .*nan"),
    (lambda p: p.sweep_box((0, 2), (1, 1), (1, 0)), "low .*high"),
    (lambda p: p.near((0, NAN), 1.0), "point .*nan"),
    (lambda p: p.near((0, 0), -1.0), "distance .*-1"),
    (lambda p: p.near((0, 0), NAN), "distance .*nan"),
    (lambda p: p.rays([(0, 0)], [(1, NAN)]), "ends .*nan.*row 0"),
    (lambda p: p.rays([(0, 0)], [(1, 1), (2, 2)]), "ends .*rows"),
]


@BOTH
@pytest.mark.parametrize(("call", "message"), BAD_CALLS)
def test_bad_values_are_refused_and_change_nothing(kind, call, message):
    phase, lows = row_of(kind, 3)
    lows[0] += 0.25
    phase.update(lows, lows + 1)
    before = state_of(phase)
    with pytest.raises(ValueError, match=message):
        call(phase)
    assert state_of(phase) == before
    phase.update(lows, lows + 1)
    assert phase.stats.moved == 0


@BOTH
def test_a_removed_id_is_unknown(kind):
    phase, _ = row_of(kind, 3)
    phase.remove(1)
    for call in (phase.remove, phase.box, phase.fat_box):
        with pytest.raises(ValueError, match=r"id .*1"):
            call(1)
    with pytest.raises(ValueError, match=r"id .*1"):
        phase.update([(0, 0)], [(1, 1)], ids=[1])


@BOTH
@pytest.mark.parametrize("bad", ["x", None, 1.0, (0,)])
def test_ids_are_whole_numbers(kind, bad):
    phase, _ = row_of(kind, 3)
    with pytest.raises(TypeError, match="id must be a whole number"):
        phase.remove(bad)


@BOTH
def test_types_are_refused(kind):
    phase = kind()
    with pytest.raises(TypeError, match="low"):
        phase.add("ab", (1, 1))
    with pytest.raises(TypeError, match="lows"):
        phase.update([["a", "b"]], [[1, 1]])
    with pytest.raises((TypeError, ValueError), match="highs"):
        phase.update(np.zeros((0, 2)))
    with pytest.raises(TypeError, match="ids"):
        phase.update([(0, 0)], [(1, 1)], ids=5)


@BOTH
@pytest.mark.parametrize("axes", [0, 4, -1, "2", None, 2.5, NAN])
def test_axes_are_one_two_or_three(kind, axes):
    with pytest.raises(ValueError, match="axes"):
        kind(axes)


@BOTH
@pytest.mark.parametrize("margin", [-1.0, NAN, INF, 1e101])
def test_margins_are_finite_and_not_negative(kind, margin):
    with pytest.raises(ValueError, match="margin"):
        kind(2, margin)


@BOTH
def test_margins_are_numbers(kind):
    with pytest.raises(TypeError, match="margin"):
        kind(2, "wide")


@BOTH
def test_life_of_an_object(kind):
    phase = kind(3, 0.5)
    assert (phase.axes, phase.margin, len(phase)) == (3, 0.5, 0)
    assert kind.__name__ in repr(phase)
    with pytest.raises(TypeError, match="twice"):
        phase.__init__(2)
    with pytest.raises(TypeError, match="pickle"):
        copy.copy(phase)
    empty = kind.__new__(kind)
    calls = (empty.update, empty.pairs, lambda: empty.add([0], [1]), lambda: empty.ray([0], [1]))
    for call in calls:
        with pytest.raises(TypeError, match="initialised"):
            call()


def test_the_base_has_no_search():
    with pytest.raises(TypeError, match="SortAndSweep"):
        BroadPhase(2)


@BOTH
def test_two_threads_cannot_break_it(kind):
    rng = np.random.default_rng(0)
    phase = kind(2, 0.1)
    lows = rng.uniform(0, 50, (2000, 2))
    phase.add_many(lows, lows + 1)
    refused = []

    def hammer(seed):
        mine = np.random.default_rng(seed)
        for _ in range(30):
            at = mine.uniform(0, 50, (2000, 2))
            try:
                phase.rays(at, at + 1) if seed else phase.update(at, at + 1)
            except RuntimeError as error:
                refused.append(str(error))

    threads = [threading.Thread(target=hammer, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("under way" in text for text in refused)
    phase.update(lows, lows + 1)
    fresh = kind(2, 0.1)
    fresh.add_many(lows, lows + 1)
    fresh.update()
    # every box has left its fat box by now, or it is the same as a fresh one's
    assert len(phase.pairs()) > 0
    assert phase.ids.tolist() == fresh.ids.tolist()
