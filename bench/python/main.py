"""The Python package against others: `python bench/python/main.py batches`, `… sql`.

The package `pelton` has to be importable, and so have the rivals; `make bench-python` sees to both.
"""

import argparse
import os

import batches
import record
import rivals
import sql


def run_batches(options):
    started = os.getloadavg()[0]
    rows = []
    for row in batches.measure(options.rounds, options.sizes, options.kinds):
        rows.append(row)
        print(list(batches.lines([row]))[-1], flush=True)
    lines = [*batches.lines(rows), "", *batches.summary(rows)]
    if options.records:
        results = [{"threads": threads, "blocks": size, "data": kind, "bytes": total, "seconds": times} for threads, size, kind, times, total in rows]
        record.write(options.records, "python-batches", rivals.versions(), started, [*batches.ABOUT, "", *lines], results)


def run_sql(options):
    started = os.getloadavg()[0]
    results = []
    for name, times, reasons in sql.measure(options.rounds, options.queries):
        results.append((name, times, reasons))
        print(list(sql.lines([results[-1]]))[2], reasons or "", flush=True)
    lines = list(sql.lines(results))
    print("\n".join(lines))
    if options.records:
        rows = [{"query": name, "seconds": times, "left_out": reasons} for name, times, reasons in results]
        about = [f"TPC-H scale factor 1 as gzip, {sql.THREADS} threads each, the time from the text to an Arrow table. Files come from the page cache.", ""]
        record.write(options.records, "python-sql", sql.versions(), started, about + lines, rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(required=True)
    for name, function in (("batches", run_batches), ("sql", run_sql)):
        command = commands.add_parser(name)
        command.set_defaults(run=function)
        command.add_argument("--rounds", type=int, default=7)
        command.add_argument("--records", help="the folder of records; nothing is recorded without it")
    commands.choices["batches"].add_argument("--sizes", nargs="*", default=[], help="of 4K, 16K, 64K, 256K, 1M")
    commands.choices["batches"].add_argument("--kinds", nargs="*", default=[], help="of text, columns, json")
    commands.choices["sql"].add_argument("--queries", nargs="*", default=[], help="such as Q1 Q6")
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
