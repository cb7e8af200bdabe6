"""Random closed rooms, by family and seed: what is in them, and what is done to them.

A Room is plain data, so that it can be run, made smaller and printed as a program. Lengths in m.
"""

import math
import zlib
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from engine2d import Box, Path, Segment
from tests.fuzz import room_shapes
from tests.fuzz.room_joints import draw_ties

GRAVITY = 9.81  # m/s^2
THICK = 1.0  # units of the room: thickness of its walls


@dataclass
class Part:
    """A body to be added: its key in edits, its shapes and the options of add_body."""

    key: int
    shapes: tuple
    options: dict


@dataclass
class Room:
    """A world to be made, and what happens to it before each of its steps.

    half: the room is a square from -half to half (m), or a drum of that radius, in the frame of
    its mover if it has one. mover: index of the kinematic wall whose motion is booked, or None.
    about: "translation" if all that the mover may push along its velocity is its own, "rotation"
    if it turns about the origin and nothing else exerts a moment about it, "contacts" if its work
    is read from the contact forces. moves: step -> (velocity, rate) of the mover. edits: step ->
    what users do. isolated: no walls, momenta are kept.
    """

    family: str
    seed: int
    half: float
    unit: float
    gravity: float
    walls: list[Part]
    bodies: list[Part]
    dts: list[float]
    mover: int | None = None
    about: str = "translation"  # or "rotation" about the origin: how the mover moves
    shared: bool = False  # others than the mover hold and push bodies along its way
    moves: dict = field(default_factory=dict)
    edits: dict = field(default_factory=dict)
    isolated: bool = False
    ties: list = field(default_factory=list)  # joints to be
    frame: bool = False  # the walls move with the mover: leaks are looked for in its frame


@dataclass(frozen=True)
class Profile:
    """Of the bodies: size of the room's unit (m), greatest speed (m/s), decades of density, sizes
    (units), restitutions to choose from, makers of shapes."""

    unit: float = 1.0
    speed: float = 10.0
    density: tuple = (0.0, 0.0)
    sizes: tuple = (0.3, 1.5)
    bounce: tuple = (0.0, 0.0, 0.3, 0.8, 1.0)
    kinds: tuple = room_shapes.CONVEX
    friction: tuple = (0.0, 0.3, 0.5, 1.0)


PLAIN = {
    "calm": Profile(speed=0.0, bounce=(0.0, 0.0, 0.3)),
    "mixed": Profile(),
    "fast": Profile(speed=100.0),
    "ratio": Profile(density=(-3.0, 3.0), bounce=(0.0, 0.0, 0.3, 0.8)),
    "small": Profile(unit=0.01, speed=1.0, bounce=(0.0, 0.0, 0.3, 0.8)),
    "sizes": Profile(speed=5.0, sizes=(0.05, 3.0), bounce=(0.0, 0.0, 0.3, 0.8)),
    "deadmu": Profile(bounce=(0.0,)),
}
SEED_OF = 20_000_003  # apart from the streams of other tests


def draw_body(rng, profile, key, half, placed):
    """A body that touches none of those placed [(x, y, size)] in a square; None: no room found."""
    low, high = np.log(profile.sizes)
    size = math.exp(rng.uniform(low, high)) * profile.unit
    x, y = rng.uniform(-1, 1, 2) * (half - 0.6 * size)
    if any(math.hypot(x - a, y - b) < 0.55 * (size + t) for a, b, t in placed):
        return None
    material = {
        "friction": float(rng.choice(profile.friction)),
        "restitution": float(rng.choice(profile.bounce)),
        "density": float(10 ** rng.uniform(*profile.density)),
    }
    placed.append((x, y, size))
    speed = profile.speed
    return Part(
        key,
        room_shapes.make(rng, profile.kinds, size, **material),
        {
            "position": (float(x), float(y)),
            "angle": float(rng.uniform(-np.pi, np.pi)),
            "velocity": tuple((rng.uniform(-1, 1, 2) * speed).tolist()),
            "angular_velocity": float(rng.uniform(-10, 10)) if speed else 0.0,
        },
    )


def draw_bodies(rng, profile, half, wanted, placed=None):
    placed = [] if placed is None else placed
    drawn = (draw_body(rng, profile, k, half, placed) for k in range(6 * wanted))
    return [part for part in drawn if part is not None][:wanted]


