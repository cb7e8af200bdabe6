"""A car with sprung wheels drives over bumps at the cap of its motors."""

from demos.demo import Demo, Reading
from demos.scenes.joints import add_car
from engine2d import Segment

TORQUE = 2.0  # N m


class Show(Demo):
    name = "car"
    title = "Car"
    look_for = (
        "Wheels follow the bumps along their axes; the motors pull with the torque they have."
    )
    view = ((-3.0, -2.0), (27.0, 8.0))
    picture_at = 2.5

    def build(self, world):
        world.add_static(Segment((-10, 0), (200, 0), friction=0.9))
        for k in range(8):
            x = 5 + 4 * k
            world.add_static(Segment((x, 0), (x + 1, 0.2), friction=0.9))
            world.add_static(Segment((x + 1, 0.2), (x + 2, 0), friction=0.9))
        self.body, self.axles = add_car(world, torque=TORQUE)

    def readings(self):
        worst = max(axle.error for axle in self.axles)
        return [
            Reading("wheels off their axes", 1e6 * worst, 0.0, "um"),
            Reading("torque of a motor", -self.axles[0].torque, None, "N m"),
            Reading("work of the motors", sum(axle.work for axle in self.axles), None, "J"),
        ]
