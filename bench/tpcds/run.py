"""The 99 queries derived from TPC-DS in DuckDB: views of pelton_scan against views of read_parquet, in turn, in one process.

Usage: run.py EXTENSION RECORDS RUNS CODEC=FOLDER…: folders as generate.py fills them; the record goes below RECORDS.
"""

import math
import os
import statistics
import sys
import time
from pathlib import Path

import duckdb

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python"))
import record  # noqa: E402
from compare import same  # noqa: E402

FUNCTIONS = ("pelton_scan", "read_parquet")
THREADS = 2


def connect(extension, folder, function):
    connection = duckdb.connect(config={"threads": THREADS, "allow_unsigned_extensions": True})
    connection.execute(f"LOAD '{extension}'")
    for path in Path(folder).glob("*.parquet"):
        connection.execute(f"CREATE VIEW {path.stem} AS SELECT * FROM {function}('{path}')")
    return connection


def timed(connections, sql, runs):
    """All times of each connection in milliseconds, the engines in turn, and whether their rows are the same."""
    times, rows = [[] for _ in connections], [None for _ in connections]
    for _ in range(runs):
        for index, connection in enumerate(connections):
            start = time.perf_counter()
            rows[index] = connection.execute(sql).fetchall()
            times[index].append((time.perf_counter() - start) * 1000)
    return times, same(*rows)


def measure(extension, codec, folder, runs):
    """The lines of a codec's table, and all times."""
    connections = [connect(extension, folder, function) for function in FUNCTIONS]
    (interface,) = connections[0].execute("SELECT interface FROM pelton_interface()").fetchone()
    lines = [f"## {codec}, by the {interface} interface", ""]
    lines += ["| query | Pelton ms | DuckDB ms | of DuckDB | fault |", "| --- | ---: | ---: | ---: | --- |"]
    pairs, results = [], []
    for path in sorted((Path(folder) / "queries").glob("*.sql")):
        times, is_same = timed(connections, path.read_text(), runs)
        own, other = map(statistics.median, times)
        pairs.append((own, other))
        results.append({"codec": codec, "query": int(path.stem), "milliseconds": times, "same": is_same})
        lines.append(f"| Q{int(path.stem)} | {own:.1f} | {other:.1f} | {own / other:.2f} | {'' if is_same else 'other rows'} |")
    own, other = (sum(column) for column in zip(*pairs))
    mean = math.exp(sum(math.log(a / b) for a, b in pairs) / len(pairs))
    worst = max(a / b for a, b in pairs)
    summary = f"| total | {own:.0f} | {other:.0f} | {own / other:.2f} | |"
    print(f"{codec} {summary} mean {mean:.2f}, worst {worst:.2f}", flush=True)
    return [*lines, summary, f"| geometric mean, worst | | | {mean:.2f}, {worst:.2f} | |", ""], results


def main(extension, records, runs, *folders):
    started = os.getloadavg()[0]
    lines = [
        f"Tables and queries are derived from TPC-DS, scale factor 1; DuckDB's own writer wrote the files. Medians of {runs} runs with",
        f"{THREADS} threads, `pelton_scan` and `read_parquet` in turn in one process.",
        "",
    ]
    results = []
    for folder in folders:
        codec, _, place = folder.partition("=")
        table, times = measure(extension, codec, place, int(runs))
        lines += table
        results += times
    record.write(records, "duckdb-tpcds", [f"DuckDB {duckdb.__version__}"], started, lines[:-1], results)


main(*sys.argv[1:])