def square(half, thick, **material):
    """Floor, ceiling and side walls around a square."""
    far, wide = half + thick / 2, 2 * (half + thick)
    return [
        Box(wide, thick, (0.0, -far), **material),
        Box(wide, thick, (0.0, far), **material),
        Box(thick, 2 * half, (-far, 0.0), **material),
        Box(thick, 2 * half, (far, 0.0), **material),
    ]


def wall(*shapes, kind="static"):
    return Part(-1, shapes, {"kind": kind})


def draw_square(rng, family, seed, profile, wanted=None, solid=None):
    """A room with static walls, each a body, and bodies in it; solid: the walls' material."""
    half = rng.uniform(4, 10) * profile.unit
    if solid is None:
        solid = {
            "friction": float(rng.choice(profile.friction)),
            "restitution": float(rng.choice(profile.bounce)),
        }
    walls = [wall(shape) for shape in square(half, THICK * profile.unit, **solid)]
    bodies = draw_bodies(rng, profile, half, wanted or int(rng.integers(5, 40)))
    return Room(family, seed, half, profile.unit, GRAVITY, walls, bodies, [1 / 60] * 240)


# ---- families beyond the plain ones ----------------------------------------------------------


def open_path(points, bends, material):
    """With bends halved until it does not meet itself: arcs at a sharp corner can cross."""
    for _ in range(60):
        try:
            return Path(points, bends.tolist(), closed=False, **material)
        except ValueError:
            bends = 0.5 * bends
    return Path(points, closed=False, **material)


def terrain(rng, family, seed, profile):
    """A floor of short edges: a polyline, one with arcs, or a chain of segments."""
    room = draw_square(rng, family, seed, profile)
    n = int(rng.integers(20, 200))
    x = np.linspace(-room.half, room.half, n + 1)
    tall = rng.uniform(0.0, 0.25) * room.half
    y = -0.9 * room.half + tall * (
        np.sin(rng.uniform(0.5, 3) * x + rng.uniform(0, 6)) + rng.uniform(-0.1, 0.1, n + 1)
    )
    points = np.column_stack([x, y]).tolist()
    material = {"friction": float(rng.choice(profile.friction))}
    style = rng.integers(3)
    if style == 2:
        ground = [Segment(a, b, **material) for a, b in pairwise(points)]
    else:
        ground = [open_path(points, rng.uniform(-0.2, 0.2, n) * style, material)]
    room.walls.append(wall(*ground))
    clear = y.max() + 0.6 * profile.sizes[1] * profile.unit
    room.bodies = [part for part in room.bodies if part.options["position"][1] > clear]
    return room


def oscillation(rng, steps, dt, fastest):
    """Velocities (m/s) of something that goes back and forth, a step each."""
    rate, phase = rng.uniform(0.5, 20.0), rng.uniform(0, 6)
    return [fastest * math.sin(rate * dt * k + phase) for k in range(steps)]


def shaker(rng, family, seed, profile):
    """The whole room is shaken, every way at once."""
    room = draw_square(rng, family, seed, profile)
    shapes = [shape for part in room.walls for shape in part.shapes]
    room.walls = [wall(*shapes, kind="kinematic")]
    n, dt = len(room.dts), room.dts[0]
    ways = [oscillation(rng, n, dt, rng.uniform(0, 3)) for _ in range(2)]
    room.mover, room.frame = 0, True
    room.moves = {k: ((ways[0][k], ways[1][k]), 0.0) for k in range(n)}
    return room


def lift(rng, family, seed, profile):
    """Floor and ceiling go up and down between side walls without friction, or walls sideways."""
    room = draw_square(rng, family, seed, profile)
    material = {"friction": 0.0, "restitution": room.walls[0].shapes[0].restitution}
    driven = rng.integers(2)  # 0: floor and ceiling, 1: side walls
    pairs = [room.walls[0:2], room.walls[2:4]]
    still = [shape.replace(**material) for part in pairs[1 - driven] for shape in part.shapes]
    moving = [shape for part in pairs[driven] for shape in part.shapes]
    # side walls that reach past floor and ceiling wherever these go
    far = 0.2 * room.half
    axis = 1 - driven
    still = [stretch(shape, axis, far) for shape in still]
    room.walls = [wall(*moving, kind="kinematic"), wall(*still)]
    n, dt = len(room.dts), room.dts[0]
    rate, phase = rng.uniform(1.0, 15.0), rng.uniform(0, 6)
    fastest = min(0.8 * far * rate / 2, rng.uniform(0.1, 3.0))
    speeds = [fastest * math.cos(rate * dt * k + phase) for k in range(n)]
    room.mover = 0
    room.moves = {k: ((0.0, u) if axis == 1 else (u, 0.0), 0.0) for k, u in enumerate(speeds)}
    return room


