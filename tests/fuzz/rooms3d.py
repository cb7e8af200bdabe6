"""Random closed rooms in space: does anybody get out, does energy rise, is momentum kept?

    python -m tests.fuzz.rooms3d FAMILY FIRST COUNT [--solver auto|iterative|direct]

FAMILY is a name of FAMILIES, several with commas, or "all". Prints a line for each family and the
seeds that are beyond the bars. A room is six walls of 1 unit around spheres, boxes, polyhedra and
capsules; "rich" rooms have cylinders and compounds too, and may be six half spaces or a hollow
sphere; "driven" ones have a paddle and a lift, which stop after half the time; in "edited" ones a
user moves, removes, swaps and adds; "joined" ones have joints of all kinds; "isolated" is a group
without walls or gravity.
"""

import argparse
import sys
import time
from dataclasses import dataclass

import numpy as np

from engine3d import (
    Ball,
    Box,
    Capsule,
    Cylinder,
    Hinge,
    HollowSphere,
    Plane,
    Polyhedron,
    Rod,
    Rope,
    Slider,
    Sphere,
    Spring,
    Weld,
    World,
)

GRAVITY = 9.81  # m/s^2
WALL = 1.0  # units: how thick walls are
SECONDS = 4.0
DT = 1 / 60  # s


@dataclass(frozen=True)
class Family:
    """Of the bodies: the unit of lengths (m), greatest speed (m/s), decades of density, sizes
    (units), restitutions to choose from; the bar for a step's gain, as a share of the energy."""

    unit: float = 1.0
    speed: float = 10.0
    density: tuple = (0.0, 0.0)
    sizes: tuple = (0.3, 1.5)
    bounce: tuple = (0.0, 0.0, 0.3, 0.8, 1.0)
    gain: float = 1e-3
    isolated: bool = False
    steps: tuple = (1 / 60, 1 / 60)  # s: the step is drawn between these, evenly in its logarithm
    rich: bool = False
    driven: bool = False
    edited: bool = False
    joined: bool = False


FAMILIES = {
    "calm": Family(speed=0.0, bounce=(0.0, 0.0, 0.3)),
    "mixed": Family(),
    "fast": Family(speed=100.0),
    "ratio": Family(density=(-3.0, 3.0), bounce=(0.0, 0.0, 0.3, 0.8), gain=1e-2),
    "small": Family(unit=0.01, speed=1.0, bounce=(0.0, 0.0, 0.3, 0.8)),
    "sizes": Family(speed=5.0, sizes=(0.05, 3.0), bounce=(0.0, 0.0, 0.3, 0.8)),
    "deadmu": Family(bounce=(0.0,)),
    "isolated": Family(speed=3.0, isolated=True),
    "steps": Family(steps=(1 / 1000, 1 / 30)),
    "rich": Family(rich=True),
    "rich_fast": Family(rich=True, speed=100.0),
    "tiny": Family(unit=1e-3, speed=0.3, rich=True),
    "huge": Family(unit=1e3, speed=300.0, rich=True),
    "driven": Family(driven=True, bounce=(0.0, 0.0, 0.3, 0.8)),
    "edited": Family(edited=True, rich=True),
    "joined": Family(joined=True, speed=3.0, bounce=(0.0, 0.0, 0.3, 0.8)),
}


@dataclass
class Result:
    """Of one room. Shares are of the energy it began with."""

    family: str
    seed: int
    bodies: int = 0
    out: int = 0  # bodies that left it
    worst: float = 0.0  # most that a step gained
    when: int = -1  # in which step
    total: float = 0.0  # most that it was above the start
    momentum: float = 0.0  # most that it was off, as a share of the sum of their sizes
    angular: float = 0.0
    apart: float = 0.0  # m, that joints were torn
    way: float = 0.0  # m, that the common centre of mass was off its way
    error: str = ""

    def doubled(self):
        return self.total > 1.0

    def faults(self):
        """What is beyond the bars, in words."""
        found = [self.error] if self.error else []
        if self.out:
            found.append(f"{self.out} bodies left the room")
        bars = {"worst": FAMILIES[self.family].gain, "total": 5e-3, "momentum": 1e-12}
        bars |= {"angular": 1e-6, "way": 1e-9, "apart": 1e-3}
        for name, most in bars.items():
            if not getattr(self, name) <= most:
                found.append(f"{name} {getattr(self, name):.3g} > {most:g}")
        return found


