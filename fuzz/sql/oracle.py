"""DuckDB as a server: statements on standard input, Arrow or an error on standard output.

A request is a line `reset`, after which there is no table, a line `table NAME FOLDER`, or a line `query LENGTH` and that many bytes of SQL. The answer is a line
`rows LENGTH` or `error LENGTH` and that many bytes: a stream of Arrow's, or a message. With the argument `plain`, plans are not optimised.
"""

import sys

import duckdb
import pyarrow as pa


def answer(word, body):
    sys.stdout.buffer.write(f"{word} {len(body)}\n".encode())
    sys.stdout.buffer.write(body)
    sys.stdout.buffer.flush()


def stream(table):
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def main():
    connection = duckdb.connect(config={"threads": 1})
    connection.execute("SET TimeZone = 'UTC'")
    # Whole numbers divide to whole numbers, as in Pelton.
    connection.execute("SET integer_division = true")
    connection.execute("SET memory_limit = '2GB'")
    if sys.argv[1:] == ["plain"]:
        connection.execute("PRAGMA disable_optimizer")
    for line in sys.stdin.buffer:
        word, _, rest = line.decode().rstrip("\n").partition(" ")
        try:
            if word == "reset":
                for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall():
                    connection.execute(f"DROP TABLE {name}")
                answer("rows", b"")
            elif word == "table":
                name, folder = rest.split(" ", 1)
                connection.execute(f"CREATE OR REPLACE TABLE {name} AS SELECT * FROM read_parquet('{folder}/*.parquet')")
                answer("rows", b"")
            else:
                sql = sys.stdin.buffer.read(int(rest)).decode()
                answer("rows", stream(connection.sql(sql).to_arrow_table()))
        except Exception as error:
            answer("error", str(error).encode())


main()
