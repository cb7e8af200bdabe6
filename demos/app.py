"""The window: keys, mouse, panel, and the loop that steps and draws a demo."""

import time
from collections import deque
from pathlib import Path

import pygame

from demos import shows
from demos.menu import Menu
from demos.panel import QUIET, WIDTH, Panel, draw_graph
from demos.recorder import FPS, Recorder, RecordError
from engine2d.draw import DARK, MARK, PAPER, Camera, Renderer, disc, mix

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "demos"  # screenshots and recordings
SIZE = (1280, 720)
SLOW = 8  # times slower
REWIND_BYTES = 200e6  # of snapshots kept
REWIND_FRAMES = 900
HELP = (
    ("Space", "pause and go on"),
    (".", "one step"),
    ("R", "start again"),
    ("Tab, arrows", "next and previous demo"),
    ("S", "slow motion"),
    ("Z", "hold to rewind"),
    ("mouse", "drag a body; drag the ground to pan"),
    ("wheel", "zoom"),
    ("right click", "follow a body, or stop"),
    ("C F N V", "contacts, forces, normals, velocities"),
    ("B I T L", "bounds, islands, trails, grid"),
    ("P", "screenshot"),
    ("G", "record a film, and stop"),
    ("F1", "this help"),
    ("Esc", "menu, quit"),
)
SWITCHES = {
    pygame.K_c: "contacts",
    pygame.K_f: "forces",
    pygame.K_n: "normals",
    pygame.K_v: "velocities",
    pygame.K_b: "bounds",
    pygame.K_i: "islands",
    pygame.K_t: "trails",
    pygame.K_l: "grid",
}


