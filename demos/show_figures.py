"""Pictures of the demos for the docs: what the window shows, without the panel's clocks."""

import pygame

from demos import shows
from demos.menu import whole_picture
from engine2d.draw import Camera, Renderer

SIZE = (960, 600)
# name of the demo: seconds after its start
MOMENTS = {"heavy": 0.3, "bowl": 0.7, "arch": 0.3, "impact_lab": 0.6}


def draw_show(name, seconds):
    """A demo some time after its start, with grid and notes."""
    surface = pygame.Surface(SIZE)
    demo = shows.load(name)()
    camera = Camera(SIZE)
    camera.fit(*demo.view)
    renderer = Renderer(surface, camera, **dict.fromkeys(demo.flags, True))
    for _ in range(round(seconds / demo.dt)):
        demo.step(demo.dt)
    demo.draw(renderer)
    return surface


def save(folder):
    """Draw every picture into the folder; returns the paths."""
    pictures = {f"demo_{name}": draw_show(name, time) for name, time in MOMENTS.items()}
    pictures["demos"] = whole_picture()
    paths = []
    for name, surface in pictures.items():
        paths.append(folder / f"{name}.png")
        pygame.image.save(surface, str(paths[-1]))
    return paths
