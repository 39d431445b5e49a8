"""Two versions of DuckDB in one process: each gets its own native layer from a copy of the extension, and one file is refused twice.

Usage: two_versions.py EXTENSION FOLDER OTHER: the folder of another version's package.
"""

import importlib.util
import shutil
import sys
from pathlib import Path

import duckdb
import pelton_duckdb

ROWS = 5000


def other_duckdb(folder):
    """The module of another version, under its own name in this process."""
    kept = {name: sys.modules.pop(name) for name in list(sys.modules) if name.split(".")[0] in ("duckdb", "_duckdb")}
    sys.path.insert(0, folder)
    try:
        spec = importlib.util.find_spec("_duckdb")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(folder)
        sys.modules.update(kept)
    return module


def main(extension, folder, other):
    if duckdb.__version__ != "2.0.0":
        print("skipped: tried once, in DuckDB 2.0.0")
        return
    first = pelton_duckdb.connect(extension)
    if first.execute("SELECT interface FROM pelton_interface()").fetchone()[0] != "native":
        print("skipped: only the native layer needs its own DuckDB's symbols")
        return
    file = Path(folder) / "x.parquet"
    first.execute(f"COPY (SELECT i, 'word ' || i % 7 AS w FROM range({ROWS}) r(i)) TO '{file}' (FORMAT parquet)")
    older = other_duckdb(other).connect(config={"allow_unsigned_extensions": True})
    assert older.execute("SELECT version()").fetchone() != first.execute("SELECT version()").fetchone()
    try:
        older.execute(f"LOAD '{extension}'")
        raise AssertionError("one file was loaded by two versions")
    except Exception as error:
        assert "another DuckDB of this process has loaded this file" in str(error), error
    copy = Path(folder) / "copy" / "pelton.duckdb_extension"
    copy.parent.mkdir()
    shutil.copy(extension, copy)
    older.execute(f"LOAD '{copy}'")
    sql = f"SELECT w, count(*), sum(i) FROM pelton_scan('{file}') WHERE i >= 100 AND w <> 'word 3' GROUP BY w ORDER BY w"
    expected = first.execute(sql.replace("pelton_scan", "read_parquet")).fetchall()
    for _ in range(5):
        for connection in (first, older):
            assert connection.execute("SELECT interface FROM pelton_interface()").fetchone() == ("native",)
            assert connection.execute(sql).fetchall() == expected
    print("two versions")


main(*sys.argv[1:])