def stretch(shape, axis, far):
    """A wall's box, longer by far (m) at both ends along an axis."""
    longer = {"width": shape.width + 2 * far} if axis == 0 else {"height": shape.height + 2 * far}
    return shape.replace(**longer)


def paddle(rng, family, seed, profile):
    """A kinematic block goes back and forth in a room."""
    room = draw_square(rng, family, seed, profile)
    material = {
        "friction": float(rng.choice(profile.friction)),
        "restitution": float(rng.choice(profile.bounce)),
    }
    size = 0.25 * room.half
    room.walls.append(wall(Box(2 * size, 0.5 * size, **material), kind="kinematic"))
    room.bodies = [
        part
        for part in room.bodies
        if max(map(abs, part.options["position"])) > size + 0.6 * profile.sizes[1] * profile.unit
    ]
    n, dt = len(room.dts), room.dts[0]
    rate, phase = rng.uniform(1.0, 10.0), rng.uniform(0, 6)
    way = rng.uniform(0, 2 * np.pi)
    speed = min(0.3 * room.half * rate / 2, rng.uniform(0.1, 5.0))
    room.mover, room.shared = len(room.walls) - 1, True
    for k in range(n):
        u = speed * math.cos(rate * dt * k + phase)
        room.moves[k] = ((u * math.cos(way), u * math.sin(way)), 0.0)
    return room


def tumbler(rng, family, seed, profile):
    """The whole room turns about its middle."""
    room = draw_square(rng, family, seed, profile)
    shapes = [shape for part in room.walls for shape in part.shapes]
    room.walls = [wall(*shapes, kind="kinematic")]
    room.mover, room.frame, room.about = 0, True, "rotation"
    room.dts = [1 / 240] * 720  # angular momentum is booked to the second order of dt
    rate = rng.uniform(-2.0, 2.0)
    steady = rng.integers(2)
    for k in range(len(room.dts)):
        room.moves[k] = ((0.0, 0.0), rate if steady else rate * math.sin(0.02 * k))
    return room


def drum(rng, family, seed, profile):
    """Bodies in a round drum without friction are stirred by a paddle that turns in its middle."""
    room = draw_square(rng, family, seed, profile)
    r, thick = room.half, THICK * profile.unit
    smooth = {"friction": 0.0, "restitution": room.walls[0].shapes[0].restitution}
    halves = []
    for s in (1.0, -1.0):
        points = [(s * (r + thick), 0.0), (-s * (r + thick), 0.0), (-s * r, 0.0), (s * r, 0.0)]
        halves.append(Path(points, [1.0, 0.0, -1.0, 0.0], **smooth))
    rough = {"friction": float(rng.choice(profile.friction)), "restitution": 0.3}
    arm = Box(0.8 * r, 0.1 * r, **rough)
    room.walls = [wall(*halves), wall(arm, kind="kinematic")]
    biggest = 0.6 * profile.sizes[1] * profile.unit
    room.bodies = [
        part
        for part in room.bodies
        if 0.4 * r + biggest < math.hypot(*part.options["position"]) < r - biggest
    ]
    room.mover, room.about, room.shared = 1, "rotation", True
    room.dts = [1 / 240] * 720
    rate = rng.uniform(-4.0, 4.0)
    room.moves = dict.fromkeys(range(len(room.dts)), ((0.0, 0.0), rate))
    return room


def steps(rng, family, seed, profile):
    """Steps from 1/1000 to 1/30 s: of one length, or of another every time."""
    room = draw_square(rng, family, seed, profile)
    low, high = math.log(1 / 1000), math.log(1 / 30)
    if rng.integers(2):
        dt = math.exp(rng.uniform(low, high))
        room.dts = [dt] * min(int(3.0 / dt), 1500)
    else:
        room.dts = np.exp(rng.uniform(low, high, 400)).tolist()
    return room


