"""Laws of the broad phase: what brute force finds, whatever happened before, and nothing else."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from enginecore.grid import HashedGrid
from enginecore.sweep import SortAndSweep

KINDS = (SortAndSweep, HashedGrid)
REPEATABLE = settings(derandomize=True, deadline=None)
kinds = st.sampled_from(KINDS)
axes_counts = st.integers(1, 3)
seeds = st.integers(0, 2**32 - 1)
# A lattice makes boxes that touch and boxes that are the same; the rest are far out or odd.
coordinates = st.one_of(
    st.integers(-3, 3).map(float),
    st.floats(-4, 4),
    st.sampled_from([1e9, -1e9, 1e9 + 1, 1e-300, -0.0, 1e100, -1e100]),
)
sizes = st.one_of(
    st.sampled_from([0.0, 1.0, 2.0, 1e-6, 1e6, 2.0**-60, 5e-324, 1e99]),
    st.floats(0, 3),
)
margins = st.sampled_from([0.0, 0.25, 1e-3, 1.0])


@st.composite
def boxes(draw, axes):
    low = [draw(coordinates) for _ in range(axes)]
    high = [min(x + draw(sizes), 1e100) for x in low]
    return low, high


@st.composite
def scripts(draw):
    """An axes count and a list of (what, argument): what happens to a set of boxes."""
    axes = draw(axes_counts)
    step = st.one_of(
        st.tuples(st.just("add"), st.lists(boxes(axes), max_size=5)),
        st.tuples(st.just("remove"), st.integers(0, 99)),
        st.tuples(st.just("nudge"), st.tuples(seeds, st.sampled_from([1e-3, 0.1, 0.5]))),
        st.tuples(st.just("teleport"), seeds),
        st.tuples(st.just("place"), st.tuples(st.integers(0, 99), boxes(axes))),
        st.tuples(st.just("update"), st.none()),
        st.tuples(st.just("ask"), boxes(axes)),
    )
    return axes, draw(st.lists(step, min_size=3, max_size=25))


def brute_pairs(boxes_by_id):
    """Pairs i < j of closed boxes with a point in common, sorted."""
    ids = sorted(boxes_by_id)
    return [
        (i, j)
        for k, i in enumerate(ids)
        for j in ids[k + 1 :]
        if overlap(boxes_by_id[i], boxes_by_id[j])
    ]


def overlap(a, b):
    return all(al <= bh and bl <= ah for al, ah, bl, bh in zip(a[0], a[1], b[0], b[1]))


def as_set(pairs):
    return {(int(i), int(j)) for i, j in pairs}


class Twin:
    """A broad phase beside a plain dictionary of its boxes; `check` compares them."""

    def __init__(self, phase):
        self.phase = phase
        self.boxes = {}
        self.pairs = set()

    def add(self, low, high):
        id = self.phase.add(low, high)
        assert id not in self.boxes
        self.boxes[id] = (tuple(low), tuple(high))

    def move(self, changes):
        self.boxes.update(changes)
        ids = sorted(self.boxes)
        if ids:
            lows, highs = zip(*(self.boxes[i] for i in ids))
            self.phase.update(lows, highs)
        else:
            self.phase.update()
        self.check()

    def remove(self, id):
        self.phase.remove(id)
        del self.boxes[id]

    def check(self):
        phase = self.phase
        fat = {i: phase.fat_box(i) for i in self.boxes}
        for i, (low, high) in self.boxes.items():
            assert phase.box(i) == (low, high)
            assert all(a <= b for a, b in zip(fat[i][0], low))
            assert all(a >= b for a, b in zip(fat[i][1], high))
            if phase.margin == 0.0:
                assert fat[i] == (low, high)
        pairs = [tuple(p) for p in phase.pairs().tolist()]
        assert pairs == brute_pairs(fat)
        begun = [tuple(p) for p in phase.begun.tolist()]
        ended = [tuple(p) for p in phase.ended.tolist()]
        assert begun == sorted(set(pairs) - self.pairs)
        assert ended == sorted(self.pairs - set(pairs))
        stats = phase.stats
        assert (stats.boxes, stats.pairs) == (len(self.boxes), len(pairs)) == (len(phase), stats[1])
        assert (stats.begun, stats.ended) == (len(begun), len(ended))
        self.pairs = set(pairs)

    def ask(self, box):
        want = [i for i in sorted(self.boxes) if overlap(self.boxes[i], box)]
        assert self.phase.overlapping(*box).tolist() == want
        check_ray(self.boxes, self.phase, box[0], box[1])


def exact_entry(box, start, end, grow=0):
    """Where the line enters the box, by exact arithmetic; None if it does not."""
    near, far = Fraction(0), Fraction(1)
    for low, high, s, e in zip(*box, start, end):
        low, high, s, e = (Fraction(x) for x in (low, high, s, e))
        slack = grow * max(abs(low), abs(high), abs(s), abs(e))
        low, high = low - slack, high + slack
        if s == e:
            if not low <= s <= high:
                return None
            continue
        t = sorted(((low - s) / (e - s), (high - s) / (e - s)))
        near, far = max(near, t[0]), min(far, t[1])
    return near if near <= far else None


def check_ray(boxes_by_id, phase, start, end):
    """Every box met is reported, every box reported is met within rounding, in order."""
    ids, t = phase.ray(start, end)
    assert sorted(zip(t.tolist(), ids.tolist())) == list(zip(t.tolist(), ids.tolist()))
    assert len(set(ids.tolist())) == len(ids)
    found = dict(zip(ids.tolist(), t.tolist()))
    for i, box in boxes_by_id.items():
        entry = exact_entry(box, start, end)
        if entry is not None:
            assert i in found
            # t is a difference over a difference, each rounded once
            assert abs(found[i] - entry) <= 1e-14 * entry
        elif i in found:
            assert exact_entry(box, start, end, grow=Fraction(1, 10**12)) is not None
    assert set(found) <= set(boxes_by_id)


@settings(parent=REPEATABLE, max_examples=400)
@given(kinds, scripts(), margins)
def test_any_history_leaves_the_pairs_of_brute_force(kind, script, margin):
    axes, steps = script
    twin = Twin(kind(axes, margin))
    for what, argument in steps:
        ids = sorted(twin.boxes)
        if what == "add":
            for low, high in argument:
                twin.add(low, high)
        elif what == "remove" and ids:
            twin.remove(ids[argument % len(ids)])
        elif what == "nudge":
            twin.move(nudged(twin.boxes, *argument))
        elif what == "teleport":
            twin.move(nudged(twin.boxes, argument, 100.0))
        elif what == "place" and ids:
            low, high = argument[1]
            twin.move({ids[argument[0] % len(ids)]: (tuple(low), tuple(high))})
        elif what == "update":
            twin.phase.update()
            twin.check()
        elif what == "ask":
            twin.ask(argument)
    twin.move({})


def nudged(boxes_by_id, seed, distance):
    """All boxes moved at random, those far out left alone."""
    rng = np.random.default_rng(seed)
    moved = {}
    for i in sorted(boxes_by_id):
        low, high = (np.array(x) for x in boxes_by_id[i])
        shift = rng.normal(size=low.size) * distance
        if max(abs(low).max(), abs(high).max()) < 1e8:
            moved[i] = (tuple((low + shift).tolist()), tuple((high + shift).tolist()))
    return moved


def crowd(rng, n, axes, ratio=1.0):
    """Boxes at random, about as many pairs as boxes, the largest `ratio` times the smallest."""
    half = 0.5 * ratio ** rng.uniform(-1, 0, (n, 1)) * rng.uniform(0.2, 1, (n, axes))
    center = rng.uniform(0, n ** (1 / axes), (n, axes))
    return center - half, center + half


def numpy_pairs(lows, highs):
    both = np.ones((len(lows), len(lows)), bool)
    for low, high in zip(lows.T, highs.T):
        both &= (low[:, None] <= high) & (low <= high[:, None])
    return np.argwhere(np.triu(both, 1))


@settings(parent=REPEATABLE, max_examples=60)
@given(
    seeds,
    axes_counts,
    st.sampled_from([1.0, 10.0, 1e6]),
    st.sampled_from([0.01, 0.3, 30.0]),
    st.sampled_from([0.1, 0.2, 0.7]),
)
def test_both_kinds_agree_on_crowds_that_move(seed, axes, ratio, speed, moving):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(60, 300))
    lows, highs = crowd(rng, n, axes, ratio)
    phases = [kind(axes, margin) for kind in KINDS for margin in (0.0, 0.1)]
    for phase in phases:
        assert phase.add_many(lows, highs).tolist() == list(range(n))
    for _ in range(6):
        for phase in phases:
            phase.update(lows, highs)
        want = numpy_pairs(lows, highs)
        exact_sweep, fat_sweep, exact_grid, fat_grid = (phase.pairs() for phase in phases)
        assert np.array_equal(exact_sweep, want)
        assert np.array_equal(exact_grid, want)
        # the same fat boxes, hence the same pairs, and none of the true ones is missing
        assert np.array_equal(fat_sweep, fat_grid)
        assert as_set(want) <= as_set(fat_grid)
        shift = rng.normal(size=lows.shape) * speed
        shift[rng.random(n) > moving] = 0.0
        lows, highs = lows + shift, highs + shift


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [0, 1, 7, 900])
def test_questions_of_a_crowd_are_those_of_brute_force(kind, n):
    rng = np.random.default_rng(n)
    lows, highs = crowd(rng, n, 2, 100.0)
    phase = kind(2, 0.1)
    phase.add_many(lows, highs)
    side = n**0.5 + 1.0
    for round_ in range(12):
        if round_ % 4 == 3 and n > 7:
            # some go, some come: the tree keeps up without being built anew each time
            for id in rng.permutation(phase.ids)[:40]:
                phase.remove(id)
            phase.update()
            assert phase.add_many(*crowd(rng, 40, 2, 100.0)).size == 40
            kept = {i: phase.box(i) for i in phase.ids.tolist()}
            lows, highs = (np.array([kept[i][k] for i in sorted(kept)]) for k in (0, 1))
        shift = rng.normal(size=lows.shape) * (0.05 if round_ % 3 else 5.0)
        lows, highs = lows + shift, highs + shift
        phase.update(lows, highs)
        ids = phase.ids
        corners = np.sort(rng.uniform(0, side, (8, 2, 2)), axis=1)
        for low, high in corners:
            inside = np.all((lows <= high) & (low <= highs), axis=1)
            assert np.array_equal(phase.overlapping(low, high), ids[inside])
        starts, ends = rng.uniform(-1, side, (2, 30, 2))
        first, hit_ids, t = phase.rays(starts, ends)
        for k in range(30):
            alone = phase.ray(starts[k], ends[k])
            assert np.array_equal(alone[0], hit_ids[first[k] : first[k + 1]])
            assert np.array_equal(alone[1], t[first[k] : first[k + 1]])
            near, far = slabs(lows, highs, starts[k], ends[k])
            met = near <= far
            clear = abs(near - far) > 1e-9
            got = np.isin(ids, alone[0])
            assert np.array_equal(got[clear], met[clear])
            where = np.searchsorted(ids, alone[0])
            assert np.allclose(alone[1], near[where], rtol=1e-12, atol=0)


@settings(parent=REPEATABLE, max_examples=60)
@given(seeds, kinds, axes_counts)
def test_a_moving_box_meets_what_a_ray_meets_among_boxes_grown_by_it(seed, kind, axes):
    # on a lattice of quarters the sums are exact, so touching counts here too
    rng = np.random.default_rng(seed)
    lows = rng.integers(-40, 40, (50, axes)) / 4
    highs = lows + rng.integers(0, 8, (50, axes)) / 4
    half = rng.integers(0, 6, axes) / 4
    start, way = rng.integers(-40, 40, (2, axes)) / 4
    phase, grown = kind(axes, 0.1), kind(axes)
    phase.add_many(lows, highs)
    grown.add_many(lows - half, highs + half)
    ids, t = phase.sweep_box(start - half, start + half, way)
    want_ids, want_t = grown.ray(start, start + way)
    assert ids.tolist() == want_ids.tolist()
    assert t.tolist() == want_t.tolist()


@settings(parent=REPEATABLE, max_examples=60)
@given(seeds, kinds, axes_counts, st.sampled_from([0.0, 0.5, 3.0, 1e9]))
def test_near_boxes_come_by_distance(seed, kind, axes, distance):
    rng = np.random.default_rng(seed)
    lows, highs = crowd(rng, 80, axes, 100.0)
    phase = kind(axes, 0.1)
    phase.add_many(lows, highs)
    phase.remove(int(seed % 80))
    point = rng.uniform(-2, 10, axes)
    apart = np.linalg.norm(np.maximum(0, np.maximum(lows - point, point - highs)), axis=1)
    apart[seed % 80] = np.inf
    ids, distances = phase.near(point, distance)
    assert set(ids.tolist()) == set(np.flatnonzero(apart <= distance).tolist())
    assert np.allclose(distances, apart[ids], rtol=1e-14, atol=0)
    assert sorted(zip(distances.tolist(), ids.tolist())) == list(
        zip(distances.tolist(), ids.tolist())
    )


def slabs(lows, highs, start, end):
    """Where a line enters and leaves each box, within [0, 1]."""
    t = np.stack([(lows - start) / (end - start), (highs - start) / (end - start)])
    return np.maximum(t.min(0).max(1), 0.0), np.minimum(t.max(0).min(1), 1.0)


@REPEATABLE
@given(seeds, axes_counts, st.lists(st.tuples(coordinates, coordinates), min_size=3, max_size=3))
def test_rays_miss_nothing_that_exact_arithmetic_meets(seed, axes, line):
    rng = np.random.default_rng(seed)
    start, end = ([float(ends[k]) for ends in line[:axes]] for k in (0, 1))
    table = {}
    phase = SortAndSweep(axes)
    for _ in range(12):
        low = rng.integers(-3, 3, axes).astype(float)
        high = low + rng.integers(0, 3, axes)
        table[phase.add(low, high)] = (low.tolist(), high.tolist())
    check_ray(table, phase, start, end)


@settings(parent=REPEATABLE, max_examples=30)
@given(seeds, kinds, st.sampled_from([0.0, 0.2]))
def test_the_same_calls_give_the_same_answers(seed, kind, margin):
    answers = []
    for _ in range(2):
        rng = np.random.default_rng(seed)
        lows, highs = crowd(rng, 80, 2)
        phase = kind(2, margin)
        phase.add_many(lows, highs)
        phase.update(lows + 0.3, highs + 0.3)
        answers.append((phase.pairs().tobytes(), phase.begun.tobytes(), phase.stats))
    assert answers[0] == answers[1]


@pytest.mark.parametrize("kind", KINDS)
def test_order_of_adding_only_renames(kind):
    rng = np.random.default_rng(5)
    lows, highs = crowd(rng, 200, 2)
    order = rng.permutation(200)
    plain, shuffled = kind(), kind()
    plain.add_many(lows, highs)
    shuffled.add_many(lows[order], highs[order])
    plain.update()
    shuffled.update()
    renamed = np.sort(order[shuffled.pairs()], axis=1)
    assert as_set(renamed) == as_set(plain.pairs())
