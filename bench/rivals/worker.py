"""Hosts one rival engine: requests as JSON lines on stdin, one reply line each on stdout.

    {"do": "open", "engine": "duckdb", "folder": "…", "threads": 2}   -> {"opened": {"name": …, "version": …}}
    {"do": "query", "sql": "…", "rows": true}                         -> {"answered": {"ms": …, "row_count": …, …}}
    {"do": "memory"}                                                  -> {"memory": {"peak_bytes": …}}

Anything that fails gives {"error": "…"}. The engines keep their defaults but for the number of threads (and DuckDB's
progress bar, which it would draw in a query's time). A query's time is the wall time from handing over its text to having
every row as Arrow.
"""

import decimal
import json
import os
import pathlib
import sys
import time


def quoted(text):
    return "'" + str(text).replace("'", "''") + "'"


class DuckDB:
    def __init__(self, tables, threads):
        import duckdb

        self.name, self.version = "DuckDB", duckdb.__version__
        self.connection = duckdb.connect(config={"threads": threads} | self.config)
        self.connection.execute("set enable_progress_bar = false")
        self.prepare()
        for table, path in tables:
            self.connection.execute(f"create view {table} as from {self.reader}({quoted(path)})")

    reader = "read_parquet"
    config = {}

    def prepare(self):
        pass

    def run(self, sql):
        import pyarrow

        relation = self.connection.sql(sql)
        # A statement that is no query, such as COPY, has no rows.
        return pyarrow.table({}) if relation is None else relation.to_arrow_table()


class DuckDBPelton(DuckDB):
    """DuckDB, with Pelton's extension reading the files."""

    reader = "pelton_scan"
    config = {"allow_unsigned_extensions": "true"}

    def prepare(self):
        self.name = "DuckDB with Pelton"
        self.connection.execute(f"load {quoted(os.environ['PELTON_DUCKDB_EXTENSION'])}")


class DataFusion:
    def __init__(self, tables, threads):
        import datafusion

        self.name, self.version = "DataFusion", datafusion.__version__
        config = datafusion.SessionConfig().with_target_partitions(threads)
        self.context = datafusion.SessionContext(config)
        for table, path in tables:
            self.context.register_parquet(table, str(path))

    def run(self, sql):
        return self.context.sql(sql).to_arrow_table()


ENGINES = {"duckdb": DuckDB, "duckdb-pelton": DuckDBPelton, "datafusion": DataFusion}


def kind(arrow_type):
    from pyarrow import types

    if types.is_floating(arrow_type):
        return "float"
    if types.is_integer(arrow_type) or types.is_decimal(arrow_type):
        return "number"
    return "text"


def text(value):
    """As bench/src/result.rs prints values: no exponents, dates as 1995-03-15, null as null."""
    if value is None:
        return None
    if isinstance(value, float):
        value = decimal.Decimal(repr(value))
    return format(value, "f") if isinstance(value, decimal.Decimal) else str(value)


def result_set(table):
    columns = [{"name": field.name, "kind": kind(field.type)} for field in table.schema]
    values = [[text(value) for value in column.to_pylist()] for column in table.columns]
    return {"columns": columns, "rows": [list(row) for row in zip(*values)]}


class Worker:
    engine = None

    def open(self, request):
        # Both engines load it for their first result, which would count as that query's time.
        import pyarrow  # noqa: F401

        tables = [(path.stem, path) for path in sorted(pathlib.Path(request["folder"]).glob("*.parquet"))]
        self.engine = ENGINES[request["engine"]](tables, request["threads"])
        return {"opened": {"name": self.engine.name, "version": self.engine.version}}

    def query(self, request):
        start = time.perf_counter()
        table = self.engine.run(request["sql"])
        ms = (time.perf_counter() - start) * 1000
        result = result_set(table) if request["rows"] else None
        return {"answered": {"ms": ms, "row_count": table.num_rows, "result": result}}

    def memory(self, _request):
        # Not getrusage: its maximum starts at that of the process that started this one.
        status = pathlib.Path("/proc/self/status").read_text()
        peak_kib = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
        return {"memory": {"peak_bytes": peak_kib * 1024}}


def main():
    # Replies have standard output to themselves: what an engine prints there goes to standard error.
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    worker = Worker()
    handlers = {"open": worker.open, "query": worker.query, "memory": worker.memory}
    for line in sys.stdin:
        try:
            request = json.loads(line)
            reply = handlers[request["do"]](request)
        except Exception as error:  # Whatever it is, it belongs in the reply: the driver decides what to do.
            reply = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(reply), file=replies, flush=True)


main()
