"""The upright 1 x 3 block under `step`: how still is still?"""

from demos.demo import Demo, Graph, Reading
from demos.scenes.blocks import HEIGHT, WIDTH, upright

KICK = 1.2  # N s
ROCKS = 5.0  # s, for which it may rock after that


class Show(Demo):
    name = "upright"
    title = "The upright block"
    look_for = "Both corner gaps are zero to rounding, and again so after a kick. Sleeping is off."
    view = ((-4.0, -0.7), (4.0, 5.6))
    flags = ("forces", "contacts", "labels")
    keys = (("k", "kick it"), ("j", "drop it a millimetre"))
    big_graphs = True

    def build(self, world):
        world.sleeping = False
        self.block = self.add(world, upright())[1]

    def begin(self):
        self.gap_graph = Graph("gaps of the corners", ("left", "right"), "m", least=1e-12)
        self.speed_graph = Graph("speed", ("m/s",), "m/s", log=True)
        self.graphs = [self.gap_graph, self.speed_graph]

    def press(self, letter):
        self.notes["kicked"] = self.time
        if letter == "k":
            x, y = self.block.center
            self.block.apply_impulse((KICK * self.block.mass / 3.0, 0.0), (x, y + 0.4 * HEIGHT))
        else:
            x, y = self.block.position
            self.block.position = (x, y + 1e-3)

    def gaps(self):
        return [self.block.to_world((side * WIDTH / 2, -HEIGHT / 2))[1] for side in (-1, 1)]

    def speed(self):
        x, y = self.block.velocity
        return (x * x + y * y) ** 0.5 + abs(self.block.angular_velocity) * HEIGHT / 2

    def after_step(self):
        self.gap_graph.add(*self.gaps())
        self.speed_graph.add(self.speed())

    def readings(self):
        left, right = self.gaps()
        rests = self.time > self.notes.get("kicked", -ROCKS) + ROCKS
        theory = 0.0 if rests else None
        return [
            Reading("left gap", left, theory, "m"),
            Reading("right gap", right, theory, "m"),
            Reading("speed", self.speed(), theory, "m/s"),
        ]
