"""Turns: every contender runs once a round, who goes first rotates, and what counts is the median."""

import gc
import statistics
import time


def contest(contenders, rounds, clock):
    """Times in seconds by contender, a list of each round's. A contender is a function of nothing."""
    names = list(contenders)
    times = {name: [] for name in names}
    for name in names:
        contenders[name]()
    for turn in range(rounds):
        for place in range(len(names)):
            name = names[(turn + place) % len(names)]
            gc.collect()
            start = clock()
            result = contenders[name]()
            times[name].append(clock() - start)
            del result
    return times


def median(times):
    return statistics.median(times)


def ratio(ours, theirs):
    """The median of the rounds' ratios: what others did to the machine in a round, they did to both."""
    return statistics.median(own / other for own, other in zip(ours, theirs))


# The processor's time of all threads, and what a clock on the wall shows.
PROCESSOR = time.process_time
WALL = time.perf_counter
