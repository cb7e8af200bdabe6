"""One scene in this engine and in pymunk, side by side: python -m demos compare --scene NAME."""

import math
import statistics
import sys
import time
from collections import deque

import numpy as np
import pygame

from demos.app import FOLDER, REWIND_FRAMES, App
from demos.compare_cases import CASES
from demos.demo import Demo, Graph, Reading, Slider, spring_force
from demos.panel import QUIET, WIDTH, draw_graph
from demos.recorder import Recorder
from demos.scenes.scene import add_scene
from demos.show_files import take
from engine2d import World
from engine2d.draw import DARK, PAPER, Camera, Renderer, mix, stroke, with_unit

try:
    import pymunk

    from benchmarks.engines.pymunk_engine import Engine as Pymunk
except ImportError as error:
    raise ImportError(
        f"the comparison needs pymunk ({error}): pip install 'engine2d[bench]'"
    ) from error

STRIP = 170  # px, of the curves below the two views
NAMES = ("engine2d", "pymunk")
STEPS = 15  # whose median is a step's time
LEAST = 1e-9  # m: smaller differences are drawn as this
FAR = 1e6  # m: what pymunk throws farther is drawn there


class Comparison(Demo):
    """A scene in both engines, in step."""

    sliders_of = ()
    big_graphs = True

    def __init__(self, name):
        case = CASES[name]
        self.name, self.case_type = name, case
        self.title, self.look_for = case.title, case.look_for
        self.view, self.flags = case.view, case.flags
        self.e, self.mu, self.gravity = case.defaults
        super().__init__()
        self.sliders = {
            "e": Slider("e", 0.0, 1.0, self.e),
            "mu": Slider("mu", 0.0, 1.5, self.mu),
            "gravity": Slider("gravity", 0.0, 20.0, self.gravity, "m/s²"),
        }

    def make_world(self):
        numbers = [self.value(n, getattr(self, n)) for n in ("e", "mu", "gravity")]
        self.case = self.case_type(*numbers)
        self.scene = self.case.scene()
        world = World(gravity=self.scene.gravity, sleeping=False)
        self.bodies = add_scene(world, self.scene)
        self.other = Pymunk(self.scene)
        # never stepped: it is there to be drawn, where pymunk has its bodies
        self.picture = World(gravity=self.scene.gravity, sleeping=False)
        add_scene(self.picture, self.scene)
        return world

    def begin(self):
        self.spent = [deque(maxlen=STEPS), deque(maxlen=STEPS)]
        self.first_energies = self.energies()
        self.energy_graph = Graph("energy since the start", NAMES, "J", least=1e-6)
        self.difference = Graph("largest distance of the same body", ("distance",), "m", log=True)
        self.errors = Graph("error against theory", NAMES, "m", log=True)
        self.times = Graph("time of a step", NAMES, "s", least=1e-6)
        self.graphs = [self.difference, self.errors, self.times]
        self.notes = {"apart": 0.0, "off": None, "worst": [0.0, 0.0]}

    def tuned(self, name):
        self.reset()

    def step(self, dt):
        start = time.perf_counter()
        self.other.step(dt)
        theirs = time.perf_counter() - start
        start = time.perf_counter()
        self.world.step(dt)
        ours = time.perf_counter() - start
        self.time += dt
        for spent, now in zip(self.spent, (ours, theirs)):
            spent.append(now)
        self.show_other()
        self.measure()

    @property
    def seconds(self):
        """What a step takes in each engine, lately (s)."""
        return [statistics.median(spent) if spent else 0.0 for spent in self.spent]

    def energies(self):
        """Of both engines (J): the picture's world has the places and speeds of pymunk's."""
        return [world.energy.total for world in (self.world, self.picture)]

    def show_other(self):
        """Put the bodies of the picture where pymunk has them."""
        self.picture.set_state(
            positions=np.clip(self.other.positions, -FAR, FAR), angles=self.other.angles,
            velocities=self.other.velocities, angular_velocities=self.other.angular_velocities,
        )  # fmt: skip

    def measure(self):
        rows = self.scene.moving
        places = [self.world.positions[rows], self.other.positions[rows]]
        notes = self.notes
        notes["apart"] = distance(*places)
        right = self.case.places(self.time)
        self.difference.add(max(notes["apart"], LEAST))
        if len(self.spent[0]) == STEPS:
            self.times.add(*self.seconds)
            # drawn from zero, or small noise looks like much
            self.times.least = np.max(self.times.rows) + np.min(self.times.rows)
        self.energy_graph.add(*(a - b for a, b in zip(self.energies(), self.first_energies)))
        notes["off"] = None
        if right is not None:
            notes["off"] = [distance(place, right) for place in places]
            notes["worst"] = [max(a, b) for a, b in zip(notes["worst"], notes["off"])]
            self.errors.add(*(max(off, LEAST) for off in notes["off"]))

    def readings(self):
        notes = self.notes
        out = [Reading("largest distance", notes["apart"], unit="m")]
        if notes["off"] is None:
            return out
        for name, off, worst in zip(NAMES, notes["off"], notes["worst"]):
            out.append(Reading(f"{name} is off theory by", off, unit="m"))
            out.append(Reading(f"{name}, most so far", worst, unit="m"))
        return out

    def stats(self):
        counts, _ = super().stats()
        return counts, {}

    def snapshot(self):
        """pymunk's places and velocities; the impulses it keeps are lost."""
        other = [
            (body.position, body.angle, body.velocity, body.angular_velocity)
            for body in self.other.bodies
        ]
        return super().snapshot(), other

    def restore(self, state):
        state, other = state
        if not super().restore(state):
            return False
        for body, (position, angle, velocity, turn) in zip(self.other.bodies, other):
            body.position, body.angle = position, angle
            if body.body_type != pymunk.Body.STATIC:
                body.velocity, body.angular_velocity = velocity, turn
        self.show_other()
        return True

    def pull(self, held, point):
        """Pull the body in both engines."""
        body, local = held
        theirs = self.other.bodies[body.row]
        mirror = self.picture.bodies[body.row]
        at = np.array(mirror.to_world(local))
        force = spring_force(mirror, at, np.asarray(point, float))
        theirs.apply_force_at_world_point(tuple(force.tolist()), tuple(at.tolist()))
        return super().pull(held, point)


