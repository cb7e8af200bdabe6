"""Demos in a window or into files."""

import sys

import pygame

from demos import shows
from demos.app import FOLDER, App
from demos.menu import whole_picture
from demos.recorder import FPS, Recorder, RecordError, progress


def show_window(name, seconds=None, record=None):
    """Open the window on a demo, or on the menu."""
    recorder = None if record is None else Recorder(record)
    try:
        app = App(name)
    except pygame.error as error:
        sys.exit(f"engine2d: cannot open a window ({error}); --headless writes files instead")
    app.recorder = recorder
    app.run(seconds)
    if record is not None:
        print(f"recorded {record}")
    pygame.quit()


def one(name, seconds, record=None):
    """Run a demo without a window and write it to a file; returns the path."""
    recorder = Recorder(record or FOLDER / f"{name}.png")
    app = App(name)
    take(app, recorder, seconds, name)
    return recorder.close()


def take(app, recorder, seconds, title):
    """Give so many seconds of frames to a recorder."""
    frames = max(round(seconds * FPS), 1)
    with progress(title, frames) as advance:
        for k in range(frames):
            app.demo.fine = recorder.kind == ".png" and k + 1 == frames
            app.frame()
            app.clock.tick()
            recorder.add(app.screen)
            advance()


def tour(names, seconds, folder=FOLDER):
    """The menu as a picture, and some of each demo as a film; returns the paths."""
    app = App(shows.NAMES[0])
    picture = Recorder(folder / "menu.png")
    picture.add(whole_picture())
    paths = [picture.close()]
    try:
        film = Recorder(folder / "tour.mp4")
    except RecordError:
        film = Recorder(folder / "tour.gif")
    for name in names:
        if name in shows.NAMES:
            app.show(name)
            take(app, film, seconds, name)
    return [*paths, film.close()]
