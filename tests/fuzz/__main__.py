"""python -m tests.fuzz --minutes M: rooms of all families, calls and states, in turn, until then.

Each failure is printed as a short program. Exits 1 if there was any.
"""

import argparse
import random
import sys
import time

from tests.fuzz import calls, calls3d, rooms, rooms3d, state, state3d
from tests.fuzz.child import run_cases
from tests.fuzz.room_families import FAMILIES, draw_room

BATCH = 50  # cases of a kind at a time


def fuzz_rooms(family, seed):
    """A room that is beyond its bars, as a program; or None."""
    solver = ("auto", "iterative", "direct")[seed % 3]
    found = rooms.check_room(family, seed, solver)
    if not found.faults():
        return None
    small = rooms.shrink(draw_room(family, seed), solver, lambda result: bool(result.faults()))
    return f"# {'; '.join(found.faults())}\n{rooms.write_program(small, solver)}"


def fuzz_space(family, seed):
    """A room in space that is beyond its bars, in words; or None."""
    solver = ("auto", "iterative", "direct")[seed % 3]
    if rooms3d.FAMILIES[family].isolated:
        solver = "auto"
    faults = rooms3d.run_room(family, seed, solver).faults()
    return f"{'; '.join(faults)}; solver {solver}" if faults else None


def main(argv=None):
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    given = parser.parse_args(argv)
    end, first, failed = time.monotonic() + 60 * given.minutes, given.seed * 1000, 0
    done = 0
    print(f"seeds from {first}", flush=True)
    while time.monotonic() < end:
        kinds = [("calls", calls.run_case), ("state", state.run_case)]
        kinds += [("space state", state3d.run_case), ("space calls", calls3d.run_case)]
        kinds += [(name, lambda seed, name=name: fuzz_rooms(name, seed)) for name in FAMILIES]
        kinds += [
            (f"space {name}", lambda seed, name=name: fuzz_space(name, seed))
            for name in rooms3d.FAMILIES
        ]
        for name, case in kinds:
            if time.monotonic() > end:
                break
            many = BATCH if name in ("calls", "state", "space state", "space calls") else 5
            failures, n = run_cases(case, range(first, first + many))
            done += n
            failed += len(failures)
            for seed, text in failures:
                shown = text
                if name in ("calls", "space calls"):
                    language = calls.PLANE if name == "calls" else calls3d.SPACE
                    shown = calls.describe(seed, text, language)
                print(f"# {name} {seed}\n{shown}\n", flush=True)
        first += BATCH
    print(f"{done} cases, {failed} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
