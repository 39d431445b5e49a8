"""What a query gives: every form of it, once and again, and as a stream."""

import warnings

import duckdb
import pandas
import pelton
import polars
import pyarrow as pa
import pyarrow.parquet

from support import Case, python

ROWS = pa.table({"x": list(range(30_000)), "name": [f"<b>{i}</b>" for i in range(30_000)]})


class Results(Case):
    def setUp(self):
        super().setUp()
        self.file = self.path("t.parquet")
        pyarrow.parquet.write_table(ROWS, self.file, compression="gzip", row_group_size=5000)
        self.connection = pelton.connect(threads=2)
        self.addCleanup(self.connection.close)
        self.connection.register("t", self.file)

    def query(self, query="SELECT * FROM t ORDER BY x"):
        return self.connection.sql(query)

    def test_forms(self):
        result = self.query()
        self.assertEqual(result.to_arrow(), ROWS)
        self.assertEqual(result.to_arrow().schema, ROWS.schema)
        self.assertEqual(result.schema, ROWS.schema)
        self.assertEqual((result.shape, len(result), result.columns), ((30_000, 2), 30_000, ["x", "name"]))
        frame = result.to_polars()
        self.assertIsInstance(frame, polars.DataFrame)
        self.assertTrue(frame.equals(polars.from_arrow(ROWS)))
        frame = result.to_pandas()
        self.assertIsInstance(frame, pandas.DataFrame)
        pandas.testing.assert_frame_equal(frame, ROWS.to_pandas())
        self.assertIs(result.to_pandas(types_mapper={pa.int64(): pandas.Int64Dtype()}.get)["x"].dtype.type, pandas.Int64Dtype().type)
        self.assertEqual(result.to_pylist(), ROWS.to_pylist())
        self.assertEqual(result.fetchall(), list(zip(*(column.to_pylist() for column in ROWS.columns))))

    def test_no_rows_have_columns(self):
        result = self.query("SELECT * FROM t WHERE x < 0")
        self.assertEqual((result.shape, result.to_pylist(), result.fetchall(), list(result)), ((0, 2), [], [], []))
        self.assertEqual(result.to_arrow().schema, ROWS.schema)
        self.assertEqual(result.to_polars().columns, ["x", "name"])
        self.assertEqual(pa.table(result).column_names, ["x", "name"])
        self.assertIn("0 rows, 2 columns", repr(result))

    def test_streams(self):
        result = self.query()
        self.assertEqual(pa.schema(result).names, ["x", "name"])
        reader = pa.RecordBatchReader.from_stream(result, schema=ROWS.schema)
        self.assertEqual(reader.schema, ROWS.schema)
        self.assertEqual(reader.read_all(), ROWS)
        # taken once, so that the query runs again
        self.assertEqual(pa.table(result).num_rows, 30_000)
        self.assertEqual(polars.DataFrame(result).shape, (30_000, 2))
        self.assertEqual(duckdb.sql("SELECT count(*), sum(x) FROM result").fetchall(), [(30_000, sum(range(30_000)))])
        self.assertEqual(result.to_arrow(), ROWS)
        # kept now, so that it does not
        self.connection.close()
        self.assertEqual(pa.table(result).num_rows, 30_000)

    def test_a_schema_that_is_asked_for(self):
        result = self.query("SELECT x, name FROM t ORDER BY x LIMIT 3")
        wanted = pa.schema({"x": pa.int32(), "name": pa.large_string()})
        self.assertEqual(pa.RecordBatchReader.from_stream(result, schema=wanted).read_all().schema, wanted)
        # one that can't be had is not followed
        for other in (pa.schema({"y": pa.int32()}), pa.schema({"x": pa.list_(pa.int8()), "name": pa.binary(3)})):
            self.assertEqual(pa.RecordBatchReader.from_stream(result, schema=other).schema.names, ["x", "name"])
        self.assertRaises(TypeError, result.__arrow_c_stream__, 5)
        # neither is one that only some of the values fit, and these are not lost
        result = self.query("SELECT 300 AS a UNION ALL SELECT 5")
        reader = pa.RecordBatchReader.from_stream(result, schema=pa.schema({"a": pa.int8()}))
        with self.assertRaisesRegex(pa.ArrowInvalid, 'column "a" as Int8.* 300'):
            reader.read_all()

    def test_iteration(self):
        result = self.query()
        batches = list(result)
        self.assertGreater(len(batches), 1)
        self.assertIsInstance(batches[0], pa.RecordBatch)
        self.assertEqual(pa.Table.from_batches(batches), ROWS)
        first = next(iter(result))
        self.assertEqual(first.column_names, ["x", "name"])
        self.assertEqual(len(result), 30_000)
        self.assertEqual(sum(len(batch) for batch in result), 30_000)

    def test_text(self):
        result = self.query()
        lines = repr(result).splitlines()
        self.assertEqual(len(lines), 2 + 10 + 1)
        self.assertEqual(lines[-1], "more than 10 rows, 2 columns; the first 10 are shown")
        self.assertEqual(lines[2].split(), ["0", "│", "<b>0</b>"])
        self.assertEqual(len(result), 30_000)
        self.assertIn("30000 rows, 2 columns; the first 10 are shown", repr(result))
        self.assertEqual(repr(self.query("SELECT 1 AS a")).splitlines(), ["a", "─", "1", "1 row, 1 column"])

    def test_text_is_bounded_and_printable(self):
        columns = ", ".join(f"{i} AS c{i}" for i in range(200))
        wide = repr(self.query(f"SELECT {columns}"))
        self.assertLessEqual(max(map(len, wide.splitlines())), 100)
        long = repr(self.query("SELECT repeat('é', 100000) AS long, chr(27) || '[31m' AS escape"))
        self.assertLessEqual(max(map(len, long.splitlines())), 100)
        self.assertNotIn("\x1b", long)

    def test_html(self):
        html = self.query("SELECT name AS \"<i>\", repeat('x', 1000) AS long FROM t ORDER BY x LIMIT 2")._repr_html_()
        self.assertIn("<th title=\"Utf8View\">&lt;i&gt;</th>", html)
        self.assertIn(">&lt;b&gt;0&lt;/b&gt;</td>", html)
        self.assertIn("2 rows, 2 columns", html)
        self.assertLess(len(html), 2000)
        columns = ", ".join(f"{i} AS c{i}" for i in range(200))
        self.assertEqual(self.query(f"SELECT {columns}")._repr_html_().count("<th"), 30 + 1)

    def test_a_device_that_fails_is_a_warning_however_the_rows_are_taken(self):
        query = f"SELECT count(*) AS n, sum(x) AS s FROM '{self.file}' WHERE x >= 500"
        connection = pelton.connect(threads=2, device="cuda-host:fault-every=1")
        self.addCleanup(connection.close)
        page, written = self.path("page.html"), self.path("w.parquet")
        ways = {
            "to_arrow": lambda: connection.sql(query).to_arrow(),
            "to_polars": lambda: connection.sql(query).to_polars(),
            "fetchall": lambda: connection.sql(query).fetchall(),
            "length": lambda: len(connection.sql(query)),
            "text": lambda: repr(connection.sql(query)),
            "iteration": lambda: [batch for batch in connection.sql(query)],
            "stream": lambda: pa.table(connection.sql(query)),
            "polars": lambda: polars.DataFrame(connection.sql(query)),
            "table": lambda: connection.register("r", connection.sql(query)),
            "file": lambda: pelton.write_parquet(connection.sql(query), written),
            "profile": lambda: connection.profile(query, page),
        }
        words = "cuda-host failed, and the CPU ran its part: fault-every=1 was asked for"
        for name, take in ways.items():
            with self.subTest(name):
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    take()
                self.assertEqual([(of.category, str(of.message)) for of in caught], [(RuntimeWarning, words)])
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    with self.assertRaisesRegex(Exception, words):
                        take()

    def test_a_warning_that_is_an_error_loses_no_rows(self):
        query = f"SELECT sum(x) AS s FROM '{self.file}' WHERE x >= 29999"
        with pelton.connect(threads=2, device="cuda-host:fault-every=1") as connection:
            result = connection.sql(query)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                self.assertRaises(RuntimeWarning, result.to_arrow)
                self.assertEqual(result.fetchall(), [(29_999,)])

    def test_columns_that_change_between_two_runs(self):
        result = self.query("SELECT * FROM t")
        pa.table(result)
        self.connection.register("t", pa.table({"y": [1]}))
        self.raises(pelton.QueryError, "columns have changed", result.to_arrow)

    def test_reading_files(self):
        result = pelton.read_parquet(self.file, columns=["name"], filter="x >= 29998 -- the last")
        self.assertEqual(result.to_pylist(), [{"name": "<b>29998</b>"}, {"name": "<b>29999</b>"}])
        self.assertEqual(len(pelton.read_parquet([self.file, self.file], threads=1)), 60_000)
        self.raises(ValueError, "empty", pelton.read_parquet, self.file, columns=[])
        self.raises(pelton.QueryError, "nope", pelton.read_parquet, self.file, columns=["nope"])
        self.raises(pelton.QueryError, "nope", pelton.read_parquet, self.file, filter="nope > 1")
        for filter in ("", "x > 5) OR (true", "x > 5 ORDER BY x", "x > 5; SELECT 1"):
            self.raises(pelton.QueryError, "not one expression", pelton.read_parquet, self.file, filter=filter)
            dataset = pelton.scan_parquet(self.file)
            self.raises(pelton.QueryError, "not one expression", dataset.to_table, filter=filter)
            self.raises(pelton.QueryError, "not one expression", dataset.count_rows, filter=filter)
        self.assertRaises(TypeError, pelton.read_parquet, ROWS)
        strange = self.path("strange.parquet")
        pyarrow.parquet.write_table(pa.table({'a "b" c': [1], "Upper": [2]}), strange)
        self.assertEqual(pelton.read_parquet(strange, columns=["Upper", 'a "b" c']).fetchall(), [(2, 1)])

    def test_without_other_libraries(self):
        program = f"""
import sys
for name in ("pyarrow", "polars", "pandas"):
    sys.modules[name] = None
import pelton
result = pelton.sql("SELECT sum(x) AS s FROM '{self.file}'")
print(result, result.shape, result.columns, pelton.write_parquet(result, "{self.path("w.parquet")}")["rows"])
print(result.fetchall(), result.to_pylist())
for method in (result.to_arrow, result.to_polars, result.to_pandas):
    try:
        method()
    except ModuleNotFoundError as error:
        print(error)
"""
        code, out, err = python(program)
        self.assertEqual((code, err), (0, ""))
        needs = [f"this needs {name}, which is not here: pip install {name}" for name in ("pyarrow", "polars", "pyarrow")]
        rows = "[(449985000,)] [{'s': 449985000}]"
        self.assertEqual(out.splitlines()[-5:], ["1 row, 1 column (1, 1) ['s'] 1", rows, *needs])
