"""PEP 249: the public compliance suite (PyPI's dbapi-compliance), and what it leaves open."""

import datetime
import decimal
import inspect
import threading

import dbapi20
import pelton
import pelton.dbapi
import pyarrow as pa
import pyarrow.parquet

from support import Case


class Compliance(dbapi20.DatabaseAPI20Test):
    driver = pelton.dbapi
    connect_kw_args = {"threads": 1}

    def test_nextset(self):
        """Has no procedures with several results, so that this optional method is left out."""
        self.assertFalse(hasattr(pelton.dbapi.Cursor, "nextset"))

    def test_setoutputsize(self):
        """Does nothing, as PEP 249 allows."""
        connection = self._connect()
        cursor = connection.cursor()
        cursor.setoutputsize(5, 0)
        self.assertEqual(cursor.execute("SELECT repeat('x', 100)").fetchone(), ("x" * 100,))
        connection.close()


class Cursors(Case):
    def setUp(self):
        super().setUp()
        self.connection = pelton.dbapi.connect(threads=2)
        self.cursor = self.connection.cursor()

    def test_description(self):
        kinds = {
            "VARCHAR": "STRING",
            "BYTEA": "BINARY",
            **dict.fromkeys(("BOOLEAN", "TINYINT", "INTEGER UNSIGNED", "BIGINT", "DOUBLE", "REAL", "DECIMAL(5,2)"), "NUMBER"),
            **dict.fromkeys(("DATE", "TIME", "TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMP_NS", "INTERVAL"), "DATETIME"),
        }
        query = "SELECT " + ", ".join(f"NULL::{of} AS c{i}" for i, of in enumerate(kinds))
        description = self.cursor.execute(query).description
        self.assertEqual([column[0] for column in description], [f"c{i}" for i in range(len(kinds))])
        for column, (of, kind) in zip(description, kinds.items()):
            self.assertEqual((column[1], column[2:]), (of, (None,) * 5))
            for other in ("STRING", "BINARY", "NUMBER", "DATETIME", "ROWID"):
                self.assertEqual(column[1] == getattr(pelton.dbapi, other), other == kind, (of, other))
                self.assertEqual(column[1] != getattr(pelton.dbapi, other), other != kind, (of, other))
        self.cursor.execute("SELECT [1] AS l, ['x'] AS m, {'a': 1} AS s")
        self.assertFalse(any(column[1] == kind for column in self.cursor.description for kind in (pelton.dbapi.NUMBER, pelton.dbapi.STRING)))
        self.assertEqual(len({pelton.dbapi.STRING, pelton.dbapi.NUMBER, pelton.dbapi.STRING}), 2)

    def test_statements(self):
        for statement, count in (
            ("CREATE TABLE t (x INT, name VARCHAR)", -1),
            ("INSERT INTO t VALUES (1, 'a'), (2, 'b')", 2),
            ("CREATE TABLE u AS SELECT * FROM t", 2),
            (f"COPY t TO '{self.path('t.csv')}'", 2),
            ("SET threads = 1", -1),
            ("CREATE VIEW v AS SELECT * FROM t", -1),
            ("DROP TABLE u", -1),
        ):
            with self.subTest(statement):
                self.assertIs(self.cursor.execute(statement), self.cursor)
                self.assertEqual((self.cursor.rowcount, self.cursor.description), (count, None))
                for fetch in (self.cursor.fetchone, self.cursor.fetchmany, self.cursor.fetchall):
                    self.raises(pelton.dbapi.ProgrammingError, "no rows: execute a query", fetch)
        for query, rows in (
            ("SHOW TABLES", [("t",), ("v",)]),
            ("SELECT count(*) AS \"Count\" FROM t", [(2,)]),
            ("DESCRIBE t", [("x", "INTEGER", "YES"), ("name", "VARCHAR", "YES")]),
        ):
            with self.subTest(query):
                self.assertEqual(self.cursor.execute(query).fetchall(), rows)
                self.assertEqual((self.cursor.rowcount, len(self.cursor.description)), (-1, len(rows[0])))

    def test_rows(self):
        self.cursor.execute("SELECT x FROM range(?) t(x) ORDER BY x", (3000,))
        self.assertEqual([self.cursor.fetchone(), self.cursor.fetchmany(2), self.cursor.fetchmany()], [(0,), [(1,), (2,)], [(3,)]])
        self.cursor.arraysize = 3
        self.assertEqual(self.cursor.fetchmany(), [(4,), (5,), (6,)])
        self.assertEqual(next(self.cursor), (7,))
        self.assertEqual(list(self.cursor), [(x,) for x in range(8, 3000)])
        self.assertEqual([self.cursor.fetchall(), self.cursor.fetchone(), self.cursor.fetchmany(5)], [[], None, []])
        # rows come as they are computed
        self.assertEqual(len(self.cursor.execute("SELECT x FROM range(10000000000) t(x)").fetchmany(2)), 2)

    def test_parameters(self):
        self.cursor.execute("CREATE TABLE t (x INT, price DECIMAL(10, 2), at TIMESTAMP, data BYTEA)")
        moment = pelton.dbapi.Timestamp(2024, 2, 29, 1, 2, 3)
        rows = [(i, decimal.Decimal(i) / 4, moment, pelton.dbapi.Binary(b"\x00")) for i in range(5)]
        self.cursor.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
        self.assertEqual((self.cursor.rowcount, self.cursor.description), (5, None))
        self.assertEqual(self.cursor.execute("SELECT * FROM t WHERE x < $n ORDER BY x", {"n": 3}).fetchall(), rows[:3])
        self.assertEqual(self.connection.execute("SELECT $1 || $2", ["a", "b"]).fetchall(), [("ab",)])

    def test_times(self):
        ticks = datetime.datetime(2024, 2, 29, 13, 45, 30).timestamp()
        self.assertEqual(pelton.dbapi.DateFromTicks(ticks), datetime.date(2024, 2, 29))
        self.assertEqual(pelton.dbapi.TimeFromTicks(ticks), datetime.time(13, 45, 30))
        self.assertEqual(pelton.dbapi.TimestampFromTicks(ticks), datetime.datetime(2024, 2, 29, 13, 45, 30))

    def test_exceptions(self):
        damaged = self.path("damaged.parquet")
        pyarrow.parquet.write_table(pa.table({"x": list(range(5000))}), damaged, compression="gzip", use_dictionary=False)
        with open(damaged, "r+b") as file:
            file.seek(200)
            file.write(b"\xff" * 200)
        for kind, cause, statement, params in (
            ("ProgrammingError", pelton.QueryError, "SELEC 1", None),
            ("ProgrammingError", pelton.QueryError, "SELECT * FROM missing", None),
            ("ProgrammingError", pelton.QueryError, "SELECT ?", None),
            ("ProgrammingError", TypeError, "SELECT ?", [object()]),
            ("ProgrammingError", ValueError, "SELECT ?", [10**40]),
            ("OperationalError", pelton.MissingFileError, f"SELECT * FROM '{self.path('none.parquet')}'", None),
            ("DataError", pelton.DataError, f"SELECT sum(x) FROM '{damaged}'", None),
        ):
            with self.subTest(statement, params=params):
                with self.assertRaises(getattr(pelton.dbapi, kind)) as caught:
                    self.cursor.execute(statement, params).fetchall()
                self.assertIs(type(caught.exception), getattr(pelton.dbapi, kind))
                self.assertIs(type(caught.exception.__cause__), cause)
                self.assertEqual(str(caught.exception), str(caught.exception.__cause__))
                self.assertIsInstance(caught.exception, pelton.Error)
        self.raises(pelton.dbapi.ProgrammingError, "did you mean threads?", pelton.dbapi.connect, thread=1)
        with pelton.dbapi.connect(memory="1MB") as small:
            small.pelton.register("t", pa.table({"x": [str(i) * 20 for i in range(20_000)]}))
            with self.assertRaises(pelton.dbapi.OperationalError):
                small.execute("SELECT count(DISTINCT a.x || b.x) FROM t a, t b").fetchall()

    def test_what_is_closed(self):
        with self.connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        for use in (cursor.close, cursor.fetchone, cursor.fetchall, lambda: cursor.execute("SELECT 1"), lambda: cursor.executemany("", []), lambda: cursor.setinputsizes([])):
            self.raises(pelton.dbapi.ProgrammingError, "the cursor is closed", use)
        self.cursor.execute("SELECT x FROM range(100000) t(x)")
        with self.connection as connection:
            pass
        for use in (
            connection.close, connection.commit, connection.rollback, connection.cursor, connection.__enter__,
            self.cursor.fetchone, self.cursor.close, lambda: self.cursor.execute("SELECT 1"),
        ):
            self.raises(pelton.dbapi.ProgrammingError, "the connection is closed", use)
        self.raises(pelton.dbapi.NotSupportedError, "no transactions", pelton.dbapi.connect().rollback)

    def test_attributes_are_read_only_and_end_with_the_cursor(self):
        for name, value in (("rowcount", 5), ("description", []), ("connection", None)):
            with self.subTest(name):
                self.assertRaises(AttributeError, setattr, self.cursor, name, value)
        self.assertIs(self.cursor.connection, self.connection)
        other = self.connection.cursor()
        for cursor, close in ((other, other.close), (self.cursor, self.connection.close)):
            cursor.execute("SELECT 1 AS a")
            self.assertEqual((len(cursor.description), cursor.rowcount), (1, -1))
            close()
            self.assertEqual((cursor.description, cursor.rowcount), (None, -1))
            self.raises(pelton.dbapi.ProgrammingError, "is closed", cursor.fetchone)
            self.raises(pelton.dbapi.ProgrammingError, "is closed", next, cursor)
        with pelton.dbapi.connect(threads=1) as connection:
            cursor = connection.execute("CREATE TABLE t AS SELECT 1 AS a")
            self.assertEqual(cursor.rowcount, 1)
            cursor.close()
            self.assertEqual(cursor.rowcount, -1)

    def test_a_statement_that_fails_leaves_no_rows_of_the_one_before(self):
        self.cursor.execute("SELECT v FROM range(10) t(v)").fetchone()
        self.assertRaises(pelton.dbapi.ProgrammingError, self.cursor.execute, "SELEC")
        self.assertEqual((self.cursor.description, self.cursor.rowcount), (None, -1))
        self.raises(pelton.dbapi.ProgrammingError, "no rows: execute a query", self.cursor.fetchone)

    def test_a_query_that_is_stopped_is_no_fault(self):
        # closed by another thread while this one waits: the result tells it, and not the cursor
        rows = self.cursor.execute("SELECT v FROM range(10000000) t(v)")
        self.assertEqual(rows.fetchone(), (0,))
        with self.assertRaises(pelton.dbapi.OperationalError) as caught:
            self.connection.pelton.close()
            rows.fetchall()
        self.assertIs(type(caught.exception), pelton.dbapi.OperationalError)
        self.assertIn("the connection is closed", str(caught.exception))

        class Closing:
            def __iter__(self):
                other.close()
                yield []

        other = pelton.dbapi.connect(threads=1)
        other.execute("CREATE TABLE t AS SELECT 1 AS x")
        self.raises(pelton.dbapi.ProgrammingError, "the connection is closed", other.cursor().executemany, "INSERT INTO t VALUES (1)", Closing())

    def test_threads_share_a_connection(self):
        self.cursor.execute("CREATE TABLE t (x INT)")
        found = []

        def run(number):
            cursor = self.connection.cursor()
            cursor.executemany("INSERT INTO t VALUES (?)", [[number]] * 5)
            found.append(cursor.execute("SELECT count(*) FROM t WHERE x = ?", [number]).fetchone())

        threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [(5,)] * 4)

    def test_everything_public_has_words(self):
        for name in pelton.dbapi.__all__:
            thing = getattr(pelton.dbapi, name)
            if inspect.isclass(thing) or inspect.isfunction(thing):
                self.assertTrue(thing.__doc__, name)
