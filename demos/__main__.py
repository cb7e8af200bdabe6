"""python -m demos: what the engine does, in a window; without a display, in files.

python -m demos            the menu
python -m demos NAME       one demo
python -m demos compare    a scene in this engine and in pymunk, side by side
python -m demos --to DIR   the pictures of the docs
"""

import argparse
import difflib
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SECONDS = 5.0  # s, that a demo is shown without a display
TOUR_SECONDS = 2.0  # s of each demo in the tour
TOUR = ("heavy", "cradle", "bowl", "bullets", "impact_lab", "circles")


def draw_pictures(folder):
    """The pictures of the docs."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        from demos import (
            contact_figures,
            exact_figures,
            impact3d_figures,
            joint_figures,
            lcp_figures,
            shape_figures,
            show_figures,
        )

        figures = (
            impact3d_figures, lcp_figures, shape_figures, contact_figures, exact_figures,
            joint_figures, show_figures,
        )  # fmt: skip
        paths = [path for module in figures for path in module.save(folder)]
    except ImportError as error:
        sys.exit(
            f"engine2d: the pictures need matplotlib and pygame ({error}): "
            "pip install 'engine2d[plot,demo]'"
        )
    except OSError as error:
        sys.exit(f"engine2d: cannot write pictures to {folder}: {error.strerror or error}")
    print("Pictures drawn by the engine:")
    for path in paths:
        print(f"  {path}")


def has_display():
    """Whether a window can be opened here."""
    driver = os.environ.get("SDL_VIDEODRIVER", "")
    if driver in ("dummy", "offscreen"):
        return False
    if driver or sys.platform in ("win32", "darwin", "cygwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def parse():
    parser = argparse.ArgumentParser(
        prog="python -m demos", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("name", nargs="?", help="a demo; without it, the menu")
    parser.add_argument("--seconds", type=float, help="how long it runs")
    parser.add_argument("--record", type=Path, help="a file for it: .png, .gif or .mp4")
    parser.add_argument("--headless", action="store_true", help="no window, only files")
    parser.add_argument("--scene", help="of compare: which scene")
    parser.add_argument("--list", action="store_true", help="the names of the demos")
    parser.add_argument("--to", type=Path, help="draw the pictures of the docs into this folder")
    arguments = parser.parse_args()
    seconds = arguments.seconds
    if seconds is not None and not 0.0 < seconds <= 3600.0:
        sys.exit(f"engine2d: --seconds must be above 0 and at most 3600, got {seconds:g}")
    if arguments.scene is not None and arguments.name != "compare":
        sys.exit("engine2d: --scene is for compare: python -m demos compare --scene NAME")
    return arguments


def check_name(name, names, what="demo"):
    """Leave with one sentence if there is no such demo."""
    if name is not None and name not in names:
        near = difflib.get_close_matches(name, names, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(names)}"
        sys.exit(f"engine2d: there is no {what} {name!r}; {hint}")


def compare(arguments, headless):
    """The same scene in two engines."""
    from demos.compare_cases import CASES

    scene = arguments.scene or next(iter(CASES))
    check_name(scene, tuple(CASES), "scene")
    try:
        from demos import compare
        from demos.recorder import RecordError
    except ImportError as error:
        if "pymunk" not in str(error) and "pygame" not in str(error):
            raise
        sys.exit(f"engine2d: {error}")
    try:
        path = compare.run(scene, arguments.seconds, arguments.record, headless)
    except RecordError as error:
        sys.exit(f"engine2d: {error}")
    if path is not None:
        print(f"{scene}: {path}")


def main():
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    arguments = parse()
    if arguments.to is not None:
        draw_pictures(arguments.to)
        return
    from demos import shows

    if arguments.name != "compare":
        check_name(arguments.name, shows.NAMES)
    if arguments.list:
        print("\n".join(shows.NAMES))
        return
    headless = arguments.headless or not has_display()
    if headless:
        os.environ["SDL_VIDEODRIVER"] = "dummy"
    if arguments.name == "compare":
        compare(arguments, headless)
        return
    try:
        import engine2d.draw  # noqa: F401
        from demos import show_files
        from demos.recorder import RecordError
    except ImportError as error:
        if "pygame" not in str(error):
            raise
        sys.exit(f"engine2d: {error}")
    try:
        if not headless:
            show_files.show_window(arguments.name, arguments.seconds, arguments.record)
        elif arguments.name is None and arguments.record is None:
            if not arguments.headless:
                print("There is no display here, so the demos go to files:", flush=True)
            for path in show_files.tour(TOUR, arguments.seconds or TOUR_SECONDS):
                print(f"  {path}")
        else:
            name = arguments.name or shows.NAMES[0]
            path = show_files.one(name, arguments.seconds or SECONDS, arguments.record)
            print(f"{name}: {path}")
    except RecordError as error:
        sys.exit(f"engine2d: {error}")


if __name__ == "__main__":
    main()
