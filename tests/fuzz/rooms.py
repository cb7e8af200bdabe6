"""Random closed rooms: does anybody get out, does energy rise, is momentum kept?

    python -m tests.fuzz.rooms FAMILY FIRST COUNT [--solver auto|iterative|direct]
    python -m tests.fuzz.rooms FAMILY SEED --program [--shrink]

FAMILY is a name of room_families.FAMILIES, several with commas, or "all". The first form prints a
line for each family and the seeds that are beyond the bars, the second one room as a program.
"""

import argparse
import math
import multiprocessing
import sys
import time
from dataclasses import dataclass, replace

import numpy as np

from engine2d import World
from tests.fuzz.room_families import FAMILIES, draw_room
from tests.fuzz.room_joints import joint_energy

DEEP = 0.005  # units: bodies this deep in each other have not come there by a step's error


@dataclass(frozen=True)
class Bars:
    """What a room may do: gain of a step and total above the start, as shares of its energy."""

    gain: float = 1e-3
    total: float = 5e-3
    momentum: float = 1e-12
    angular: float = 1e-5
    unbooked: float = 1e-3


BARS = {name: Bars() for name in FAMILIES}
BARS |= {name: Bars(gain=1e-2) for name in ("ratio", "rich-ratio")}
# a floor that presses bodies where they have no room stands for them: it does no work then
BARS |= {name: Bars(unbooked=math.inf) for name in ("lift", "rich-lift")}


@dataclass
class Result:
    """Of one room. Shares are of the energy that was put into it."""

    family: str
    seed: int
    bodies: int = 0
    out: int = 0  # bodies that left it
    worst: float = 0.0  # most that a step gained
    when: int = -1  # in which step
    total: float = 0.0  # most that it was above what was put into it
    momentum: float = 0.0  # most that it was off, as a share of the sum of their sizes
    angular: float = 0.0
    unbooked: float = 0.0  # most that a step's ledger differed from the work of the mover
    error: str = ""

    def doubled(self):
        return self.total > 1.0

    def faults(self, bars=None):
        """What is beyond the bars, in words."""
        bars = bars or BARS[self.family]
        found = [self.error] if self.error else []
        if self.out:
            found.append(f"{self.out} bodies left the room")
        for name in ("worst", "total", "momentum", "angular", "unbooked"):
            most = getattr(bars, "gain" if name == "worst" else name)
            if not getattr(self, name) <= most:
                found.append(f"{name} {getattr(self, name):.3g} > {most:g}")
        return found


# ---- the world of a room -----------------------------------------------------------------


def make_world(room, solver):
    options = {"gravity": (0.0, -room.gravity), "solver": solver}
    if room.unit != 1.0:
        try:
            return World(**options, unit=room.unit)
        except TypeError:  # a build whose worlds have no unit
            pass
    return World(**options)


