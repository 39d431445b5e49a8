"""Small files whose counts and sizes claim billions, in a process of little memory: rows, or an error that names the file.

Usage: claims.py EXTENSION FOLDER REFUSED, of which the last names the files that must not give rows, with spaces between them.
"""

import sys
from pathlib import Path

import duckdb
import pelton_duckdb


def main(extension, folder, refused):
    connection = pelton_duckdb.connect(extension)
    errors = 0
    for path in sorted(Path(folder).glob("*.parquet")):
        for condition in ("", "WHERE x IS NOT NULL"):
            # the column is needed, so that DuckDB has it read
            sql = f"SELECT sum(length(y)) FROM (SELECT x::VARCHAR AS y FROM pelton_scan('{path}') {condition} LIMIT 100000)"
            try:
                rows = connection.execute(sql).fetchall()
                assert path.name not in refused.split(), (path.name, rows)
            except duckdb.Error as error:
                errors += 1
                assert path.name in str(error) and "internal error" not in str(error), f"{path.name}: {error}"
    print(f"{errors} errors")
    assert errors > 0


main(*sys.argv[1:])
