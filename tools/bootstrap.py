"""Make .venv, install the named extras, build the extensions; quick when nothing is to do.

Runs on whatever Python the machine has, so that one too old can say so itself: keep the syntax of
this file to what Python 2.7 can parse.
"""

from __future__ import print_function

import sys

if sys.version_info < (3, 10):
    sys.exit(
        "engine2d: Python 3.10 or newer is needed, this is %d.%d; "
        "name a newer one with 'make PYTHON=...'." % sys.version_info[:2]
    )

import argparse
import glob
import os
import shutil
import subprocess
import sysconfig
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(ROOT, ".venv")
WINDOWS = os.name == "nt"
VENV_PYTHON = os.path.join(VENV, "Scripts" if WINDOWS else "bin", "python")
STAMPS = os.path.join(VENV, "engine2d-stamps")
MODE_FILE = os.path.join(ROOT, "build", ".mode")


def fail(sentence, details=""):
    """Stop with one clear sentence; what the failing tool said goes to a file beside it."""
    if details:
        handle, path = tempfile.mkstemp(prefix="engine2d-setup-", suffix=".log")
        with os.fdopen(handle, "w") as log:
            log.write(details)
        sentence += " (full output: %s)" % path
    sys.exit("engine2d: " + sentence)


def run(command):
    """Run quietly; return (exit code, everything it printed)."""
    process = subprocess.run(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    return process.returncode, process.stdout


def run_counting(command):
    """Run quietly but for one line that counts the modules built (setup.py says each)."""
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    lines, shown = [], ""
    for line in process.stdout:
        lines.append(line)
        if line.startswith("engine2d: "):
            text = line.strip()
            if sys.stdout.isatty():
                print("\r" + text.ljust(len(shown)), end="", flush=True)
                shown = text
            elif is_milestone(text):
                print(text, flush=True)
    if shown:
        print(flush=True)
    return process.wait(), "".join(lines)


def is_milestone(text):
    """Whether a log that is no terminal says it: every 20th module, for "module 40 of 142, ..."."""
    words = text.split()
    return words[1] == "module" and (int(words[2]) % 20 == 0 or words[2] == words[4].rstrip(","))


def make_venv():
    """Create .venv unless a working one of the right version is there."""
    stamp = os.path.join(STAMPS, "python")
    version = sys.version
    if os.path.exists(VENV_PYTHON) and read(stamp) == version:
        return
    if os.path.exists(VENV) and not os.path.exists(STAMPS):
        fail("there is a .venv that 'make' did not make: move it out of the way, then try again.")
    print("engine2d: making the environment .venv", flush=True)
    shutil.rmtree(VENV, ignore_errors=True)
    os.makedirs(STAMPS)  # first, so that a .venv left half made is known for ours
    code, output = run([sys.executable, "-m", "venv", VENV])
    if code:
        shutil.rmtree(VENV, ignore_errors=True)
        fail(
            "could not make a virtual environment: this Python lacks 'venv' or 'ensurepip' "
            "(on Debian and Ubuntu it is the package python3-venv).",
            output,
        )
    write(stamp, version)


def install(extras):
    """Install the build tools, numpy and the packages of the extras that are not stamped yet."""
    needs = {extra: "\n".join(requirements([extra])) for extra in ["core"] + extras}
    wanted = [extra for extra in needs if read(os.path.join(STAMPS, extra)) != needs[extra]]
    if not wanted:
        return
    packages = requirements(wanted)
    print("engine2d: installing " + ", ".join(packages), flush=True)
    code, output = run([VENV_PYTHON, "-m", "pip", "install", "--quiet"] + packages)
    if code:
        fail(
            "could not install the Python packages: is there a network connection?",
            output,
        )
    for extra in wanted:
        write(os.path.join(STAMPS, extra), needs[extra])


def requirements(extras):
    """The requirement strings of the extras, as pyproject.toml has them; extras may name others."""
    try:
        import tomllib
    except ImportError:  # Python 3.10: the copy inside the environment's pip
        sys.path += glob.glob(os.path.join(VENV, "lib", "python*", "site-packages"))
        from pip._vendor import tomli as tomllib
    project = tomllib.loads(read(os.path.join(ROOT, "pyproject.toml")))
    optional = project["project"]["optional-dependencies"]
    packages, pending = [], list(extras)
    while pending:
        extra = pending.pop(0)
        if extra == "core":
            packages += project["build-system"]["requires"] + project["project"]["dependencies"]
            continue
        for requirement in optional[extra]:
            if requirement.startswith("engine2d["):
                pending += requirement[len("engine2d[") : -1].split(",")
            else:
                packages.append(requirement)
    return list(dict.fromkeys(packages))


def build(force):
    """Build in place what changed; a change of mode rebuilds everything."""
    mode = os.environ.get("ENGINE_BUILD", "release")
    force = force or read(MODE_FILE) != mode
    compiler = (os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()[0]
    if not WINDOWS and shutil.which(compiler) is None:
        fail(
            "no C compiler found ('%s' is not a command): install one, for example gcc or clang, "
            "or name it with 'make CC=...'." % compiler
        )
    command = [VENV_PYTHON, "setup.py", "--quiet", "build_ext", "--inplace"]
    if force:
        print("engine2d: building the extension modules (%s)" % mode, flush=True)
        command.append("--force")
    code, output = run_counting(command)
    if code:
        fail("the build failed:\n" + "\n".join(output.splitlines()[-15:]), output)
    os.makedirs(os.path.dirname(MODE_FILE), exist_ok=True)
    write(MODE_FILE, mode)


def link():
    """Let the environment's Python import the packages from this tree, wherever it is started."""
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    path = os.path.join(STAMPS, "link")
    if read(path) == ROOT:
        return
    site = run([VENV_PYTHON, "-c", code])[1].strip()
    write(os.path.join(site, "engine2d-tree.pth"), ROOT + "\n")
    write(path, ROOT)


def read(path):
    """The text of a file, or '' when there is none."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


def write(path, text):
    """Write a small text file."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--extras", default="", help="comma-separated extras of pyproject.toml")
    parser.add_argument("--force", action="store_true", help="rebuild everything")
    arguments = parser.parse_args()
    make_venv()
    install([extra for extra in arguments.extras.split(",") if extra])
    link()
    build(arguments.force)


if __name__ == "__main__":
    main()
