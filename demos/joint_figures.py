"""The pictures of docs/joints.md: what each of its programs has made at its end."""

from pathlib import Path

from engine2d import svg

PAGE = Path(__file__).resolve().parent.parent / "docs" / "joints.md"


def programs():
    """(name of the picture, program) of each kind of joint."""
    first, *sections = PAGE.read_text().split("\n## ")
    start = first.split("```python\n")[1].split("```")[0]
    for section in sections:
        name = section.split("(pictures/")[1].split(")")[0]
        yield name, start + section.split("```python\n")[1].split("```")[0]


def draw(program):
    """Run a program; its world as SVG."""
    names = {}
    exec(compile(program, str(PAGE), "exec"), names)
    bodies = names["world"].bodies
    shapes = [(shape.shape, body) for body in bodies for shape in body.shapes]
    return svg.draw(
        [shape for shape, _ in shapes],
        poses=[(*body.position, body.angle) for _, body in shapes],
        joints=names["world"].joints,
        width=320,
    )


def save(folder):
    """Draw every picture into the folder; returns the paths."""
    paths = []
    for name, program in programs():
        paths.append(folder / name)
        paths[-1].write_text(draw(program))
    return paths