class Runner:
    """A room as a world, with the books of its energy."""

    def __init__(self, room, solver="auto"):
        self.room = room
        self.world = make_world(room, solver)
        self.walls = [self.world.add_body(*part.shapes, **part.options) for part in room.walls]
        self.bodies = {
            part.key: self.world.add_body(*part.shapes, **part.options) for part in room.bodies
        }
        made = [tie.make(self.bodies) for tie in room.ties]
        self.joints = [self.world.add_joint(joint) for joint in made if joint is not None]
        self.mover = None if room.mover is None else self.walls[room.mover]
        self.lax = False
        self.measure()

    def measure(self):
        """Masses and rows of the dynamic bodies."""
        bodies = self.world.bodies
        self.rows = np.array([k for k, b in enumerate(bodies) if b.kind == "dynamic"], int)
        self.m = np.array([bodies[k].mass for k in self.rows])
        self.I = np.array([bodies[k].inertia for k in self.rows])

    def read(self):
        """Centres, velocities and rates of the dynamic bodies."""
        w = self.world
        return w.centers[self.rows], w.velocities[self.rows], w.angular_velocities[self.rows]

    def kinetic(self, state):
        _, v, w = state
        return float(0.5 * (self.m * (v * v).sum(1)).sum() + 0.5 * (self.I * w * w).sum())

    def potential(self, state):
        """J, 0 on the floor, with that of joints."""
        height = state[0][:, 1] + self.room.half
        return float(self.room.gravity * (self.m * height).sum()) + joint_energy(self.joints)

    def momentum(self, state):
        return (self.m[:, None] * state[1]).sum(0)

    def angular(self, state):
        """About the origin."""
        x, v, w = state
        return float((self.m * (x[:, 0] * v[:, 1] - x[:, 1] * v[:, 0]) + self.I * w).sum())

    def change(self, step):
        """What users do before a step."""
        if step in self.room.moves:
            self.mover.velocity, self.mover.angular_velocity = self.room.moves[step]
        for verb, key, given in self.room.edits.get(step, ()):
            self.edit(verb, key, given)
        if step in self.room.edits:
            self.measure()

    def edit(self, verb, key, given):
        if verb == "add":
            self.bodies[given.key] = self.world.add_body(*given.shapes, **given.options)
            self.lax = True
            return
        body = self.bodies.get(key)
        if body is None:
            return
        if verb == "remove":
            self.world.remove(self.bodies.pop(key))
        elif verb == "put":
            body.position = given
            self.lax = True
        elif verb == "push" and body.kind == "dynamic":
            body.velocity = given
        elif verb == "mass" and body.kind == "dynamic":
            body.mass, body.inertia = given * body.mass, given * body.inertia
        elif verb == "kind":
            if given == "static" and body.kind == "dynamic":
                body.velocity, body.angular_velocity = (0.0, 0.0), 0.0
            body.kind = given

    def work(self):
        """J, that the mover has done on the bodies so far, by the ledger of the world."""
        return self.world.ledger["driven"]

    def pushed(self):
        """Which dynamic bodies the mover alone could push in the last step; None: who touches it
        touches something else, too."""
        if not self.room.shared:
            return np.ones(len(self.rows), bool)
        bodies = self.world.bodies
        partners = {}
        for c in self.world.contacts:
            if c.normal_force or c.friction_force:
                partners.setdefault(c.body_a, set()).add(c.body_b)
                partners.setdefault(c.body_b, set()).add(c.body_a)
        mine = partners.get(self.mover, set())
        if any(partners[body] != {self.mover} for body in mine):
            return None
        return np.array([bodies[k] in mine for k in self.rows], bool)

    def unbooked(self, before, after, dt, work):
        """J, by how much the work in the ledger differs from what the bodies' momenta say, beyond
        what these leave open: gravity and friction of time that a body has not gone, since it was
        set back, and where within the step a blow was."""
        mine = None if self.mover is None else self.pushed()
        if mine is None or not mine.any():
            return 0.0
        m, turning = self.m[mine], self.I[mine]
        (x0, v0, w0), (x1, v1, w1) = ([array[mine] for array in s] for s in (before, after))
        weight = self.room.gravity * dt * m
        push = m[:, None] * (v1 - v0)
        push[:, 1] += weight
        (ux, uy), rate = self.mover.velocity, self.mover.angular_velocity
        if self.room.about == "translation":
            say = (ux * push[:, 0] + uy * push[:, 1]).sum()
            return max(0.0, abs(say - work) - 2 * math.hypot(ux, uy) * weight.sum())
        x = 0.5 * (x0 + x1)
        torque = x[:, 0] * push[:, 1] - x[:, 1] * push[:, 0] + turning * (w1 - w0)
        size, way = np.hypot(*push.T), np.hypot(*v0.T) + np.hypot(*v1.T)
        open_ = 2 * np.hypot(*x.T) * weight + size * way * dt
        return max(0.0, abs(rate * torque.sum() - work) - abs(rate) * open_.sum())

    def outside(self, state):
        """Which rows are outside of the room."""
        x, half = state[0], self.room.half
        if self.room.isolated:
            return np.zeros(0, int)
        if self.room.frame:
            angle = self.mover.angle
            c, s = math.cos(angle), math.sin(angle)
            x = (x - self.mover.position) @ np.array([[c, -s], [s, c]])
        far = 0.5 * self.room.unit + (0.25 * half if self.room.family.endswith("lift") else 0.0)
        return self.rows[np.abs(x).max(1) > half + far]

    def settled(self, before, after):
        """Whether the energy of a step can be compared: what users put into others is out again.

        While it is not, they are pushed apart whatever that lifts, and only motion is looked at.
        """
        if not self.lax:
            return True
        gaps = self.world.contacts.arrays["gap"]
        self.lax = bool(len(gaps) and gaps.min() < -DEEP * self.room.unit)
        return False


