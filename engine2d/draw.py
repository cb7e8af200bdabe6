"""Worlds drawn with pygame: a camera, and a renderer for anyone's own loop.

    camera = Camera(screen.get_size(), scale=60)
    renderer = Renderer(screen, camera, forces=True)
    while running:
        world.step(1 / 60)
        renderer.draw(world)
        pygame.display.flip()

The one module of the package that needs pygame: pygame-ce (pip install 'engine2d[demo]') or the
classic pygame 2.5 or newer, whichever there is.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine2d.camera import Camera
from engine2d.flatten import cut_line, cut_off, flatten
from engine2d.joint import picture
from engine2d.shape import Circle, Shape
from engine2d.svg import COLOURS, CONTACT, INK

try:
    import pygame
except ImportError as error:
    raise ImportError(
        "engine2d.draw needs pygame, which is not installed: pip install 'engine2d[demo]'"
    ) from error

if pygame.version.vernum < (2, 5):
    raise ImportError(
        f"engine2d.draw needs pygame or pygame-ce 2.5 or newer, and {pygame.version.ver} is "
        "installed: pip install --upgrade pygame, or pip install 'engine2d[demo]'"
    )

__all__ = ["Camera", "Renderer", "disc", "stroke"]

_Array = NDArray[np.float64]
Colour = tuple[int, int, int]

SPRITE_RADIUS = 48.0  # px: discs up to this are stamped, larger ones drawn as outlines
FINE = 4  # stamps for each fraction of a pixel, across and down
JOINT_DOT = 4  # px, radius of the dots of joints
OFF = 64.0  # px beyond the edge at which long outlines are cut off
REFERENCE = 60.0  # px, of the arrow in the scale note
TRAIL = 120  # frames
FINER = 3  # times larger that letters are written first
# pygame-ce has smooth discs, smooth wide lines and a fast way to stamp; the classic one has not.
IS_CE = hasattr(pygame.draw, "aacircle") and hasattr(pygame.Surface, "fblits")
SMOOTH_RADIUS = 64.0  # px: discs up to this are drawn larger and shrunk where there is no other way


def disc(
    surface: pygame.Surface,
    colour: Colour,
    center: Sequence[float],
    radius: float,
    width: int = 0,
) -> None:
    """A smooth disc (px), or with a width its rim, with any pygame."""
    if IS_CE:
        pygame.draw.aacircle(surface, colour, center, radius, width)
        return
    x, y = center
    if width == 0 and radius <= SMOOTH_RADIUS:
        times, half = 4, math.ceil(radius) + 1
        left, top = math.floor(x) - half, math.floor(y) - half
        large = pygame.Surface(((2 * half + 1) * times,) * 2, pygame.SRCALPHA)
        large.fill((*colour[:3], 0))
        middle = ((x - left + 0.5) * times, (y - top + 0.5) * times)
        pygame.draw.circle(large, colour, middle, radius * times)
        small = pygame.transform.smoothscale(large, (2 * half + 1,) * 2)
        surface.blit(small, (left, top))
        return
    turns = np.linspace(0.0, 2.0 * math.pi, min(max(int(2.0 * radius), 16), 1440), endpoint=False)
    rim = np.stack([x + radius * np.cos(turns), y + radius * np.sin(turns)], axis=1)
    if width == 0:
        pygame.draw.polygon(surface, colour, rim.tolist())
    pygame.draw.aalines(surface, colour, True, rim.tolist())


def stroke(
    surface: pygame.Surface,
    colour: Colour,
    start: Sequence[float],
    end: Sequence[float],
    width: int = 1,
) -> None:
    """A smooth line (px) of a width, with any pygame."""
    if IS_CE:
        pygame.draw.aaline(surface, colour, start, end, width)
        return
    (x, y), (u, v) = start, end
    length = math.hypot(u - x, v - y)
    if width <= 1 or length == 0.0:
        pygame.draw.aaline(surface, colour, start, end)
        return
    # smooth thin lines side by side
    for k in range(width):
        off = (k - (width - 1) // 2) / length
        dx, dy = -off * (v - y), off * (u - x)
        pygame.draw.aaline(surface, colour, (x + dx, y + dy), (u + dx, v + dy))


def rgb(colour: str | Colour) -> Colour:
    """A colour as three numbers."""
    return tuple(pygame.Color(colour))[:3]


def mix(a: Colour, b: Colour, share: float) -> Colour:
    """The colour that is `share` of b and the rest of a."""
    return tuple(round(x + share * (y - x)) for x, y in zip(a, b))


PAPER: Colour = (250, 250, 248)
DARK: Colour = rgb(INK)
MARK: Colour = rgb(CONTACT)
FORCE: Colour = (187, 68, 34)
SPEED: Colour = (0, 119, 102)
BOUND: Colour = (150, 150, 150)
LINE, AXIS = (232, 232, 230), (208, 208, 206)
STATIC: Colour = mix(rgb(COLOURS[7]), PAPER, 0.1)
KINEMATIC: Colour = (196, 200, 214)
FILLS: tuple[Colour, ...] = tuple(mix(rgb(colour), PAPER, 0.2) for colour in COLOURS[:7])
ASLEEP = 0.65  # share of paper in the colour of what sleeps


def round_number(least: float) -> float:
    """The least of 1, 2, 5 times a power of ten that is not below."""
    power = 10.0 ** math.floor(math.log10(least))
    for digit in (1.0, 2.0, 5.0):
        if digit * power >= least * (1.0 - 1e-12):
            return digit * power
    return 10.0 * power


def with_unit(value: float, unit: str) -> str:
    """A number with its unit, thousands and thousandths by their letters: 2 mm, 5 kN."""
    if value == 0.0:
        return f"0 {unit}"
    if unit in ("m", "m/s") and 0.1 <= abs(value) < 1.0:
        return f"{value:.3g} {unit}"
    for factor, letter in (
        (1e6, "M"),
        (1e3, "k"),
        (1.0, ""),
        (1e-3, "m"),
        (1e-6, "u"),
        (1e-9, "n"),
    ):
        if abs(value) >= 0.9995 * factor:
            return f"{value / factor:.3g} {letter}{unit}"
    return f"{value:.3g} {unit}"


# ---- what is kept between frames ----------------------------------------------------------------


class _Outlines:
    """The outlines of a world's shapes in their bodies' frames, all in a few arrays."""

    def __init__(self, bodies: list, kinds: list[str], level: int, edits: int, cache: dict):
        self.bodies, self.kinds, self.level, self.edits = bodies, kinds, level, edits
        scale = 2.0**level
        discs, paths, points = [], [], []
        start = 0
        # what stands still is drawn first: the rest is in front of it
        rows = sorted(range(len(bodies)), key=lambda row: kinds[row] == "dynamic")
        for row in rows:
            for part in bodies[row].shapes:
                shape = getattr(part, "shape", part)
                key = (id(shape), level)
                if key not in cache:
                    cache[key] = shape, *self.measure(shape, scale)
                _, run, middle, reach = cache[key]
                filled = shape.closed and not shape.sensor
                if type(shape) is Circle and filled and reach * scale <= SPRITE_RADIUS:
                    discs.append((row, *shape.center, shape.radius))
                    continue
                paths.append((row, start, len(run), shape.closed, filled, *middle, reach))
                points.append(run)
                start += len(run)
        table = np.array(discs, float).reshape(-1, 4)
        self.disc_rows, self.disc_centers = table[:, 0].astype(int), table[:, 1:3]
        self.disc_radii = table[:, 3]
        table = np.array(paths, float).reshape(-1, 8)
        self.rows, self.starts, self.counts = (table[:, k].astype(int) for k in range(3))
        self.closed, self.filled = table[:, 3] > 0, table[:, 4] > 0
        self.middles, self.reaches = table[:, 5:7], table[:, 7]
        self.points = np.concatenate(points) if points else np.zeros((0, 2))
        self.owners = np.repeat(np.arange(len(self.rows)), self.counts)
        moving = [kind == "dynamic" for kind in kinds]
        reaches = [r for row, r in zip(self.rows, self.reaches) if moving[row]]
        reaches += [r for row, r in zip(self.disc_rows, self.disc_radii) if moving[row]]
        self.size = float(np.median(reaches)) if reaches else math.inf  # m, of a body, typically

    @staticmethod
    def measure(shape: Shape, scale: float) -> tuple[_Array, tuple, float]:
        """Its points, and a circle around them: middle and radius (m)."""
        run = flatten(shape, scale)
        middle = 0.5 * (run.min(axis=0) + run.max(axis=0))
        return run, tuple(middle), float(np.hypot(*(run - middle).T).max())

    def fits(self, bodies: list, kinds: list[str], level: int, edits: int) -> bool:
        return (
            (level, edits) == (self.level, self.edits)
            and kinds == self.kinds
            and bodies == self.bodies
        )


class _Unit:
    """How long arrows are: a round number of units to some pixels, changed seldom."""

    def __init__(self) -> None:
        self.value = self.scale = 0.0

    def adapt(self, largest: float, length: float) -> float:
        """Pixels to a unit, so that the largest is about `length` pixels long."""
        if largest > 0.0 and not 0.3 < largest / max(self.value, 1e-300) < 2.5:
            self.value = round_number(0.6 * largest)
        self.scale = length / self.value if self.value > 0.0 else 0.0
        return self.scale


class Letters:
    """Texts as images, kept for the next frame."""

    def __init__(self) -> None:
        self._texts: dict = {}
        self._fonts: dict = {}

    def font(self, size: int) -> pygame.font.Font:
        if size not in self._fonts:
            if not pygame.font.get_init():
                pygame.font.init()
            self._fonts[size] = pygame.font.Font(None, round(1.25 * size * FINER))
        return self._fonts[size]

    def width(self, text: str, size: int) -> int:
        """Of a text, in pixels."""
        return round(self.font(size).size(text)[0] / FINER)

    def image(self, text: str, size: int, colour: Colour) -> pygame.Surface:
        key = (text, size, colour)
        if key not in self._texts:
            if len(self._texts) > 2000:
                self._texts.clear()
            # written larger and made small: letters stand evenly, which small fonts' do not
            # (and never nothing: pygame cannot scale an image that has no width)
            large = self.font(size).render(text or " ", True, colour)
            width, height = (max(round(side / FINER), 1) for side in large.get_size())
            self._texts[key] = pygame.transform.smoothscale(large, (width, height))
        return self._texts[key]

    def wrap(self, text: str, size: int, width: int) -> list[str]:
        """The text in lines of at most `width` pixels."""
        lines = [""]
        for word in text.split():
            longer = f"{lines[-1]} {word}".strip()
            if lines[-1] and self.width(longer, size) > width:
                lines.append(word)
            else:
                lines[-1] = longer
        return lines

    def write(
        self,
        surface: pygame.Surface,
        text: str,
        at: ArrayLike,
        size: int = 16,
        colour: Colour = DARK,
        anchor: str = "topleft",
        halo: bool = False,
    ) -> pygame.Rect:
        """A text at a pixel; anchor names the corner or side of it that is there."""
        x, y = np.clip(np.asarray(at, float), -20000.0, 20000.0)
        image = self.image(text, size, colour)
        box = image.get_rect(**{anchor: (round(x), round(y))})
        if halo:
            light = self.image(text, size, PAPER)
            for shift in ((-1, 0), (1, 0), (0, -1), (0, 1)):
                surface.blit(light, box.move(shift))
        surface.blit(image, box)
        return box


# ---- the renderer -------------------------------------------------------------------------------


class Renderer:
    """Draws worlds on a surface as the camera sees them.

    Each of these is an attribute and can be switched at any time: shapes; contacts (points),
    normals, forces (arrows in newtons: of the two equal and opposite ones, that which points up),
    labels (their numbers), velocities, bounds, islands (colours), sleep (pale), trails, grid (with
    a metre scale), notes (what arrows mean), joints.
    paint: colours of single bodies. force_scale, speed_scale: pixels to a newton or to 1 m/s; None:
    chosen by what there is.
    """

    FLAGS = (
        "shapes", "contacts", "normals", "forces", "labels", "velocities", "bounds", "islands",
        "sleep", "trails", "grid", "notes", "joints",
    )  # fmt: skip

    def __init__(
        self,
        surface: pygame.Surface,
        camera: Camera,
        *,
        shapes: bool = True,
        contacts: bool = False,
        normals: bool = False,
        forces: bool = False,
        labels: bool = False,
        velocities: bool = False,
        bounds: bool = False,
        islands: bool = False,
        sleep: bool = True,
        trails: bool = False,
        grid: bool = True,
        notes: bool = True,
        joints: bool = True,
        force_scale: float | None = None,
        speed_scale: float | None = None,
    ):
        if not isinstance(surface, pygame.Surface):
            raise TypeError(f"surface must be a pygame.Surface, got {surface!r}")
        if not isinstance(camera, Camera):
            raise TypeError(f"camera must be a Camera, got {camera!r}")
        self.surface, self.camera = surface, camera
        self.shapes, self.contacts, self.normals, self.forces = shapes, contacts, normals, forces
        self.labels, self.velocities, self.bounds = labels, velocities, bounds
        self.islands, self.sleep, self.trails = islands, sleep, trails
        self.grid, self.notes, self.joints = grid, notes, joints
        self.force_scale, self.speed_scale = force_scale, speed_scale
        self.paint: dict[Any, Colour] = {}
        self.letters = Letters()
        self._outlines: _Outlines | None = None
        self._runs: dict = {}
        self._stamps: dict = {}
        self._trail: deque = deque(maxlen=TRAIL)
        self._trail_bodies: list = []
        self._force_unit, self._speed_unit = _Unit(), _Unit()

    # -- everything

    def draw(self, world: Any, clear: bool = True) -> None:
        """Draw a world, on clean paper unless told otherwise."""
        self.camera.update()
        if clear:
            self.clear()
        bodies = world.bodies
        self.remember(world, bodies)
        if self.trails:
            self.draw_trails()
        outlines = self.prepare(bodies, getattr(world, "_shape_edits", 0))
        if self.shapes or self.bounds:
            self.draw_shapes(world, outlines)
        if self.joints:
            self.draw_joints(world)
        notes = []
        if self.velocities:
            notes.append(self.draw_velocities(world, outlines))
        if self.contacts or self.normals or self.forces:
            notes.append(self.draw_contacts(world.contacts.arrays))
        if self.notes:
            self.draw_notes([note for note in notes if note])

    def clear(self) -> None:
        """Clean paper, with the grid if it is on."""
        self.surface.fill(PAPER)
        if self.grid:
            self.draw_grid()

    def prepare(self, bodies: list, edits: int = 0) -> _Outlines:
        """The outlines for this zoom, from the last frame if nothing changed."""
        level = math.ceil(math.log2(self.camera.scale))
        kinds = [body.kind for body in bodies]
        if self._outlines is None or not self._outlines.fits(bodies, kinds, level, edits):
            if len(self._runs) > 20000:
                self._runs.clear()
            self._outlines = _Outlines(bodies, kinds, level, edits, self._runs)
        return self._outlines

    # -- joints

    def draw_joints(self, world: Any) -> None:
        """Joints as lines and dots; springs as zigzags."""
        for joint in getattr(world, "joints", ()):
            lines, dots = picture.runs(joint)
            for points in lines:
                self.line(points, DARK, 2)
            for x, y in self.camera.to_screen(dots) if dots else ():
                pygame.draw.circle(self.surface, PAPER, (x, y), JOINT_DOT)
                pygame.draw.circle(self.surface, DARK, (x, y), JOINT_DOT, 2)

    # -- the grid

    def draw_grid(self) -> None:
        """Lines a round number of metres apart."""
        step = round_number(48.0 / self.camera.scale)
        low, high = self.camera.bounds
        width, height = self.camera.size
        for axis in (0, 1):
            first, last = math.ceil(low[axis] / step), math.floor(high[axis] / step)
            if last - first > 1000:  # the centre is so far out that metres are not told apart
                continue
            for k in range(first, last + 1):
                x, y = self.camera.to_screen((k * step, k * step))
                colour = AXIS if k == 0 else LINE
                if axis == 0:
                    pygame.draw.line(self.surface, colour, (x, 0), (x, height))
                else:
                    pygame.draw.line(self.surface, colour, (0, y), (width, y))

    def draw_notes(self, notes: list[tuple[Colour, float, str]]) -> None:
        """What a metre is here and what arrows mean, at the lower left."""
        if self.grid:
            metres = round_number(48.0 / self.camera.scale)
            notes = [(DARK, metres * self.camera.scale, with_unit(metres, "m")), *notes]
        x, y = 16, self.camera.size[1] - 16
        for k, (colour, length, text) in enumerate(notes):
            if k == 0 and self.grid:
                pygame.draw.line(self.surface, colour, (x, y), (x + length, y))
                for end in (x, x + length):
                    pygame.draw.line(self.surface, colour, (end, y - 4), (end, y + 4))
            else:
                self.arrows(np.array([[x, y]]), np.array([[x + length, y]]), colour)
            box = self.write(text, (x + length + 8, y), anchor="midleft", halo=True)
            x = box.right + 28

    # -- shapes

    def draw_shapes(self, world: Any, outlines: _Outlines) -> None:
        """All shapes that are in view."""
        positions, angles = np.array(world.positions), np.array(world.angles)
        c, s = np.cos(angles), np.sin(angles)
        low, high = self.camera.bounds
        colours = self.colours(world, outlines) if self.shapes else []

        def place(rows: Any, local: _Array) -> _Array:
            x, y = local[:, 0], local[:, 1]
            turned = np.stack([c[rows] * x - s[rows] * y, s[rows] * x + c[rows] * y], axis=1)
            return positions[rows] + turned

        # cull by circles around them, then place all points at once
        middles = place(outlines.rows, outlines.middles)
        reach = outlines.reaches[:, None] + 2.0 / self.camera.scale
        seen = ((middles + reach > low) & (middles - reach < high)).all(axis=1)
        owners, points = outlines.owners, outlines.points
        if not seen.all():
            kept = seen[owners]
            owners, points = owners[kept], points[kept]
        pixels = self.camera.to_screen(place(outlines.rows[owners], points))
        entries = np.flatnonzero(seen)
        ends = np.cumsum(outlines.counts[entries])
        starts = ends - outlines.counts[entries]
        if self.shapes:
            self.draw_paths(outlines, entries, starts, ends, pixels, colours)
        if self.bounds and len(entries):
            tops = np.minimum.reduceat(pixels, starts), np.maximum.reduceat(pixels, starts)
            self.draw_boxes(*tops)

        radii = outlines.disc_radii
        centers = place(outlines.disc_rows, outlines.disc_centers)
        reach = radii[:, None] + 2.0 / self.camera.scale
        seen = ((centers + reach > low) & (centers - reach < high)).all(axis=1)
        rows, radii = outlines.disc_rows[seen], radii[seen] * self.camera.scale
        pixels = self.camera.to_screen(centers[seen])
        if self.shapes:
            self.stamp(pixels, radii, [colours[row] for row in rows.tolist()])
            # a line from the middle to the rim shows how a disc turns
            large = radii > 3.0
            arm = (radii - 0.5)[:, None] * np.stack([c[rows], -s[rows]], axis=1)
            line = pygame.draw.aaline
            for a, b in zip(pixels[large].tolist(), (pixels + arm)[large].tolist()):
                line(self.surface, DARK, a, b)
        if self.bounds:
            self.draw_boxes(pixels - radii[:, None], pixels + radii[:, None])

    def draw_paths(
        self,
        outlines: _Outlines,
        entries: Any,
        starts: Any,
        ends: Any,
        pixels: _Array,
        colours: Any,
    ) -> None:
        """Fill and outline runs of pixels."""
        surface, polygon, aalines = self.surface, pygame.draw.polygon, pygame.draw.aalines
        width, height = self.camera.size
        runs, whole = pixels.tolist(), np.rint(np.clip(pixels, -1e6, 1e6)).astype(int).tolist()
        middle, limit = (0.5 * width, 0.5 * height), (width + OFF, height + OFF)
        far = (np.abs(pixels - middle) > limit).any(axis=1)
        far_runs = set()
        if far.any():
            far_runs = set(np.searchsorted(ends, np.flatnonzero(far), side="right").tolist())
        closed, filled = outlines.closed[entries].tolist(), outlines.filled[entries].tolist()
        rows = outlines.rows[entries].tolist()
        for k, (start, end) in enumerate(zip(starts.tolist(), ends.tolist())):
            if k in far_runs:
                cut = cut_off(runs[start:end], -OFF, width + OFF, height + OFF, closed[k])
                for run in cut:
                    if filled[k]:
                        polygon(surface, colours[rows[k]], [(round(x), round(y)) for x, y in run])
                    aalines(surface, DARK, closed[k], run)
                continue
            if filled[k]:
                polygon(surface, colours[rows[k]], whole[start:end])
            aalines(surface, DARK, closed[k], runs[start:end])

    def draw_boxes(self, low: _Array, high: _Array) -> None:
        limit = 30000.0
        low, high = np.clip(low, -limit, limit), np.clip(high, -limit, limit)
        for (x, y), (w, h) in zip(low.tolist(), (high - low).tolist()):
            pygame.draw.rect(self.surface, BOUND, (x, y, max(w, 1), max(h, 1)), 1)

    def colours(self, world: Any, outlines: _Outlines) -> list[Colour]:
        """The fill of each body."""
        out: list[Colour] = []
        islands = world.islands.tolist() if self.islands else None
        for row, (body, kind) in enumerate(zip(outlines.bodies, outlines.kinds)):
            if kind == "static":
                colour = STATIC
            elif kind == "kinematic":
                colour = KINEMATIC
            elif islands is not None:
                colour = STATIC if islands[row] < 0 else FILLS[islands[row] % len(FILLS)]
            else:
                colour = FILLS[body.id % len(FILLS)]
            out.append(colour)
        for body, colour in self.paint.items():
            if not body.removed and body.row < len(out) and outlines.bodies[body.row] is body:
                out[body.row] = rgb(colour)
        if self.sleep:
            pale = {colour: mix(colour, PAPER, ASLEEP) for colour in set(out)}
            awake = world.awake.tolist()
            for row, kind in enumerate(outlines.kinds):
                if kind == "dynamic" and not awake[row]:
                    out[row] = pale[out[row]]
        return out

    # -- discs

    def stamp(self, pixels: _Array, radii: _Array, colours: list[Colour]) -> None:
        """Discs (px) by ready-made stamps, at a fraction of a pixel."""
        stamps = self._stamps
        if len(stamps) > 20000:
            stamps.clear()
        sizes = np.maximum(np.rint(8.0 * radii), 4.0) / 8.0
        half = np.ceil(sizes) + 1.0
        fine = np.rint((pixels - half[:, None]) * FINE).astype(int)
        corner, part = np.divmod(fine, FINE)
        blits = []
        for size, colour, x, y, fx, fy in zip(
            sizes.tolist(), colours, *corner.T.tolist(), *part.T.tolist()
        ):
            key = (size, colour, fx, fy)
            image = stamps.get(key)
            if image is None:
                image = stamps[key] = make_stamp(size, colour, fx / FINE, fy / FINE)
            blits.append((image, (x, y)))
        if IS_CE:
            self.surface.fblits(blits)
        else:
            self.surface.blits(blits, False)

    def discs(self, centers: ArrayLike, radii: ArrayLike, colours: list[Colour]) -> None:
        """Discs of one's own: centres (n x 2, m), radii (n, m), a colour for each."""
        radii = np.asarray(radii, float) * self.camera.scale
        pixels = self.camera.to_screen(centers)
        size = np.array(self.camera.size)
        seen = ((pixels > -radii[:, None]) & (pixels < size + radii[:, None])).all(axis=1)
        small = seen & (radii <= SPRITE_RADIUS)
        self.stamp(pixels[small], radii[small], [colours[k] for k in np.flatnonzero(small)])
        for k in np.flatnonzero(seen & ~small):
            radius = min(float(radii[k]), 30000.0)
            disc(self.surface, colours[k], pixels[k].tolist(), radius)
            disc(self.surface, DARK, pixels[k].tolist(), radius, 1)

    # -- arrows

    def arrows(self, starts: _Array, ends: _Array, colour: Colour, width: int = 2) -> None:
        """Arrows between pixels (n x 2 each); none for those shorter than a pixel."""
        way = ends - starts
        length = np.hypot(way[:, 0], way[:, 1])
        size = np.array(self.camera.size)
        seen = length > 1.0
        for p in (np.minimum(starts, ends) < size + OFF, np.maximum(starts, ends) > -OFF):
            seen &= p.all(axis=1)
        starts, ends, way, length = starts[seen], ends[seen], way[seen], length[seen]
        way = way / length[:, None]
        side = np.stack([-way[:, 1], way[:, 0]], axis=1)
        head = np.minimum(9.0, 0.6 * length)[:, None]
        neck = ends - head * way
        barbs = np.stack([ends, neck + 0.42 * head * side, neck - 0.42 * head * side], axis=1)
        limit = 20000.0
        starts, neck, barbs = (np.clip(p, -limit, limit) for p in (starts, neck, barbs))
        crowded = len(starts) > 400  # so many are small: speed before looks
        for a, b, barb in zip(starts.tolist(), neck.tolist(), barbs.tolist()):
            stroke(self.surface, colour, a, b, 1 if crowded else width)
            pygame.draw.polygon(self.surface, colour, barb)
            if not crowded:
                pygame.draw.aalines(self.surface, colour, True, barb)

    def arrow_length(self) -> float:
        """Of a large arrow (px): less where bodies are small, which it must not cover."""
        body = 2.0 * self._outlines.size * self.camera.scale if self._outlines else REFERENCE
        return min(max(1.5 * body, 6.0), REFERENCE)

    def draw_velocities(self, world: Any, outlines: _Outlines) -> tuple | None:
        """Arrows from the centres of mass; returns their note."""
        moving = [row for row, kind in enumerate(outlines.kinds) if kind != "static"]
        if not moving:
            return None
        centers, velocities = world.centers[moving], world.velocities[moving]
        largest = float(np.hypot(*velocities.T).max())
        scale = self.speed_scale
        if scale is None:
            scale = self._speed_unit.adapt(largest, self.arrow_length())
        starts = self.camera.to_screen(centers)
        self.arrows(starts, starts + velocities * (scale, -scale), SPEED)
        return arrow_note(SPEED, scale, "m/s")

    def draw_contacts(self, contacts: Any) -> tuple | None:
        """Points, normals and forces of contacts; returns the forces' note."""
        if not len(contacts):
            return None if not self.forces else self.force_note()
        pixels = self.camera.to_screen(contacts["point"])
        normals = contacts["normal"] * (1.0, -1.0)
        note = None
        if self.normals:
            self.arrows(pixels, pixels + 24.0 * normals, MARK, 1)
        if self.forces:
            note = self.draw_forces(contacts, pixels)
        if self.contacts:
            dots = np.full(len(pixels), 3.0)
            self.stamp(pixels, dots, [MARK] * len(pixels))
        return note

    def draw_forces(self, contacts: Any, pixels: _Array) -> tuple | None:
        """Arrows from the contact points into the bodies that the forces push up."""
        n = contacts["normal"]
        t = np.stack([-n[:, 1], n[:, 0]], axis=1)
        force = contacts["normal_force"][:, None] * n + contacts["friction_force"][:, None] * t
        force = np.where(force[:, 1:] < 0.0, -force, force)
        size = np.hypot(*force.T)
        scale = self.force_scale
        if scale is None:
            scale = self._force_unit.adapt(float(size.max()), self.arrow_length())
        ends = pixels + force * (scale, -scale)
        self.arrows(pixels, ends, FORCE)
        if self.labels and len(contacts) <= 40:
            for (x, y), (fx, _), value in zip(pixels.tolist(), force.tolist(), size.tolist()):
                if value * scale > 1.0:
                    anchor = "midright" if fx < -1e-3 * value else "midleft"
                    shift = -8 if anchor == "midright" else 8
                    self.write(with_unit(value, "N"), (x + shift, y - 9), 15, FORCE, anchor, True)
        return arrow_note(FORCE, scale, "N")

    def force_note(self) -> tuple | None:
        """The note of the scale that was last in use."""
        scale = self._force_unit.scale if self.force_scale is None else self.force_scale
        return arrow_note(FORCE, scale, "N") if scale else None

    # -- trails

    def remember(self, world: Any, bodies: list) -> None:
        """Keep where the bodies are, for the trails."""
        if not self.trails:
            self._trail.clear()
            return
        if bodies != self._trail_bodies:
            self._trail.clear()
            self._trail_bodies = bodies
        self._trail.append(np.array(world.centers))

    def forget_trails(self) -> None:
        """Begin trails anew, after a jump."""
        self._trail.clear()

    def draw_trails(self) -> None:
        """Where the centres of moving bodies were in the last frames."""
        if len(self._trail) < 2:
            return
        path = self.camera.to_screen(np.array(self._trail))
        moved = (path.max(axis=0) - path.min(axis=0)).max(axis=1) > 2.0
        near = (np.abs(path) < 20000.0).all(axis=(0, 2))
        for row in np.flatnonzero(moved & near):
            colour = mix(FILLS[self._trail_bodies[row].id % len(FILLS)], DARK, 0.25)
            pygame.draw.aalines(self.surface, colour, False, path[:, row].tolist())

    # -- things of one's own

    def line(self, points: ArrayLike, colour: Colour = DARK, width: int = 1) -> None:
        """A line through points of the world (m)."""
        run = self.camera.to_screen(points).tolist()
        w, h = self.camera.size
        for a, b in pairwise(run):
            cut = cut_line(a, b, -OFF, w + OFF, h + OFF)
            if cut:
                stroke(self.surface, colour, cut[0], cut[1], width)

    def arrow(self, start: ArrayLike, end: ArrayLike, colour: Colour = DARK) -> None:
        """An arrow between two points of the world (m)."""
        ends = self.camera.to_screen([start, end])
        self.arrows(ends[:1], ends[1:], colour)

    def label(self, point: ArrayLike, text: str, size: int = 16, anchor: str = "midbottom") -> None:
        """A text at a point of the world (m)."""
        self.write(text, self.camera.to_screen(point), size, anchor=anchor, halo=True)

    def write(
        self,
        text: str,
        at: ArrayLike,
        size: int = 16,
        colour: Colour = DARK,
        anchor: str = "topleft",
        halo: bool = False,
    ) -> pygame.Rect:
        """A text at a pixel; anchor names the corner or side of it that is there."""
        return self.letters.write(self.surface, text, at, size, colour, anchor, halo)


def arrow_note(colour: Colour, scale: float, unit: str) -> tuple | None:
    """Colour, length (px) and text of a note on what arrows mean, at `scale` px to a unit."""
    if not scale:
        return None
    value = round_number(0.7 * REFERENCE / scale)
    return colour, value * scale, with_unit(value, unit)


def make_stamp(radius: float, colour: Colour, x: float, y: float) -> pygame.Surface:
    """A disc with a rim (px), anti-aliased, its middle off the stamp's by a part of a pixel."""
    times = 4
    half = math.ceil(radius) + 1
    side = 2 * half + 1
    large = pygame.Surface((side * times, side * times), pygame.SRCALPHA)
    large.fill((*DARK, 0) if radius >= 2.0 else (*colour, 0))
    # pixel k covers k to k + 1, and a place is the middle of its pixel
    middle = ((half + x + 0.5) * times, (half + y + 0.5) * times)
    if radius >= 2.0:
        pygame.draw.circle(large, DARK, middle, (radius + 0.5) * times)
        pygame.draw.circle(large, colour, middle, (radius - 0.5) * times)
    else:
        pygame.draw.circle(large, mix(colour, DARK, 0.3), middle, (radius + 0.3) * times)
    return pygame.transform.smoothscale(large, (side, side))
