"""A picture of each kind of contact: points, normals and gaps as the engine finds them."""

from demos.scenes.contacts import gallery
from engine2d import svg
from engine2d.collide.narrow_phase import contact_points

COLUMNS = 4
CELL = (3.0, 2.8)  # m
TEXT = 0.2  # m, height of the letters
ARROW = 0.5  # m
ROUNDING = 1e-9  # m: what touches is in touch, however its gap is rounded
COLOUR_A, COLOUR_B = svg.COLOURS[0], svg.COLOURS[7]


def save(folder):
    """Draw the picture into the folder; returns the paths."""
    scenes = gallery()
    drawn, written = [], []
    for i, scene in enumerate(scenes):
        x, y = CELL[0] * (i % COLUMNS), -CELL[1] * (i // COLUMNS)
        contacts = draw_scene(scene, x, y, drawn)
        written.append(svg.write(scene.name, x, y - 1.2, TEXT))
        written.append(svg.write(describe(contacts), x, y - 1.5, 0.85 * TEXT))
    rows = -(-len(scenes) // COLUMNS)
    low = (-CELL[0] / 2, -CELL[1] * (rows - 1) - 1.65)
    high = (CELL[0] * (COLUMNS - 0.5), 1.25)
    path = folder / "contacts.svg"
    path.write_text(svg.frame(low, high, drawn, written, width=840))
    return [path]


def draw_scene(scene, x, y, drawn):
    """Add two shapes and their contacts to what is drawn, around (x, y); returns the contacts."""
    pose_a, pose_b = ((px + x, py + y, angle) for px, py, angle in (scene.pose_a, scene.pose_b))
    contacts = contact_points(scene.a, pose_a, scene.b, pose_b, margin=scene.margin + ROUNDING)
    drawn.append(svg.fill(scene.b, pose_b, COLOUR_B))
    drawn.append(svg.fill(scene.a, pose_a, COLOUR_A))
    drawn += [svg.arrow(contact, ARROW) for contact in contacts]
    return contacts


def describe(contacts):
    """The gaps in words; what is below half a centimetre is 0."""
    gaps = [
        f"{round(contact.gap, 2) + 0.0:.2f}".replace("-", "\N{MINUS SIGN}") for contact in contacts
    ]
    return ("gap " if len(gaps) == 1 else "gaps ") + ", ".join(gaps) + " m"