def distance(a, b):
    """The largest between rows (m)."""
    largest = float(np.hypot(*(a - b).T).max())
    return largest if math.isfinite(largest) else FAR


class Window(App):
    """The app with two views: the left one is the demo's, the right one pymunk's."""

    @property
    def view_box(self):
        width, height = self.screen.get_size()
        return pygame.Rect(0, 0, max((width - WIDTH) // 2, 1), max(height - STRIP, 1))

    @property
    def other_box(self):
        return self.view_box.move(self.view_box.width, 0)

    def show(self, name):
        self.name = name
        self.demo = Comparison(name)
        self.menu = None
        self.camera = Camera(self.view_box.size)
        self.camera.fit(*self.demo.view)
        self.renderer = Renderer(self.view, self.camera, **dict.fromkeys(self.demo.flags, True))
        self.other = Renderer(self.screen.subsurface(self.other_box), Camera(self.view_box.size))
        self.past = deque(maxlen=REWIND_FRAMES)
        self.paused = self.slow = self.rewinding = self.panning = False
        self.held = self.pull_line = None
        pygame.display.set_caption(f"engine2d and pymunk: {self.demo.title}")

    def next(self, way):
        names = list(CASES)
        self.show(names[(names.index(self.name) + way) % len(names)])

    def resize(self):
        super().resize()
        self.other.surface = self.screen.subsurface(self.other_box)
        self.other.camera.size = self.view_box.size

    def draw_big_graphs(self):
        """The other engine's view, and the curves below both."""
        self.draw_other()
        left, right = self.view_box, self.other_box
        versions = ("engine2d", f"pymunk {pymunk.version}")
        for box, name, seconds in zip((left, right), versions, self.demo.seconds):
            at = (box.x + 16, box.y + 14)
            end = self.renderer.letters.write(self.screen, name, at, 20, halo=True).right
            text = f"{with_unit(seconds, 's')} a step"
            place = (end + 12, at[1] + 5)
            self.renderer.letters.write(self.screen, text, place, 14, QUIET, halo=True)
        self.draw_theory()
        line = mix(PAPER, DARK, 0.4)
        pygame.draw.line(self.screen, line, right.topleft, right.bottomleft)
        strip = pygame.Rect(0, left.bottom, right.right, self.screen.get_height() - left.bottom)
        self.screen.fill(PAPER, strip)
        pygame.draw.line(self.screen, line, strip.topleft, strip.topright)
        graphs = [graph for graph in self.demo.graphs if graph.rows]
        for k, graph in enumerate(graphs):
            width = strip.width // len(graphs)
            box = pygame.Rect(k * width + 14, strip.y + 10, width - 28, strip.height - 20)
            draw_graph(self.screen, self.renderer.letters, box, graph)

    def draw_other(self):
        """pymunk's view, through the same camera and with the same switches."""
        camera = self.other.camera
        camera.center, camera.scale = self.camera.center, self.camera.scale
        for flag in Renderer.FLAGS:
            setattr(self.other, flag, getattr(self.renderer, flag))
        self.other.contacts = self.other.normals = self.other.forces = False
        self.other.draw(self.demo.picture)

    def draw_theory(self):
        """A cross where each body should be."""
        right = self.demo.case.places(self.demo.time)
        if right is None or len(right) > 12:
            return
        for renderer in (self.renderer, self.other):
            for x, y in renderer.camera.to_screen(right).tolist():
                for way in ((5, 5), (5, -5)):
                    ends = (x - way[0], y - way[1]), (x + way[0], y + way[1])
                    stroke(renderer.surface, DARK, *ends, 2)


def run(name, seconds=None, record=None, headless=False):
    """Show a scene in a window, or write it to a file; returns the path of what was written."""
    recorder = None
    if headless or record is not None:
        recorder = Recorder(record or FOLDER / f"compare-{name}.png")
    try:
        app = Window(name)
    except pygame.error as error:
        sys.exit(f"engine2d: cannot open a window ({error}); --headless writes files instead")
    if headless:
        take(app, recorder, seconds or app.demo.case.seconds, name)
        return recorder.close()
    app.recorder = recorder
    app.run(seconds)
    pygame.quit()
    return record
