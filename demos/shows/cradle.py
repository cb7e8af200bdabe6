"""Touching discs pass a blow on, one contact after another."""

from demos.demo import Demo, Reading
from demos.scenes.rows import SPEED, cradle


class Show(Demo):
    name = "cradle"
    title = "Cradle"
    look_for = "As many discs leave as came in, at the same speed, and no energy is lost."
    view = ((-8.2, -3.5), (8.2, 3.5))
    flags = ("velocities", "trails")
    keys = (("1", "one comes in"), ("2", "two come in"), ("3", "three come in"))
    e, mu, gravity = 1.0, 0.0, 0.0
    sliders_of = ("e", "mu")
    moving = 1
    picture_at = 1.3

    def build(self, world):
        self.discs = self.add(world, cradle(5, self.moving))[1:]

    def press(self, letter):
        self.moving = int(letter)
        self.reset()

    def tuned(self, name):
        self.reset()

    def readings(self):
        energy = self.world.energy.kinetic
        first = 0.5 * self.discs[0].mass * SPEED**2 * self.moving
        moving = sum(abs(body.velocity[0]) > 0.01 * SPEED for body in self.discs)
        fastest = max(abs(body.velocity[0]) for body in self.discs)
        return [
            Reading("discs that move", moving, self.moving),
            Reading("fastest", fastest, SPEED, "m/s"),
            Reading("energy", energy, first, "J"),
        ]
