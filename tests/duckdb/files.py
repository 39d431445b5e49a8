"""Every file in some folders, read by Pelton as by DuckDB's own reader: the same types and the same values.

Usage: files.py EXTENSION FOLDER...
"""

import sys
from pathlib import Path

import duckdb
import pelton_duckdb


def columns(connection, path, fail):
    """Columns of one file compared one by one, so that all that differ are named."""
    ours, theirs = f"pelton_scan('{path}')", f"read_parquet('{path}')"
    found, expected = pelton_duckdb.types(connection, ours), pelton_duckdb.types(connection, theirs)
    if found != expected:
        fail(f"types {[(a, b) for a, b in zip(found, expected) if a != b]}")
    for name, _ in expected:
        value = f'"{name}"'
        # more digits than DuckDB's decimals have, as DOUBLE: DuckDB's reader rounds them more than once, that of 1.5 wrongly
        if name == "decimal60":
            if duckdb.__version__.startswith("1."):
                continue
            value = f"format('{{:.13e}}', {name})"
        try:
            one, other = (f"SELECT {value} FROM {source}" for source in (ours, theirs))
            pelton_duckdb.assert_same(connection, one, other, name)
        except Exception as error:
            fail(error)


def main(extension, folders):
    connection = pelton_duckdb.connect(extension)
    failures, count = [], 0
    for path in sorted(path for folder in folders for path in Path(folder).rglob("*.parquet")):
        count += 1
        # DuckDB's own reader does not read that encoding of decimals and fixed-size binary
        if path.name.startswith("split-"):
            continue
        columns(connection, path, lambda what: failures.append(f"{path.parent.name}/{path.name}: {what}"))
    print(f"{count} files")
    assert not failures, f"{len(failures)} differences:\n" + "\n".join(failures)


main(sys.argv[1], sys.argv[2:])
