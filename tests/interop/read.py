"""Reads Parquet files with an engine and writes beside each, as plain Arrow, what it read.

Usage: read.py ENGINE FILE…
"""

import sys

import pyarrow as pa


def read_pyarrow(path):
    import pyarrow.parquet as pq

    return pq.read_table(path)


def read_duckdb(path):
    import duckdb

    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    return connection.execute(f"SELECT * FROM '{path}'").to_arrow_table()


def read_polars(path):
    import polars as pl

    return pl.read_parquet(path).to_arrow(compat_level=pl.CompatLevel.oldest())


if __name__ == "__main__":
    for path in sys.argv[2:]:
        table = globals()[f"read_{sys.argv[1]}"](path).combine_chunks()
        with pa.ipc.new_file(path.removesuffix(".parquet") + f".{sys.argv[1]}.arrow", table.schema) as writer:
            writer.write_table(table)
