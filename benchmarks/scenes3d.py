"""Scenes in space as plain data, for every engine that is measured.

Lengths in m, masses in kg, z up. Bodies rest on planes; restitution 0, one friction for all pairs.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from engine3d import Box, Plane, Sphere, World

GRAVITY = 9.81  # m/s^2
RADIUS = 0.25  # m, of spheres, and half the edge of boxes
SETTLED = 3.0  # s, that spheres are given to fall and come to rest


@dataclass(frozen=True)
class Item:
    """A body: a radius or three half edges, and where it is."""

    size: object
    position: tuple
    orientation: tuple = (1.0, 0.0, 0.0, 0.0)
    velocity: tuple = (0.0, 0.0, 0.0)
    angular_velocity: tuple = (0.0, 0.0, 0.0)
    density: float = 1000.0

    @property
    def is_sphere(self):
        return not isinstance(self.size, tuple)

    @property
    def mass(self):
        if self.is_sphere:
            return self.density * 4 / 3 * np.pi * self.size**3
        return self.density * 8 * float(np.prod(self.size))


@dataclass(frozen=True)
class Scene:
    """planes: (normal, offset), solid where normal.x < offset."""

    name: str
    items: tuple
    planes: tuple = (((0.0, 0.0, 1.0), 0.0),)
    friction: float = 0.5
    gravity: tuple = (0.0, 0.0, -GRAVITY)
    notes: dict = field(default_factory=dict)


def add_scene(world, scene):
    """Give a World of engine3d a scene; returns its bodies."""
    for normal, offset in scene.planes:
        world.add_static(Plane(normal, offset, friction=scene.friction))
    bodies = []
    for item in scene.items:
        material = {"density": item.density, "friction": scene.friction}
        if item.is_sphere:
            shape = Sphere(item.size, **material)
        else:
            shape = Box(*(2 * half for half in item.size), **material)
        bodies.append(
            world.add_body(
                shape,
                position=item.position,
                orientation=item.orientation,
                velocity=item.velocity,
                angular_velocity=item.angular_velocity,
            )
        )
    return bodies


def settled(scene, seconds=SETTLED, dt=1 / 240):
    """The same scene some time later, by this engine."""
    world = World(gravity=scene.gravity, sleeping=False)
    bodies = add_scene(world, scene)
    for _ in range(round(seconds / dt)):
        world.step(dt)
    items = tuple(
        replace(
            item,
            position=tuple(body.position),
            orientation=tuple(body.orientation),
            velocity=tuple(body.velocity),
            angular_velocity=tuple(body.angular_velocity),
        )
        for item, body in zip(scene.items, bodies, strict=True)
    )
    return replace(scene, items=items)


def spheres(n, seed=0):
    """n spheres of several sizes, settled in a box without a lid, about as high as wide."""
    rng = np.random.default_rng(seed)
    side = max(2, round((n * 0.8) ** (1 / 3)))
    width = side * 2.1 * RADIUS
    planes = (
        ((0.0, 0.0, 1.0), 0.0),
        ((1.0, 0.0, 0.0), 0.0),
        ((-1.0, 0.0, 0.0), -width),
        ((0.0, 1.0, 0.0), 0.0),
        ((0.0, -1.0, 0.0), -width),
    )
    items = []
    for k in range(n):
        x, y, z = k % side, k // side % side, k // side**2
        radius = float(rng.uniform(0.8, 1.0) * RADIUS)
        shift = rng.uniform(-0.02, 0.02, 3) * RADIUS
        place = np.array((x + 0.5, y + 0.5, z + 0.6)) * 2.1 * RADIUS + shift
        items.append(Item(radius, tuple(place.tolist())))
    return settled(Scene(f"{n} spheres", tuple(items), planes))


def wall(width=21, height=20):
    """Bricks in rows of `width` and one less in turn; 410 of them as it comes."""
    half = (RADIUS, RADIUS, RADIUS)
    items = [
        Item(half, (2 * RADIUS * (k - 0.5 * (width - row % 2 - 1)), 0.0, RADIUS * (2 * row + 1)))
        for row in range(height)
        for k in range(width - row % 2)
    ]
    return Scene(f"wall of {len(items)} boxes", tuple(items))


def pyramid(base=10):
    """Boxes in square layers, base * base in the lowest; 385 of them as it comes."""
    half = (RADIUS, RADIUS, RADIUS)
    items = []
    for layer in range(base):
        n = base - layer
        place = (np.arange(n) - 0.5 * (n - 1)) * 2 * RADIUS
        height = RADIUS * (2 * layer + 1)
        items += [Item(half, (float(x), float(y), height)) for x in place for y in place]
    return Scene(f"pyramid of {len(items)} boxes", tuple(items))


def stacks(count=20, height=5):
    """Stacks of boxes, far apart."""
    half = (RADIUS, RADIUS, RADIUS)
    items = [
        Item(half, (4 * RADIUS * (k % 5), 4 * RADIUS * (k // 5), RADIUS * (2 * j + 1)))
        for k in range(count)
        for j in range(height)
    ]
    return Scene(f"{count} stacks of {height}", tuple(items))
