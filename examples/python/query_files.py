"""Queries a folder of Parquet files whose directories are a column, and streams the rows.

    pip install ./bindings/python
    python examples/python/query_files.py
"""

import pathlib
import tempfile

import pelton

with tempfile.TemporaryDirectory() as folder:
    for year in (2024, 2025):
        path = pathlib.Path(folder, f"year={year}")
        path.mkdir()
        rows = pelton.sql(f"SELECT value AS id, value % 7 AS weekday FROM generate_series(1, {year}) AS t(value)")
        pelton.write_parquet(rows, path / "trips.parquet", codec="gzip")

    # Directories named key=value are columns; a condition on one reads no file of another.
    trips = pelton.sql(
        "SELECT year, weekday, count(*) AS trips FROM t WHERE year = 2025 GROUP BY ALL ORDER BY weekday",
        tables={"t": f"{folder}/**/*.parquet"},
    )
    print(trips)

    # Batches come as they are computed, so that a result may be larger than memory.
    total = sum(batch.num_rows for batch in pelton.sql(f"SELECT * FROM '{folder}/**/*.parquet'"))
    print(f"{total} rows in all files")