class App:
    """A window with one demo at a time, or the menu of all."""

    def __init__(self, name=None, size=SIZE, folder=FOLDER):
        pygame.display.init()
        pygame.font.init()
        self.screen = pygame.display.set_mode(size, pygame.RESIZABLE)
        self.clock = pygame.time.Clock()
        self.folder = Path(folder)
        self.panel = Panel()
        self.menu = None if name else Menu()
        self.from_menu = name is None
        self.recorder = None
        self.message, self.message_until = "", 0.0
        self.running = True
        self.help = False
        self.demo = None
        if name:
            self.show(name)

    # -- which demo

    def show(self, name):
        """Go to a demo."""
        self.name = name
        self.demo = shows.load(name)()
        self.menu = None
        self.camera = Camera(self.view_box.size)
        self.renderer = Renderer(self.view, self.camera, **dict.fromkeys(self.demo.flags, True))
        self.camera.fit(*self.demo.view)
        self.paused = self.slow = self.rewinding = False
        self.panning = False
        self.held = None
        self.pull_line = None
        self.past = deque(maxlen=REWIND_FRAMES)
        pygame.display.set_caption(f"engine2d: {self.demo.title}")

    def next(self, way):
        """The demo that many places further."""
        names = shows.NAMES
        self.show(names[(names.index(self.name) + way) % len(names)])

    def leave(self):
        """To the menu, or out."""
        if self.demo is not None and self.from_menu:
            self.menu = Menu()
            self.demo = None
        else:
            self.running = False

    @property
    def view_box(self):
        """Where the world is drawn: the window without the panel."""
        width, height = self.screen.get_size()
        return pygame.Rect(0, 0, max(width - WIDTH, 1), height)

    @property
    def view(self):
        return self.screen.subsurface(self.view_box)

    # -- the loop

    def run(self, seconds=None, after_frame=None):
        """Run until closed, or for so many seconds of frames."""
        frames = None if seconds is None else max(round(seconds * FPS), 1)
        count = 0
        try:
            while self.running and (frames is None or count < frames):
                self.frame()
                self.clock.tick(FPS)
                count += 1
                if after_frame is not None:
                    after_frame()
        finally:
            self.stop_recording()

    def frame(self):
        """One frame: events, step, draw."""
        for event in pygame.event.get():
            self.handle(event)
        if not self.running:
            return
        if self.menu is not None:
            self.menu.draw(self.screen)
        else:
            self.update()
            self.draw()
        if self.recorder is not None:
            self.recorder.add(self.screen)
        pygame.display.flip()

    def update(self):
        """Move the demo on, or back."""
        if self.rewinding:
            self.go_back()
        elif not self.paused:
            self.advance()

    def advance(self):
        """One step, remembered for the rewind."""
        demo = self.demo
        if len(self.past) == 0 or self.past_is_due():
            self.past.append(demo.snapshot())
        self.pull_line = None
        if self.held is not None:
            target = self.camera.to_world(
                pygame.mouse.get_pos() if self.mouse is None else self.mouse
            )
            at = demo.pull(self.held, target)
            self.pull_line = None if at is None else (at, target)
        demo.step(demo.dt / SLOW if self.slow else demo.dt)

    def past_is_due(self):
        """Whether to keep this moment: all of them in small worlds, some in large ones."""
        bodies = dict(self.demo.stats()[0]).get("bodies", 0)
        every = 1 if bodies <= 300 else 6
        self.ticks = getattr(self, "ticks", 0) + 1
        return self.ticks % every == 0 and len(self.past) * bodies * 1000 < REWIND_BYTES

    def go_back(self):
        """One remembered moment back."""
        if self.past:
            if not self.demo.restore(self.past.pop()):
                self.past.clear()
            self.renderer.forget_trails()

    def draw(self):
        """View, panel, help and messages."""
        self.demo.draw(self.renderer)
        if self.pull_line is not None:
            self.renderer.line(self.pull_line, MARK, 2)
        self.draw_big_graphs()
        width, height = self.screen.get_size()
        box = pygame.Rect(width - WIDTH, 0, WIDTH, height)
        state = (
            "rewinding" if self.rewinding else "paused" if self.paused
            else f"slow 1/{SLOW}" if self.slow else ""
        )  # fmt: skip
        fps = self.clock.get_fps()
        self.panel.draw(self.screen, box, self.demo, fps, state)
        if self.recorder is not None:
            disc(self.screen, (204, 51, 17), (24, 24), 8)
        if time.monotonic() < self.message_until:
            at = (self.view_box.centerx, 24)
            self.renderer.write(self.message, at, 16, DARK, "midtop", halo=True)
        if self.help:
            self.draw_help()

    def draw_big_graphs(self):
        if not self.demo.big_graphs or not self.demo.graphs:
            return
        area = self.view_box
        height = 150
        width = min((area.width - 32) // len(self.demo.graphs), 460)
        for k, graph in enumerate(self.demo.graphs):
            box = pygame.Rect(16 + k * width, 16, width - 16, height)
            self.view.fill(PAPER, box.inflate(8, 8))
            draw_graph(self.view, self.renderer.letters, box, graph)

    def draw_help(self):
        box = pygame.Rect(0, 0, 480, 44 + 26 * len(HELP))
        box.center = self.view_box.center
        pygame.draw.rect(self.screen, PAPER, box, border_radius=8)
        pygame.draw.rect(self.screen, mix(PAPER, DARK, 0.3), box, 1, border_radius=8)
        for k, (key, what) in enumerate(HELP):
            y = box.y + 24 + 26 * k
            self.renderer.write(key, (box.x + 24, y), 15, QUIET)
            self.renderer.write(what, (box.x + 150, y), 15)

    # -- events

    mouse = None  # where events say the mouse is: the demo is dragged there

    def handle(self, event):
        """One event of pygame's."""
        if event.type == pygame.QUIT:
            self.running = False
        elif event.type == pygame.VIDEORESIZE:
            self.resize()
        elif self.menu is not None:
            self.handle_menu(event)
        elif event.type == pygame.KEYDOWN:
            self.press(event.key)
        elif event.type == pygame.KEYUP and event.key == pygame.K_z:
            self.rewinding = False
        elif event.type == pygame.MOUSEWHEEL:
            self.camera.zoom(1.15**event.y, self.mouse or pygame.mouse.get_pos())
        elif event.type in (pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP, pygame.MOUSEMOTION):
            self.handle_mouse(event)

    def handle_menu(self, event):
        choice = self.menu.handle(event)
        if choice == "quit":
            self.running = False
        elif choice:
            self.show(choice)

    def handle_mouse(self, event):
        """Drag a slider, a body or the view."""
        self.mouse = event.pos
        if event.type == pygame.MOUSEBUTTONUP:
            self.panel.release()
            self.held = None
            self.panning = False
        elif event.type == pygame.MOUSEMOTION:
            if not self.panel.drag(self.demo, event.pos) and self.panning:
                self.camera.pan(event.rel)
        elif event.button == 3 and self.view_box.collidepoint(event.pos):
            self.follow(event.pos)
        elif event.button == 1:
            if self.view_box.collidepoint(event.pos):
                self.held = self.demo.grab(self.camera.to_world(event.pos))
                self.panning = self.held is None
            else:
                self.panel.press(self.demo, event.pos)

    def follow(self, at):
        """Keep the body at a pixel in the middle; anywhere else, stay."""
        found = self.demo.grab(self.camera.to_world(at))
        body = found[0] if found is not None else None
        self.camera.follow(body if hasattr(body, "center") else None)

    def resize(self):
        if self.menu is None:
            self.renderer.surface = self.view
            self.camera.size = self.view_box.size

    def press(self, key):
        """A key in a demo."""
        demo = self.demo
        letter = pygame.key.name(key)
        if letter in dict(demo.keys):
            demo.press(letter)
        elif key == pygame.K_SPACE:
            self.paused = not self.paused
        elif key == pygame.K_PERIOD:
            self.paused = True
            self.advance()
        elif key == pygame.K_r:
            demo.reset()
            self.past.clear()
            self.renderer.forget_trails()
        elif key in (pygame.K_TAB, pygame.K_RIGHT, pygame.K_DOWN):
            self.next(1)
        elif key in (pygame.K_LEFT, pygame.K_UP):
            self.next(-1)
        elif key == pygame.K_s:
            self.slow = not self.slow
        elif key == pygame.K_z:
            self.rewinding = True
        elif key == pygame.K_p:
            self.screenshot()
        elif key == pygame.K_g:
            self.toggle_recording()
        elif key == pygame.K_F1:
            self.help = not self.help
        elif key == pygame.K_ESCAPE:
            self.leave()
        elif key in SWITCHES:
            name = SWITCHES[key]
            setattr(self.renderer, name, not getattr(self.renderer, name))

    # -- files

    def say(self, text):
        """Show a line for a while."""
        self.message, self.message_until = text, time.monotonic() + 3.0

    def new_path(self, kind):
        stamp = time.strftime("%Y%m%d-%H%M%S")
        path = self.folder / f"{self.name}-{stamp}{kind}"
        count = 2
        while path.exists():
            path = self.folder / f"{self.name}-{stamp}-{count}{kind}"
            count += 1
        return path

    def screenshot(self):
        """Save what is seen."""
        try:
            recorder = Recorder(self.new_path(".png"))
            recorder.add(self.screen)
            self.say(f"saved {recorder.close()}")
        except RecordError as error:
            self.say(str(error))

    def toggle_recording(self):
        if self.recorder is not None:
            self.stop_recording()
            return
        try:
            self.recorder = Recorder(self.new_path(".mp4"))
        except RecordError as error:
            self.say(str(error))

    def stop_recording(self):
        """Finish the film, if one is being taken."""
        if self.recorder is not None:
            recorder, self.recorder = self.recorder, None
            try:
                self.say(f"recorded {recorder.close()}")
            except RecordError as error:
                self.say(str(error))
