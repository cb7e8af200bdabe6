"""Scenes with a known answer that this engine gives and pymunk (Chipmunk) does not.

Each test says what is right, checks this engine against it, and then that pymunk is still off: if a
newer pymunk is right, the test fails, and the table that is drawn from these scenes
(`python -m benchmarks.bench_accuracy`) must be measured again. `benchmarks/accuracy_cases.py` has
the scenes.
"""

import math

import numpy as np
import pytest

pymunk = pytest.importorskip("pymunk", reason="pymunk is what is compared with")
# The one these answers were seen of: a better one must break nothing here.
SEEN = "7.3.1"
pytestmark = pytest.mark.skipif(
    pymunk.version != SEEN, reason=f"what differs was seen of pymunk {SEEN}, not {pymunk.version}"
)

from benchmarks import accuracy_cases as cases  # noqa: E402
from benchmarks.engines.engine2d_engine import Engine as Ours  # noqa: E402
from benchmarks.engines.pymunk_engine import Engine as Pymunk  # noqa: E402
from demos.scenes.arches import LEAST  # noqa: E402
from demos.scenes.blocks import housner_peaks  # noqa: E402

DT = 1 / 60
BOTH = pytest.mark.parametrize("dt", [1 / 60, 1 / 240])


@BOTH
@pytest.mark.parametrize("ratio", [100, 1000, 10000])
def test_a_stack_with_a_heavy_top_stands(ratio, dt):
    """Every force that its balance asks for is a push, so it stands, whatever the masses."""
    assert cases.stack_stands(Ours, dt, ratio)
    assert not cases.stack_stands(Pymunk, dt, ratio)


@BOTH
def test_blocks_that_land_flat_do_not_topple(dt):
    """Both corners strike at the same time; by symmetry nothing turns the block."""
    assert cases.toppled(Ours, dt) == 0
    assert cases.toppled(Pymunk, dt) > 25


@BOTH
def test_the_peaks_of_a_rocking_block(dt):
    """Housner (1963). Ours is read off at steps: near a peak the angle hardly changes in one."""
    start = math.radians(3.0)
    right = housner_peaks(start, 3)
    # p^2 sin(slope) is the angular acceleration; half a step from the peak it makes this much
    p2 = 0.75 * cases.G / math.hypot(0.5, 1.5)
    read_off = 0.5 * p2 * math.sin(math.atan2(1, 3)) * (0.5 * dt) ** 2
    assert cases.rocking_peaks(Ours, dt) == pytest.approx(right, abs=read_off + 2e-5)
    assert cases.rocking_peaks(Pymunk, dt)[2] < 0.95 * right[2]


@BOTH
def test_the_tenth_apex_of_a_bounce(dt):
    """e^20 h. pymunk strikes some way into a step, and inside the ground."""
    right = [5.0 * 0.8 ** (2 * k) for k in range(1, 11)]
    assert cases.apexes(Ours, dt) == pytest.approx(right, rel=1e-6)
    assert abs(cases.apexes(Pymunk, dt)[-1] / right[-1] - 1.0) > 0.03


@BOTH
def test_no_shot_passes_a_thin_wall(dt):
    """7 m a step (or 1.7 m) and a wall of 5 cm: fixed, or loose on the ground."""
    assert cases.shots_passed(Ours, dt) == (0, 0)
    assert sum(cases.shots_passed(Pymunk, dt)) >= 19


@pytest.mark.parametrize(("moving", "dt"), [(2, 1 / 60), (2, 1 / 240), (3, 1 / 60), (3, 1 / 240)])
def test_as_many_discs_leave_a_cradle_as_came_in(moving, dt):
    """The one outcome that is a row of impacts between two discs at a time, each with e = 1."""
    assert cases.cradles_wrong(Ours, dt, moving, tolerance=1e-9) == 0
    assert cases.cradles_wrong(Pymunk, dt, moving) > 0


@pytest.fixture(scope="module")
def struck():
    return {engine: cases.impacts(engine, 1000) for engine in (Ours, Pymunk)}


def test_no_impact_gains_energy(struck):
    """Work of the contact force is never positive over an impact."""
    assert struck[Ours][1].max() <= 0.0
    assert (struck[Pymunk][1] > 0.01).sum() >= 5


def test_impacts_are_stronges(struck):
    """Error of the impulse. Before they strike the boxes fall 0.2 mm and turn by up to 5e-4 rad,
    which moves the corner by as much: some thousandths at worst."""
    errors = struck[Ours][0]
    assert np.median(errors) < 1e-3
    assert errors.max() < 1e-2
    assert np.quantile(struck[Pymunk][0], 0.99) > 0.1


def test_a_disc_rolls_in_a_round_bowl_without_loss():
    """Ours has the arc; pymunk a chain of 1024 edges. Rolling over an edge that turns by d leaves
    (1 + 2 cos d) / 3 of the speed, which is 4 % in a minute; the rest is pymunk's."""
    assert cases.bowl_amplitude(Ours, DT) == pytest.approx(1.0, abs=1e-3)
    assert cases.bowl_amplitude(Pymunk, DT) < 0.92


def test_how_thick_an_arch_must_be():
    """0.1075 of the radius for a continuous one (Milankovitch 1907), 15 stones want hardly less."""
    assert cases.arch_thickness(Ours, DT) / LEAST == pytest.approx(1.0, abs=0.02)
    assert cases.arch_thickness(Pymunk, DT) / LEAST > 1.1
