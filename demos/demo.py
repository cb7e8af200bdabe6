"""What a demo is: a scene, a line of what to look for, and what theory says about it.

A demo that is a world of bodies gives `build`; the rest has defaults. What it must not lose when
time is rewound it keeps in `self.notes`.
"""

import copy
import math
from collections import deque
from dataclasses import dataclass, field, replace

import numpy as np

from demos.scenes.scene import add_scene
from engine2d import World

DT = 1.0 / 60.0  # s
SOLVERS = ("auto", "direct", "iterative")
HISTORY = 300  # frames that graphs show


@dataclass
class Slider:
    """A number the user can move; with choices it is an index into them."""

    name: str
    low: float
    high: float
    value: float
    unit: str = ""
    choices: tuple = ()

    def set(self, value):
        """Move it, within its limits."""
        value = min(max(value, self.low), self.high)
        self.value = float(round(value)) if self.choices else value

    @property
    def text(self):
        if self.choices:
            return str(self.choices[int(self.value)])
        digits = 2 if self.high < 50.0 else 0
        space = " " if self.unit not in ("", "°") else ""
        return f"{self.value:.{digits}f}{space}{self.unit}"


@dataclass
class Reading:
    """A measured number, and theory's if it has one."""

    name: str
    value: float
    theory: float | None = None
    unit: str = ""

    @property
    def lines(self):
        """What the panel says."""
        unit = self.unit if self.unit in ("", "°") else f" {self.unit}"
        first = f"{self.name}: {number(self.value)}{unit}"
        if self.theory is None:
            return [first]
        off = self.value - self.theory
        error = f"{number(off)}{unit}"
        if self.theory and off and math.isfinite(off):
            error += f" ({100.0 * off / abs(self.theory):+.2g} %)"
        return [first, f"theory {number(self.theory)}{unit}, error {error}"]


def number(value):
    """Four digits, as one reads them."""
    if not math.isfinite(value):
        return "-"
    if 1e4 <= abs(value) < 1e7:
        return f"{value:.0f}"
    if value == 0.0 or 1e-3 <= abs(value) < 1e4:
        return f"{value:.4g}"
    return f"{value:.2e}"


@dataclass
class Graph:
    """Curves over the last frames."""

    title: str
    names: tuple[str, ...]
    unit: str = ""
    log: bool = False  # sizes as powers of ten
    least: float = 1e-9  # range of what is shown
    rows: deque = field(default_factory=lambda: deque(maxlen=HISTORY))

    def add(self, *values):
        self.rows.append(values)


class Demo:
    """One thing to see. Subclasses say what; the window, the panel and the recorder do the rest."""

    name = ""  # as in python -m demos NAME
    title = ""
    look_for = ""  # one line
    view = ((-5.0, -1.0), (5.0, 6.0))  # m: what the camera shows first
    flags = ()  # of the renderer, that are on
    keys = ()  # pairs: a letter, what it does
    dt = DT
    e, mu, gravity = 0.0, 0.6, 9.81
    solver = "auto"
    picture_at = 1.5  # s: when the menu's picture is taken
    sliders_of = ("e", "mu", "gravity", "solver")
    big_graphs = False  # graphs over the view, not in the panel
    fine = False  # set for a frame that is kept as a picture: it may take a second to draw

    def __init__(self):
        ready = {
            "e": Slider("e", 0.0, 1.0, self.e),
            "mu": Slider("mu", 0.0, 1.5, self.mu),
            "gravity": Slider("gravity", 0.0, 20.0, self.gravity, "m/s²"),
            "solver": Slider("solver", 0, 2, SOLVERS.index(self.solver), choices=SOLVERS),
        }
        self.sliders = {name: ready[name] for name in self.sliders_of}
        self.graphs = []
        self.reset()

    # -- for subclasses

    def build(self, world):
        """Put the bodies into a world; handles may be kept on self."""
        raise NotImplementedError

    def begin(self):
        """After a reset: empty notes and graphs."""

    def before_step(self):
        """Forces and such."""

    def after_step(self):
        """Measure."""

    def readings(self):
        """What the panel shows of this demo."""
        return []

    def draw_extra(self, renderer):
        """Anything over the picture of the world."""

    def press(self, letter):
        """A key of `keys` was pressed."""

    # -- for the window

    def reset(self):
        """Start again, with the sliders as they are."""
        self.world = self.make_world()
        self.time = 0.0
        self.notes = {}
        self.energy_graph = Graph("", ())
        if self.world is not None:
            names = ("kinetic", "potential", "total")
            self.energy_graph = Graph("energy since the start", names, "J")
            self.first_energy = self.world.energy
        self.graphs = []
        self.begin()

    def make_world(self):
        solver = SOLVERS[int(self.value("solver", SOLVERS.index(self.solver)))]
        world = World(gravity=(0.0, -self.value("gravity", self.gravity)), solver=solver)
        self.build(world)
        return world

    def value(self, name, default=0.0):
        """What a slider says, or the default if there is none."""
        return self.sliders[name].value if name in self.sliders else default

    def add(self, world, scene):
        """Put a scene's bodies into the world with the sliders' friction and restitution."""
        return add_scene(world, tune(scene, self.value("e", self.e), self.value("mu", self.mu)))

    def tuned(self, name):
        """A slider was moved: go on with the new number from the present state."""
        if name == "gravity":
            self.world.gravity = (0.0, -self.value("gravity"))
            return
        old, old_time = self.world, self.time
        world = self.make_world()
        if len(world.bodies) == len(old.bodies):
            world.set_state(
                positions=old.positions, angles=old.angles, velocities=old.velocities,
                angular_velocities=old.angular_velocities,
            )  # fmt: skip
        self.world, self.time = world, old_time

    def tick(self, dt):
        """Carry the world on; a demo of the exact clock advances it."""
        self.world.step(dt)

    def step(self, dt):
        """Simulate dt seconds."""
        self.before_step()
        self.tick(dt)
        self.time += dt
        kinetic, potential, total = self.world.energy
        first = self.first_energy
        self.energy_graph.least = 1e-6 * abs(first.potential) + 1e-9
        self.energy_graph.add(kinetic, potential - first.potential, total - first.potential)
        self.after_step()

    def draw(self, renderer):
        """Draw it all."""
        renderer.draw(self.world)
        self.draw_extra(renderer)

    def stats(self):
        """(name, value) of what is counted, and seconds by stage."""
        stats = self.world.stats
        counts = [("bodies", stats["bodies"]), ("contacts", stats["contacts"])]
        counts.append(("islands", stats["islands"]))
        return counts, stats["seconds"]

    def snapshot(self):
        """All that a rewind brings back."""
        return self.world, self.world.snapshot(), self.time, copy.deepcopy(self.notes)

    def restore(self, state):
        """Go back; False if that is no longer possible."""
        world, snapshot, time, notes = state
        if world is not self.world:
            return False
        self.world.restore(snapshot)
        self.time, self.notes = time, copy.deepcopy(notes)
        for graph in (self.energy_graph, *self.graphs):
            if graph.rows:
                graph.rows.pop()
        return True

    # -- the mouse

    def grab(self, point):
        """Take hold of the body at a point; None if there is none that moves."""
        for body, _ in self.world.point_query(point):
            if body.kind == "dynamic":
                return body, body.to_local(point)
        return None

    def pull(self, held, point):
        """Pull what is held towards a point by a soft spring; returns where it is held."""
        body, local = held
        if body.removed:
            return None
        at = np.array(body.to_world(local))
        body.apply_force(spring_force(body, at, np.asarray(point, float)), at)
        return at


