"""Queries that fail after their first rows, connections that close, and signals: no row is lost without an error."""

import contextlib
import io
import os
import shutil
import unittest.mock
import warnings

import duckdb
import pelton
import pelton.dbapi
import polars
import pyarrow as pa
import pyarrow.parquet

import test_process
from support import Case

# The rows of several batches, and an error in one of the last.
BROKEN = "SELECT 100 // (v - 15000) AS y FROM range(20000) t(v)"
CAST = "SELECT CAST(CASE WHEN v = 15000 THEN 'x' ELSE '1' END AS BIGINT) AS y FROM range(20000) t(v)"


def ways(result):
    """Every way to take rows of a result, by name."""
    return {
        "fetchone": result.fetchone,
        "fetchmany": lambda: result.fetchmany(5),
        "fetchall": result.fetchall,
        "to_pylist": result.to_pylist,
        "to_arrow": result.to_arrow,
        "to_polars": result.to_polars,
        "to_pandas": result.to_pandas,
        "len": lambda: len(result),
        "shape": lambda: result.shape,
        "repr": lambda: repr(result),
        "show": result.show,
        "iter_rows": lambda: next(result.iter_rows()),
        "batches": lambda: next(iter(result)),
        "stream": lambda: pa.table(result),
    }


def exhausted(rows):
    return [row for row in rows]


