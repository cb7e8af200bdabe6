"""Demos of engine3d: a world of space, seen by a camera that goes round it."""

import math
import time

import numpy as np
import pygame

from demos.demo import Free, Reading
from engine2d.draw import PAPER
from engine3d import World
from engine3d.draw import orbit, render

COARSE = 3  # pixels of the window to one of the picture: every one is a ray
COARSEST = 5  # likewise, in a window that would get too few frames otherwise
SLOW, FAST = 1 / 20, 1 / 60  # s to draw a picture: coarser, finer from the next one on


class Space(Free):
    """A demo that is a world of engine3d: give `make`, which returns one."""

    sliders_of = ()
    keys = (("a", "turn left"), ("d", "turn right"), ("w", "higher"), ("x", "lower"))
    turn, tilt, distance = -0.9, 0.35, 12.0
    target = (0.0, 0.0, 1.0)
    rate = 0.15  # rad/s, at which the camera goes round
    coarse = COARSE

    def make(self):
        """The world."""
        return World()

    def begin(self):
        self.space = self.make()
        self.start = self.space.energy.total

    def step(self, dt):
        self.space.step(dt)
        super().step(dt)

    def snapshot(self):
        return self.time, self.space.snapshot()

    def restore(self, state):
        self.time = state[0]
        self.space.restore(state[1])
        return True

    def press(self, letter):
        self.turn += {"a": -0.2, "d": 0.2}.get(letter, 0.0)
        self.tilt = min(max(self.tilt + {"w": 0.1, "x": -0.1}.get(letter, 0.0), -0.1), 1.4)

    def readings(self):
        energy = self.space.energy
        return [
            Reading("kinetic energy", energy.kinetic, None, "J"),
            Reading("energy lost", self.start - energy.total, None, "J"),
            Reading("contacts", len(self.space.contacts)),
        ]

    def draw(self, renderer):
        width, height = renderer.surface.get_size()
        camera = orbit(self.turn + self.rate * self.time, self.tilt, self.distance, self.target)
        coarse = 1 if self.fine else self.coarse
        size = (max(width // coarse, 8), max(height // coarse, 8))
        begun = time.perf_counter()
        picture = self.picture(camera, size, np.array(PAPER[:3]) / 255.0, 2 if self.fine else 1)
        if pygame.display.get_init() and pygame.display.get_driver() != "dummy":
            self.choose_coarseness(time.perf_counter() - begun)
        small = pygame.surfarray.make_surface(picture.swapaxes(0, 1))
        renderer.surface.blit(pygame.transform.smoothscale(small, (width, height)), (0, 0))
        self.draw_extra(renderer)

    def picture(self, camera, size, sky, samples):
        """What the camera sees (height, width, 3)."""
        return render(self.space, camera, size, sky=sky, samples=samples)

    def choose_coarseness(self, seconds):
        """Pictures for a window are as fine as there is time; files are always drawn alike."""
        if seconds > SLOW and self.coarse < COARSEST:
            self.coarse += 1
        elif seconds < FAST and self.coarse > 1:
            self.coarse -= 1


def upright(turn):
    """The orientation after a turn (rad) about z."""
    return math.cos(turn / 2), 0.0, 0.0, math.sin(turn / 2)
