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

    def test_steps_take_expressions_and_nothing_else(self):
        trips = self.connection.table("trips")
        for step, words, texts in (
            (trips.project, "no list of expressions of SELECT|not a list of expressions of SELECT", (
                "x FROM trips UNION SELECT 9 --", "x UNION SELECT 9", "x INTO other", "DISTINCT city", "DISTINCT ON (city) x",
                "TOP (5) x", "x FROM trips", "x WHERE x > 1", "x GROUP BY ALL", "x LIMIT 1", "x; DROP TABLE trips", "x, (city",
                "x)", "x /*", "'x", "", "FROM trips",
            )),
            (trips.aggregate, "not a list of expressions of SELECT", (
                "count(*) FROM trips UNION SELECT 9 --", "DISTINCT city", "count(*) HAVING count(*) > 1", "count(*); SELECT 1",
            )),
            (trips.order, "not a list of expressions of ORDER BY", (
                "x LIMIT 1 --", "x OFFSET 5", "x; SELECT 1", "x UNION SELECT 9", "x) --", "x DESC ASC", "x FOR UPDATE",
            )),
            (lambda text: trips.aggregate("count(*)", group_by=text), "not a list of expressions of GROUP BY", (
                "city HAVING false", "city ORDER BY city", "city UNION SELECT 1", "city LIMIT 0", "city DESC", "", "city; SELECT 1",
            )),
            (trips.filter, "the condition is not one expression", (
                "x > 1 UNION SELECT 9, '' --", "x > 1 GROUP BY x", "x > 1 LIMIT 1", "x > 1) OR (true", "x, city",
            )),
        ):
            for text in texts:
                with self.subTest(text):
                    with self.assertRaisesRegex(pelton.QueryError, words) as caught:
                        step("x", text) if step in (trips.project, trips.order) and text else step(text or "\n--")
                    self.assertNotIn("\n", str(caught.exception))
        self.assertEqual(self.connection.tables(), ["trips"])

    def test_expressions_that_have_the_words_of_clauses(self):
        trips = self.connection.table("trips")
        some = trips.project("x, (SELECT 1 UNION SELECT 1 LIMIT 1) AS one", "'; DROP TABLE t --' AS \"from\" -- last", "y: x ** 2,")
        self.assertEqual(some.columns, ["x", "one", "from", "y"])
        self.assertEqual(some.order("x").limit(1).fetchall(), [(0, 1, "; DROP TABLE t --", 0)])
        self.assertEqual(trips.filter("x ** 2 = 1_6 AND len([v FOR v IN [x] IF v > 1]) = 1").project("x").fetchall(), [(4,)])
        totals = trips.aggregate("city", "count(*) FILTER (WHERE x > 10) AS n", group_by="ROLLUP (city)").order("n DESC")
        self.assertEqual(totals.fetchall()[0], (None, 19_989))
        self.assertEqual(trips.order("ALL DESC").limit(1).fetchall(), [(19_999, "Oslo")])

    def test_steps_over_kept_rows_have_these_rows(self):
        self.connection.execute("CREATE TABLE n AS SELECT v FROM range(3) t(v)")
        kept, fresh = self.connection.table("n"), self.connection.table("n")
        early = kept.filter("v >= 0")
        self.assertEqual(kept.fetchall(), [(0,), (1,), (2,)])
        self.connection.execute("INSERT INTO n VALUES (7)")
        for _ in range(2):
            self.assertEqual(kept.fetchall(), [(0,), (1,), (2,)])
            self.assertEqual(kept.filter("v > 0").order("v").fetchall(), [(1,), (2,)])
            self.assertEqual(kept.aggregate("sum(v)").fetchall(), [(3,)])
            self.assertEqual(kept.project("v", "(SELECT max(v) FROM n) AS m").limit(1, 2).fetchall(), [(2, 7)])
            self.assertEqual(kept.write_csv(self.path("n.csv")), 3)
            self.assertEqual(fresh.filter("v > 0").aggregate("count(*)").fetchall(), [(3,)])
        self.assertEqual(len(early), 3)
        # a table of the user's that is called as the rows are is another one
        self.connection.register("rows", pa.table({"v": [2]}))
        self.assertEqual(kept.filter("v IN (SELECT r.v FROM rows AS r)").fetchall(), [(2,)])
        self.assertEqual(kept.filter("rows.v = 1").fetchall(), [(1,)])
        # one of the names is there twice
        twice = self.connection.sql("SELECT 1 AS a, 2 AS a, 3 AS \"B c\"")
        for again in range(2):
            self.assertEqual(twice.limit(1).fetchall(), [(1, 2, 3)])
            self.assertEqual(twice.project("*", '"B c" + 1').fetchall(), [(1, 2, 3, 4)])
            self.assertEqual(twice.limit(1).columns, ["a", "a_1", "B c"])
            self.assertEqual(twice.write_csv(self.path("twice.csv")), 1)
            with open(self.path("twice.csv")) as file:
                self.assertEqual(file.read().splitlines()[1], "1,2,3")
            self.assertEqual(len(twice), 1)

    def test_texts_of_queries_with_comments_and_semicolons(self):
        for text in ("SELECT 1 AS a; -- one", "-- one\nSELECT 1 AS a", "SELECT 1 AS a /* ; */;;", "SELECT 1 AS a, ';' AS b ; ", "(SELECT 1 AS a)"):
            with self.subTest(text):
                self.assertEqual(self.connection.sql(text).filter("a = 1").project("a").fetchall(), [(1,)])

    def test_mistakes(self):
        trips = self.connection.table("trips")
        self.raises(pelton.QueryError, "missing", self.connection.table, "missing")
        for filter in ("", "x > 5) OR (true", "x > 5 ORDER BY x", "x > 5; SELECT 1"):
            self.raises(pelton.QueryError, "not one expression", trips.filter, filter)
        self.raises(pelton.QueryError, "nope", trips.filter, "nope = 1")
        self.raises(ValueError, "project needs an expression", trips.project)
        self.raises(ValueError, "order needs an expression", trips.order, " ")
        self.raises(ValueError, "-1 is out of range", trips.limit, -1)
        self.assertRaises(TypeError, trips.limit)
