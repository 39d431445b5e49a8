"""The 99 queries derived from TPC-DS in DuckDB: views of pelton_scan against views of read_parquet, in turn, in one process.

Usage: run.py EXTENSION RECORD RUNS CODEC=FOLDER…: folders as generate.py fills them; the record is a Markdown file.
"""

import math
import os
import platform
import statistics
import sys
import time
from pathlib import Path

import duckdb

FUNCTIONS = ("pelton_scan", "read_parquet")
THREADS = 2


def connect(extension, folder, function):
    connection = duckdb.connect(config={"threads": THREADS, "allow_unsigned_extensions": True})
    connection.execute(f"LOAD '{extension}'")
    for path in Path(folder).glob("*.parquet"):
        connection.execute(f"CREATE VIEW {path.stem} AS SELECT * FROM {function}('{path}')")
    return connection


def same(found, expected):
    """The same rows, doubles up to the order in which they were summed."""

    def close(one, other):
        floats = isinstance(one, float) and isinstance(other, float)
        return math.isclose(one, other, rel_tol=1e-9) if floats else one == other

    pairs = zip(sorted(found, key=str), sorted(expected, key=str))
    return len(found) == len(expected) and all(all(map(close, *pair)) for pair in pairs)


def timed(connections, sql, runs):
    """The median time of each connection in milliseconds, the engines in turn, and whether their rows are the same."""
    times, rows = [[] for _ in connections], [None for _ in connections]
    for _ in range(runs):
        for index, connection in enumerate(connections):
            start = time.perf_counter()
            rows[index] = connection.execute(sql).fetchall()
            times[index].append((time.perf_counter() - start) * 1000)
    return [statistics.median(each) for each in times], same(*rows)


def table(extension, codec, folder, runs):
    connections = [connect(extension, folder, function) for function in FUNCTIONS]
    (interface,) = connections[0].execute("SELECT interface FROM pelton_interface()").fetchone()
    lines, pairs = [f"## {codec}, by the {interface} interface", "", "| query | Pelton ms | DuckDB ms | of DuckDB | fault |", "| --- | ---: | ---: | ---: | --- |"], []
    for path in sorted((Path(folder) / "queries").glob("*.sql")):
        (own, other), is_same = timed(connections, path.read_text(), runs)
        pairs.append((own, other))
        lines.append(f"| Q{int(path.stem)} | {own:.1f} | {other:.1f} | {own / other:.2f} | {'' if is_same else 'other rows'} |")
        print(f"{codec} {path.stem} {own / other:.2f}", file=sys.stderr)
    own, other = (sum(column) for column in zip(*pairs))
    mean = math.exp(sum(math.log(a / b) for a, b in pairs) / len(pairs))
    worst = max(a / b for a, b in pairs)
    lines += [f"| total | {own:.0f} | {other:.0f} | {own / other:.2f} | |", f"| geometric mean, worst | | | {mean:.2f}, {worst:.2f} | |", ""]
    return lines


def processor():
    try:
        names = [line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")]
        return names[0]
    except (OSError, IndexError):
        return platform.machine()


def main(extension, record, runs, *folders):
    moment = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())
    lines = [
        "# duckdb-tpcds",
        "",
        f"{moment}, on {processor()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}.",
        "",
        f"DuckDB {duckdb.__version__} with {THREADS} threads. Tables and queries are derived from TPC-DS, scale factor 1; DuckDB's own",
        f"writer wrote the files. Medians of {runs} runs, `pelton_scan` and `read_parquet` in turn in one process.",
        "",
    ]
    for folder in folders:
        codec, _, place = folder.partition("=")
        lines += table(extension, codec, place, int(runs))
    Path(record).parent.mkdir(parents=True, exist_ok=True)
    Path(record).write_text("\n".join(lines).rstrip() + "\n")


main(*sys.argv[1:])
