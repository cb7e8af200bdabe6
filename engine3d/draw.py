"""Pictures without a window: bodies of a world, shaded, in the right order, as arrays or PNG.

Every pixel is a ray: spheres, boxes and all other shapes are drawn as what they are. Needs numpy to
make a picture and Pillow, or pygame, to write it.
"""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from engine3d.world import World

LIGHT = np.array((0.4, -0.5, 0.77))
SKY = np.array((0.93, 0.95, 0.98))
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


class Camera:
    """Where pictures are taken from: eye and target (m), up, and the field of view (rad)."""

    def __init__(
        self,
        eye: ArrayLike = (8, -10, 6),
        target: ArrayLike = (0, 0, 0),
        up: ArrayLike = (0, 0, 1),
        view: float = 0.7,
    ) -> None:
        self.eye = np.array(eye, float)
        self.target = np.array(target, float)
        self.up = np.array(up, float)
        self.view = float(view)

    def rays(self, width, height):
        """Unit directions through the pixels (height, width, 3)."""
        ahead = self.target - self.eye
        ahead /= np.linalg.norm(ahead)
        right = np.cross(ahead, self.up)
        right /= np.linalg.norm(right)
        up = np.cross(right, ahead)
        size = np.tan(self.view / 2)
        x = (np.arange(width) + 0.5 - width / 2) / (height / 2) * size
        y = -(np.arange(height) + 0.5 - height / 2) / (height / 2) * size
        ways = ahead + x[None, :, None] * right + y[:, None, None] * up
        return ways / np.linalg.norm(ways, axis=2)[:, :, None]


def render(
    world: World,
    camera: Camera | None = None,
    size: tuple[int, int] = (480, 360),
    far: float = 200.0,
    samples: int = 2,
    sky: ArrayLike | None = None,
) -> NDArray[np.uint8]:
    """A picture of a world as an array (height, width, 3) of uint8.

    samples: rays a pixel in each direction, whose mean smooths the edges; sky: its colour, 0 to 1.
    """
    if samples > 1:
        fine = render(world, camera, (samples * size[0], samples * size[1]), far, 1, sky)
        return smaller(fine, samples)
    camera = Camera() if camera is None else camera
    width, height = size
    above = SKY if sky is None else np.array(sky, float)
    ways = camera.rays(width, height)
    hits = world.ray_query_many(camera.eye[None, :], (camera.eye + far * ways).reshape(-1, 3))
    found = np.isfinite(hits.fraction)
    picture = np.tile(above, (width * height, 1))
    colours = COLOURS[np.maximum(hits.body, 0) % len(COLOURS)]
    still = np.array([b.kind == "static" for b in world.bodies])
    ids = np.array([b.id for b in world.bodies])
    fixed = np.isin(hits.body, ids[still]) if len(ids) else np.zeros(len(found), bool)
    colours[fixed] = (0.80, 0.80, 0.78)
    light = LIGHT / np.linalg.norm(LIGHT)
    glow = 0.35 + 0.65 * np.clip(hits.normal @ light, 0, 1)
    # what something else keeps the light from
    inside = hits.point + 1e-3 * hits.normal
    dark = np.zeros(len(found), bool)
    if found.any():
        shade = world.ray_query_many(inside[found], inside[found] + far * light)
        dark[found] = np.isfinite(shade.fraction) & ~np.isin(shade.body, ids[still])
    glow[dark] *= 0.6
    fade = np.exp(-np.where(found, hits.fraction, 0) * far / 60)[:, None]
    picture[found] = ((colours * glow[:, None]) * fade + above * (1 - fade))[found]
    return np.rint(255 * np.clip(picture, 0, 1)).astype(np.uint8).reshape(height, width, 3)


def smaller(picture: NDArray[np.uint8], by: int) -> NDArray[np.uint8]:
    """A picture in which each pixel is the mean of `by` x `by`."""
    height, width = picture.shape[0] // by, picture.shape[1] // by
    blocks = picture[: height * by, : width * by].reshape(height, by, width, by, 3)
    return np.asarray(np.rint(blocks.mean(axis=(1, 3))), np.uint8)


def orbit(turn: float, tilt: float, distance: float, target: ArrayLike = (0, 0, 0)) -> Camera:
    """A camera that looks at a target (m) from a distance (m), turned about z, tilted up (rad)."""
    away = np.array((np.cos(turn) * np.cos(tilt), np.sin(turn) * np.cos(tilt), np.sin(tilt)))
    return Camera(eye=np.array(target, float) + distance * away, target=target)


def render_spheres(centers, radii, camera, size=(320, 320), hollow=0.0, samples=2, sky=None):
    """A picture of spheres (n x 3, n; m), and of the rim of a hollow one around the origin."""
    if samples > 1:
        fine = (samples * size[0], samples * size[1])
        return smaller(render_spheres(centers, radii, camera, fine, hollow, 1, sky), samples)
    width, height = size
    ways = camera.rays(width, height).reshape(-1, 3)
    picture = np.tile(SKY if sky is None else np.array(sky, float), (len(ways), 1))
    if hollow > 0.0:
        # a glass ball: the denser, the longer the way through it
        b = ways @ camera.eye
        root = np.sqrt(np.maximum(b * b - (camera.eye @ camera.eye - hollow * hollow), 0.0))
        rim = np.where(root > 0.0, np.exp(-((root / hollow) ** 2) / 0.02), 0.0)[:, None]
        glass = np.where(root > 0.0, 0.06, 0.0)[:, None]
        picture = picture * (1.0 - glass - 0.5 * rim) + np.array((0.35, 0.42, 0.5)) * (
            glass + 0.5 * rim
        )
    depth = np.full(len(ways), np.inf)
    light = LIGHT / np.linalg.norm(LIGHT)
    for k, (center, radius) in enumerate(zip(centers, radii)):
        apart = camera.eye - center
        b = ways @ apart
        root = b * b - (apart @ apart - radius * radius)
        t = -b - np.sqrt(np.maximum(root, 0))
        seen = (root > 0) & (t > 0) & (t < depth)
        normal = (apart + t[seen, None] * ways[seen]) / radius
        glow = 0.3 + 0.7 * np.clip(normal @ light, 0, 1)
        picture[seen] = COLOURS[k % len(COLOURS)] * glow[:, None]
        depth[seen] = t[seen]
    return np.rint(255 * np.clip(picture, 0, 1)).astype(np.uint8).reshape(height, width, 3)


def sheet(pictures, columns=3, gap=4):
    """Several pictures of one size side by side."""
    pictures = [np.asarray(p) for p in pictures]
    height, width, _ = pictures[0].shape
    rows = -(-len(pictures) // columns)
    out = np.full((rows * (height + gap) - gap, columns * (width + gap) - gap, 3), 255, np.uint8)
    for k, picture in enumerate(pictures):
        y, x = k // columns * (height + gap), k % columns * (width + gap)
        out[y : y + height, x : x + width] = picture
    return out


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
            ]
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
