"""Shapes as SVG: arcs are drawn as the arcs they are."""

from collections.abc import Iterable
from xml.sax.saxutils import escape

import numpy as np

from engine2d.shape import Shape

# Paul Tol's "light" colours: apart to colour-blind eyes, calm as fills.
COLOURS = ("#77aadd", "#ee8866", "#eedd88", "#99ddff", "#44bb99", "#ffaabb", "#bbcc33", "#dddddd")
INK = "#333333"


def outline(shape: Shape) -> str:
    """The data of an SVG path along the shape's outline (the `d` attribute), y up."""
    points, bulges = shape.points, shape.bulges
    pieces = len(points) if shape.closed else len(points) - 1
    commands = [f"M{number(points[0][0])} {number(points[0][1])}"]
    for i in range(pieces):
        start, end = points[i], points[(i + 1) % len(points)]
        commands.append(piece(start, end, float(bulges[i])))
    return " ".join(commands) + (" Z" if shape.closed else "")


def piece(start: np.ndarray, end: np.ndarray, bulge: float) -> str:
    """The command from start to end; y up, so an anticlockwise arc has the sweep flag 1."""
    x, y = number(end[0]), number(end[1])
    if bulge == 0.0:
        return f"L{x} {y}"
    radius = np.hypot(*(end - start)) * (1.0 + bulge * bulge) / (4.0 * abs(bulge))
    return f"A{number(radius)} {number(radius)} 0 {int(abs(bulge) > 1)} {int(bulge > 0)} {x} {y}"


def draw(shapes: Iterable[Shape], *, width: float = 480.0, labels: Iterable[str] = ()) -> str:
    """A whole SVG picture of shapes (in one frame), width pixels wide; labels stand below each."""
    shapes, labels = list(shapes), list(labels)
    if not shapes:
        raise ValueError("shapes must be at least one shape, got none")
    low = np.min([shape.bounds[0] for shape in shapes], axis=0)
    high = np.max([shape.bounds[1] for shape in shapes], axis=0)
    margin = 0.06 * max(high - low)
    text = 0.026 * max(high - low) if labels else 0.0
    low, high = low - margin - (0.0, 1.6 * text), high + margin
    size = high - low
    stroke = number(max(size) / 300.0)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{number(width)}" '
        f'height="{number(width * size[1] / size[0])}" '
        f'viewBox="{number(low[0])} {number(-high[1])} {number(size[0])} {number(size[1])}">',
        f'<g transform="scale(1,-1)" stroke="{INK}" stroke-width="{stroke}" '
        'stroke-linejoin="round" fill-opacity="0.6">',
    ]
    for i, shape in enumerate(shapes):
        fill = COLOURS[i % len(COLOURS)] if shape.closed else "none"
        lines.append(f'<path d="{outline(shape)}" fill="{fill}"/>')
    lines.append("</g>")
    for shape, label in zip(shapes, labels, strict=False):
        (x0, y0), (x1, _) = shape.bounds
        lines.append(
            f'<text x="{number((x0 + x1) / 2)}" y="{number(1.4 * text - y0)}" fill="{INK}" '
            f'font-family="sans-serif" font-size="{number(text)}" text-anchor="middle">'
            f"{escape(label)}</text>"
        )
    return "\n".join([*lines, "</svg>", ""])


def number(value: float) -> str:
    """A number as short as it can be at nine digits."""
    return f"{float(value):.9g}"
