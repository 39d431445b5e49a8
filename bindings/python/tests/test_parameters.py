"""Parameters of statements: values of every type, prepared statements, and many executions."""

import datetime
import decimal
import uuid

import numpy
import pandas
import pelton
import pyarrow as pa

from support import Case, seeded

UTC = datetime.timezone.utc
DAY = datetime.date(2024, 2, 29)
MOMENT = datetime.datetime(2024, 2, 29, 23, 59, 58, 123456)

# Values, the types that they have in SQL, and what comes back if it is another value.
VALUES = [
    (True, "BOOLEAN"),
    (False, "BOOLEAN"),
    (0, "BIGINT"),
    (-5, "BIGINT"),
    (2**63 - 1, "BIGINT"),
    (-(2**63), "BIGINT"),
    (2**64 - 1, "BIGINT UNSIGNED"),
    (-(10**37), "DECIMAL(38,0)", decimal.Decimal(-(10**37))),
    (1.5, "DOUBLE"),
    (-0.0, "DOUBLE"),
    (float("inf"), "DOUBLE"),
    (5e-324, "DOUBLE"),
    ("", "VARCHAR"),
    ("it's \"é\" \U0001f600 \\ ; -- $1 ? :x \n", "VARCHAR"),
    ("a\x00b", "VARCHAR"),
    (b"", "BYTEA"),
    (b"\x00\xff'", "BYTEA"),
    (bytearray(b"abc"), "BYTEA", b"abc"),
    (memoryview(b"abcdef")[::2], "BYTEA", b"ace"),
    (decimal.Decimal("1.50"), "DECIMAL(3,2)"),
    (decimal.Decimal("-0.001"), "DECIMAL(3,3)"),
    (decimal.Decimal("1E+5"), "DECIMAL(6,0)", decimal.Decimal(100_000)),
    (decimal.Decimal("0"), "DECIMAL(1,0)"),
    (decimal.Decimal("9" * 38), "DECIMAL(38,0)"),
    (DAY, "DATE"),
    (datetime.date.min, "DATE"),
    (datetime.date.max, "DATE"),
    (MOMENT, "TIMESTAMP"),
    (datetime.datetime.min, "TIMESTAMP"),
    (datetime.datetime.max, "TIMESTAMP"),
    (MOMENT.replace(tzinfo=UTC), "TIMESTAMPTZ"),
    (MOMENT.replace(tzinfo=datetime.timezone(datetime.timedelta(hours=-8))), "TIMESTAMPTZ"),
    (datetime.time(1, 2, 3, 4), "TIME"),
    (datetime.time.max, "TIME"),
    (datetime.timedelta(days=1, microseconds=5), "INTERVAL", pelton.Interval(0, 0, 86_400_000_005_000)),
    (datetime.timedelta(microseconds=-1), "INTERVAL", pelton.Interval(0, 0, -1000)),
    (pelton.Interval(14, -3, 5), "INTERVAL"),
    ([1, None, 3], "BIGINT[]"),
    (["a", "it's"], "VARCHAR[]"),
    ((1, 2.5), "DOUBLE[]", [1.0, 2.5]),
    ([decimal.Decimal("1.5"), 2], "DECIMAL(38,1)[]", [decimal.Decimal("1.5"), 2]),
    ([[1], [2, 3]], "BIGINT[][]"),
    ([[1], []], "BIGINT[][]"),
    ([[], [1]], "BIGINT[][]"),
    ([None, [], [None, 2], None], "BIGINT[][]"),
    ([[], [[]], [[], ["x", None]]], "VARCHAR[][][]"),
    ([[1], [2.5], []], "DOUBLE[][]", [[1.0], [2.5], []]),
    (((1,), (decimal.Decimal("2.5"),)), "DECIMAL(38,1)[][]", [[decimal.Decimal(1)], [decimal.Decimal("2.5")]]),
    ([DAY, None], "DATE[]"),
    ([pelton.Interval(1, 2, 3)], "INTERVAL[]"),
    ([b"\x00", None], "BYTEA[]"),
    (numpy.int8(-3), "BIGINT", -3),
    (numpy.uint64(2**64 - 1), "BIGINT UNSIGNED", 2**64 - 1),
    (numpy.float32(0.5), "DOUBLE", 0.5),
    (numpy.bool_(True), "BOOLEAN", True),
    (numpy.str_("x"), "VARCHAR", "x"),
    (pandas.Timestamp("2024-02-29 01:02:03.000004"), "TIMESTAMP"),
    (pandas.Timestamp("2024-02-29", tz="Europe/Zurich"), "TIMESTAMPTZ"),
]


