"""Tables and queries derived from TPC-DS: its generator and its texts by DuckDB's extension, nothing of which is in the repository.

Usage: generate.py SCALE CODEC FOLDER: each table becomes FOLDER/NAME.parquet, each query FOLDER/queries/NN.sql. Needs the packages
of bench/rivals/tpcds.txt.
"""

import shutil
import sys
from pathlib import Path

import duckdb
import duckdb_extension_tpcds


def main(scale, codec, folder):
    done = Path(folder)
    folder = done.with_name(done.name + ".new")
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "queries").mkdir(parents=True)
    connection = duckdb.connect(config={"allow_unsigned_extensions": True})
    places = Path(duckdb_extension_tpcds.__file__).parent.rglob("tpcds.duckdb_extension")
    connection.execute(f"LOAD '{next(places)}'")
    connection.execute(f"CALL dsdgen(sf = {float(scale)})")
    for (table,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall():
        connection.execute(f"COPY {table} TO '{folder}/{table}.parquet' (FORMAT parquet, CODEC '{codec}')")
    for number, text in connection.execute("SELECT query_nr, query FROM tpcds_queries()").fetchall():
        (folder / "queries" / f"{number:02}.sql").write_text(text)
    # whole or not at all
    folder.rename(done)


main(*sys.argv[1:])