def draw_shapes(rng, size, material, rich):
    """The shapes of a random body about so large (m)."""
    kind = rng.integers(6) if rich else 0
    if kind == 1:
        return [Cylinder(size * rng.uniform(0.1, 0.35), size * rng.uniform(0.2, 0.7), **material)]
    if kind == 2:
        parts = []
        for _ in range(int(rng.integers(2, 4))):
            center, turn = rng.uniform(-0.25, 0.25, 3) * size, rng.normal(size=4)
            if rng.random() < 0.5:
                parts.append(Sphere(0.2 * size, center, **material))
            else:
                sides = rng.uniform(0.1, 0.45, 3) * size
                parts.append(Box(*sides, center, turn, **material))
        return parts
    return [draw_shape(rng, size, material)]


def draw_shape(rng, size, material):
    """A random convex shape about so large (m)."""
    kind = rng.integers(4)
    if kind == 0:
        return Sphere(size / 2, **material)
    if kind == 1:
        return Box(size, size * rng.uniform(0.15, 1), size * rng.uniform(0.15, 1), **material)
    if kind == 2:
        points = rng.normal(size=(int(rng.integers(5, 12)), 3))
        return Polyhedron(size / 2 * points / np.linalg.norm(points, axis=1)[:, None], **material)
    end = (size * 0.35, 0, 0)
    return Capsule((-end[0], 0, 0), end, size * rng.uniform(0.08, 0.2), **material)


def add_random(world, rng, family, half, balls):
    """Add a random body where there is room: the body, or None."""
    size = float(np.exp(rng.uniform(*np.log(family.sizes)))) * family.unit
    place = rng.uniform(-1, 1, 3) * max(half - size, 0)
    if any(np.linalg.norm(place - p) < 0.75 * (size + s) for p, s in balls):
        return None
    own = {
        "friction": float(rng.choice([0, 0.3, 0.5, 1])),
        "restitution": float(rng.choice(family.bounce)),
        "density": float(10 ** rng.uniform(*family.density)),
    }
    velocity = rng.uniform(-1, 1, 3) * family.speed
    if family.isolated:
        # towards each other
        velocity = velocity / 3 - place / half * family.speed
    balls.append((place, size))
    spin = (10 if family.speed else 0) / np.sqrt(family.unit)
    return world.add_body(
        *draw_shapes(rng, size, own, family.rich),
        position=place,
        orientation=rng.normal(size=4),
        velocity=velocity,
        angular_velocity=rng.uniform(-1, 1, 3) * spin,
    )


def add_walls(world, half, thick, material):
    for axis in range(3):
        for side in (-1, 1):
            size, place = [2 * half + 2 * thick] * 3, [0.0] * 3
            size[axis], place[axis] = thick, side * (half + thick / 2)
            world.add_static(Box(*size, **material), position=place)


def add_shell(world, rng, half, thick, material, rich):
    """What closes a room: walls, or half spaces or a hollow sphere where it is rich."""
    kind = rng.integers(4) if rich else 0
    if kind == 1:
        for axis in range(3):
            for side in (-1, 1):
                normal = [0.0] * 3
                normal[axis] = float(-side)
                world.add_static(Plane(normal, **material), position=[-half * n for n in normal])
    elif kind == 2:
        # around the corners of the room, and no bodies there
        world.add_static(HollowSphere(half, **material))
        return half / np.sqrt(3)
    else:
        add_walls(world, half, thick, material)
    return half


def add_drivers(world, rng, half, unit):
    """A paddle that turns and a lift that goes up and down, thin for neither to fill the room."""
    paddle = world.add_kinematic(
        Box(0.8 * half, 0.15 * unit, 0.15 * unit, friction=0.5),
        position=rng.uniform(-0.3, 0.3, 3) * half,
        angular_velocity=rng.uniform(-1, 1, 3) * 3,
    )
    lift = world.add_kinematic(
        Box(0.6 * half, 0.6 * half, 0.2 * unit, friction=0.5),
        position=(*rng.uniform(-0.4, 0.4, 2) * half, -0.9 * half),
        velocity=(0, 0, rng.uniform(0.3, 1.0)),
    )
    return paddle, lift


