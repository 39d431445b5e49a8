"""Rows as Python's objects: against those that pyarrow makes, and where nothing but Pelton is installed."""

import datetime
import decimal
import inspect
import os
import subprocess
import sys
import zoneinfo

import pelton
import pyarrow as pa

from support import HANGS, Case, memory_types, seeded

UTC = datetime.timezone.utc


def expected(value, of):
    """pyarrow's value as Pelton has it: maps are dicts, unless their keys can't be those of one."""
    if value is None:
        return None
    if pa.types.is_map(of):
        pairs = [(expected(key, of.key_type), expected(item, of.item_type)) for key, item in value]
        return pairs if pa.types.is_nested(of.key_type) else dict(pairs)
    if pa.types.is_list(of) or pa.types.is_large_list(of) or pa.types.is_fixed_size_list(of) or pa.types.is_list_view(of):
        return [expected(item, of.value_type) for item in value]
    if pa.types.is_struct(of):
        return {field.name: expected(value[field.name], field.type) for field in of}
    return value


def columns(table):
    """The columns of a table as pyarrow's objects."""
    return {
        name: [expected(value, table.schema.field(name).type) for value in table.column(name).to_pylist()]
        for name in table.column_names
    }


class Rows(Case):
    def same(self, table):
        """Checks every value of a table, and its type, against pyarrow's."""
        result = pelton.sql("SELECT * FROM t", {"t": table})
        wanted = columns(table)
        rows = result.fetchall()
        self.assertEqual(len(rows), len(table))
        for index, name in enumerate(table.column_names):
            with self.subTest(column=name):
                found = [row[index] for row in rows]
                self.assertEqual(found, wanted[name])
                for ours, theirs in zip(found, wanted[name]):
                    # its intervals and moments are subclasses
                    self.assertTrue(isinstance(theirs, type(ours)) or isinstance(ours, tuple), (ours, theirs))
        self.assertEqual(result.to_pylist(), [dict(zip(table.column_names, row)) for row in rows])
        self.assertEqual(list(result.iter_rows()), rows)

    def test_values_are_those_of_pyarrow(self):
        table = memory_types(100)
        # pyarrow cuts the nanoseconds of times off
        whole = pa.array(range(0, 100_000, 1000), pa.time64("ns"))
        table = table.set_column(table.column_names.index("time_ns"), "time_ns", whole)
        for start, length in ((0, 100), (3, 20), (7, 1), (5, 0)):
            self.same(table.slice(start, length))
        self.same(table.to_reader(7).read_all())

    def test_types_that_few_have(self):
        ends = pa.RunEndEncodedArray.from_arrays(pa.array([2, 3], pa.int32()), pa.array(["a", None]))
        union = pa.UnionArray.from_dense(
            pa.array([0, 1, 0], pa.int8()), pa.array([0, 0, 1], pa.int32()), [pa.array([1, None]), pa.array(["x"])]
        )
        views = pa.array([[1, 2], None, []], pa.list_view(pa.int16()))
        self.same(pa.table({"views": views, "negative": pa.array([100, None, -500], pa.decimal128(5, -2))}))
        for name, column in (("union", union), ("ends", ends)):
            with self.subTest(name):
                result = pelton.sql("SELECT * FROM t", {"t": pa.table({name: column})})
                self.assertEqual([row[0] for row in result.fetchall()], column.to_pylist())

    def test_values_that_a_null_hides_are_not_converted(self):
        hidden = pa.array([None, 10**15, 5], pa.timestamp("s"))
        null = pa.array([False, True, False])
        struct = pa.StructArray.from_arrays([hidden], ["t"], mask=null)
        lists = pa.ListArray.from_arrays(pa.array([0, 1, 2, 3], pa.int32()), hidden, mask=null)
        fixed = pa.FixedSizeListArray.from_arrays(hidden, 1, mask=null)
        for name, column in (("struct", struct), ("list", lists), ("fixed", fixed)):
            with self.subTest(name):
                self.same(pa.table({"x": column}))

    def test_random_tables(self):
        random = seeded()
        kinds = [
            (pa.int8(), lambda: random.randint(-128, 127)),
            (pa.uint64(), lambda: random.getrandbits(64)),
            (pa.float64(), lambda: random.choice([0.0, -0.0, 1e-300, random.random()])),
            (pa.string(), lambda: random.choice(["", "é", "\U0001f600", "x" * 50])),
            (pa.binary(), lambda: random.randbytes(random.randint(0, 20))),
            (pa.decimal128(38, 10), lambda: decimal.Decimal(random.randint(-(10**37), 10**37)).scaleb(-10, decimal.Context(38))),
            (pa.decimal256(76, 0), lambda: decimal.Decimal(random.randint(-(10**75), 10**75))),
            (pa.date32(), lambda: datetime.date.fromordinal(random.randint(1, 3652059))),
            (pa.timestamp("us"), lambda: datetime.datetime.min + datetime.timedelta(microseconds=random.randrange(315 * 10**15))),
            (pa.timestamp("ms", "Asia/Kolkata"), lambda: datetime.datetime(2000, 1, 1, tzinfo=UTC) + datetime.timedelta(random.randint(-99999, 99999))),
            (pa.timestamp("s", "-03:30"), lambda: datetime.datetime(1999, 1, 1, tzinfo=UTC) + datetime.timedelta(0, random.getrandbits(30))),
            (pa.time64("us"), lambda: (datetime.datetime.min + datetime.timedelta(microseconds=random.randrange(86400 * 10**6))).time()),
            (pa.duration("us"), lambda: datetime.timedelta(random.randint(-10**6, 10**6), 0, random.randrange(10**6))),
        ]
        kinds += [(pa.list_(of), lambda of=make: [of() for _ in range(random.randint(0, 3))]) for of, make in kinds[:4]]
        kinds += [(pa.map_(pa.string(), of), lambda of=make: [(str(i), of()) for i in range(random.randint(0, 3))]) for of, make in kinds[:8]]
        kinds += [(pa.struct([("a", of), ("é", pa.int32())]), lambda of=make: {"a": of(), "é": 1}) for of, make in kinds]
        for _ in range(4):
            rows = random.randint(1, 3000)
            table = {
                f"{number} {of}": pa.array([None if random.random() < 0.2 else make() for _ in range(rows)], of)
                for number, (of, make) in enumerate(random.sample(kinds, 12))
            }
            self.same(pa.table(table))

    def test_moments_have_the_zone_of_their_column(self):
        row = pelton.sql("SELECT TIMESTAMPTZ '2024-07-01 12:00:00+02:00' AS t").fetchone()
        self.assertEqual(row, (datetime.datetime(2024, 7, 1, 10, tzinfo=UTC),))
        self.assertEqual(row[0].utcoffset(), datetime.timedelta(0))
        moment = datetime.datetime(2024, 7, 1, 12, 30, tzinfo=zoneinfo.ZoneInfo("Europe/Zurich"))
        for zone, hours in (("Europe/Zurich", 2), ("+05:30", 5.5), ("-0800", -8), ("UTC", 0)):
            table = pa.table({"t": pa.array([moment], pa.timestamp("us", zone))})
            (found,), = pelton.sql("SELECT * FROM t", {"t": table}).fetchall()
            self.assertEqual((found, found.utcoffset()), (moment, datetime.timedelta(hours=hours)))
        unknown = pa.table({"t": pa.array([1], pa.int64()).cast(pa.timestamp("us", "UTC"))})
        unknown = unknown.cast(pa.schema({"t": pa.timestamp("us", "Europe/Nowhere")}))
        result = pelton.sql("SELECT * FROM t", {"t": unknown})
        self.raises(pelton.DataError, "no time zone Europe/Nowhere", result.fetchall)

    def test_values_without_a_place_are_errors(self):
        for words, value, of in (
            ("column t: +12024-08-12T00:00:00 is out of the years", 317292940800, pa.timestamp("s")),
            ("out of the years", -(10**18), pa.timestamp("ms")),
            ("out of the years", 10**8, pa.date32()),
            ("out of the years", -719163, pa.date32()),
            ("column t: 1970-01-01T00:00:00.000000001 has nanoseconds", 1, pa.timestamp("ns")),
            ("has nanoseconds", 1, pa.time64("ns")),
            ("has nanoseconds", 1, pa.duration("ns")),
            ("longer than a timedelta", 2**62, pa.duration("s")),
            ("no time of a day", 86_400, pa.time32("s")),
        ):
            with self.subTest(words, of=of):
                column = pa.array([0, value], pa.int32() if of.bit_width == 32 else pa.int64()).view(of)
                result = pelton.sql("SELECT * FROM t", {"t": pa.table({"t": column})})
                for take in (result.fetchall, result.to_pylist, lambda: list(result.iter_rows())):
                    self.raises(pelton.DataError, words, take)
        rows = pa.table({"t": pa.array([1], pa.int64()).view(pa.timestamp("ns"))})
        rounded = pelton.sql("SELECT t::TIMESTAMP(6) AS t, t::VARCHAR AS text FROM rows", {"rows": rows}).fetchall()
        self.assertEqual(rounded, [(datetime.datetime(1970, 1, 1), "1970-01-01 00:00:00.000000001")])
        twice = pa.table({"m": pa.array([[("k", 1), ("k", 2)]], pa.map_(pa.string(), pa.int32()))})
        self.raises(pelton.DataError, "the key 'k' twice", pelton.sql("SELECT * FROM t", {"t": twice}).fetchall)

    def test_intervals(self):
        (interval, difference), = pelton.sql(
            "SELECT INTERVAL '14 months 3 days 1.5 seconds' AS i, TIMESTAMP '2024-03-01' - TIMESTAMP '2024-02-28' AS d"
        ).fetchall()
        self.assertEqual(interval, pelton.Interval(months=14, days=3, nanoseconds=1_500_000_000))
        self.assertIsInstance(interval, pelton.Interval)
        self.assertEqual(difference, datetime.timedelta(days=2))

    def test_decimals_are_exact_in_any_context(self):
        with decimal.localcontext(decimal.Context(prec=2, traps=[decimal.Inexact])):
            (found,), = pelton.sql("SELECT 12345.678::DECIMAL(20, 5) AS d").fetchall()
        self.assertEqual(str(found), "12345.67800")

    def test_rows_are_taken_one_after_the_other(self):
        result = pelton.sql("SELECT * FROM range(5000) t(x) ORDER BY x")
        self.assertEqual([result.fetchone(), result.fetchone(), result.fetchmany(3)], [(0,), (1,), [(2,), (3,), (4,)]])
        self.assertEqual(result.fetchmany(), [(5,)])
        self.assertEqual(result.fetchmany(0), [])
        self.assertEqual(result.fetchall(), [(x,) for x in range(6, 5000)])
        self.assertEqual([result.fetchall(), result.fetchone(), result.fetchmany(2)], [[], None, []])
        # other forms have all rows
        self.assertEqual(len(result), 5000)
        self.assertEqual(sum(x for x, in result.iter_rows()), sum(range(5000)))
        again = pelton.sql("SELECT 1 AS x")
        self.assertEqual([again.fetchall(), again.fetchall()], [[(1,)], [(1,)]])

    def test_rows_come_before_the_query_ends(self):
        rows = pelton.sql("SELECT x, repeat('x', 100) AS text FROM range(1000000000) t(x)", threads=1).iter_rows()
        self.assertEqual(next(rows)[0], 0)

    def test_columns_of_one_name(self):
        table = pa.table({"x": [1], "y": [2]})
        self.raises(
            pelton.QueryError, "two columns are called a", lambda: pelton.sql("SELECT x AS a, y AS a FROM t", {"t": table}).to_pylist()
        )

    def test_types(self):
        result = pelton.sql("SELECT 1 AS i, 'x' AS t, 1.5::DECIMAL(5, 2) AS d, [1] AS l, NOW() AS n, true AS b")
        self.assertEqual(result.columns, ["i", "t", "d", "l", "n", "b"])
        self.assertEqual(result.types, ["BIGINT", "VARCHAR", "DECIMAL(5,2)", "BIGINT[]", "TIMESTAMPTZ", "BOOLEAN"])

    def test_with_pelton_alone(self):
        """In an interpreter whose path has the standard library and the package, and nothing else."""
        program = inspect.cleandoc("""
            import sys
            import pelton, pelton.dbapi
            connection = pelton.connect(threads=1)
            connection.execute("CREATE TABLE t (x INT, name VARCHAR, day DATE, price DECIMAL(10, 2))")
            connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", [(1, "a", None, None), (2, "b", "2024-02-29", 1.5)])
            result = connection.table("t").order("x")
            print(result.columns, result.types, result.fetchall(), result.to_pylist()[0], len(result))
            print(list(result.iter_rows()), result.fetchone(), result.fetchmany(5), sep="\\n")
            cursor = pelton.dbapi.connect().cursor().execute("SELECT $a + 1 AS n", {"a": 1})
            print(cursor.fetchone(), cursor.description)
            result.write_parquet(sys.argv[1])
            print(pelton.read_parquet(sys.argv[1]).fetchall() == list(result.iter_rows()))
            print(sorted(set(sys.modules) & {"pyarrow", "polars", "pandas", "numpy"}))
            for take in (result.to_arrow, lambda: next(iter(result))):
                try:
                    take()
                except ModuleNotFoundError as error:
                    print(error)
        """)
        place = os.path.dirname(os.path.dirname(pelton.__file__))
        command = [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.append({place!r})\n{program}", self.path("t.parquet")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=HANGS)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = [(1, "a", None, None), (2, "b", datetime.date(2024, 2, 29), decimal.Decimal("1.50"))]
        first = dict(zip(["x", "name", "day", "price"], rows[0]))
        needs = [
            "this needs pyarrow, which is not here: pip install pyarrow",
            "an iteration takes batches of pyarrow, which is not here: iterate over iter_rows() for tuples, or pip install pyarrow",
        ]
        self.assertEqual(
            done.stdout.splitlines(),
            [
                f"['x', 'name', 'day', 'price'] ['INTEGER', 'VARCHAR', 'DATE', 'DECIMAL(10,2)'] {rows} {first} 2",
                str(rows),
                str(rows[0]),
                str(rows[1:]),
                "(2,) [('n', 'BIGINT', None, None, None, None, None)]",
                "True",
                "[]",
                *needs,
            ],
        )
