"""Writes the answers kept here: runs the 22 queries with DuckDB over a data set that Pelton generated.

    python tests/tpch/answers/make.py ~/.cache/pelton/tpch-sf1-gzip tests/tpch/answers/sf1
"""

import pathlib
import sys

import duckdb

# Averages and ratios come as binary floating point. Twelve significant digits leave out the noise of
# their last places and are far more than any check here needs.
FLOAT_DIGITS = 12


def text(value):
    if value is None:
        return ""
    if isinstance(value, float):
        decimals = FLOAT_DIGITS - len(str(int(abs(value))))
        return f"{value:.{decimals}f}"
    return str(value)


def main(data, out):
    connection = duckdb.connect()
    for file in sorted(pathlib.Path(data).glob("*.parquet")):
        connection.execute(f"create view {file.stem} as from read_parquet('{file}')")
    queries = pathlib.Path(__file__).resolve().parents[3] / "crates/tpch/src/queries"
    for file in sorted(queries.glob("*.sql")):
        result = connection.execute(file.read_text())
        lines = ["|".join(column[0] for column in result.description)]
        lines += ["|".join(map(text, row)) for row in result.fetchall()]
        pathlib.Path(out, f"{file.stem}.csv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
