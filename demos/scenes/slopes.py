"""A block and a disc on a slope."""

import math

from demos.scenes.scene import Body, Scene
from engine2d import Box, Circle

LENGTH = 60.0  # m


def incline(angle):
    """A slope down to the right at `angle` (rad); a block and a disc rest on it, near its top."""
    down, up = (math.cos(angle), -math.sin(angle)), (math.sin(angle), math.cos(angle))

    def at(along, above):
        return tuple(along * d + above * u for d, u in zip(down, up))

    slope = Body((Box(LENGTH, 1.0),), position=at(0.5 * LENGTH - 2.0, -0.5), angle=-angle,
                 kind="static")  # fmt: skip
    block = Body((Box(1.0, 0.6),), position=at(0.0, 0.3), angle=-angle)
    disc = Body((Circle(0.4),), position=at(3.0, 0.4), angle=-angle)
    return Scene("incline", (slope, block, disc), sizes={"down": down})


def slide_acceleration(angle, mu, g):
    """Of a block, down the slope (m/s^2)."""
    return max(g * (math.sin(angle) - mu * math.cos(angle)), 0.0)


def roll_acceleration(angle, mu, g):
    """Of a disc: it rolls if mu >= tan(angle) / 3, and slips besides if not."""
    return max(2.0 / 3.0 * g * math.sin(angle), g * (math.sin(angle) - mu * math.cos(angle)))