class Exact(Demo):
    """A demo whose world goes by the exact clock."""

    def tick(self, dt):
        self.world.advance(dt)

    def stats(self):
        stats = self.world.stats
        exact = stats.get("exact", {"events": 0, "evaluations": 0})
        return [(name, exact[name]) for name in ("events", "evaluations")], {}


class Worlds(Demo):
    """Several worlds side by side, drawn into one view; `world` is the first of them."""

    def make_worlds(self):
        """The worlds; handles may be kept on self."""
        raise NotImplementedError

    def tick_all(self, dt):
        """Carry all worlds on."""
        raise NotImplementedError

    def make_world(self):
        self.worlds = self.make_worlds()
        return self.worlds[0]

    def tick(self, dt):
        self.tick_all(dt)

    def tuned(self, name):
        self.reset()

    def draw(self, renderer):
        for k, world in enumerate(self.worlds):
            renderer.draw(world, clear=k == 0)
        self.draw_extra(renderer)

    def stats(self):
        return [("worlds", len(self.worlds))], {}

    def snapshot(self):
        kept = [world.snapshot() for world in self.worlds]
        return self.worlds, kept, self.time, copy.deepcopy(self.notes)

    def restore(self, state):
        worlds, kept, time, notes = state
        if worlds is not self.worlds:
            return False
        for world, snapshot in zip(worlds, kept):
            world.restore(snapshot)
        self.time, self.notes = time, copy.deepcopy(notes)
        for graph in (self.energy_graph, *self.graphs):
            if graph.rows:
                graph.rows.pop()
        return True

    def grab(self, point):
        for world in self.worlds:
            for body, _ in world.point_query(point):
                if body.kind == "dynamic":
                    return body, body.to_local(point)
        return None


class Free(Demo):
    """A demo that is not a world of bodies: it keeps what it needs in `notes`."""

    def make_world(self):
        return None

    def step(self, dt):
        self.time += dt
        self.after_step()

    def tuned(self, name):
        self.reset()

    def draw(self, renderer):
        renderer.clear()
        self.draw_extra(renderer)

    def stats(self):
        return [], {}

    def snapshot(self):
        return self.time, copy.deepcopy(self.notes)

    def restore(self, state):
        self.time, self.notes = state[0], copy.deepcopy(state[1])
        return True

    def grab(self, point):
        return None


def spring_force(body, at, target, frequency=2.5, most=60.0):
    """The force of a damped spring (Hz), at most `most` (m/s^2) times the mass."""
    arm = at - np.array(body.center)
    turn = 0.0 if math.isinf(body.inertia) else float(arm @ arm) / body.inertia
    mass = 1.0 / (1.0 / body.mass + turn)  # felt at that point, the least way round
    rate = 2.0 * math.pi * frequency
    force = mass * (rate**2 * (target - at) - 1.4 * rate * np.array(body.velocity_at(at)))
    size, limit = float(np.hypot(*force)), most * body.mass
    return force if size <= limit else force * (limit / size)


def tune(scene, e, mu):
    """A scene in which every shape has this restitution and friction."""
    made = {}

    def change(shape):
        if id(shape) not in made:
            made[id(shape)] = shape.replace(friction=mu, restitution=e)
        return made[id(shape)]

    bodies = [replace(body, shapes=tuple(map(change, body.shapes))) for body in scene.bodies]
    return replace(scene, bodies=tuple(bodies))
