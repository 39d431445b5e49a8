"""Reads the results of COPY with DuckDB and pyarrow, and compares them with the original rows.

Usage: copied.py FOLDER        the files of tests/tests/all/writer/copy.rs
       copied.py FOLDER NAME   NAME.arrow and NAME.arrows against NAME.parquet
"""

import sys

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq


def arrow(folder, name):
    original = pq.read_table(f"{folder}/{name}.parquet")
    for opened in (
        pa.ipc.open_file(pa.memory_map(f"{folder}/{name}.arrow")),
        pa.ipc.open_stream(pa.memory_map(f"{folder}/{name}.arrows")),
    ):
        table = opened.read_all()
        table.validate(full=True)
        assert table.column_names == original.column_names, table.schema
        for column in table.column_names:
            found, expected = table[column].to_pylist(), original[column].to_pylist()
            same = all(a == b or a != a and b != b for a, b in zip(found, expected, strict=True))
            assert same, f"{name}, {type(opened).__name__}: column {column}"


def rows(folder):
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE original AS FROM '{folder}/original.parquet'")
    count = connection.execute("SELECT count(*), count(text) FROM original").fetchone()
    assert count == (30000, 24000), count
    types = dict(row[:2] for row in connection.execute("DESCRIBE original").fetchall())
    columns = "{" + ", ".join(f"'{name}': '{type}'" for name, type in types.items()) + "}"
    csv = f"columns = {columns}, nullstr = 'null'"
    json = f"columns = {columns}"
    sources = {
        "gzip.parquet": "'{}'",
        "plain.csv": f"read_csv('{{}}', {csv}, header = true)",
        "packed.csv.gz": f"read_csv('{{}}', {csv}, header = true)",
        "packed.csv.zst": f"read_csv('{{}}', {csv}, header = true)",
        "bars.csv": f"read_csv('{{}}', {csv}, header = true, delim = '|', quote = '''', escape = '''', "
        "allow_quoted_nulls = true)",
        "bare.csv": f"read_csv('{{}}', {csv}, header = false)",
        "lines.json": f"read_json('{{}}', {json})",
        "array.json": f"read_json('{{}}', {json})",
        "packed.json.gz": f"read_json('{{}}', {json})",
        "packed.json.zst": f"read_json('{{}}', {json})",
        "parts": "read_parquet('{}/*/*/*.parquet', hive_partitioning = true)",
        "parts_csv": "read_csv('{}/*/*/*.csv.gz', nullstr = 'null', header = true, hive_partitioning = true, "
        "hive_types = {'flag': BOOLEAN, 'part': BIGINT})",
        "threads": "read_parquet('{}/*.parquet')",
    }
    # "at" is a word of DuckDB's grammar
    names = ", ".join(f'"{name}"' for name in types)
    cast = ", ".join(f'CAST("{name}" AS {type}) AS "{name}"' for name, type in types.items())
    for place, source in sources.items():
        found = f"(SELECT {cast} FROM {source.replace('{}', f'{folder}/{place}')})"
        for left, right in (("original", found), (found, "original")):
            differ = f"SELECT {names} FROM {left} EXCEPT ALL SELECT {names} FROM {right} LIMIT 3"
            wrong = connection.execute(differ).fetchall()
            assert not wrong, f"{place}: {wrong}"
    order = connection.execute(f"FROM '{folder}/threads/data_0.parquet' SELECT id").fetchall()
    assert order == sorted(order, reverse=True)
    for opened in (
        pa.ipc.open_file(pa.memory_map(f"{folder}/file.arrow")),
        pa.ipc.open_stream(pa.memory_map(f"{folder}/stream.arrows")),
    ):
        assert opened.read_all().equals(pq.read_table(f"{folder}/original.parquet").cast(opened.schema))


if __name__ == "__main__":
    folder = sys.argv[1].rstrip("/")
    arrow(folder, sys.argv[2]) if len(sys.argv) > 2 else rows(folder)
