"""Blocks on each other: what lies still must lie still, and the ground bears the weight."""

from demos.demo import Demo, Reading
from demos.scenes.stacks import stacks

COUNT, HEIGHT = 3, 8


class Show(Demo):
    name = "stack"
    title = "Stacked blocks"
    look_for = "Nothing creeps, and each contact bears exactly the weight above it."
    view = ((-6.0, -1.0), (6.0, 9.0))
    flags = ("forces", "contacts")

    def build(self, world):
        self.bodies = self.add(world, stacks(COUNT, HEIGHT))

    def readings(self):
        ground = self.bodies[0].id
        rows = self.world.contacts.arrays
        below = (rows["body_a"] == ground) | (rows["body_b"] == ground)
        force = float((rows["normal_force"] * abs(rows["normal"][:, 1]))[below].sum())
        weight = sum(body.mass for body in self.bodies[1:]) * self.value("gravity")
        speed = max(sum(v * v for v in body.velocity) ** 0.5 for body in self.bodies[1:])
        return [
            Reading("force on the ground", force, weight, "N"),
            Reading("fastest block", speed, 0.0, "m/s"),
        ]
