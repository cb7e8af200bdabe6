"""Running cases in a process of their own, so that a crash or a hang is a finding with a number.

A case is a function of a seed that returns None, or a text that says what is wrong.
"""

import faulthandler
import multiprocessing
import time
import traceback

SLOW = 60.0  # s that one case may take before it counts as hanging


def run_seeds(case, seeds, at, found):
    """In the child: run cases one after another, telling which one is under way."""
    faulthandler.enable()
    for seed in seeds:
        at.value = seed
        try:
            text = case(seed)
        except BaseException:
            text = traceback.format_exc()
        if text:
            found.put((seed, text))


def run_cases(case, seeds, seconds=None, slow=SLOW):
    """[(seed, what is wrong)] of the cases, each in a child; stops after `seconds` if given.

    Returns how many were run, too.
    """
    seeds, failures, done = list(seeds), [], 0
    start = time.monotonic()
    context = multiprocessing.get_context("fork")
    while seeds and (seconds is None or time.monotonic() - start < seconds):
        at, found = context.Value("q", -1), context.SimpleQueue()
        batch = seeds if seconds is None else seeds[:200]
        child = context.Process(target=run_seeds, args=(case, batch, at, found))
        child.start()
        last, since = -1, time.monotonic()
        while child.is_alive():
            child.join(0.02 if len(batch) < 50 else 0.2)
            failures += drain(found)
            if at.value != last:
                last, since = at.value, time.monotonic()
            elif time.monotonic() - since > slow:
                child.kill()
                failures.append((last, f"takes longer than {slow:g} s"))
                child.join()
        failures += drain(found)
        reached = seeds.index(at.value) + 1 if at.value in seeds else len(batch)
        if child.exitcode not in (0, None) and (at.value, None) not in failures:
            if not any(seed == at.value for seed, _ in failures):
                failures.append((at.value, f"the process ended with code {child.exitcode}"))
        else:
            reached = len(batch)
        done += reached
        seeds = seeds[reached:]
    return failures, done


def drain(queue):
    """All that is in a queue now."""
    out = []
    while not queue.empty():
        out.append(queue.get())
    return out