def add_joints(world, rng, bodies):
    """Random joints from body to body, and some to the world."""
    for k, body in enumerate(bodies):
        other = bodies[k - 1] if k and rng.random() < 0.8 else None
        if other is None and rng.random() < 0.6:
            continue
        place = np.array(body.position)
        middle = place if other is None else 0.5 * (place + np.array(other.position))
        axis = rng.normal(size=3)
        ends = {"anchor_a": middle if other is None else other.position, "anchor_b": place}
        far = float(np.linalg.norm(np.subtract(ends["anchor_a"], place)))
        kind = rng.integers(7)
        if kind == 0:
            joint = Ball(other, body, anchor=middle)
        elif kind == 1:
            limits = (-0.5, 0.7) if rng.random() < 0.5 else (None, None)
            joint = Hinge(other, body, anchor=middle, axis=axis, low=limits[0], high=limits[1])
        elif kind == 2:
            joint = Weld(other, body, anchor=middle)
        elif kind == 3:
            joint = Slider(other, body, anchor=middle, axis=axis, low=-0.3, high=0.3)
        elif kind == 4 and far > 0.1:
            joint = Rod(other, body, **ends)
        elif kind == 5:
            joint = Rope(other, body, **ends, length=far + 0.2)
        else:
            joint = Spring(other, body, **ends, stiffness=20.0 * body.mass, length=max(far, 0.1))
        world.add_joint(joint)


def make_room(name, seed, solver="auto", count=None):
    """A world with a random room, its dynamic bodies, and half the width of the room (m)."""
    family = FAMILIES[name]
    rng = np.random.default_rng([seed, 77])
    half = rng.uniform(2, 4) * family.unit
    gravity = 0.0 if family.isolated else -GRAVITY
    world = World(gravity=(0, 0, gravity), solver=solver, unit=family.unit)
    material = {
        "friction": float(rng.choice([0, 0.3, 0.5, 1.0])),
        "restitution": float(rng.choice(family.bounce)),
    }
    inner = half
    if not family.isolated:
        inner = add_shell(world, rng, half, WALL * family.unit, material, family.rich)
    balls, bodies = [], []
    if family.driven:
        for driver in add_drivers(world, rng, half, family.unit):
            balls.append((np.array(driver.position), 0.9 * half))
    count = int(rng.integers(5, 40)) if count is None else count
    for _ in range(6 * count):
        if len(bodies) == count:
            break
        body = add_random(world, rng, family, inner, balls)
        if body is not None:
            bodies.append(body)
    if family.joined:
        add_joints(world, rng, bodies)
    return world, bodies, half


def edit(world, rng, name, half, bodies):
    """What a user may do between two steps to a random body; nothing is put into something else."""
    family = FAMILIES[name]
    body = bodies[int(rng.integers(len(bodies)))]
    kind = rng.integers(7)
    if kind == 0 and len(bodies) > 3:
        bodies.remove(body)
        world.remove(body)
    elif kind == 1:
        body.velocity = rng.uniform(-1, 1, 3) * family.speed
    elif kind == 2:
        body.angular_velocity = rng.uniform(-10, 10, 3)
    elif kind == 3:
        body.mass = body.mass * float(rng.choice([0.1, 10.0]))
    elif kind == 4:
        shape = body.shapes[0]
        shape.friction, shape.restitution = float(rng.uniform(0, 1)), float(rng.uniform(0, 1))
    elif kind == 5:
        body.apply_impulse(rng.normal(size=3) * body.mass * 3, body.position)
    else:
        balls = [(np.array(b.center), 0.75 * family.sizes[1] * family.unit) for b in bodies]
        new = add_random(world, rng, family, half / 2, balls)
        if new is not None:
            bodies.append(new)


class Books:
    """Energy and momenta of a world's dynamic bodies."""

    def __init__(self, world, bodies, half):
        self.world, self.half = world, half
        rows = {body: k for k, body in enumerate(world.bodies)}
        self.rows = np.array([rows[body] for body in bodies])
        self.m = np.array([body.mass for body in bodies])
        self.gravity = -world.gravity[2]

    def energy(self):
        """J, 0 at rest on the floor and in unstretched springs."""
        return self.world.energy.total + self.gravity * float(self.m.sum()) * self.half

    def momenta(self):
        p = self.m[:, None] * self.world.velocities[self.rows]
        turn = np.cross(self.world.centers[self.rows], p) + self.world.angular_momenta[self.rows]
        return p.sum(0), turn.sum(0)

    def sizes(self):
        p = np.linalg.norm(self.m[:, None] * self.world.velocities[self.rows], axis=1)
        arms = np.linalg.norm(self.world.centers[self.rows], axis=1)
        spins = np.linalg.norm(self.world.angular_momenta[self.rows], axis=1)
        return float(p.sum()), float((p * arms + spins).sum())

    def middle(self):
        return (self.m[:, None] * self.world.centers[self.rows]).sum(0) / self.m.sum()

    def outside(self, far):
        """Rows of bodies farther out than that along an axis (m)."""
        return np.nonzero(np.abs(self.world.centers[self.rows]).max(1) > far)[0].tolist()


