"""How things are timed: CPU time of this process, engines taking turns, median of the rounds."""

import statistics
import time

ROUNDS = 7


def take_turns(contestants, rounds=ROUNDS):
    """Median CPU seconds of each contestant (name -> function), called in turn, after a warm-up."""
    for run in contestants.values():
        run()
    seconds = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, run in contestants.items():
            start = time.process_time()
            run()
            seconds[name].append(time.process_time() - start)
    return {name: statistics.median(times) for name, times in seconds.items()}