class Parameters(Case):
    def setUp(self):
        super().setUp()
        self.connection = pelton.connect(threads=1)
        self.addCleanup(self.connection.close)

    def test_values(self):
        for value, of, *other in VALUES:
            wanted = other[0] if other else value
            for query, params in (("SELECT ? AS x", [value]), ("SELECT $1 AS x", (value,)), ("SELECT $v AS x", {"v": value})):
                with self.subTest(query, value=value):
                    result = self.connection.execute(query, params)
                    (found,), = result.fetchall()
                    self.assertEqual(found, wanted)
                    if isinstance(wanted, (float, decimal.Decimal)):
                        self.assertEqual(str(found), str(wanted))
                    self.assertEqual(result.types, [of])
        for null in (None, pandas.NaT, pandas.NA):
            self.assertEqual(self.connection.execute("SELECT ? IS NULL", [null]).fetchall(), [(True,)])
        (nan,), = self.connection.execute("SELECT ?", [float("nan")]).fetchall()
        self.assertNotEqual(nan, nan)

    def test_random_texts_are_never_read_as_sql(self):
        random = seeded()
        letters = "'\"\\;-/*$?:1x\n\t\x00\x1b %{}[]é\U0001f600"
        texts = ["".join(random.choices(letters, k=random.randint(0, 30))) for _ in range(200)]
        query = "SELECT " + ", ".join("?" for _ in texts)
        self.assertEqual(self.connection.execute(query, texts).fetchall(), [tuple(texts)])

    def test_places(self):
        rows = pa.table({"x": list(range(10)), "day": [DAY + datetime.timedelta(days=i) for i in range(10)]})
        self.connection.register("t", rows)
        for query, params, wanted in (
            ("SELECT x FROM t WHERE x > $1 AND x < $2 OR x = $1 ORDER BY x", [6, 9], [6, 7, 8]),
            ("SELECT x FROM t WHERE x > ? AND x < ? ORDER BY x", [6, 9], [7, 8]),
            ("SELECT x FROM t WHERE x BETWEEN $low AND $high ORDER BY x", {"low": 2, "high": 3}, [2, 3]),
            ("SELECT x FROM t ORDER BY x LIMIT ? OFFSET ?", [2, 3], [3, 4]),
            ("SELECT x FROM t WHERE day = ?", [DAY + datetime.timedelta(days=4)], [4]),
            ("SELECT x FROM t WHERE day - ? = DATE '2024-02-29'", [datetime.timedelta(days=2)], [2]),
            ("SELECT x FROM t WHERE x IN (?, ?, ?) ORDER BY x", [1, None, 5], [1, 5]),
            ("SELECT count(*) FROM t WHERE '?' = ? -- ?", ["?"], [10]),
            ("EXPLAIN SELECT x FROM t WHERE x = ?", [1], None),
        ):
            with self.subTest(query):
                found = self.connection.execute(query, params).fetchall()
                if wanted is not None:
                    self.assertEqual([x for x, in found], wanted)
        self.assertEqual(self.connection.sql("SELECT ? + 1", params=[1]).fetchall(), [(2,)])
        self.assertEqual(pelton.sql("SELECT sum(x) + $n FROM r", {"r": rows}, params={"n": 5}).fetchall(), [(50,)])
        # a result that runs again has the same values
        result = self.connection.execute("SELECT x FROM t WHERE x < ? ORDER BY x", [2])
        self.assertEqual([pa.table(result).num_rows, result.fetchall()], [2, [(0,), (1,)]])

    def test_a_timedelta_is_compared_by_its_length(self):
        moments = pa.table({"a": [MOMENT], "b": [MOMENT + datetime.timedelta(hours=25)]})
        query = "SELECT b - a > $1, b - a < $1, b - a = $2, a + $2 = b FROM t"
        params = [datetime.timedelta(days=1), datetime.timedelta(hours=25)]
        self.assertEqual(self.connection.execute(query, params, {"t": moments}).fetchall(), [(True, False, True, True)])

    def test_what_is_no_value(self):
        execute = self.connection.execute
        for words, params in (
            ("params is a list", "abc"),
            ("params is a list", 5),
            ("params is a list", {1, 2}),
            ("params has a key that is no name", {1: 2}),
            ("params has a object", [object()]),
            ("params has a uuid.UUID, which is no value of SQL: give str(value)", [uuid.uuid4()]),
            ("a list with values of several types", [[[1], ["x"]]]),
            ("a list with values of several types", [[[1], 2]]),
            ("a list with values of several types", [[2**60, 0.5]]),
            ("params has a dict", [{"a": 1}]),
            ("params has a complex", [1j]),
            ("params has a numpy.datetime64", [numpy.datetime64("2024-01-01")]),
            ("params has a numpy.ndarray", [numpy.zeros(2)]),
            ("a list with values of several types", [[1, "x"]]),
        ):
            with self.subTest(params=params):
                self.raises(TypeError, words, execute, "SELECT ?", params)
        deep = []
        for _ in range(100):
            deep = [deep]
        for words, value in (
            ("int of more than 38 digits", 10**38),
            ("int of more than 38 digits", -(2**200)),
            ("Decimal of more than 38 digits", decimal.Decimal(1).scaleb(40)),
            ("Decimal of more than 38 digits", decimal.Decimal(1).scaleb(-39)),
            ("Decimal of more than 38 digits", decimal.Decimal("1E+999999")),
            ("no number", decimal.Decimal("NaN")),
            ("no number", decimal.Decimal("-Infinity")),
            ("a time with a zone", datetime.time(1, tzinfo=UTC)),
            ("more than 292 years", datetime.timedelta.max),
            ("more than 16 deep", deep),
            ("an Interval that is too long", pelton.Interval(2**31, 0, 0)),
            ("an Interval that is too long", pelton.Interval(0, -(2**31) - 1, 0)),
            ("an Interval that is too long", [pelton.Interval(0, 0, 2**63)]),
            ("out of the years", datetime.datetime.max.replace(tzinfo=datetime.timezone(datetime.timedelta(hours=-1)))),
        ):
            with self.subTest(words):
                self.raises(ValueError, words, execute, "SELECT ?", [value])

    def test_values_that_do_not_fit(self):
        for words, query, params in (
            ("$2 has no value", "SELECT $1, $2", [1]),
            ("$1 has no value", "SELECT ?", None),
            ("$x has no value", "SELECT $x", {}),
            ("2 values for 1 parameters", "SELECT ?", [1, 2]),
            ("a value for $y", "SELECT $x", {"x": 1, "y": 2}),
            ("as ? and as $", "SELECT ?, $1", [1, 2]),
            ("no such table", "SELECT * FROM missing WHERE x = ?", [1]),
        ):
            with self.subTest(query):
                with self.assertRaises(pelton.QueryError) as caught:
                    self.connection.execute(query, params)
                if "table" not in words:
                    self.assertIn(words, str(caught.exception))
                    self.assertNotIn("\n", str(caught.exception))

    def test_constants_of_timestamps(self):
        moment = pandas.Timestamp("2024-02-29 01:02:03.000000004")
        query = "SELECT ? = TIMESTAMP_NS '2024-02-29 01:02:03.000000004', TIMESTAMP_NS '2024-02-29 01:02:03.000004' = $2"
        found = self.connection.execute(query.replace("?", "$1"), [moment, MOMENT]).fetchall()
        self.assertEqual(found, [(True, MOMENT == datetime.datetime(2024, 2, 29, 1, 2, 3, 4))])
        kinds = ["TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_US", "timestamp_ns"]
        result = self.connection.sql("SELECT " + ", ".join(f"{kind} '2024-02-29 01:02:03'" for kind in kinds))
        self.assertEqual(result.fetchall(), [(datetime.datetime(2024, 2, 29, 1, 2, 3),) * 4])
        self.assertEqual(result.types, ["TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP", "TIMESTAMP_NS"])

    def test_types_that_there_are_not_are_told(self):
        for query, params in (("SELECT ?::UUID", ["s3cret"]), ("SELECT CAST($1 || 'a' AS UUID)", ["s3cret"]), ("SELECT UUID 's3cret'", None)):
            error = self.raises(pelton.QueryError, "the type UUID is not supported: write CAST(x AS VARCHAR)", self.connection.execute, query, params)
            self.assertNotIn("s3cret", str(error))

    def test_prepared(self):
        self.connection.execute("CREATE TABLE t (x INT, name VARCHAR)")
        insert = self.connection.prepare("INSERT INTO t VALUES ($x, $name)")
        self.assertEqual((insert.sql, insert.parameters), ("INSERT INTO t VALUES ($x, $name)", ["name", "x"]))
        for x in range(3):
            self.assertEqual(insert.execute({"x": x, "name": f"n{x}"}).fetchall(), [(1,)])
        query = self.connection.prepare("SELECT name FROM t WHERE x >= ? ORDER BY x")
        self.assertEqual(query.parameters, ["1"])
        self.assertEqual(query.execute([1]).fetchall(), [("n1",), ("n2",)])
        self.connection.execute("INSERT INTO t VALUES (9, 'n9')")
        self.assertEqual(query.execute((2,)).fetchall(), [("n2",), ("n9",)])
        self.raises(pelton.QueryError, "$1 has no value", query.execute)
        self.raises(pelton.QueryError, "", self.connection.prepare, "SELEC ?")
        self.assertIn("SELECT name", repr(query))
        self.connection.close()
        self.raises(pelton.Error, "the connection is closed", query.execute, [1])

    def test_executemany(self):
        self.connection.execute("CREATE TABLE t (x INT, name VARCHAR)")
        many = self.connection.executemany
        self.assertEqual(many("INSERT INTO t VALUES (?, ?)", [(i, str(i)) for i in range(50)]), 50)
        self.assertEqual(many("INSERT INTO t SELECT $x + y, 'g' FROM range(3) r(y)", ({"x": x} for x in (100, 200))), 6)
        self.assertEqual(many("INSERT INTO t VALUES (?, ?)", []), 0)
        self.assertEqual(self.connection.sql("SELECT count(*), sum(x) FROM t").fetchall(), [(56, sum(range(50)) + 906)])
        self.raises(pelton.QueryError, "executemany is for statements", many, "SELECT ?", [[1]])
        self.assertRaises(TypeError, many, "INSERT INTO t VALUES (?, ?)", 5)

        def some():
            yield (1000, "stays")
            raise KeyError("half way")

        self.assertRaises(KeyError, many, "INSERT INTO t VALUES (?, ?)", some())
        self.raises(pelton.QueryError, "", many, "INSERT INTO t VALUES (?, ?)", [(1001, "stays"), (1002,)])
        self.assertEqual(self.connection.sql("SELECT x FROM t WHERE x >= 1000 ORDER BY x").fetchall(), [(1000,), (1001,)])

    def test_many_rows_are_those_of_single_executions(self):
        columns = "a INT, b VARCHAR, c DECIMAL(10, 2), d TIMESTAMP"
        typed = [(i, f"it's {i}" if i % 3 else None, decimal.Decimal(i) / 4, MOMENT) for i in range(2500)]
        mixed = [(1, 1, 1, None), ("2", 2.5, "2.50", DAY), (3.0, "x", decimal.Decimal("1.255"), "2024-01-01"), (None, True, 1.255, MOMENT)]
        for name, rows in (("typed", typed), ("mixed", mixed), ("named", [{"p1": a, "p2": b, "p3": c, "p4": d} for a, b, c, d in typed[:40]])):
            marks = "$p1, $p2, $p3, $p4" if name == "named" else "?, ?, ?, ?"
            with self.subTest(name):
                self.connection.execute(f"CREATE OR REPLACE TABLE many ({columns})")
                self.connection.execute(f"CREATE OR REPLACE TABLE single ({columns})")
                self.assertEqual(self.connection.executemany(f"INSERT INTO many VALUES ({marks})", rows), len(rows))
                for row in rows[:40]:
                    self.connection.execute(f"INSERT INTO single VALUES ({marks})", row)
                self.assertEqual(self.connection.table("many").fetchmany(40), self.connection.table("single").fetchall())
        # those before one that fails stay, also of one that comes late
        self.connection.execute("CREATE OR REPLACE TABLE many (x TINYINT NOT NULL, y INT)")
        for bad in ((1000, 1), (None, 1)):
            before = len(self.connection.table("many"))
            rows = [(i % 100, i) for i in range(1100)]
            rows[1010] = bad
            with self.assertRaises(pelton.Error):
                self.connection.executemany("INSERT INTO many (x, y) VALUES (?, ?)", rows)
            self.assertEqual(len(self.connection.table("many")), before + 1010)
        self.assertEqual(self.connection.executemany("INSERT INTO many VALUES (?, ? + 1)", [(1, -2), (2, -3)]), 2)
        self.assertEqual(self.connection.sql("SELECT x, y FROM many WHERE y < 0 ORDER BY x").fetchall(), [(1, -1), (2, -2)])

    def test_no_value_is_in_an_error(self):
        with self.assertRaises(pelton.QueryError) as caught:
            self.connection.execute("SELECT * FROM missing WHERE token = ?", ["s3cret"])
        self.assertNotIn("s3cret", str(caught.exception))
