"""A progress bar for the command lines of both engines."""

import sys

WIDTH = 30  # characters


def show_bar(share, text="", quiet=False):
    """One line on a terminal that fills up; share: 0 to 1. Files and pipes get nothing."""
    if quiet or not sys.stderr.isatty():
        return
    full = int(WIDTH * share)
    end = "\n" if share >= 1.0 else ""
    bar = "#" * full + "." * (WIDTH - full)
    # what an earlier, longer text left is wiped out
    sys.stderr.write(f"\r[{bar}] {100 * share:3.0f} % {text}\x1b[K{end}")
    sys.stderr.flush()


def is_due(done, of):
    """Whether a bar should be drawn after `done` of so many steps: 200 times in all."""
    return done % max(of // 200, 1) == 0 or done == of
