"""Batch decompression against other packages: blocks of 4 KB to 1 MB, on one core and with two threads."""

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
    for threads, contenders, clock in ((1, ONE, PROCESSOR), (2, TWO, WALL)):
        for size_name, size in SIZES.items():
            if only_sizes and size_name not in only_sizes:
                continue
            for kind_name, data in kinds.items():
                yield threads, size_name, kind_name, cell(data, size, contenders, rounds, clock), len(data)


def lines(rows):
    """The rows as Markdown, with MB/s and how many times the fastest rival's speed ours is."""
    names = list(ONE)
    yield "| threads | blocks | data | " + " | ".join(f"{name} MB/s" for name in names) + " | times the best rival |"
    yield "| --- | --- | --- | " + " | ".join("---:" for _ in names) + " | ---: |"
    for threads, size, kind, times, total in rows:
        speeds = [total / median(times[name]) / 1e6 for name in names]
        best = min(1 / ratio(times["pelton"], times[name]) for name in names if name != "pelton")
        figures = " | ".join(f"{speed:.0f}" for speed in speeds)
        yield f"| {threads} | {size} | {kind} | {figures} | {best:.2f} |"


if __name__ == "__main__":
    import sys

    for line in lines(measure(5, sys.argv[1:])):
        print(line, flush=True)
