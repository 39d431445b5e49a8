"""COPY in processes that are killed at random moments, and under signals: the old file or the new one is there, whole."""

import os
import random
import signal
import struct
import sys
import time
from pathlib import Path

import pyarrow.parquet

import pelton_duckdb

ROWS = 20_000
# Each of two kinds; this program runs three times, by three interfaces.
KILLS = 34
# A process is killed within the time of so many writes after its first one.
WRITES = 3


def write(connection, file, number):
    rows = f"SELECT {{'a': i, 'b': {number}}} FROM range({ROWS}) r(i)"
    connection.execute(f"COPY ({rows}) TO '{file}' (FORMAT pelton)")


def in_a_child(work):
    """Runs `work` in a process of its own, which goes on until it is killed or `work` returns. Returns it, and the time of
    its first write, which is over."""
    read, told = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            for seconds in work():
                os.write(told, struct.pack("d", seconds))
            os._exit(0)
        finally:
            os._exit(1)
    os.close(told)
    (seconds,) = struct.unpack("d", os.read(read, 8))
    os.close(read)
    return child, seconds


def check_whole(file):
    """All rows of one COPY, and of no other."""
    table = pyarrow.parquet.read_table(file, use_threads=False)
    assert table["a"].to_pylist() == list(range(ROWS)), file
    assert len(set(table["b"].to_pylist())) == 1, file


def killed(extension, folder, is_there, seed):
    """Kills processes that write one file again and again, or new ones; returns how many files were left, and hidden ones."""
    folder.mkdir()
    chance = random.Random(seed)
    names = lambda number: folder / ("x.parquet" if is_there else f"{number}.parquet")

    def work(count):
        connection = pelton_duckdb.connect(extension)
        for number in range(count):
            started = time.monotonic()
            write(connection, names(number), number)
            if number == 0:
                yield time.monotonic() - started

    def finish():
        child, _ = in_a_child(lambda: work(1))
        _, status = os.waitpid(child, 0)
        assert status == 0, status
        assert not [file for file in folder.iterdir() if file.name.startswith(".")]

    left = hidden = 0
    finish()
    for _ in range(KILLS):
        child, seconds = in_a_child(lambda: work(1_000_000))
        time.sleep(chance.uniform(0, WRITES * seconds))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        files = list(folder.iterdir())
        found = [file for file in files if file.name.startswith(".")]
        assert len(found) <= int(is_there), files
        assert not is_there or names(0) in files, files
        for file in files:
            check_whole(file)
        left, hidden = left + len(files) - len(found), hidden + len(found)
        if found:
            finish()
        if not is_there:
            [file.unlink() for file in files]
    finish()
    return left, hidden


def under_signals(extension, folder):
    """A signal's handler interrupts calls of the system, where the program that DuckDB is in has such ones."""
    signals = []
    signal.signal(signal.SIGALRM, lambda *_: signals.append(1))
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    connection = pelton_duckdb.connect(extension)
    for number in range(10):
        write(connection, folder / "signals.parquet", number)
        check_whole(folder / "signals.parquet")
    signal.setitimer(signal.ITIMER_REAL, 0)
    assert signals
    return len(signals)


def main(extension, folder):
    folder = Path(folder)
    new = killed(extension, folder / "new", False, 1)
    old = killed(extension, folder / "old", True, 2)
    signals = under_signals(extension, folder)
    print(f"{2 * KILLS} kills left files and hidden ones: of new names {new}, of an old one {old}; {signals} signals")


main(*sys.argv[1:])
