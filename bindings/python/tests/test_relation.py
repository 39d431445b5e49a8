"""Queries over results, and files of their rows."""

import contextlib
import gzip
import io
import os

import duckdb
import pelton
import pyarrow as pa
import pyarrow.parquet

from support import Case

ROWS = pa.table({"x": list(range(20_000)), "city": [["Bern", "Oslo", None][i % 3] for i in range(20_000)]})


class Relations(Case):
    def setUp(self):
        super().setUp()
        self.file = self.path("t.parquet")
        pyarrow.parquet.write_table(ROWS, self.file, row_group_size=3000)
        self.connection = pelton.connect(threads=4)
        self.addCleanup(self.connection.close)
        self.connection.register("Trips", self.file)

    def test_steps(self):
        trips = self.connection.table("trips")
        self.assertEqual(trips.columns, ["x", "city"])
        theirs = duckdb.sql(f"FROM '{self.file}'")
        for name, ours, wanted in (
            ("filter", trips.filter("x < 5 -- few").order("x"), theirs.filter("x < 5").order("x")),
            ("project", trips.project("x * 2 AS twice", "city").order("twice").limit(4), theirs.project("x * 2 AS twice, city").order("twice").limit(4)),
            ("order", trips.order("city DESC NULLS LAST", "x").limit(3, offset=2), theirs.order("city DESC NULLS LAST, x").limit(3, 2)),
            ("groups", trips.aggregate("city", "count(*) AS n", "max(x)").order("city"), theirs.aggregate("city, count(*) AS n, max(x)").order("city")),
            ("one group", trips.aggregate("sum(x)"), theirs.aggregate("sum(x)")),
            ("group_by", trips.aggregate("count(*) AS n", group_by="x % 7").order("n"), theirs.aggregate("count(*) AS n", "x % 7").order("n")),
            ("steps", trips.order("x").limit(10).filter("x > 5").project("x").order("x DESC"), theirs.order("x").limit(10).filter("x > 5").project("x").order("x DESC")),
        ):
            with self.subTest(name):
                self.assertEqual(ours.fetchall(), wanted.fetchall())
        self.assertEqual(trips.order("x DESC").limit(2).fetchall(), [(19_999, "Oslo"), (19_998, "Bern")])

    def test_results_of_queries(self):
        result = self.connection.sql("SELECT x FROM t WHERE x > ? ORDER BY x; ", {"t": ROWS}, params=[19_990])
        self.assertEqual(result.filter("x % 2 = 0").limit(2).fetchall(), [(19_992,), (19_994,)])
        self.assertEqual(self.connection.sql("FROM Trips LIMIT 3 -- three").aggregate("count(*)").fetchall(), [(3,)])
        # the first result is as it was
        self.assertEqual(len(result), 9)
        self.assertEqual(pelton.read_parquet(self.file, filter="x < 3").project("rows.x + 1 AS y").order("y").fetchall(), [(1,), (2,), (3,)])
        self.assertEqual(pelton.sql("VALUES (1), (2)").aggregate("sum(column1)").fetchall(), [(3,)])
        self.assertEqual(self.connection.sql("SHOW TABLES").filter("name LIKE 't%'").fetchall(), [("trips",)])

    def test_describe(self):
        described = self.connection.table("trips").describe()
        rows = {row["column_name"]: row for row in described.to_pylist()}
        self.assertEqual((rows["x"]["min"], rows["x"]["max"]), ("0", "19999"))
        self.assertEqual(sorted(rows), ["city", "x"])

    def test_show(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.connection.table("trips").order("x").show(3)
            self.connection.sql("SELECT 1 AS a").show()
        lines = out.getvalue().splitlines()
        self.assertEqual([line.split() for line in lines[2:5]], [["0", "│", "Bern"], ["1", "│", "Oslo"], ["2", "│", "NULL"]])
        self.assertEqual(lines[5], "more than 3 rows, 2 columns; the first 3 are shown")
        self.assertEqual(lines[6:], ["a", "─", "1", "1 row, 1 column"])

    def test_files(self):
        result = self.connection.table("trips").order("x").limit(100)
        path = self.path("out.parquet")
        self.assertEqual(result.write_parquet(path, "zstd", 3, row_group_rows=40)["row_groups"], 3)
        self.assertEqual(pyarrow.parquet.read_table(path).to_pylist(), ROWS.slice(0, 100).to_pylist())
        text = "x,city\n" + "".join(f"{x},{city or ''}\n" for x, city in zip(*ROWS.slice(0, 100).to_pydict().values()))
        for name, options, wanted in (
            ("it's.csv", {}, text),
            ("t.csv.gz", {}, text),
            ("n.csv", {"null": "N", "header": False, "delimiter": ";"}, text.split("\n", 1)[1].replace(",\n", ",N\n").replace(",", ";")),
            ("z.csv", {"codec": "gzip", "level": 9}, text),
        ):
            with self.subTest(name):
                for again in range(2):  # computed, and kept
                    self.assertEqual(result.write_csv(self.path(name), **options), 100)
                    with open(self.path(name), "rb") as file:
                        found = file.read()
                    is_packed = name.endswith(".gz") or "codec" in options
                    self.assertEqual((gzip.decompress(found) if is_packed else found).decode(), wanted)
                    len(result)
        broken = self.connection.sql("SELECT 1 / (x - 5000) AS y FROM trips")
        before = sorted(os.listdir(self.folder))
        self.raises(pelton.QueryError, "", broken.write_csv, self.path("broken.csv"))
        self.raises(pelton.QueryError, "", broken.write_parquet, self.path("broken.parquet"))
        with self.assertRaises(pelton.Error):
            result.write_csv(self.path("d.csv"), delimiter="ab")
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_statements_have_run(self):
        statement = self.connection.sql("CREATE TABLE c AS SELECT x FROM trips LIMIT 5")
        self.assertTrue(statement.is_statement)
        self.assertFalse(self.connection.table("c").is_statement)
        self.assertEqual(statement.filter('"Count" > 1').fetchall(), [(5,)])
        self.assertEqual(self.connection.table("c").aggregate("count(*)").fetchall(), [(5,)])

    def test_mistakes(self):
        trips = self.connection.table("trips")
        self.raises(pelton.QueryError, "missing", self.connection.table, "missing")
        for filter in ("", "x > 5) OR (true", "x > 5 ORDER BY x", "x > 5; SELECT 1"):
            self.raises(pelton.QueryError, "not one expression", trips.filter, filter)
        self.raises(pelton.QueryError, "nope", trips.filter, "nope = 1")
        self.raises(ValueError, "project needs an expression", trips.project)
        self.raises(ValueError, "order needs an expression", trips.order, " ")
        self.assertRaises(OverflowError, trips.limit, -1)
        self.assertRaises(TypeError, trips.limit)