def edits(rng, family, seed, profile):
    """Bodies are added, also into each other, removed, put elsewhere and changed between steps."""
    room = draw_square(rng, family, seed, profile)
    free = len(room.bodies) + 1000
    for k in range(0, len(room.dts), 4):
        if rng.uniform() < 0.5:
            continue
        verb = str(rng.choice(["add", "remove", "put", "push", "mass", "kind"]))
        key = int(rng.integers(len(room.bodies))) if room.bodies else 0
        key = room.bodies[key].key if room.bodies else 0
        if verb == "add":
            size = 0.6 * profile.sizes[1] * profile.unit
            part = draw_body(rng, profile, free, room.half - size, [])
            given, free = part, free + 1
        elif verb == "put":
            given = tuple((rng.uniform(-0.8, 0.8, 2) * room.half).tolist())
        elif verb == "push":
            given = tuple((rng.uniform(-1, 1, 2) * 5).tolist())
        elif verb == "mass":
            given = float(10 ** rng.uniform(-1, 1))
        else:
            given = str(rng.choice(["static", "dynamic"]))
        room.edits.setdefault(k, []).append((verb, key, given))
    return room


def isolated(rng, family, seed, profile):
    """Groups that meet in empty space, without gravity and walls."""
    half = rng.uniform(2, 5) * profile.unit
    bodies = draw_bodies(rng, profile, half, int(rng.integers(2, 25)))
    for part in bodies:  # towards the middle, so that they meet
        x, y = part.options["position"]
        u, v = part.options["velocity"]
        part.options["velocity"] = (0.3 * u - x, 0.3 * v - y)
    room = Room(family, seed, half, profile.unit, 0.0, [], bodies, [1 / 60] * 240)
    room.isolated = True
    return room


def switch(rng, family, seed, profile):
    """Heaps of 16 to 70 contacts, about where one method gives way to another: in narrow rooms,
    from rest or thrown, with a thin slab (its island goes in parts) or a fast body (cut at its
    blows)."""
    wanted = int(rng.integers(6, 30))
    calm = replace(profile, speed=float(rng.choice([0.0, 3.0])), sizes=(0.4, 0.8))
    half = 0.45 * math.sqrt(wanted) + 0.6
    room = Room(family, seed, half, 1.0, GRAVITY, [], [], [1 / 60] * 240)
    solid = {"friction": float(rng.choice(profile.friction)), "restitution": 0.0}
    room.walls = [wall(shape) for shape in square(half, THICK, **solid)]
    placed = []
    room.bodies = draw_bodies(rng, calm, half, wanted, placed)
    if rng.integers(2):
        fast = replace(profile, speed=60.0, sizes=(0.2, 0.4))
        room.bodies += draw_bodies(rng, fast, half, 1, placed)
    if rng.integers(2):
        slab = (Box(0.6, 0.02, **solid),)
        room.bodies.append(Part(5000, slab, {"position": (0.0, half - 0.1)}))
    for key, part in enumerate(room.bodies):
        part.key = key
    return room


def scales(rng, family, seed, profile):
    """Rooms from millimetres to kilometres, with the unit told."""
    unit = float(10 ** rng.uniform(-3, 3))
    return draw_square(
        rng, family, seed, replace(profile, unit=unit, speed=profile.speed * math.sqrt(unit))
    )


def jointed(rng, family, seed, profile, n=10):
    """Ten joints of random kinds between random bodies."""
    room = draw_square(rng, family, seed, profile)
    room.ties = draw_ties(rng, room.bodies, room.half, profile.unit, n)
    return room


def netted(rng, family, seed, profile):
    """Joints enough that the rows of an island are too many to be solved directly."""
    room = draw_square(rng, family, seed, profile, wanted=40)
    room.ties = draw_ties(rng, room.bodies, room.half, profile.unit, 70)
    return room


SPECIAL = (terrain, shaker, lift, paddle, tumbler, drum, steps, edits, isolated, switch, scales,
           jointed, netted)  # fmt: skip
FAMILIES = {name: (draw_square, profile) for name, profile in PLAIN.items()}
FAMILIES |= {make.__name__: (make, PLAIN["mixed"]) for make in SPECIAL}


def enriched(profile):
    """The same with concave, arc and compound shapes."""
    return Profile(**{**vars(profile), "kinds": room_shapes.RICH})


FAMILIES |= {f"rich-{name}": (make, enriched(p)) for name, (make, p) in list(FAMILIES.items())}


def draw_room(family, seed):
    """The room of a family with a seed."""
    if family not in FAMILIES:
        raise ValueError(f"family must be one of {', '.join(FAMILIES)}, got {family!r}")
    make, profile = FAMILIES[family]
    rng = np.random.default_rng([SEED_OF, zlib.crc32(family.encode()), seed])
    return make(rng, family, seed, profile)
