"""The rocking block of Housner (1963)."""

import math

from demos.demo import Demo, Graph, Reading
from demos.scenes.blocks import housner_peaks, rocking

START = math.radians(6.0)
PEAKS = 8


class Show(Demo):
    name = "rocking"
    title = "Rocking block"
    look_for = "It rocks from corner to corner; each landing takes the energy that theory says."
    view = ((-4.0, -0.7), (4.0, 5.6))
    flags = ("contacts", "forces")
    mu = 1.0
    sliders_of = ("mu", "gravity")
    big_graphs = True

    def build(self, world):
        self.block = self.add(world, rocking(START))[1]

    def begin(self):
        self.notes = {"peaks": [], "way": 0.0, "most": 0.0}
        self.angle_graph = Graph("angle", ("degrees",), "°", least=1e-6)
        self.graphs = [self.angle_graph]

    def tuned(self, name):
        self.reset()

    def after_step(self):
        notes, angle = self.notes, self.block.angle
        self.angle_graph.add(math.degrees(angle))
        rate = self.block.angular_velocity
        # a peak: it comes back from the side it is on
        turned = notes["way"] * angle > 0.0 and rate * angle < 0.0
        if turned and len(notes["peaks"]) < PEAKS and abs(angle) > 1e-4:
            notes["peaks"].append(max(abs(angle), notes["most"]))
        notes["most"] = abs(angle)
        notes["way"] = rate

    def readings(self):
        theory = housner_peaks(START, PEAKS)
        peaks = self.notes["peaks"]
        shown = list(enumerate(zip(peaks, theory), 1))[-3:]
        return [
            Reading(f"peak {k}", math.degrees(peak), math.degrees(right), "°")
            for k, (peak, right) in shown
        ]
