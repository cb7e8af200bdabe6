"""One joint of each kind."""

from demos.demo import Demo, Reading
from demos.scenes.joints import add_zoo, place


class Show(Demo):
    name = "joint_zoo"
    title = "Joint zoo"
    look_for = "Each kind of joint does what it is for; pull at the bodies with the mouse."
    view = ((-8.5, -4.0), (8.5, 8.5))
    picture_at = 0.8

    def build(self, world):
        self.joints = add_zoo(world)

    def readings(self):
        worst = max(joint.error for joint in self.joints)
        return [Reading("largest error", 1e6 * worst, 0.0, "um")]

    def draw_extra(self, renderer):
        for k, joint in enumerate(self.joints):
            x, y = place(k)
            size = 16 if renderer.notes else 12  # smaller in a small picture
            renderer.label((x, y + 1.2), type(joint).__name__, size)
