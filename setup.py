"""Builds the extension modules; everything else about the package is in pyproject.toml.

ENGINE_BUILD     release (default), profile, debug or trace
ENGINE_ANNOTATE  1: also write Cython's annotated HTML beside the generated C
"""

import os
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

MODES = ("release", "profile", "debug", "trace")
MODE = os.environ.get("ENGINE_BUILD", "release")
if MODE not in MODES:
    raise SystemExit(f"ENGINE_BUILD must be one of {', '.join(MODES)}, got {MODE!r}")
CHECKED = MODE in ("debug", "trace")

PACKAGES = ("enginecore", "engine2d", "engine3d")
# Cython's own helpers, compiled once for all modules: a smaller and faster build.
UTILITY = "enginecore._cyutility"
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": CHECKED,
    "initializedcheck": CHECKED,
    "wraparound": False,
    "cdivision": True,
    "auto_pickle": False,
    "autotestdict": False,
    "embedsignature": True,
    "linetrace": MODE == "trace",
    # worlds share nothing that is written: two threads may step two of them without the GIL
    "freethreading_compatible": True,
}
# The same bits everywhere: no fused multiply-add, no -ffast-math, no -march=native.
PORTABLE = ["-ffp-contract=off", "-fno-math-errno"]
GCC = {
    "release": ["-O3", "-g0"],
    "profile": ["-O3", "-g"],
    "debug": ["-O1", "-g", "-DENGINE_DEBUG=1"],
    "trace": ["-O0", "-g0", "-DENGINE_DEBUG=1", "-DCYTHON_TRACE=1", "-DCYTHON_TRACE_NOGIL=1"],
}
MSVC = {
    "release": ["/O2", "/fp:precise"],
    "profile": ["/O2", "/Zi", "/fp:precise"],
    "debug": ["/Od", "/Zi", "/fp:precise", "/DENGINE_DEBUG=1"],
    "trace": ["/Od", "/fp:precise", "/DENGINE_DEBUG=1", "/DCYTHON_TRACE=1"],
}


def extensions():
    """One extension per .pyx, named after its path."""
    sources = sorted(str(path) for package in PACKAGES for path in Path(package).rglob("*.pyx"))
    if not sources:
        raise SystemExit("no .pyx file found: the source distribution is incomplete")
    macros = [("ENGINE_BUILD_MODE", f'"{MODE}"')]
    modules = [
        Extension(source[: -len(".pyx")].replace(os.sep, "."), [source], define_macros=macros)
        for source in sources
    ]
    print(f"engine2d: {len(modules)} modules, translating those that changed", flush=True)
    return [*modules, Extension(UTILITY, ["enginecore/_cyutility.c"])]


class BuildExt(build_ext):
    """Compile on all cores, with the flags of the mode once the compiler is known."""

    def finalize_options(self):
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def build_extensions(self):
        msvc = self.compiler.compiler_type == "msvc"
        for ext in self.extensions:
            ext.extra_compile_args = MSVC[MODE] if msvc else GCC[MODE] + PORTABLE
        super().build_extensions()

    def build_extension(self, ext):
        super().build_extension(ext)
        self.done = getattr(self, "done", 0) + 1
        print(f"engine2d: module {self.done} of {len(self.extensions)}, {ext.name}", flush=True)


setup(
    ext_modules=cythonize(
        extensions(),
        compiler_directives=DIRECTIVES,
        shared_utility_qualified_name=UTILITY,
        build_dir=None if MODE == "trace" else f"build/cython-{MODE}",
        emit_linenums=MODE != "release",
        annotate=os.environ.get("ENGINE_ANNOTATE") == "1",
        # on all cores where a process can be forked; elsewhere setup.py would run again in each
        nthreads=os.cpu_count() if sys.platform == "linux" else 0,
        quiet=True,
    ),
    cmdclass={"build_ext": BuildExt},
)
