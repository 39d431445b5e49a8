"""pelton.sql against DuckDB and polars from Python: the TPC-H queries on the same Parquet files, to an Arrow table."""

import math
import os
import pathlib
import re

from contest import WALL, contest, median, ratio
from data import folder

THREADS = 2
QUERIES = pathlib.Path(__file__).parent.parent / "src" / "tpch" / "queries"
# Values that two engines computed in another order, or averages of decimals, differ in their last digits.
RELATIVE, ABSOLUTE = 1e-6, 1e-6


def queries(only):
    for path in sorted(QUERIES.glob("q*.sql")):
        name = "Q" + str(int(path.stem[1:]))
        if not only or name in only:
            # What it is about stands above it in comments, which not every parser takes.
            yield name, re.sub(r"--[^\n]*\n", "", path.read_text()).strip()


def engines(files):
    """A function from a query to an Arrow table, for each engine. They keep their defaults but for the number of threads."""
    os.environ["POLARS_MAX_THREADS"] = str(THREADS)
    import duckdb
    import pelton
    import polars

    ours = pelton.connect(threads=THREADS)
    theirs = duckdb.connect(config={"threads": THREADS})
    frames = polars.SQLContext()
    for path in files:
        ours.register(path.stem, str(path))
        theirs.execute(f"create view {path.stem} as from read_parquet('{path}')")
        frames.register(path.stem, polars.scan_parquet(path))
    return {
        "pelton": lambda query: ours.sql(query).to_arrow(),
        "duckdb": lambda query: theirs.sql(query).to_arrow_table(),
        "polars": lambda query: frames.execute(query, eager=True).to_arrow(),
    }


def versions():
    import duckdb
    import pelton
    import polars

    return [f"pelton {pelton.__version__}", f"duckdb {duckdb.__version__}", f"polars {polars.__version__}"]


def rows(table):
    """The rows, sorted, with numbers as such."""

    def value(given):
        try:
            return float(given)
        except (TypeError, ValueError):
            return str(given)

    def order(row):
        return [f"{each:.3g}" if isinstance(each, float) else each for each in row]

    columns = [column.to_pylist() for column in table.columns]
    return sorted((tuple(map(value, row)) for row in zip(*columns)), key=order)


def alike(ours, theirs):
    """Whether two results are the same, but for the last digits of numbers."""

    def close(own, other):
        if isinstance(own, float) and isinstance(other, float):
            return math.isclose(own, other, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
        return own == other

    return len(ours) == len(theirs) and all(
        len(own) == len(other) and all(map(close, own, other)) for own, other in zip(ours, theirs)
    )


def measure(rounds, only=()):
    """Name, times by engine, and why an engine is left out, for each query."""
    files = sorted(folder().glob("*.parquet"))
    if not files:
        raise SystemExit(f"no tables in {folder()}: `pelton tpch --sf 1` makes them")
    for path in files:
        path.read_bytes()
    all_engines = engines(files)
    for name, query in queries(only):
        left, reasons, expected = {}, {}, None
        for engine, run in all_engines.items():
            try:
                found = rows(run(query))
            except Exception as error:
                reasons[engine] = f"{type(error).__name__}: {str(error).splitlines()[0][:160]}"
                continue
            expected = expected or found
            if not alike(expected, found):
                reasons[engine] = "other rows than pelton's"
                continue
            left[engine] = lambda run=run: run(query)
        yield name, contest(left, rounds, WALL), reasons


def lines(results):
    """The results as Markdown, in milliseconds, with totals over the queries that all engines ran."""
    names = ["pelton", "duckdb", "polars"]
    yield "| query | " + " | ".join(f"{name} ms" for name in names) + " | of duckdb's | of polars' |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    for name, times, _ in results:
        figures = [f"{median(times[engine]) * 1e3:.1f}" if engine in times else "" for engine in names]
        ratios = [f"{ratio(times['pelton'], times[other]):.2f}" if other in times else "" for other in names[1:]]
        yield f"| {name} | " + " | ".join(figures + ratios) + " |"
    for others in (["duckdb"], ["duckdb", "polars"]):
        shared = [times for _, times, _ in results if all(other in times for other in others)]
        if shared:
            totals = [sum(median(times[engine]) for times in shared) * 1e3 for engine in ["pelton", *others]]
            text = ", ".join(f"{engine} {total:.0f} ms" for engine, total in zip(["pelton", *others], totals))
            yield f"\nTotal of the {len(shared)} queries that {' and '.join(others)} ran: {text}."
    for name, _, reasons in results:
        for engine, reason in reasons.items():
            yield f"\n{name}, {engine} left out: {reason}"