def fallen(runner, before, after):
    """J, that gravity did on those who went down."""
    drop = np.maximum(before[0][:, 1] - after[0][:, 1], 0.0)
    return float(runner.room.gravity * (runner.m * drop).sum())


def run_room(room, solver="auto"):
    """Run a room and keep its books; returns a Result."""
    result = Result(room.family, room.seed, len(room.bodies))
    runner = Runner(room, solver)
    state = runner.read()
    energy = runner.kinetic(state) + runner.potential(state)
    given, out = energy, set()
    first = runner.momentum(state), runner.angular(state), *scales(runner, state)
    for step, dt in enumerate(room.dts):
        runner.change(step)
        before = tuple(array.copy() for array in runner.read())
        now = runner.kinetic(before) + runner.potential(before)
        given, energy = given + now - energy, now
        driven = runner.work()
        try:
            runner.world.step(dt)
        except Exception as error:  # whatever it is, it is a finding
            result.error, result.when = f"{type(error).__name__}: {error}", step
            break
        after = tuple(array.copy() for array in runner.read())
        if not all(np.isfinite(array).all() for array in after):
            result.error, result.when = "a number that is not finite", step
            break
        now = runner.kinetic(after) + runner.potential(after)
        work = runner.work() - driven
        given += work
        gain = now - energy - work
        if not runner.settled(before, after):
            lifted = runner.potential(after) - runner.potential(before)
            gain = runner.kinetic(after) - runner.kinetic(before)
            gain -= fallen(runner, before, after) + work
            given += max(0.0, lifted)
        size = max(given, energy, 1e-300)
        if gain / size > result.worst:
            result.worst, result.when = gain / size, step
        result.total = max(result.total, (now - given) / size)
        result.unbooked = max(result.unbooked, runner.unbooked(before, after, dt, work) / size)
        energy = now
        out.update(runner.outside(after).tolist())
        if room.isolated:
            note_momenta(runner, after, first, result)
    result.out = len(out)
    return result


def scales(runner, state):
    """Sums of the sizes of linear and angular momenta."""
    x, v, w = state
    speed = np.hypot(*v.T)
    linear = float((runner.m * speed).sum())
    return linear, float((runner.m * np.hypot(*x.T) * speed + runner.I * np.abs(w)).sum())


def note_momenta(runner, state, first, result):
    """Keep the most that momenta differ from the first."""
    p, l, p_size, l_size = first
    off = float(np.hypot(*(runner.momentum(state) - p))) / max(p_size, 1e-300)
    turn = abs(runner.angular(state) - l) / max(l_size, 1e-300)
    result.momentum = max(result.momentum, off)
    result.angular = max(result.angular, turn)


def check_room(family, seed, solver="auto"):
    """The Result of a room by its name."""
    return run_room(draw_room(family, seed), solver)


# ---- a failure as a program --------------------------------------------------------------


