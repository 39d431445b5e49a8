"""Writes plans of the TPC-H queries by other producers of Substrait.

substrait_plans.py datafusion|ibis TABLES QUERIES PLANS: folders of Parquet files, of q01.sql and the
like, and for the plans, q01.pb and the like. Prints a line for each query that the producer can't
write, with its reason, and a line for each that it writes.
"""

import pathlib
import sys

NAMES = ["region", "nation", "supplier", "part", "partsupp", "customer", "orders", "lineitem"]


def datafusion(tables, queries, _plans):
    import datafusion
    from datafusion.substrait import Serde

    context = datafusion.SessionContext()
    for name, path in tables.items():
        context.register_parquet(name, str(path))
    for query in sorted(queries.glob("q*.sql")):
        yield query.stem, lambda query=query: Serde.serialize_bytes(query.read_text(), context)


def ibis(tables, queries, plans):
    """The queries that ibis-substrait has in its own tests, over tables with the columns of the files.

    They differ from TPC-H's in constants, so that the SQL of each is written too, q01.sql and the like.
    """
    import inspect

    import ibis
    import ibis.expr.datatypes as types
    import ibis_substrait.tests.compiler.test_tpch as tests
    import pyarrow.parquet
    from ibis_substrait.compiler.core import SubstraitCompiler

    def type_of(data_type):
        if str(data_type).startswith("decimal"):
            return types.Decimal(data_type.precision, data_type.scale)
        return {"int64": types.int64, "int32": types.int32, "date32[day]": types.date}.get(str(data_type), types.string)

    def table(name):
        schema = pyarrow.parquet.read_schema(tables[name])
        return ibis.table([(field.name, type_of(field.type)) for field in schema], name=name)

    def plan(query):
        function = getattr(tests, f"tpc_h{query.stem[1:]}")
        function = getattr(function, "_fixture_function", None) or function.__wrapped__
        needed = [name for name in inspect.signature(function).parameters if name in NAMES]
        expression = function(**{name: table(name) for name in needed})
        (plans / f"{query.stem}.sql").write_text(str(ibis.to_sql(expression, dialect="duckdb")))
        return SubstraitCompiler().compile(expression).SerializeToString()

    for query in sorted(queries.glob("q*.sql")):
        yield query.stem, lambda query=query: plan(query)


def main(producer, tables, queries, plans):
    paths = {name: pathlib.Path(tables) / f"{name}.parquet" for name in NAMES}
    plans = pathlib.Path(plans)
    for name, make in {"datafusion": datafusion, "ibis": ibis}[producer](paths, pathlib.Path(queries), plans):
        try:
            plan = make()
        except Exception as error:
            print(f"{name} is not written: {type(error).__name__}: {' '.join(str(error).split())[:120]}")
            continue
        (plans / f"{name}.pb").write_bytes(plan)
        print(f"{name} is written")


main(*sys.argv[1:])
