"""Joins a DataFrame with a Parquet file, and writes the result as Parquet.

    pip install ./bindings/python polars
    python examples/python/join_dataframes.py
"""

import pathlib
import tempfile

import pelton
import polars

cities = polars.DataFrame({"id": [1, 2, 3], "name": ["Bern", "Oslo", "Rome"]})
trips = polars.DataFrame({"city": [1, 2, 1, 3, 3, 3], "price": [1.5, 2.5, 3.0, 1.0, 2.0, 3.0]})

with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder, "trips.parquet")
    pelton.write_parquet(trips, path, codec="zstd")

    # A connection keeps its tables, and the footers of files, between queries.
    with pelton.connect(threads=2) as connection:
        connection.register("cities", cities)
        revenue = connection.sql(
            f"SELECT name, sum(price) AS revenue FROM '{path}' JOIN cities ON city = id GROUP BY name ORDER BY name"
        )
        for name, amount in revenue.fetchall():
            print(f"{name}: {amount}")
        print(connection.stats())
