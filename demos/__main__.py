"""python -m demos: draw pictures with the engine and say where they are."""

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main():
    parser = argparse.ArgumentParser(prog="python -m demos", description=__doc__)
    parser.add_argument(
        "--to", type=Path, default=ROOT / "build" / "pictures", help="folder for the pictures"
    )
    folder = parser.parse_args().to
    try:
        folder.mkdir(parents=True, exist_ok=True)
        from demos import contact_figures, impact3d_figures, lcp_figures, shape_figures

        figures = (impact3d_figures, lcp_figures, shape_figures, contact_figures)
        paths = [path for module in figures for path in module.save(folder)]
    except ImportError as error:
        sys.exit(f"engine2d: the pictures need matplotlib ({error}): pip install 'engine2d[plot]'")
    except OSError as error:
        sys.exit(f"engine2d: cannot write pictures to {folder}: {error.strerror or error}")
    print("Pictures drawn by the engine:")
    for path in paths:
        print(f"  {path}")


if __name__ == "__main__":
    main()
