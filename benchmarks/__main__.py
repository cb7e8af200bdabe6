"""python -m benchmarks [NAME ...]: measure, print tables and write benchmarks/RESULTS.md."""

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
# Order of the tables; each is a module bench_NAME with TITLE and rows().
BENCHMARKS = sorted(path.stem.removeprefix("bench_") for path in FOLDER.glob("bench_*.py"))
HEAD = ("what", "value", "remark")


def describe_run():
    """Where and when these figures were measured."""
    try:
        commit = subprocess.run(
            ["git", "describe", "--always", "--dirty"], cwd=FOLDER, capture_output=True, text=True
        ).stdout.strip()
    except OSError:
        commit = ""
    return (
        f"{datetime.date.today()}, commit {commit or 'unknown'}, {platform.machine()}, "
        f"{os.cpu_count()} cores, Python {platform.python_version()}, numpy {np.__version__}, "
        f"{enginecore.build_mode} build"
    )


def as_markdown(title, rows):
    lines = [f"## {title}", "", f"| {' | '.join(HEAD)} |", "|---|---|---|"]
    return "\n".join(lines + [f"| {' | '.join(map(str, row))} |" for row in rows])


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(BENCHMARKS)}")
    names = parser.parse_args().names
    for name in names:
        if name not in BENCHMARKS:
            parser.error(f"unknown benchmark {name!r}; there are {', '.join(BENCHMARKS)}")
    console = Console()
    sections = []
    for name in names or BENCHMARKS:
        module = importlib.import_module(f"benchmarks.bench_{name}")
        with console.status(f"measuring {name}"):
            rows = module.rows()
        table = Table(*HEAD, title=module.TITLE)
        for row in rows:
            table.add_row(*map(str, row))
        console.print(table)
        sections.append(as_markdown(module.TITLE, rows))
    if not names:
        head = "Written by `make bench`. Times are CPU time, medians, engines taking turns."
        text = "\n\n".join(["# Results", head, describe_run(), *sections]) + "\n"
        (FOLDER / "RESULTS.md").write_text(text)
        console.print(f"written to {FOLDER / 'RESULTS.md'}")


if __name__ == "__main__":
    main()
