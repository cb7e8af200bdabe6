"""Two thousand discs."""

from demos.demo import Demo, Reading
from demos.scenes.circles import circles

COUNT = 2000


class Show(Demo):
    name = "circles"
    title = "2000 circles"
    look_for = "They fall into a box and come to rest as a heap; drag through them."
    view = ((-14.0, -1.2), (14.0, 27.0))
    picture_at = 1.0

    def build(self, world):
        self.bodies = self.add(world, circles(COUNT))

    def readings(self):
        rows = self.world.contacts.arrays
        if not len(rows):
            return []
        return [
            Reading("mean overlap", float(1000.0 * (-rows["gap"]).clip(0.0).mean()), 0.0, "mm"),
            Reading("largest overlap", float(1000.0 * max(-rows["gap"].min(), 0.0)), 0.0, "mm"),
        ]
