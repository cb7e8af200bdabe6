"""Single blocks on the ground: upright, dropped flat, rocking, and five with a heavy one on top."""

import math

from demos.scenes.scene import Body, Scene
from engine2d import Box

WIDTH, HEIGHT = 1.0, 3.0  # m, of the slender block


def ground(width=40.0):
    """A body whose top is at height 0."""
    return Body((Box(width, 8.0),), position=(0.0, -4.0), kind="static")


def upright():
    """The slender block, standing."""
    return Scene("upright", (ground(), Body((Box(WIDTH, HEIGHT),), position=(0.0, 0.5 * HEIGHT))))


def flat_drops(height=1.0):
    """Three blocks let go flat at that height (m) above the ground."""
    sizes = ((WIDTH, HEIGHT), (1.0, 1.0), (3.0, 0.5))
    blocks = [
        Body((Box(w, h),), position=(x, height + 0.5 * h))
        for (w, h), x in zip(sizes, (-3.0, 0.0, 3.5))
    ]
    return Scene("flat drops", (ground(), *blocks), sizes={"height": height})


def rocking(angle):
    """The slender block, let go tilted about its lower right corner."""
    # its middle, seen from that corner
    x, y = -0.5 * WIDTH, 0.5 * HEIGHT
    c, s = math.cos(-angle), math.sin(-angle)
    corner = 0.5 * WIDTH
    place = (corner + c * x - s * y, s * x + c * y)
    return Scene("rocking", (ground(), Body((Box(WIDTH, HEIGHT),), position=place, angle=-angle)))


def heavy_stack(ratio=1000.0, count=5):
    """Unit boxes on each other, the top one `ratio` times heavier."""
    boxes = [
        Body((Box(1.0, 1.0, density=ratio if k == count - 1 else 1.0),), position=(0.0, k + 0.5))
        for k in range(count)
    ]
    return Scene(f"heavy stack {ratio:g}", (ground(), *boxes), sizes={"ratio": ratio})


def housner_peaks(start, count):
    """Angles (rad) of the next turning points of the rocking block, after Housner (1963).

    Each landing keeps the share 1 - 1.5 sin^2 a of the rate of turning, tan a = width / height:
    angular momentum about the corner that lands is kept.
    """
    slope = math.atan2(WIDTH, HEIGHT)
    kept = (1.0 - 1.5 * math.sin(slope) ** 2) ** 2  # of the energy
    lift = math.cos(slope - start) - math.cos(slope)
    peaks = []
    for _ in range(count):
        lift *= kept
        peaks.append(slope - math.acos(math.cos(slope) + lift))
    return peaks
