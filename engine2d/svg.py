"""Shapes and their contacts as SVG: arcs are drawn as the arcs they are."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

from engine2d.joint import picture
from engine2d.shape import Shape

# Paul Tol's "light" colours: apart to colour-blind eyes, calm as fills.
COLOURS = ("#77aadd", "#ee8866", "#eedd88", "#99ddff", "#44bb99", "#ffaabb", "#bbcc33", "#dddddd")
INK = "#333333"
CONTACT = "#aa3377"  # of his "bright" ones: seen on every fill
HERE = (0.0, 0.0, 0.0)  # a pose: x, y (m), angle (rad)


class Contact(Protocol):
    """What is drawn of a contact; engine2d.collide.narrow_phase.ContactPoint has it."""

    @property
    def point(self) -> tuple[float, float]: ...
    @property
    def normal(self) -> tuple[float, float]: ...


# ---- one thing each: y up ------------------------------------------------------------------------


def outline(shape: Shape, pose: Sequence[float] = HERE) -> str:
    """The data of an SVG path along the shape's outline (the `d` attribute), y up."""
    points, bulges = place(shape, pose), shape.bulges
    pieces = len(points) if shape.closed else len(points) - 1
    commands = [f"M{number(points[0][0])} {number(points[0][1])}"]
    for i in range(pieces):
        start, end = points[i], points[(i + 1) % len(points)]
        commands.append(piece(start, end, float(bulges[i])))
    return " ".join(commands) + (" Z" if shape.closed else "")


def piece(start: NDArray[np.float64], end: NDArray[np.float64], bulge: float) -> str:
    """The command from start to end; y up, so an anticlockwise arc has the sweep flag 1."""
    x, y = number(end[0]), number(end[1])
    if bulge == 0.0:
        return f"L{x} {y}"
    radius = np.hypot(*(end - start)) * (1.0 + bulge * bulge) / (4.0 * abs(bulge))
    return f"A{number(radius)} {number(radius)} 0 {int(abs(bulge) > 1)} {int(bulge > 0)} {x} {y}"


def place(shape: Shape, pose: Sequence[float]) -> NDArray[np.float64]:
    """The shape's points (n x 2) at a pose (x, y, angle)."""
    x, y, angle = pose
    c, s = np.cos(angle), np.sin(angle)
    return shape.points @ np.array([[c, s], [-s, c]]) + (x, y)


def fill(shape: Shape, pose: Sequence[float] = HERE, colour: str = COLOURS[0]) -> str:
    """A shape in this colour; a line has none."""
    colour = colour if shape.closed else "none"
    return f'<path d="{outline(shape, pose)}" fill="{colour}"/>'


def arrow(contact: Contact, size: float) -> str:
    """A contact as a dot, and its normal as an arrow of length `size` (m) from there, into A."""
    p, n = np.array(contact.point), np.array(contact.normal)
    side = np.array([-n[1], n[0]])
    tip, neck = p + size * n, p + 0.7 * size * n
    barbs = [neck + 0.13 * size * side, tip, neck - 0.13 * size * side]
    head = " ".join(f"{number(x)},{number(y)}" for x, y in barbs)
    return (
        f'<g stroke="{CONTACT}" fill="{CONTACT}" fill-opacity="1">'
        f'<path d="M{number(p[0])} {number(p[1])} L{number(neck[0])} {number(neck[1])}"/>'
        f'<polygon points="{head}" stroke="none"/>'
        f'<circle cx="{number(p[0])}" cy="{number(p[1])}" r="{number(0.1 * size)}" stroke="none"/>'
        "</g>"
    )


def link(joint: Any, size: float) -> str:
    """A joint as lines and dots of this radius (m)."""
    lines, dots = picture.runs(joint)
    out = [
        f'<polyline points="{" ".join(f"{number(x)},{number(y)}" for x, y in points)}" fill="none" '
        f'stroke="{INK}" stroke-width="{number(0.5 * size)}"/>'
        for points in lines
    ]
    out += [
        f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(size)}" fill="#fff" '
        f'stroke="{INK}" stroke-width="{number(0.5 * size)}"/>'
        for x, y in dots
    ]
    return "".join(out)


