"""The 99 queries derived from TPC-DS over views of pelton_scan, and over views of DuckDB's own reader.

Usage: tpcds.py EXTENSION FOLDER, as bench/tpcds/generate.py fills it.
"""

import sys
from pathlib import Path

import pelton_duckdb

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench/tpcds"))
from compare import same  # noqa: E402


def main(extension, folder):
    connections = {}
    for function in ("pelton_scan", "read_parquet"):
        connections[function] = connection = pelton_duckdb.connect(extension)
        for path in Path(folder).glob("*.parquet"):
            connection.execute(f"CREATE VIEW {path.stem} AS SELECT * FROM {function}('{path}')")
    paths = sorted((Path(folder) / "queries").glob("*.sql"))
    assert len(paths) == 99, paths
    for path in paths:
        found, expected = (connection.execute(path.read_text()).fetchall() for connection in connections.values())
        assert same(found, expected), f"{path.name}: {found[:3]}, expected {expected[:3]}"
    (done,) = connections["pelton_scan"].execute("SELECT sum(done) FROM pelton_stats() WHERE operation = 'decompress'").fetchone()
    assert done > 0, "no page was decompressed by Pelton"
    print(f"99 queries, {done} pages")


main(*sys.argv[1:])
