"""Translate every .pyx afresh into a scratch folder, so that Cython prints all its hints."""

import runpy
import sys
import tempfile
from pathlib import Path

import Cython.Build
import setuptools

ROOT = Path(__file__).resolve().parent.parent


def main():
    sys.path.insert(0, str(ROOT))
    translate = Cython.Build.cythonize

    with tempfile.TemporaryDirectory() as scratch:

        def translate_all(modules, **options):
            options.update(build_dir=scratch, force=True, quiet=False)
            return translate(modules, **options)

        # setup.py itself, with its directives, but translating only and building nothing.
        Cython.Build.cythonize = translate_all
        setuptools.setup = lambda **_: None
        runpy.run_path(str(ROOT / "setup.py"))


if __name__ == "__main__":
    main()
