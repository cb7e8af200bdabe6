"""The menu: a picture of each demo, to click or to choose with arrows and Enter."""

import math

import pygame

from demos import shows
from engine2d.draw import DARK, PAPER, Camera, Letters, Renderer, mix

PICTURE = (240, 150)  # px
CELL = (272, 212)
QUIET = mix(DARK, PAPER, 0.35)
CHOSEN = (68, 119, 170)
_pictures = {}  # by name: taken once


def picture(name):
    """A small picture of a demo some time after its start."""
    if name not in _pictures:
        demo = shows.load(name)()
        # drawn larger and made small: lines stay calm
        large = pygame.Surface((2 * PICTURE[0], 2 * PICTURE[1]))
        camera = Camera(large.get_size())
        camera.fit(*demo.view, margin=0.03)
        renderer = Renderer(large, camera, **dict.fromkeys(demo.flags, True))
        renderer.grid = renderer.notes = renderer.labels = renderer.sleep = False
        for _ in range(round(demo.picture_at / demo.dt)):
            demo.step(demo.dt)
        demo.fine = True
        demo.draw(renderer)
        _pictures[name] = pygame.transform.smoothscale(large, PICTURE)
    return _pictures[name]


class Menu:
    """All demos in a grid; pictures come one a frame."""

    def __init__(self):
        self.letters = Letters()
        self.chosen = 0
        self.scroll = 0
        self.cells = {}

    def draw(self, surface, whole=False):
        """Draw it; whole: with all pictures at once."""
        width, height = surface.get_size()
        columns = self.columns = max(width // CELL[0], 1)
        left = (width - columns * CELL[0] + CELL[0] - PICTURE[0]) // 2
        surface.fill(PAPER)
        rows = math.ceil(len(shows.NAMES) / columns)
        if not whole:
            top = 84 + (self.chosen // columns) * CELL[1]
            # keep the chosen one in sight
            self.scroll = max(min(self.scroll, top - 84), top + CELL[1] - height, 0)
            self.scroll = min(self.scroll, max(84 + rows * CELL[1] - height, 0))
        self.cells = {}
        taken = whole
        for k, name in enumerate(shows.NAMES):
            row, column = divmod(k, columns)
            box = pygame.Rect(left + column * CELL[0], 84 + row * CELL[1] - self.scroll, *PICTURE)
            self.cells[name] = box
            if box.bottom < 0 or box.top > height:
                continue
            if name in _pictures or whole or not taken:
                taken = taken or name not in _pictures
                surface.blit(picture(name), box)
            colour = CHOSEN if k == self.chosen else mix(PAPER, DARK, 0.2)
            pygame.draw.rect(surface, colour, box.inflate(4, 4), 2 if k == self.chosen else 1)
            title = shows.load(name).title
            self.letters.write(surface, title, (box.x, box.bottom + 8), 15, DARK)
            self.letters.write(surface, name, (box.x, box.bottom + 27), 12, QUIET)
        surface.fill(PAPER, (0, 0, width, 72))
        self.letters.write(surface, "engine2d", (left, 22), 30, DARK)
        hint = "click, or arrows and Enter; Esc quits"
        at = (left + (columns - 1) * CELL[0] + PICTURE[0], 32)
        self.letters.write(surface, hint, at, 14, QUIET, "topright")

    def handle(self, event):
        """The name of a demo, "quit", or None."""
        if event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
            for name, box in self.cells.items():
                if box.inflate(0, 50).collidepoint(event.pos):
                    return name
        elif event.type == pygame.MOUSEMOTION:
            for k, name in enumerate(self.cells):
                if self.cells[name].collidepoint(event.pos):
                    self.chosen = k
        elif event.type == pygame.MOUSEWHEEL:
            self.choose(-event.y * self.columns)
        elif event.type == pygame.KEYDOWN:
            if event.key == pygame.K_ESCAPE:
                return "quit"
            if event.key in (pygame.K_RETURN, pygame.K_KP_ENTER, pygame.K_SPACE):
                return shows.NAMES[self.chosen]
            steps = {
                pygame.K_RIGHT: 1, pygame.K_TAB: 1, pygame.K_LEFT: -1,
                pygame.K_DOWN: self.columns, pygame.K_UP: -self.columns,
            }  # fmt: skip
            self.choose(steps.get(event.key, 0))
        return None

    columns = 1

    def choose(self, way):
        """Another one, as far as there is one."""
        if 0 <= self.chosen + way < len(shows.NAMES):
            self.chosen += way


def whole_picture():
    """The menu with all its pictures, however tall."""
    columns = 6
    rows = math.ceil(len(shows.NAMES) / columns)
    surface = pygame.Surface((columns * CELL[0] + 48, 84 + rows * CELL[1] + 12))
    Menu().draw(surface, whole=True)
    return surface