class Failures(Case):
    def setUp(self):
        super().setUp()
        self.connection = pelton.connect(threads=2)
        self.addCleanup(self.connection.close)

    def damaged(self):
        path = self.path("damaged.parquet")
        pyarrow.parquet.write_table(
            pa.table({"x": [f"value {i % 991}" for i in range(40_000)]}), path, compression="gzip", use_dictionary=False,
            row_group_size=10_000)
        size = os.path.getsize(path)
        with open(path, "r+b") as file:
            file.seek(size * 3 // 4)
            file.write(bytes(200))
        return path

    def test_the_error_of_a_query_is_raised_by_every_later_use(self):
        first = {
            "fetchmany": lambda result: result.fetchmany(20_000),
            "fetchone and fetchall": lambda result: (result.fetchone(), result.fetchall()),
            "fetchall": lambda result: result.fetchall(),
            "to_arrow": lambda result: result.to_arrow(),
            "iter_rows": lambda result: exhausted(result.iter_rows()),
            "batches": lambda result: exhausted(result),
        }
        for query, kind, words in ((BROKEN, pelton.QueryError, "division by zero"), (CAST, pelton.QueryError, "can't be cast|Cannot cast")):
            for name, take in first.items():
                with self.subTest(query, first=name):
                    result = self.connection.sql(query)
                    self.assertRaisesRegex(kind, words, take, result)
                    for later, way in [*ways(result).items(), *ways(result).items()]:
                        with self.assertRaisesRegex(kind, words, msg=later):
                            way()
        result = pelton.read_parquet(self.damaged())
        self.raises(pelton.DataError, "column x", result.fetchmany, 40_000)
        for way in ways(result).values():
            self.raises(pelton.DataError, "column x", way)
        self.assertEqual((result.columns, result.types), (["x"], ["VARCHAR"]))

    def test_the_result_of_a_repaired_file_stays_failed_and_a_new_one_is_not(self):
        damaged = self.damaged()
        result = pelton.read_parquet(damaged)
        self.raises(pelton.DataError, "column x", result.to_arrow)
        pyarrow.parquet.write_table(pa.table({"x": ["a"]}), self.path("whole.parquet"))
        shutil.move(self.path("whole.parquet"), damaged)
        self.raises(pelton.DataError, "column x", result.to_arrow)
        self.assertEqual(pelton.read_parquet(damaged).fetchall(), [("a",)])

    def test_an_iteration_that_failed_does_not_end_as_if_it_were_whole(self):
        rows = self.connection.sql(BROKEN).iter_rows()
        taken = 0
        with self.assertRaises(pelton.QueryError):
            for _ in rows:
                taken += 1
        self.assertLess(taken, 20_000)
        batches = iter(self.connection.sql(BROKEN))
        self.assertRaises(pelton.QueryError, exhausted, batches)
        for _ in range(2):
            self.assertRaises(pelton.QueryError, next, rows)
            self.assertRaises(pelton.QueryError, exhausted, batches)

    def test_a_batch_that_an_iteration_could_not_hand_on_comes_again(self):
        make, left = pa.record_batch, [2]

        def interrupted(*arguments):
            if left[0]:
                left[0] -= 1
                raise KeyboardInterrupt
            return make(*arguments)

        # a signal's handler runs in code such as this
        with unittest.mock.patch("pyarrow.record_batch", interrupted):
            batches = iter(self.connection.sql("SELECT v FROM range(20000) t(v)"))
            for _ in range(2):
                self.assertRaises(KeyboardInterrupt, next, batches)
            self.assertEqual([v for batch in batches for v in batch["v"].to_pylist()], list(range(20_000)))

    def test_a_stream_that_failed_fails_again(self):
        result = self.connection.sql(BROKEN)
        reader = pa.RecordBatchReader.from_stream(result)
        for _ in range(3):
            with self.assertRaisesRegex(pa.ArrowInvalid, "division by zero"):
                reader.read_all()
        # and so does the result that it is of
        self.raises(pelton.QueryError, "division by zero", result.to_arrow)
        result = self.connection.sql(BROKEN)
        with self.assertRaisesRegex(Exception, "division by zero"):
            duckdb.sql("SELECT count(*) FROM result WHERE y > 0").fetchall()
        self.raises(pelton.QueryError, "division by zero", result.fetchone)
        with self.assertRaisesRegex(Exception, "division by zero"):
            polars.DataFrame(self.connection.sql(BROKEN))

    def test_a_value_without_an_object_is_an_error_of_its_reader_alone(self):
        result = self.connection.sql(
            "SELECT CASE WHEN v = 5000 THEN '0001-01-01'::DATE - INTERVAL 400 DAY ELSE '2024-01-01'::TIMESTAMP END AS d "
            "FROM range(9000) t(v)")
        rows = result.iter_rows()
        self.assertRaisesRegex(pelton.DataError, "column d.*out of the years", exhausted, rows)
        self.assertRaisesRegex(pelton.DataError, "column d.*out of the years", exhausted, rows)
        for _ in range(2):
            self.raises(pelton.DataError, "out of the years", result.fetchmany, 9000)
            self.raises(pelton.DataError, "out of the years", result.fetchone)
            self.raises(pelton.DataError, "out of the years", result.fetchall)
            self.raises(pelton.DataError, "out of the years", result.to_pylist)
        self.assertEqual(result.to_arrow().num_rows, 9000)
        self.assertEqual(result.shape, (9000, 1))

    def test_cursors(self):
        with pelton.dbapi.connect(threads=2) as database:
            for query, kind in ((BROKEN, "ProgrammingError"), (f"SELECT * FROM '{self.damaged()}'", "DataError")):
                kind = getattr(pelton.dbapi, kind)
                for name in ("fetchall", "fetchmany", "iteration"):
                    with self.subTest(query, name=name):
                        cursor = database.cursor()
                        cursor.execute(query)
                        self.assertEqual(len(cursor.fetchmany(3)), 3)
                        take = {"fetchall": cursor.fetchall, "fetchmany": lambda: cursor.fetchmany(40_000), "iteration": lambda: exhausted(cursor)}
                        with self.assertRaises(kind):
                            take[name]()
                        for fetch in (cursor.fetchone, cursor.fetchmany, cursor.fetchall, cursor.__next__) * 2:
                            with self.assertRaises(kind) as caught:
                                fetch()
                            self.assertIs(type(caught.exception), kind)
                        # the next statement is none of it
                        self.assertEqual(cursor.execute("SELECT 42").fetchall(), [(42,)])

    def test_a_warning_that_is_an_error_loses_no_rows_of_a_reader(self):
        path = self.path("t.parquet")
        pyarrow.parquet.write_table(pa.table({"x": list(range(2000))}), path, compression="gzip")
        with pelton.connect(threads=2, device="cuda-host:fault-every=1") as connection:
            for take in (lambda result: result.fetchmany(5), lambda result: result.fetchone() and result.fetchall()):
                result = connection.sql(f"SELECT sum(x) AS s FROM '{path}' WHERE x >= 0")
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    self.assertRaises(RuntimeWarning, result.fetchmany, 5)
                    self.assertEqual(result.fetchmany(5), [(1_999_000,)])
                    self.assertEqual(result.fetchmany(5), [])


class Closed(Case):
    def test_only_rows_that_were_kept_are_there_after_the_connection(self):
        for rows in (10, 100_000):
            with self.subTest(rows=rows):
                connection = pelton.connect(threads=2)
                query = f"SELECT v FROM range({rows}) t(v)"
                kept, begun, fresh = (connection.sql(query) for _ in range(3))
                self.assertEqual((len(kept), begun.fetchone()), (rows, (0,)))
                readers = {
                    "rows": connection.sql(query).iter_rows(), "batches": iter(connection.sql(query)), "begun": begun.iter_rows(),
                }
                next(readers["rows"])
                connection.close()
                with contextlib.redirect_stdout(io.StringIO()):
                    for name, way in ways(kept).items():
                        way()
                self.assertEqual(kept.to_arrow().num_rows, rows)
                for result in (begun, fresh):
                    for name, way in [*ways(result).items(), *ways(result).items()]:
                        with self.assertRaisesRegex(pelton.Error, "connection (is|was) closed", msg=name) as caught:
                            way()
                        self.assertIs(type(caught.exception), pelton.Error)
                for name, reader in readers.items():
                    for _ in range(2):
                        self.raises(pelton.Error, "the connection is closed", next, reader)
                for use in (lambda: kept.filter("v < 3"), lambda: fresh.limit(1), kept.describe, lambda: kept.write_csv(self.path("t.csv"))):
                    self.raises(pelton.Error, "the connection is closed", use)
                self.assertEqual(kept.write_parquet(self.path("t.parquet"))["rows"], rows)

    def test_another_connection_is_open(self):
        pelton.connect(threads=1).close()
        self.assertEqual(pelton.sql("SELECT 1").fetchall(), [(1,)])
        connection = pelton.connect(threads=1)
        result = connection.sql("SELECT 1")
        del connection
        self.assertEqual(result.fetchall(), [(1,)])


class Interrupted(Case):
    runs = test_process.Processes.runs

    def test_ctrl_c_loses_no_row_of_a_reader_without_an_error(self):
        self.runs(
            """
import pelton.dbapi

SLOW = f"SELECT x FROM t UNION ALL {LONG}"
database = pelton.dbapi.connect(threads=2)
database.pelton.register("t", ROWS)


def cursor():
    return database.cursor().execute(SLOW)


for make, kind in ((lambda: connection.sql(SLOW), pelton.Error), (cursor, pelton.dbapi.Error)):
    rows = make()
    rows.fetchmany(10)
    later(interrupt)
    try:
        rows.fetchall()
    except KeyboardInterrupt:
        print("stopped")
    for fetch in (rows.fetchone, rows.fetchall):
        try:
            print("taken", fetch())
        except kind as error:
            print(str(error)[:22])
works()
result = connection.sql(LONG)
later(interrupt)
try:
    result.fetchall()
except KeyboardInterrupt:
    print("stopped")
# nothing of it was handed on, so that it runs again
later(interrupt)
try:
    result.fetchall()
except KeyboardInterrupt:
    print("stopped")
""",
            "stopped\nthe query was stopped \nthe query was stopped \n" * 2 + "stopped\nstopped\n",
        )

    def test_a_signal_while_rows_become_objects_loses_none(self):
        self.runs(
            """
import decimal


class Interrupting(decimal.Decimal):
    left = 2

    def __new__(cls, text):
        if text == "15000E-1" and cls.left:
            cls.left -= 1
            raise KeyboardInterrupt
        return super().__new__(cls, text)


# a signal's handler runs in code such as this
decimal.Decimal = Interrupting
for start in ("fetchone", "iter_rows", "cursor"):
    Interrupting.left = 2
    query = "SELECT x::DECIMAL(9, 1) AS d FROM range(4000) r(x)"
    if start == "cursor":
        import pelton.dbapi
        rows = pelton.dbapi.connect(threads=1).cursor().execute(query)
        take = rows.fetchall
    elif start == "iter_rows":
        rows = connection.sql(query).iter_rows()
        take = lambda: rows.take()
    else:
        rows = connection.sql(query)
        rows.fetchone()
        take = rows.fetchall
    for _ in range(2):
        try:
            take()
            print("taken")
        except KeyboardInterrupt:
            pass
    found = take()
    assert [row[0] for row in found] == list(range(4000 - len(found), 4000)), len(found)
    print(len(found), take())
""",
            "3999 []\n4000 []\n4000 []\n",
        )
