"""A masonry arch stands if it is thick enough, and no stone is glued."""

from demos.demo import Demo, Reading, Slider
from demos.scenes.arches import LEAST, arch


class Show(Demo):
    name = "arch"
    title = "Masonry arch"
    look_for = "Stones without mortar. It stands if it is thicker than 0.1075 of its radius."
    view = ((-5.4, -0.8), (5.4, 5.4))
    flags = ("forces", "contacts")
    mu = 0.8
    sliders_of = ("mu", "gravity", "solver")
    solver = "direct"

    def __init__(self):
        self.thickness = Slider("thickness", 0.08, 0.25, 0.13)
        super().__init__()
        self.sliders = {"thickness": self.thickness, **self.sliders}

    def build(self, world):
        bodies = self.add(world, arch(self.thickness.value))
        self.stones = bodies[1:]

    def begin(self):
        self.top = self.stones[len(self.stones) // 2].position[1]

    def tuned(self, name):
        self.reset() if name == "thickness" else super().tuned(name)

    def readings(self):
        sunk = self.top - self.stones[len(self.stones) // 2].position[1]
        stands = self.thickness.value > LEAST
        return [
            Reading("thickness / radius", self.thickness.value),
            Reading("of the least that stands", self.thickness.value / LEAST),
            Reading("keystone sank by", 1000.0 * sunk, 0.0 if stands else None, "mm"),
        ]
