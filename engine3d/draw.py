"""Pictures without a window: bodies of a world, shaded, in the right order, as arrays or PNG.

Every pixel is a ray: spheres, boxes and all other shapes are drawn as what they are. Needs numpy to
make a picture and Pillow, or pygame, to write it.
"""

from __future__ import annotations

import operator
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine3d.shape import Plane
from enginecore.arguments import as_rows

if TYPE_CHECKING:
    from engine3d.world import World

LIGHT = np.array((0.4, -0.5, 0.77))
SKY = np.array((0.93, 0.95, 0.98))
STILL = np.array((0.80, 0.80, 0.78))  # of what never moves
INK = (50, 55, 60)
GLASS = np.array((0.35, 0.42, 0.5))
FADE = 60.0  # m, from where on the haze hides more than it leaves
SHARP = 0.8  # cosine of the least bend between pixels that is an edge
COLOURS = np.array(
    [
        (0.85, 0.33, 0.31),
        (0.27, 0.51, 0.71),
        (0.36, 0.66, 0.38),
        (0.93, 0.69, 0.25),
        (0.55, 0.42, 0.69),
        (0.35, 0.68, 0.69),
        (0.87, 0.53, 0.65),
        (0.62, 0.50, 0.38),
    ]
)


def _point(name, value):
    """Three finite numbers."""
    out = as_rows(name, value, (3,))
    if out.shape != (3,) or not np.isfinite(out).all():
        raise ValueError(f"{name} must be three finite numbers, got {value!r}")
    return out.copy()


def _number(name, value, most=np.inf):
    """A number above 0 and below `most`."""
    out = as_rows(name, value)
    if out.shape != () or not 0.0 < out < most:
        raise ValueError(f"{name} must be a number > 0 and < {most:g}, got {value!r}")
    return float(out)


def _counts(name, value, many, most):
    """So many whole numbers from 1 to `most`."""
    try:
        out = tuple(operator.index(item) for item in value)
    except TypeError:
        raise TypeError(f"{name} must be whole numbers, got {value!r}") from None
    if len(out) != many or not all(1 <= item <= most for item in out):
        raise ValueError(f"{name} must be {many} whole numbers from 1 to {most}, got {value!r}")
    return out


class Camera:
    """Where pictures are taken from: eye and target (m), up, and the field of view (rad).

    A camera that looks along `up` has y, or else z, on top.
    """

    def __init__(
        self,
        eye: ArrayLike = (8, -10, 6),
        target: ArrayLike = (0, 0, 0),
        up: ArrayLike = (0, 0, 1),
        view: float = 0.7,
    ) -> None:
        self.eye = _point("eye", eye)
        self.target = _point("target", target)
        self.up = _point("up", up)
        if not np.linalg.norm(self.target - self.eye) > 0.0:
            raise ValueError(f"eye and target must differ, got {eye!r} and {target!r}")
        self.view = _number("view", view, np.pi)

    def rays(self, width, height):
        """Unit directions through the pixels (height, width, 3)."""
        x, y = np.meshgrid(np.arange(width), np.arange(height))
        return self.through(x, y, width, height)

    def through(self, x, y, width, height):
        """Unit directions through places of a picture, in pixels; whole numbers are middles."""
        ahead = self.target - self.eye
        ahead /= np.linalg.norm(ahead)
        for top in (self.up, *np.eye(3)[1:]):
            right = np.cross(ahead, top)
            if np.linalg.norm(right) > 1e-9 * np.linalg.norm(top):
                break
        right /= np.linalg.norm(right)
        up = np.cross(right, ahead)
        size = np.tan(self.view / 2) / (height / 2)
        x = (x + 0.5 - width / 2) * size
        y = (height / 2 - 0.5 - y) * size
        long = 1.0 / np.sqrt(1.0 + x * x + y * y)
        return np.stack([(ahead[k] + x * right[k] + y * up[k]) * long for k in range(3)], axis=-1)


def render(
    world: World,
    camera: Camera | None = None,
    size: tuple[int, int] = (480, 360),
    far: float = 200.0,
    samples: int = 2,
    sky: ArrayLike | None = None,
) -> NDArray[np.uint8]:
    """A picture of a world as an array (height, width, 3) of uint8.

    samples: rays a pixel in each direction where something ends, whose mean smooths the edges; sky:
    its colour, 0 to 1. Planes have tiles of one unit of the world.
    """
    camera = Camera() if camera is None else camera
    size, (samples,) = _counts("size", size, 2, 16384), _counts("samples", [samples], 1, 16)
    far = _number("far", far, 1e9)
    if sky is not None:
        sky = _point("sky", sky)
    return refined(_Scene(world, camera, far, sky).shade, camera, size, samples)