def draw_step(name, seed):
    low, high = FAMILIES[name].steps
    share = np.random.default_rng([seed, 78]).random()
    return float(low * (high / low) ** share)


def run_room(name, seed, solver="auto", count=None, seconds=SECONDS):
    """Run a room and keep its books; returns a Result."""
    family = FAMILIES[name]
    world, bodies, half = make_room(name, seed, solver, count)
    rng = np.random.default_rng([seed, 79])
    # times go with the root of lengths
    dt = draw_step(name, seed) * np.sqrt(family.unit)
    seconds = seconds * np.sqrt(family.unit)
    books = Books(world, bodies, half)
    result = Result(name, seed, len(bodies))
    first = energy = books.energy()
    p, turn = books.momenta()
    p_size, turn_size = books.sizes()
    middle, drift = books.middle(), p / books.m.sum()
    drives = family.driven
    for step in range(round(seconds / dt)):
        if family.edited and rng.random() < 0.2:
            edit(world, rng, name, half, bodies)
            books = Books(world, bodies, half)
            first = energy = books.energy()
        if drives and step * dt > seconds / 2:
            drives = False
            for body in world.bodies:
                if body.kind == "kinematic":
                    body.velocity = body.angular_velocity = (0, 0, 0)
            first = energy = books.energy()
        try:
            world.step(dt)
        except Exception as error:  # whatever it is, it is a finding
            result.error, result.when = f"{type(error).__name__}: {error}", step
            break
        now = books.energy()
        if not np.isfinite(now):
            result.error, result.when = "a number that is not finite", step
            break
        if not drives:
            if (now - energy) / first > result.worst:
                result.worst, result.when = (now - energy) / first, step
            result.total = max(result.total, now / first - 1)
        energy = now
        if family.isolated:
            q, spin = books.momenta()
            way = middle + drift * world.time
            result.momentum = max(result.momentum, np.linalg.norm(q - p) / p_size)
            result.angular = max(result.angular, np.linalg.norm(spin - turn) / turn_size)
            result.way = max(result.way, np.linalg.norm(books.middle() - way))
        elif not family.joined:
            result.out = max(result.out, len(books.outside(half + 0.5 * WALL * family.unit)))
        result.apart = max(result.apart, torn(world))
    return result


def torn(world):
    """m: how far the anchors of joints that hold a point are apart."""
    worst = 0.0
    for joint in world.joints:
        if isinstance(joint, (Ball, Hinge, Weld)):
            gap = np.subtract(joint.point_a, joint.point_b)
            worst = max(worst, float(np.linalg.norm(gap)))
    return worst


def summary(results, seconds):
    """A line about rooms of one family."""
    gains = np.array([r.worst for r in results])
    text = (
        f"{results[0].family:9s} {len(results)} rooms: leak {sum(r.out > 0 for r in results)} "
        f"({sum(r.out for r in results)} bodies), doubled {sum(r.doubled() for r in results)}, "
        f"errors {sum(bool(r.error) for r in results)}, step gains > 0.1 %: "
        f"{(gains > 1e-3).sum()}, > 1 %: {(gains > 1e-2).sum()}, worst {gains.max():.3g}, "
        f"above start {max(r.total for r in results):.3g}"
    )
    if FAMILIES[results[0].family].isolated:
        for key in ("momentum", "angular", "way"):
            text += f", {key} {max(getattr(r, key) for r in results):.1g}"
    if FAMILIES[results[0].family].joined:
        text += f", torn {max(r.apart for r in results):.1g} m"
    return f"{text}; {seconds:.1f} s"


def main(argv=None):
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.rooms3d", description=__doc__)
    parser.add_argument("family", help="name, several with commas, or 'all'")
    parser.add_argument("first", type=int, help="first seed")
    parser.add_argument("count", type=int, nargs="?", default=1, help="how many seeds")
    parser.add_argument("--solver", default="auto", choices=["auto", "iterative", "direct"])
    given = parser.parse_args(argv)
    failed = 0
    for name in list(FAMILIES) if given.family == "all" else given.family.split(","):
        start = time.process_time()
        results = [
            run_room(name, seed, given.solver)
            for seed in range(given.first, given.first + given.count)
        ]
        print(summary(results, time.process_time() - start))
        for result in results:
            if result.faults():
                failed += 1
                print(f"  seed {result.seed} step {result.when}: {'; '.join(result.faults())}")
        sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
