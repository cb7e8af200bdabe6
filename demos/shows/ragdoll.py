"""Ragdolls of eleven bodies with limits fall on a floor and come to rest."""

from demos.demo import Demo, Reading
from demos.scenes.jointed import ragdoll
from demos.scenes.scene import add_scene
from engine2d import Segment


class Show(Demo):
    name = "ragdoll"
    title = "Ragdolls"
    look_for = "Limbs turn as far as their limits and no farther, and all come to rest."
    view = ((-5.0, -0.5), (5.0, 5.5))
    picture_at = 0.9

    def build(self, world):
        world.add_static(Segment((-20, 0), (20, 0), friction=0.6))
        for k, angle in enumerate((0.4, 2.0, -1.2)):
            add_scene(world, ragdoll(3.0 * (k - 1), 3.0 + 0.4 * k, angle, floor=False))

    def readings(self):
        joints = self.world.joints
        return [
            Reading("widest pin, or limit passed", 1e6 * max(j.error for j in joints), 0.0, "um"),
            Reading("kinetic energy", self.world.energy.kinetic, None, "J"),
        ]