class _Scene:
    """What rays into a world see; colours of bodies are looked up by their ids."""

    def __init__(self, world, camera, far, sky):
        self.world, self.eye, self.far = world, camera.eye, far
        self.sky = SKY if sky is None else np.array(sky, float)
        self.light = LIGHT / np.linalg.norm(LIGHT)
        bodies = world.bodies
        many = max((body.id for body in bodies), default=-1) + 1
        self.still = np.zeros(many + 1, bool)
        self.flat = np.zeros(many + 1, bool)
        self.colours = COLOURS[np.arange(many + 1) % len(COLOURS)]
        for body in bodies:
            if body.kind == "static":
                self.still[body.id] = True
                self.colours[body.id] = STILL
                self.flat[body.id] = all(isinstance(s.shape, Plane) for s in body.shapes)

    def shade(self, ways):
        """Colours (n x 3, 0 to 1) along unit directions (n x 3), and what is seen there (n): where
        that differs from pixel to pixel, or bends (n x 3), there are edges."""
        hits = self.world.ray_query_many(self.eye[None, :], self.eye + self.far * ways)
        body, normal = hits.body, hits.normal
        facing = normal @ self.light
        lit = np.flatnonzero((body >= 0) & (facing > 0.0))
        glow = 0.30 - 0.14 * np.einsum("ij,ij->i", normal, ways)
        dark = np.zeros(len(ways), np.int32)
        if len(lit):
            start = hits.point[lit] + 1e-3 * self.world.unit * normal[lit]
            over = self.world.ray_query_many(start, start + self.far * self.light).body
            dark[lit] = (over >= 0) & ~self.still[over]
            # the lamp at the camera keeps sides apart that this light does not reach
            glow[lit] += 0.56 * facing[lit] * (1.0 - 0.7 * dark[lit])
        tiles = np.zeros(len(ways), np.int32)
        flat = np.flatnonzero((body >= 0) & self.flat[body])
        if len(flat):
            one, other = np.argsort(np.abs(normal[flat[0]]))[:2]
            at = hits.point[flat] * (1.0 / self.world.unit)
            tiles[flat] = np.floor(at[:, one]).astype(int) + np.floor(at[:, other]).astype(int) & 1
            glow[flat] *= 1.0 - 0.05 * tiles[flat]
        fade = np.exp(hits.fraction * (-self.far / FADE))
        picture = self.colours[body] * (glow * fade)[:, None] + (1.0 - fade)[:, None] * self.sky
        return picture, np.where(body >= 0, 4 * body + 2 * dark + tiles, -1), normal


def refined(shade, camera, size, samples):
    """A picture by rays: one a pixel, and samples x samples more where neighbours differ."""
    width, height = size
    rays = camera.rays(width, height)
    picture, keys, bends = shade(rays.reshape(-1, 3))
    picture = picture.reshape(height, width, 3)
    if samples > 1:
        keys, bends = keys.reshape(height, width), bends.reshape(height, width, 3)
        edge = np.zeros((height, width), bool)
        for axis in (0, 1):
            one, other = [slice(None)] * 2, [slice(None)] * 2
            one[axis], other[axis] = slice(1, None), slice(None, -1)
            one, other = tuple(one), tuple(other)
            bent = np.einsum("ijk,ijk->ij", bends[one], bends[other]) < SHARP
            differs = (keys[one] != keys[other]) | (bent & (keys[one] >= 0))
            edge[one] |= differs
            edge[other] |= differs
        y, x = np.nonzero(edge)
        mean = np.zeros((len(x), 3))
        for j in range(samples):
            for i in range(samples):
                u, v = x + (i + 0.5) / samples - 0.5, y + (j + 0.5) / samples - 0.5
                mean += shade(camera.through(u, v, width, height))[0]
        picture[y, x] = mean / samples**2
    return np.rint(255 * np.clip(picture, 0, 1)).astype(np.uint8)


def orbit(turn: float, tilt: float, distance: float, target: ArrayLike = (0, 0, 0)) -> Camera:
    """A camera that looks at a target (m) from a distance (m), turned about z, tilted up (rad)."""
    distance = _number("distance", distance)
    away = np.array((np.cos(turn) * np.cos(tilt), np.sin(turn) * np.cos(tilt), np.sin(tilt)))
    return Camera(eye=np.array(target, float) + distance * away, target=target)


