"""The panel at the side: what to look for, what theory says, times, energy, sliders."""

import numpy as np
import pygame

from engine2d.draw import DARK, PAPER, Letters, disc, mix, with_unit

WIDTH = 320  # px
PAD = 16
GROUND = (241, 241, 238)
QUIET = mix(DARK, PAPER, 0.35)
CURVES = ((68, 119, 170), (204, 102, 68), (34, 136, 51), (170, 51, 119))
BAR = (119, 170, 221)
HINT = "F1 help   Space pause   Tab next   Esc menu"


class Panel:
    """Draws the panel and knows where its sliders are."""

    def __init__(self):
        self.letters = Letters()
        self.tracks = {}  # slider name: its rect, in pixels of the window
        self.held = None

    # -- drawing

    def draw(self, surface, box, demo, fps, state):
        """Draw the panel into the box of the window."""
        surface.fill(GROUND, box)
        pygame.draw.line(surface, mix(GROUND, DARK, 0.15), box.topleft, box.bottomleft)
        self.surface, self.x, self.width = surface, box.x + PAD, box.width - 2 * PAD
        y = self.draw_head(box.y + PAD, demo)
        y = self.draw_readings(y, demo)
        y = self.draw_stats(y + 6, demo, fps, state)
        bottom = self.draw_sliders(box.bottom - 30, demo)
        graphs = [demo.energy_graph, *([] if demo.big_graphs else demo.graphs)]
        self.draw_graphs(y + 8, bottom - 8, [graph for graph in graphs if graph.names])
        self.write(HINT, box.bottom - 20, 11, QUIET)

    def write(self, text, y, size=14, colour=DARK):
        return self.letters.write(self.surface, text, (self.x, y), size, colour).bottom

    def draw_head(self, y, demo):
        y = self.write(demo.title, y, 20) + 6
        for line in self.letters.wrap(demo.look_for, 14, self.width):
            y = self.write(line, y, 14) + 2
        for letter, what in demo.keys:
            y = self.write(f"{letter.upper()}: {what}", y + 2, 13, CURVES[0]) + 1
        return y + 6

    def draw_readings(self, y, demo):
        for reading in demo.readings():
            first, *rest = reading.lines
            y = self.write(first, y, 14) + 2
            for line in rest:
                y = self.write(line, y, 12, QUIET) + 3
        return y

    def draw_stats(self, y, demo, fps, state):
        counts, seconds = demo.stats()
        y = self.write(f"{demo.time:.2f} s   {fps:.0f} frames/s   {state}", y, 13) + 3
        y = self.write("   ".join(f"{name} {value}" for name, value in counts), y, 13) + 5
        if not seconds:
            return y
        whole = sum(seconds.values())
        y = self.write(f"step {with_unit(whole, 's')}", y, 13) + 3
        for stage, value in seconds.items():
            length = (self.width - 150) * value / whole if whole > 0 else 0
            self.write(stage.replace("_", " "), y, 11, QUIET)
            bar = pygame.Rect(self.x + 92, y + 1, max(round(length), 1), 8)
            pygame.draw.rect(self.surface, BAR, bar)
            at = (self.x + self.width, y)
            text = with_unit(value, "s")
            self.letters.write(self.surface, text, at, 11, QUIET, "topright")
            y += 13
        return y

    def draw_sliders(self, bottom, demo):
        """The sliders, from the bottom up; returns where they begin."""
        self.tracks = {}
        y = bottom - 30 * len(demo.sliders)
        top = y
        for name, slider in demo.sliders.items():
            label = {"mu": "friction mu", "e": "restitution e"}.get(name, slider.name)
            self.write(label, y + 4, 13)
            at = (self.x + self.width, y + 4)
            self.letters.write(self.surface, slider.text, at, 13, DARK, "topright")
            track = pygame.Rect(self.x + 104, y + 2, self.width - 104 - 76, 18)
            self.tracks[name] = track
            pygame.draw.line(self.surface, QUIET, track.midleft, track.midright)
            share = (slider.value - slider.low) / (slider.high - slider.low)
            knob = (track.x + share * track.width, track.centery)
            disc(self.surface, CURVES[0], knob, 6)
            y += 30
        return top

    def draw_graphs(self, top, bottom, graphs):
        """As many as there is room for, one below the other."""
        room = min((bottom - top) // max(len(graphs), 1), 130)
        if room < 45:
            graphs = graphs[-1:] if bottom - top >= 45 else []
            room = bottom - top
        for k, graph in enumerate(graphs):
            box = pygame.Rect(self.x, top + k * room, self.width, min(room, 130) - 8)
            draw_graph(self.surface, self.letters, box, graph)

    # -- the mouse

    def press(self, demo, at):
        """Take hold of the slider at a pixel; whether there is one."""
        for name, track in self.tracks.items():
            if track.inflate(16, 8).collidepoint(at):
                self.held = name
                return self.drag(demo, at)
        return False

    def drag(self, demo, at):
        """Move the held slider to a pixel; whether one is held."""
        if self.held is None or self.held not in self.tracks:
            return False
        track, slider = self.tracks[self.held], demo.sliders[self.held]
        share = (at[0] - track.x) / track.width
        before = slider.value
        slider.set(slider.low + share * (slider.high - slider.low))
        if slider.value != before:
            demo.tuned(self.held)
        return True

    def release(self):
        self.held = None


def draw_graph(surface, letters, box, graph):
    """Curves over the last frames, with the range and the last values in words."""
    letters.write(surface, graph.title, box.topleft, 12, DARK)
    x = box.right
    for k in range(len(graph.names) - 1, -1, -1):
        colour = mix(CURVES[k % len(CURVES)], DARK, 0.15)
        x = letters.write(surface, graph.names[k], (x, box.y), 12, colour, "topright").left - 10
    area = pygame.Rect(box.x, box.y + 16, box.width, box.height - 16)
    pygame.draw.rect(surface, mix(PAPER, DARK, 0.02), area)
    values = np.array(graph.rows, float).reshape(-1, len(graph.names))
    if graph.log:
        values = np.log10(np.maximum(np.abs(values), 1e-18))
    if len(values) < 2 or not np.isfinite(values).all():
        return
    low, high = values.min(), values.max()
    if graph.log:
        low = np.floor(low)
        high = max(np.ceil(high), low + 1.0)
    elif high - low < graph.least:
        middle = 0.5 * (high + low)
        low, high = middle - 0.5 * graph.least, middle + 0.5 * graph.least
    inner = area.inflate(0, -28)
    xs = area.x + np.arange(len(values)) * (area.width / (graph.rows.maxlen - 1))
    for k in range(values.shape[1]):
        ys = inner.bottom - (values[:, k] - low) / (high - low) * inner.height
        points = np.stack([xs, ys], axis=1).tolist()
        pygame.draw.aalines(surface, CURVES[k % len(CURVES)], False, points)
    for value, at, anchor in (
        (high, area.topleft, "topleft"),
        (low, area.bottomleft, "bottomleft"),
    ):
        text = f"1e{int(value)} {graph.unit}" if graph.log else with_unit(value, graph.unit)
        text = text.replace(" °", "°")
        letters.write(surface, text, (at[0] + 3, at[1]), 11, QUIET, anchor, halo=True)
