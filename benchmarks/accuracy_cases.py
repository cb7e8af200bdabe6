"""Scenes whose right answer is known, and what an engine makes of them.

Every case takes an adapter of `benchmarks.engines` and a step dt (s), and returns numbers.
"""

import math
from itertools import pairwise

import numpy as np

from demos.demo import tune
from demos.scenes import arches, arcs, blocks, bounces, rows, thin_walls
from demos.scenes.corner_hits import corner_hits
from demos.scenes.scene import Body, Scene
from engine2d import Box, Segment
from engine2d.impact import collide

G = 9.81  # m/s^2
ROCKING, SWING = math.radians(3.0), math.radians(40.0)
LEAST_APEX = 1e-3  # m: what is lower lies
MOVED = 0.1  # m: a stack in which a box is farther from its place has fallen


def prepare(scene, e=0.0, mu=0.6, gravity=G):
    """A scene with one restitution and one friction, under this gravity."""
    made = tune(scene, e, mu)
    return Scene(made.name, made.bodies, (0.0, -gravity), made.sizes)


def frames(engine, dt, seconds):
    """Step for so long, stopping after each step."""
    for _ in range(round(seconds / dt)):
        engine.step(dt)
        yield engine


# ---- impacts -------------------------------------------------------------------------------------


def impacts(engine_type, count=500, dt=1e-3, steps=3):
    """Errors of the impulses of random frictional impacts, against Stronge's law, as a share of the
    right impulse; and the energy each gained, as a share of what it had.

    The steps are short, so that the corners strike where they should in every engine.
    """
    scene = corner_hits(count)
    engine = engine_type(scene)
    before = energies(engine, scene)
    for _ in range(steps):
        engine.step(dt)
    gained = energies(engine, scene) / before - 1.0
    errors = []
    velocities = engine.velocities[1::2]
    for k, case in enumerate(scene.sizes["cases"]):
        right = collide(**case)
        impulse = case["mA"] * (velocities[k] - case["vA"])
        errors.append(float(np.hypot(*(impulse - right.p)) / np.hypot(*right.p)))
    return np.array(errors), gained


def energies(engine, scene):
    """Kinetic energy of each pair (J)."""
    v, w = engine.velocities, engine.angular_velocities
    out = []
    for k, case in enumerate(scene.sizes["cases"]):
        energy = 0.0
        for row, which in ((2 * k + 1, "A"), (2 * k, "B")):
            if math.isfinite(case["m" + which]):
                energy += case["m" + which] * float(v[row] @ v[row])
                energy += case["I" + which] * float(w[row]) ** 2
        out.append(0.5 * energy)
    return np.array(out)


def apexes(engine_type, dt, e=0.8, height=5.0, count=10):
    """Heights (m) of the first apexes of a disc that falls; fewer if it stops bouncing."""
    engine = engine_type(prepare(bounces.bounces((height,)), e))
    found, before = [], (0.0, 0.0)
    for _ in frames(engine, dt, 2.0 * bounce_seconds(height, e)):
        y, v = engine.positions[1, 1] - bounces.RADIUS, engine.velocities[1, 1]
        if v <= 0.0 < before[1]:
            # the apex is near one of these two steps; its energy says how high
            near = (y, v) if -v < before[1] else before
            apex = float(near[0] + 0.5 * near[1] ** 2 / G)
            if apex > LEAST_APEX:
                found.append(apex)
            if len(found) == count:
                break
        before = (y, v)
    return found


def bounce_seconds(height, e):
    """How long a disc bounces (s)."""
    return math.sqrt(2.0 * height / G) * (1.0 + e) / (1.0 - e)


# ---- blocks --------------------------------------------------------------------------------------


def toppled(engine_type, dt, count=50, seconds=4.0):
    """How many of the slender blocks topple that are dropped flat with e = 0.8. None should."""
    heights = np.linspace(0.5, 2.0, count)
    dropped = [
        Body((Box(blocks.WIDTH, blocks.HEIGHT),),
             position=(8.0 * (k - 0.5 * count), float(h) + 0.5 * blocks.HEIGHT))
        for k, h in enumerate(heights)
    ]  # fmt: skip
    scene = Scene("drops", (blocks.ground(8.0 * count + 80.0), *dropped))
    engine = engine_type(prepare(scene, e=0.8))
    for _ in frames(engine, dt, seconds):
        pass
    return int((abs(engine.angles[1:]) > 0.5).sum())