def render_spheres(centers, radii, camera, size=(320, 320), hollow=0.0, samples=2, sky=None):
    """A picture of spheres (n x 3, n; m), and of the rim of a hollow one around the origin."""
    size, (samples,) = _counts("size", size, 2, 16384), _counts("samples", [samples], 1, 16)
    above = SKY if sky is None else _point("sky", sky)
    light = LIGHT / np.linalg.norm(LIGHT)

    def shade(ways):
        picture = np.tile(above, (len(ways), 1))
        keys = np.full(len(ways), -1)
        bends = np.zeros((len(ways), 3))
        if hollow > 0.0:
            # a glass ball: the denser, the longer the way through it
            b = ways @ camera.eye
            root = np.sqrt(np.maximum(b * b - (camera.eye @ camera.eye - hollow * hollow), 0.0))
            rim = np.where(root > 0.0, np.exp(-((root / hollow) ** 2) / 0.02), 0.0)[:, None]
            glass = np.where(root > 0.0, 0.06, 0.0)[:, None]
            picture = picture * (1.0 - glass - 0.5 * rim) + GLASS * (glass + 0.5 * rim)
            keys[root > 0.0] = -2
        depth = np.full(len(ways), np.inf)
        for k, (center, radius) in enumerate(zip(centers, radii, strict=True)):
            apart = camera.eye - center
            b = ways @ apart
            root = b * b - (apart @ apart - radius * radius)
            seen = np.flatnonzero(root > 0)
            t = -b[seen] - np.sqrt(root[seen])
            ahead = (t > 0) & (t < depth[seen])
            seen, t = seen[ahead], t[ahead]
            normal = (apart + t[:, None] * ways[seen]) / radius
            near = np.maximum(-np.einsum("ij,ij->i", normal, ways[seen]), 0.0)
            glow = 0.28 + 0.14 * near + 0.58 * np.maximum(normal @ light, 0.0)
            picture[seen] = COLOURS[k % len(COLOURS)] * glow[:, None]
            depth[seen], keys[seen], bends[seen] = t, k, normal
        return picture, keys, bends

    return refined(shade, camera, size, samples)


def sheet(pictures, columns=3, gap=4, labels=()):
    """Several pictures of one size side by side; labels: what stands in their corners."""
    pictures = [np.asarray(p) for p in pictures]
    if not pictures:
        raise ValueError("pictures must be at least one, got none")
    for k, label in enumerate(labels):
        pictures[k] = write(pictures[k], label)
    height, width, _ = pictures[0].shape
    rows = -(-len(pictures) // columns)
    out = np.full((rows * (height + gap) - gap, columns * (width + gap) - gap, 3), 255, np.uint8)
    for k, picture in enumerate(pictures):
        y, x = k // columns * (height + gap), k % columns * (width + gap)
        out[y : y + height, x : x + width] = picture
    return out


def write(picture, text, at=(8, 6)):
    """A copy of a picture with a line of text in it; needs Pillow or pygame."""
    size = max(picture.shape[0] // 20, 10)
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError:
        import pygame

        pygame.font.init()
        surface = pygame.surfarray.make_surface(picture.swapaxes(0, 1))
        surface.blit(pygame.font.Font(None, size + 4).render(text, True, INK), at)
        return pygame.surfarray.array3d(surface).swapaxes(0, 1)
    image = Image.fromarray(picture)
    ImageDraw.Draw(image).text(at, text, INK, ImageFont.load_default(size))
    return np.array(image)


def save(picture: NDArray[np.uint8], path: str | PathLike[str]) -> None:
    """Write a picture as a PNG file; needs Pillow or pygame."""
    try:
        from PIL import Image
    except ImportError:
        import pygame

        pygame.image.save(pygame.surfarray.make_surface(picture.swapaxes(0, 1)), str(path))
    else:
        Image.fromarray(picture).save(path)


def draw_run(run, path, frames=6):
    """The sheet of a spheres experiment: so many times, evenly, from the first to the last."""
    hollow = float(run["hollow"])
    camera = Camera(eye=(0, -3.2 * hollow, 0.8 * hollow), view=0.72)
    picks = np.linspace(0, len(run["times"]) - 1, frames).round().astype(int)
    save(
        sheet(
            [
                render_spheres(run["positions"][k], run["radii"], camera, hollow=hollow)
                for k in picks
            ],
            labels=[f"{run['times'][k]:.3g} s" for k in picks],
        ),
        path,
    )


def draw_world(world: World, path: str | PathLike[str], camera: Camera | None = None) -> None:
    """A picture of a world as a PNG file, from where all that moves can be seen."""
    if camera is None:
        moving = [body for body in world.bodies if body.kind == "dynamic"]
        places = np.array([body.center for body in moving]) if moving else np.zeros((1, 3))
        middle = places.mean(axis=0)
        spread = float(np.linalg.norm(places - middle, axis=1).max())
        camera = orbit(-0.9, 0.4, 2.6 * (spread + 2.0), middle)
    save(render(world, camera), path)
