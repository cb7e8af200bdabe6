"""A window for the examples: python examples/breakout.py --window."""

from __future__ import annotations

import sys
from collections.abc import Callable

from engine2d import World


def play(world: World, step: Callable[[], None], seconds: float, scale: float = 40.0) -> None:
    """Run a step 60 times a second: in a window if one is asked for, else as fast as it goes."""
    if "--window" not in sys.argv:
        for _ in range(round(60 * seconds)):
            step()
        return
    import pygame

    from engine2d.draw import Camera, Renderer

    pygame.display.init()
    screen = pygame.display.set_mode((960, 600))
    camera = Camera(screen.get_size(), center=(0, 5), scale=scale)
    renderer = Renderer(screen, camera)
    clock = pygame.time.Clock()
    while not any(event.type == pygame.QUIT for event in pygame.event.get()):
        step()
        renderer.draw(world)
        pygame.display.flip()
        clock.tick(60)