def rocking_peaks(engine_type, dt, start=ROCKING, count=3):
    """The first turning points (rad) of the rocking block."""
    engine = engine_type(prepare(blocks.rocking(start), mu=1.0))
    peaks, most, side = [], 0.0, -1.0
    for _ in frames(engine, dt, 6.0):
        angle = float(engine.angles[1])
        if angle * side < 0.0:  # it has landed on the other corner
            if side != -1.0 or peaks or most:
                peaks.append(most)
            side, most = -side, 0.0
        most = max(most, abs(angle))
    return peaks[1 : count + 1] + [0.0] * (count + 1 - len(peaks))


def stack_stands(engine_type, dt, ratio, seconds=4.0):
    """Whether the stack stands whose top box is `ratio` times heavier."""
    scene = prepare(blocks.heavy_stack(ratio))
    engine = engine_type(scene)
    start = engine.positions
    return all(
        np.hypot(*(engine.positions - start).T).max() < MOVED for _ in frames(engine, dt, seconds)
    )


def largest_ratio(engine_type, dt, ratios=(10, 100, 1000, 10000)):
    """The largest of the ratios up to which the stack stands; 1 if none."""
    stands = 1
    for ratio in ratios:
        if not stack_stands(engine_type, dt, ratio):
            break
        stands = ratio
    return stands


def arch_thickness(engine_type, dt, seconds=3.0, steps=7):
    """The least thickness over radius at which the arch stands, by halving."""
    low, high = 0.10, 0.20
    for _ in range(steps):
        middle = 0.5 * (low + high)
        engine = engine_type(prepare(arches.arch(middle), mu=0.8))
        top = engine.positions[8, 1]
        fell = any(top - engine.positions[8, 1] > 0.3 for _ in frames(engine, dt, seconds))
        low, high = (middle, high) if fell else (low, middle)
    return high


# ---- discs ---------------------------------------------------------------------------------------


def cradle_speeds(engine_type, dt, moving, gap=1.0):
    """Speeds, as shares of that at which they came in, of five discs after some of them came in."""
    engine = engine_type(tune(rows.cradle(5, moving, gap=gap), 1.0, 0.0))
    for _ in frames(engine, dt, 1.5):
        pass
    return engine.velocities[1:, 0] / rows.SPEED


def cradles_wrong(engine_type, dt, moving, count=20, tolerance=0.01):
    """How many of `count` cradles end wrong: as many discs leave as came in, at the same speed.

    They differ by the way to the first impact, so by where in a step it happens.
    """
    right = np.r_[np.zeros(5 - moving), np.ones(moving)]
    gaps = 0.9 + 0.2 * (np.arange(count) + 0.5) / count
    speeds = [cradle_speeds(engine_type, dt, moving, float(gap)) for gap in gaps]
    return sum(bool(abs(found - right).max() > tolerance) for found in speeds)


def shots_passed(engine_type, dt, speed=400.0):
    """How many of ten discs pass a thin wall: a fixed one, one that can move."""
    scene = prepare(thin_walls.thin_walls(speed), mu=0.6)
    engine = engine_type(scene)
    passed = np.zeros(2 * thin_walls.LANES, bool)
    for _ in frames(engine, dt, 0.2):
        at = engine.positions
        for k in range(len(passed)):
            wall = 1 if k < thin_walls.LANES else 2
            angle = engine.angles[wall]
            x, y = at[3 + k] - at[wall]
            along = x * math.cos(angle) + y * math.sin(angle)
            above = y * math.cos(angle) - x * math.sin(angle)
            passed[k] |= along > 0.5 * thin_walls.THIN and abs(above) < 1.5
    return int(passed[: thin_walls.LANES].sum()), int(passed[thin_walls.LANES :].sum())


def bowl_amplitude(engine_type, dt, seconds=60.0, start=SWING, edges=1024):
    """Amplitude of a disc that rolls in a round bowl, after a time, as a share of the first.

    Engines without arcs get a bowl of that many edges.
    """
    scene = arcs.bowl(start)
    if engine_type.name != "engine2d":
        turns = np.linspace(math.pi, 2.0 * math.pi, edges + 1)
        rim = arcs.BOWL * np.column_stack([np.cos(turns), np.sin(turns)])
        shapes = tuple(Segment(a, b) for a, b in pairwise(rim))
        scene = Scene("bowl", (Body(shapes, kind="static"), scene.bodies[1]))
    engine = engine_type(prepare(scene, mu=1.0))
    period = arcs.bowl_period(start, G)
    most = 0.0
    for k, _ in enumerate(frames(engine, dt, seconds)):
        if k * dt > seconds - period:
            x, y = engine.positions[1]
            most = max(most, abs(math.atan2(x, -y)))
    return most / start
