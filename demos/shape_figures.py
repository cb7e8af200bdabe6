"""A picture of each kind of shape, drawn by engine2d.svg: arcs are arcs at any size."""

from demos.scenes.shapes import gallery
from engine2d import svg


def save(folder):
    """Draw the picture into the folder; returns the paths."""
    names, shapes = zip(*gallery())
    path = folder / "shapes.svg"
    path.write_text(svg.draw(shapes, labels=names, width=720))
    return [path]
