"""A small plot on a surface: axes, lines and dots in the numbers' own units."""

import math
from itertools import pairwise

import numpy as np
import pygame

from engine2d.draw import DARK, PAPER, disc, mix, round_number, stroke

QUIET = mix(DARK, PAPER, 0.35)


class Plot:
    """A frame for x from low[0] to high[0] and y from low[1] to high[1]."""

    def __init__(self, surface, letters, box, low, high):
        self.surface, self.letters, self.box = surface, letters, pygame.Rect(box)
        self.low, self.high = np.array(low, float), np.array(high, float)

    def to_pixels(self, points):
        share = (np.asarray(points, float) - self.low) / (self.high - self.low)
        x = self.box.x + share[..., 0] * self.box.width
        y = self.box.bottom - share[..., 1] * self.box.height
        return np.clip(np.stack([x, y], axis=-1), -5000.0, 5000.0)

    def axes(self, title, x, y):
        """Paper, lines through zero, ticks, and what the axes are."""
        box = self.box
        pygame.draw.rect(self.surface, (255, 255, 255), box)
        for axis in (0, 1):
            step = round_number((self.high[axis] - self.low[axis]) / 6.0)
            first = math.ceil(self.low[axis] / step - 1e-9)
            for k in range(first, math.floor(self.high[axis] / step + 1e-9) + 1):
                ends = [[k * step, self.low[1]], [k * step, self.high[1]]]
                if axis == 1:
                    ends = [[self.low[0], k * step], [self.high[0], k * step]]
                a, b = self.to_pixels(ends).tolist()
                colour = mix(PAPER, DARK, 0.35 if k == 0 else 0.06)
                pygame.draw.line(self.surface, colour, a, b)
                text = f"{k * step:.5g}"
                at = (a[0], box.bottom + 5) if axis == 0 else (box.x - 6, a[1])
                self.write(text, at, "midtop" if axis == 0 else "midright", 11, QUIET)
        pygame.draw.rect(self.surface, mix(PAPER, DARK, 0.25), box, 1)
        self.write(title, (box.x, box.y - 22), "topleft", 15)
        self.write(x, (box.right - 6, box.bottom - 4), "bottomright", 12, QUIET)
        self.write(y, (box.right, box.y - 18), "topright", 12, QUIET)

    def write(self, text, at, anchor="topleft", size=12, colour=DARK):
        self.letters.write(self.surface, text, at, size, colour, anchor, halo=True)

    def label(self, point, text, anchor="midleft", shift=(8, 0), colour=DARK):
        """A text beside a point."""
        self.write(text, self.to_pixels(point) + shift, anchor, 12, colour)

    def line(self, points, colour=DARK, width=2):
        run = self.to_pixels(points).tolist()
        clip = self.surface.get_clip()
        self.surface.set_clip(self.box)
        for a, b in pairwise(run):
            stroke(self.surface, colour, a, b, width)
        self.surface.set_clip(clip)

    def area(self, points, colour):
        clip = self.surface.get_clip()
        self.surface.set_clip(self.box)
        pygame.draw.polygon(self.surface, colour, self.to_pixels(points).tolist())
        self.surface.set_clip(clip)

    def dot(self, point, colour=DARK, radius=4):
        disc(self.surface, colour, self.to_pixels(point).tolist(), radius)
