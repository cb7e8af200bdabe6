"""Fast discs and thin walls, one fixed and one that can move."""

from demos.scenes.scene import Body, Scene
from engine2d import Box, Circle

RADIUS = 0.08  # m, of a bullet
THIN = 0.05  # m, of the walls
WALL_X = 3.0  # m
LANES = 10


def thin_walls(speed=400.0):
    """Ten bullets to each of two walls; the lower one stands on the ground and can move."""
    ground = Body((Box(60.0, 8.0),), position=(0.0, -4.0), kind="static")
    fixed = Body((Box(THIN, 3.0),), position=(WALL_X, 5.5), kind="static")
    loose = Body((Box(THIN, 3.0, density=2000.0),), position=(WALL_X, 1.5))
    bullets = [
        Body((Circle(RADIUS, density=2.0),), position=(-6.0, y0 + 0.28 * k), velocity=(speed, 0))
        for y0 in (4.2, 0.25)
        for k in range(LANES)
    ]
    return Scene("thin walls", (ground, fixed, loose, *bullets), sizes={"speed": speed})
