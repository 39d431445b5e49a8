"""TPC-H's queries over views of pelton_scan, and over views of DuckDB's own reader.

Usage: tpch.py EXTENSION DATA QUERIES: a folder of the eight tables, and one of q01.sql to q22.sql.
"""

import sys
from pathlib import Path

import pelton_duckdb


def run(connection, sql):
    """The rows of the one statement that has some."""
    found = []
    for statement in filter(str.strip, sql.split(";")):
        found = connection.execute(statement).fetchall() or found
    return found


def main(extension, data, queries):
    connections = {}
    for function in ("pelton_scan", "read_parquet"):
        connections[function] = connection = pelton_duckdb.connect(extension)
        for path in Path(data).glob("*.parquet"):
            connection.execute(f"CREATE VIEW {path.stem} AS SELECT * FROM {function}('{path}')")
    paths = sorted(Path(queries).glob("q*.sql"))
    assert len(paths) == 22, paths
    for path in paths:
        sql = path.read_text()
        found, expected = run(connections["pelton_scan"], sql), run(connections["read_parquet"], sql)
        assert found == expected, f"{path.name}: {found[:3]}, expected {expected[:3]}"
    done = connections["pelton_scan"].execute(
        "SELECT sum(done) FROM pelton_stats() WHERE operation = 'decompress' AND format = 'gzip'"
    ).fetchone()[0]
    assert done > 0, "no page was decompressed by Pelton"
    print(f"22 queries, {done} pages")


main(*sys.argv[1:])
