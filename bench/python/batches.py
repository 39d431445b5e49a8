"""Batch decompression against other packages: blocks of 4 KB to 1 MB, on one core and with two threads."""

import os
import statistics
import zlib

from contest import PROCESSOR, WALL, contest, median, ratio
from data import KINDS, SIZES, blocks
from rivals import ONE, TWO


def gzip(block):
    """As zlib's level 6 writes it, which is what most files have."""
    return zlib.compress(block, 6, 31)


def cell(kind, size, contenders, rounds, clock):
    plain = blocks(kind, size)
    packed = [gzip(block) for block in plain]
    sizes = [len(block) for block in plain]
    for name, function in contenders.items():
        if [bytes(result) for result in function(packed, sizes)] != plain:
            raise SystemExit(f"{name} decompresses to something else")
    calls = {name: lambda function=function: function(packed, sizes) for name, function in contenders.items()}
    return contest(calls, rounds, clock)


def measure(rounds, only_sizes=None, only_kinds=None):
    """Rows of: threads, size, kind, times by contender."""
    kinds = {name: make() for name, make in KINDS.items() if not only_kinds or name in only_kinds}
    cores = os.sched_getaffinity(0)
    for threads, contenders, clock in ((1, ONE, PROCESSOR), (2, TWO, WALL)):
        os.sched_setaffinity(0, sorted(cores)[:threads])
        for size_name, size in SIZES.items():
            if only_sizes and size_name not in only_sizes:
                continue
            for kind_name, data in kinds.items():
                yield threads, size_name, kind_name, cell(data, size, contenders, rounds, clock), len(data)


ABOUT = [
    "Batches of gzip buffers (zlib's level 6), 8 MB of plain data each, in blocks that know nothing of each other. With one "
    "thread, on one core, the figure is the processor's time; with two, what the clock shows. Contenders take turns, who goes "
    "first rotates, and figures are medians; ratios are medians of the ratios of the same round. Rivals are told the size of every buffer, "
    "which spares them guessing, and with two threads get half a list each; Pelton finds the sizes itself. Results are compared before.",
]


def best(times):
    """How many times as fast as the fastest rival Pelton is, and which one that is."""
    return min((1 / ratio(times["pelton"], times[name]), name) for name in times if name != "pelton")


def lines(rows):
    """The rows as Markdown."""
    names = list(ONE)
    yield "| threads | blocks | data | " + " | ".join(f"{name} MB/s" for name in names) + " | times the best rival | which |"
    yield "| --- | --- | --- | " + " | ".join("---:" for _ in names) + " | ---: | --- |"
    for threads, size, kind, times, total in rows:
        figures = " | ".join(f"{total / median(times[name]) / 1e6:.0f}" for name in names)
        speed, name = best(times)
        yield f"| {threads} | {size} | {kind} | {figures} | {speed:.2f} | {name} |"


def summary(rows):
    """For each size, the geometric mean over the kinds of data of how many times a rival's speed Pelton has."""
    names = [name for name in ONE if name != "pelton"]
    yield "Over the kinds of data, times the speed of"
    yield ""
    yield "| threads | blocks | " + " | ".join(names) + " |"
    yield "| --- | --- | " + " | ".join("---:" for _ in names) + " |"
    for threads, size in dict.fromkeys((row[0], row[1]) for row in rows):
        cells = [times for row_threads, row_size, _, times, _ in rows if (row_threads, row_size) == (threads, size)]
        means = [statistics.geometric_mean(1 / ratio(times["pelton"], times[name]) for times in cells) for name in names]
        yield f"| {threads} | {size} | " + " | ".join(f"{mean:.2f}" for mean in means) + " |"