def write(text: str, x: float, y: float, size: float) -> str:
    """A line of text, its middle at x and its foot at y, letters `size` (m) high; in y down."""
    return (
        f'<text x="{number(x)}" y="{number(-y)}" fill="{INK}" font-family="sans-serif" '
        f'font-size="{number(size)}" text-anchor="middle">{escape(text)}</text>'
    )


# ---- pictures ------------------------------------------------------------------------------------


def frame(
    low: Sequence[float],
    high: Sequence[float],
    drawn: Iterable[str],
    written: Iterable[str] = (),
    *,
    width: float = 480.0,
) -> str:
    """A whole picture of the box from low to high (m), width pixels wide."""
    x, y = float(high[0] - low[0]), float(high[1] - low[1])
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{number(width)}" '
        f'height="{number(width * y / x)}" '
        f'viewBox="{number(low[0])} {number(-high[1])} {number(x)} {number(y)}">',
        f'<g transform="scale(1,-1)" stroke="{INK}" stroke-width="{number(max(x, y) / 300.0)}" '
        'stroke-linejoin="round" fill-opacity="0.6">',
        *drawn,
        "</g>",
        *written,
        "</svg>",
        "",
    ]
    return "\n".join(lines)


def draw(
    shapes: Iterable[Shape],
    *,
    poses: Iterable[Sequence[float]] | None = None,
    contacts: Iterable[Contact] = (),
    joints: Iterable[Any] = (),
    labels: Iterable[str] = (),
    width: float = 480.0,
) -> str:
    """A whole SVG picture of shapes, width pixels wide; labels stand below each.

    poses: (x, y, angle) of each (m, rad), or all in one frame; contacts: as dots with normals;
    joints: as lines and dots.
    """
    shapes, labels = list(shapes), list(labels)
    if not shapes:
        raise ValueError("shapes must be at least one shape, got none")
    places = [HERE for _ in shapes] if poses is None else list(poses)
    if len(places) != len(shapes):
        raise ValueError(f"poses must be as many as shapes, {len(shapes)}, got {len(places)}")
    boxes = np.array([bound(shape, pose) for shape, pose in zip(shapes, places)])
    joints = list(joints)
    ends = [point for joint in joints for line in picture.runs(joint)[0] for point in line]
    corners = np.vstack([*boxes, *(np.array(end, ndmin=2) for end in ends)])
    low, high = corners.min(axis=0), corners.max(axis=0)
    size = max(high - low)
    text = 0.026 * size if labels else 0.0
    drawn = [
        fill(shape, pose, COLOURS[i % len(COLOURS)])
        for i, (shape, pose) in enumerate(zip(shapes, places))
    ]
    drawn += [link(joint, 0.012 * size) for joint in joints]
    drawn += [arrow(contact, 0.15 * size) for contact in contacts]
    written = [
        write(label, (box[0, 0] + box[1, 0]) / 2, box[0, 1] - 1.4 * text, text)
        for box, label in zip(boxes, labels)
    ]
    margin = 0.06 * size
    low = low - margin - (0.0, 1.6 * text)
    return frame(low, high + margin, drawn, written, width=width)


def bound(shape: Shape, pose: Sequence[float]) -> NDArray[np.float64]:
    """The corners (low, high) of a box around a shape at a pose."""
    if tuple(pose) == HERE:
        return np.array(shape.bounds)
    # Turn the box of the shape's own frame: no tighter than it must be.
    (x0, y0), (x1, y1) = shape.bounds
    x, y, angle = pose
    c, s = np.cos(angle), np.sin(angle)
    corners = np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])
    corners = corners @ np.array([[c, s], [-s, c]]) + (x, y)
    return np.array([corners.min(axis=0), corners.max(axis=0)])


def number(value: float) -> str:
    """A number as short as it can be at nine digits."""
    return f"{float(value):.9g}"