def shrink(room, solver, faulty):
    """The same room with fewer bodies and steps that is still faulty(Result)."""
    found = run_room(room, solver)
    if not faulty(found):
        return room
    if found.when >= 0:
        shorter = replace(room, dts=room.dts[: found.when + 1])
        if faulty(run_room(shorter, solver)):
            room = shorter
    size = max(1, len(room.bodies) // 2)
    while size:
        k = 0
        while k < len(room.bodies):
            fewer = replace(room, bodies=room.bodies[:k] + room.bodies[k + size :])
            if fewer.bodies and faulty(run_room(fewer, solver)):
                room = fewer
            else:
                k += size
        size //= 2
    return room


def write_part(name, part):
    options = "".join(f", {key}={value!r}" for key, value in part.options.items())
    return f"{name} = w.add_body({', '.join(map(repr, part.shapes))}{options})"


def write_edit(verb, key, given):
    """What users do before a step, as lines."""
    name = f"b[{key}]"
    if verb == "add":
        return write_part(f"b[{given.key}]", given)
    if verb == "remove":
        return f"w.remove(b.pop({key}))"
    if verb == "put":
        return f"{name}.position = {given}"
    if verb == "push":
        return f"{name}.velocity = {given}"
    if verb == "mass":
        return f"{name}.mass *= {given}; {name}.inertia *= {given}"
    return f"{name}.kind = {given!r}"


def write_program(room, solver="auto"):
    """A room as a Python program that prints its energy."""
    unit = f", unit={room.unit}" if room.unit != 1.0 else ""
    lines = [
        f"# {room.family} {room.seed}",
        "from engine2d import Box, Capsule, Circle, Path, Polygon, Segment, World",
        f"w = World(gravity=(0, {-room.gravity}), solver={solver!r}{unit})",
        "walls, b = {}, {}",
    ]
    lines += [write_part(f"walls[{k}]", part) for k, part in enumerate(room.walls)]
    lines += [write_part(f"b[{part.key}]", part) for part in room.bodies]
    there = {part.key for part in room.bodies}
    k = 0
    while k < len(room.dts):
        last = k
        for verb, key, given in room.edits.get(k, ()):
            if verb == "add":
                there.add(given.key)
            elif key not in there:
                continue
            elif verb == "remove":
                there.discard(key)
            lines.append(write_edit(verb, key, given))
        if k in room.moves:
            velocity, rate = room.moves[k]
            lines.append(
                f"walls[{room.mover}].velocity, walls[{room.mover}].angular_velocity = "
                f"{velocity}, {rate}"
            )
        while (
            last + 1 < len(room.dts)
            and room.dts[last + 1] == room.dts[k]
            and last + 1 not in room.edits
            and room.moves.get(last + 1) == room.moves.get(k)
        ):
            last += 1
        lines.append(f"for _ in range({last + 1 - k}): w.step({room.dts[k]!r}); print(w.energy)")
        k = last + 1
    return "\n".join(lines)


# ---- the command -------------------------------------------------------------------------


def check_many(family, seeds, solver, jobs=1):
    """Results of many rooms, in their order."""
    work = [(family, seed, solver) for seed in seeds]
    if jobs == 1:
        return [check_room(*item) for item in work]
    with multiprocessing.Pool(jobs) as pool:
        return pool.starmap(check_room, work, chunksize=1)


def summary(results, seconds):
    """A line about rooms of one family."""
    gains = np.array([r.worst for r in results])
    text = (
        f"{results[0].family:14s} {len(results)} rooms: leak {sum(r.out > 0 for r in results)} "
        f"({sum(r.out for r in results)} bodies), doubled {sum(r.doubled() for r in results)}, "
        f"errors {sum(bool(r.error) for r in results)}, step gains > 0.1 %: "
        f"{(gains > 1e-3).sum()}, > 1 %: {(gains > 1e-2).sum()}, > 10 %: {(gains > 0.1).sum()}, "
        f"worst {gains.max():.3g}, above start {max(r.total for r in results):.3g}"
    )
    if any(r.momentum or r.angular for r in results):
        text += f", momentum {max(r.momentum for r in results):.1g}"
        text += f", angular {max(r.angular for r in results):.1g}"
    if any(r.unbooked for r in results):
        text += f", unbooked {max(r.unbooked for r in results):.1g}"
    return f"{text}; {seconds:.1f} s"


def read_arguments(argv):
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.rooms", description=__doc__)
    parser.add_argument("family", help="name, several with commas, or 'all'")
    parser.add_argument("first", type=int, help="first seed")
    parser.add_argument("count", type=int, nargs="?", default=1, help="how many seeds")
    parser.add_argument("--solver", default="auto", choices=["auto", "iterative", "direct"])
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--program", action="store_true", help="print the first room's program")
    parser.add_argument("--shrink", action="store_true", help="with fewer bodies, while it fails")
    return parser.parse_args(argv)


def main(argv=None):
    given = read_arguments(argv)
    names = list(FAMILIES) if given.family == "all" else given.family.split(",")
    if given.program:
        room = draw_room(names[0], given.first)
        if given.shrink:
            room = shrink(room, given.solver, lambda result: bool(result.faults()))
        print(write_program(room, given.solver))
        return 0
    failed = 0
    for name in names:
        start = time.process_time()
        seeds = range(given.first, given.first + given.count)
        results = check_many(name, seeds, given.solver, given.jobs)
        print(summary(results, time.process_time() - start))
        for result in results:
            if result.faults():
                failed += 1
                print(f"  seed {result.seed} step {result.when}: {'; '.join(result.faults())}")
        sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
