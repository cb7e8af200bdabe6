"""python -m benchmarks [NAME ...]: measure, print tables, write their parts of RESULTS.md."""

import argparse
import datetime
import importlib
import os
import platform
import subprocess
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import enginecore

FOLDER = Path(__file__).resolve().parent
# Order of the tables; each is a module bench_NAME with TITLE and rows(), and HEAD if that differs.
BENCHMARKS = sorted(path.stem.removeprefix("bench_") for path in FOLDER.glob("bench_*.py"))
HEAD = ("what", "value", "remark")


def commit_now():
    """Which commit is measured."""
    try:
        commit = subprocess.run(
            ["git", "describe", "--always", "--dirty"], cwd=FOLDER, capture_output=True, text=True
        ).stdout.strip()
    except OSError:
        commit = ""
    return commit or "unknown"


def describe_run():
    """Where and when figures were last measured."""
    return (
        f"{datetime.date.today()}, {platform.machine()}, "
        f"{os.cpu_count()} cores, Python {platform.python_version()}, numpy {np.__version__}, "
        f"{enginecore.build_mode} build"
    )


def as_markdown(title, head, rows, commit):
    """A table whose rows say which commit they are of."""
    lines = [f"## {title}", "", f"| {' | '.join((*head, 'commit'))} |"]
    lines.append("|---" * (len(head) + 1) + "|")
    return "\n".join(lines + [f"| {' | '.join(map(str, (*row, commit)))} |" for row in rows])


def read_sections(path):
    """The tables that are there, by title."""
    text = path.read_text() if path.exists() else ""
    parts = text.split("\n## ")[1:]
    return {part.split("\n", 1)[0]: "## " + part.rstrip() for part in parts}


def write_sections(path, new):
    """Put new tables in the place of the old ones of their titles."""
    sections = {**read_sections(path), **new}
    head = "Written by `make bench`. Times are CPU time, medians, engines taking turns."
    order = [sections[title] for title in sorted(sections)]
    path.write_text("\n\n".join(["# Results", head, describe_run(), *order]) + "\n")


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(BENCHMARKS)}")
    names = parser.parse_args().names
    for name in names:
        if name not in BENCHMARKS:
            parser.error(f"unknown benchmark {name!r}; there are {', '.join(BENCHMARKS)}")
    console = Console()
    commit, path = commit_now(), FOLDER / "RESULTS.md"
    for name in names or BENCHMARKS:
        module = importlib.import_module(f"benchmarks.bench_{name}")
        head = getattr(module, "HEAD", HEAD)
        with console.status(f"measuring {name}"):
            rows = module.rows()
        table = Table(*head, title=module.TITLE)
        for row in rows:
            table.add_row(*map(str, row))
        console.print(table)
        write_sections(path, {module.TITLE: as_markdown(module.TITLE, head, rows, commit)})
    console.print(f"written to {path}")


if __name__ == "__main__":
    main()
