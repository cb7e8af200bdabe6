"""A heavy box on light ones: contact solved, not relaxed."""

from demos.demo import Demo, Reading, Slider
from demos.scenes.blocks import heavy_stack

RATIOS = (1, 10, 100, 1000, 10000)


class Show(Demo):
    name = "heavy"
    title = "Heavy on light"
    look_for = "The top box is up to 10 000 times heavier. The stack stands; forces are in newtons."
    view = ((-4.5, -0.8), (4.5, 6.0))
    flags = ("forces", "contacts", "labels")
    sliders_of = ("mu", "gravity", "solver")

    def __init__(self):
        self.ratio = Slider("top mass, times", 0, len(RATIOS) - 1, 3, choices=RATIOS)
        super().__init__()
        self.sliders = {"ratio": self.ratio, **self.sliders}

    def build(self, world):
        self.bodies = self.add(world, heavy_stack(RATIOS[int(self.ratio.value)]))

    def tuned(self, name):
        self.reset() if name == "ratio" else super().tuned(name)

    def readings(self):
        ground = self.bodies[0].id
        rows = self.world.contacts.arrays
        below = (rows["body_a"] == ground) | (rows["body_b"] == ground)
        force = float((rows["normal_force"] * abs(rows["normal"][:, 1]))[below].sum())
        weight = sum(body.mass for body in self.bodies[1:]) * self.value("gravity")
        top = self.bodies[-1].position[1]
        return [
            Reading("force on the ground", force, weight, "N"),
            Reading("height of the top box", top, 4.5, "m"),
        ]
