"""Nothing passes a thin wall, at any speed."""

from demos.demo import Demo, Reading, Slider
from demos.scenes.thin_walls import THIN, thin_walls


class Show(Demo):
    name = "bullets"
    title = "Bullets and thin walls"
    look_for = "Discs at 400 m/s, 7 m a frame, and walls 5 cm thin: none passes either of them."
    view = ((-6.5, -0.7), (6.5, 7.6))
    flags = ("trails",)
    keys = (("x", "fire again"),)
    e = 0.0
    sliders_of = ("e", "mu", "gravity")
    picture_at = 0.3

    def __init__(self):
        self.speed = Slider("speed", 20.0, 2000.0, 400.0, "m/s")
        super().__init__()
        self.sliders = {"speed": self.speed, **self.sliders}

    def build(self, world):
        (
            _,
            *self.walls,
        ) = self.add(world, thin_walls(self.speed.value))
        self.walls, self.bullets = self.walls[:2], self.walls[2:]

    def begin(self):
        self.notes = {"passed": 0, "behind": [False] * len(self.bullets)}

    def tuned(self, name):
        self.reset() if name == "speed" else super().tuned(name)

    def press(self, letter):
        self.reset()

    def after_step(self):
        """Count bullets that are behind a wall all at once, with its height between."""
        for k, bullet in enumerate(self.bullets):
            wall = self.walls[0 if k < len(self.bullets) // 2 else 1]
            x, y = wall.to_local(bullet.position)
            behind = x > 0.5 * THIN and abs(y) < 1.5
            if behind and not self.notes["behind"][k]:
                self.notes["passed"] += 1
            self.notes["behind"][k] = self.notes["behind"][k] or behind

    def readings(self):
        fired = len(self.bullets)
        return [Reading(f"passed, of {fired}", self.notes["passed"], 0)]
