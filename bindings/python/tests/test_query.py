"""Queries, tables, connections, and what they raise."""

import os
import pathlib

import pandas
import pelton
import polars
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet

from support import Case

ROWS = pa.table({"x": [1, 2, 3, None], "name": ["a", "b", None, "d"]})


class Tables(Case):
    def setUp(self):
        super().setUp()
        self.file = self.path("t.parquet")
        pyarrow.parquet.write_table(ROWS, self.file, compression="gzip")

    def sum(self, table):
        return pelton.sql("SELECT sum(x), count(*), max(name) FROM t", tables={"t": table}).fetchall()

    def test_long_conditions(self):
        terms = " OR ".join(f"x = {i}" for i in range(1500))
        self.assertEqual(pelton.sql(f"SELECT count(*) FROM (VALUES (7), (-1)) AS t(x) WHERE {terms}").fetchall(), [(1,)])
        self.raises(pelton.QueryError, "longer than the limit of 1000", pelton.sql, "SELECT 1" + "+1" * 100_000)

    def test_rows_come_in_the_order_of_files_and_rows(self):
        folder = self.path("ordered")
        os.mkdir(folder)
        for part in range(3):
            rows = range(part * 50_000, (part + 1) * 50_000)
            file = os.path.join(folder, f"{part}.parquet")
            pyarrow.parquet.write_table(pa.table({"n": list(rows)}), file, compression="gzip", row_group_size=4_000)
        glob = os.path.join(folder, "*.parquet")
        for query, wanted in [
            (f"SELECT n FROM '{glob}'", list(range(150_000))),
            (f"SELECT n + 1 AS n FROM '{glob}' WHERE n % 7 = 0", list(range(1, 150_001, 7))),
            (f"SELECT n FROM '{glob}' LIMIT 3 OFFSET 99998", [99_998, 99_999, 100_000]),
        ]:
            self.assertEqual(pelton.sql(query).to_arrow()["n"].to_pylist(), wanted)
            batches = pelton.sql(query).to_arrow().to_batches()
            self.assertEqual([n for batch in batches for n in batch["n"].to_pylist()], wanted)
        self.assertEqual(pelton.read_parquet(glob).to_arrow()["n"].to_pylist(), list(range(150_000)))

    def test_everything_that_is_a_table_is_one(self):
        given = {
            "path": self.file,
            "pathlib": pathlib.Path(self.file),
            "list": [self.file],
            "glob": self.path("*.parquet"),
            "folder": self.folder,
            "pyarrow.Table": ROWS,
            "RecordBatch": ROWS.to_batches()[0],
            "RecordBatchReader": ROWS.to_reader(),
            "batches": ROWS.to_batches(max_chunksize=3),
            "generator": (batch for batch in ROWS.to_batches(max_chunksize=1)),
            "dataset": pyarrow.dataset.dataset(self.file),
            "polars": polars.from_arrow(ROWS),
            "lazy": polars.from_arrow(ROWS).lazy(),
            "pandas": ROWS.to_pandas(),
            "pandas with an index": ROWS.to_pandas().set_index(pandas.Index([5, 6, 7, 8], name="key")),
            "result": pelton.read_parquet(self.file),
        }
        for name, table in given.items():
            with self.subTest(name):
                self.assertEqual(self.sum(table), [(6, 4, "d")])

    def test_files_of_a_list_are_one_table(self):
        other = self.path("u.parquet")
        pyarrow.parquet.write_table(ROWS, other)
        self.assertEqual(self.sum([self.file, other, pathlib.Path(self.file)]), [(18, 12, "d")])
        self.assertEqual(self.sum((self.file, other)), [(12, 8, "d")])

    def test_tables_of_a_query_are_gone_after_it(self):
        connection = pelton.connect(threads=1)
        self.assertEqual(connection.sql("SELECT count(*) FROM u", tables={"u": ROWS}).fetchall(), [(4,)])
        self.raises(pelton.QueryError, "u", connection.sql, "SELECT * FROM u")
        self.assertEqual(connection.tables(), [])

    def test_names_are_found_as_they_are_given(self):
        for name, sql in (("Trips", "Trips"), ("Trips", "trips"), ('"Trips"', '"Trips"'), ('"a b"', '"a b"')):
            with self.subTest(name):
                self.assertEqual(len(pelton.sql(f"SELECT * FROM {sql}", tables={name: ROWS})), 4)
        self.raises(ValueError, "name", pelton.sql, "SELECT 1", {"": ROWS})

    def test_what_is_no_table_is_a_type_error(self):
        for given in (5, None, {"x": [1]}, [1], object(), b"bytes", [ROWS, 1], pelton, lambda: None):
            with self.subTest(given=given):
                with self.assertRaises(TypeError):
                    self.sum(given)

    def test_what_makes_no_table_is_an_error(self):
        twice = pa.table([pa.array([1]), pa.array([2])], names=["x", "x"])
        self.raises(pelton.TableError, "two columns named x", self.sum, twice)
        self.raises(pelton.MissingFileError, "no files", self.sum, [])
        self.raises(pelton.TableError, "no batch", self.sum, iter(()))
        other = pa.record_batch({"y": [1]})
        self.raises(pelton.TableError, "other columns", self.sum, [ROWS.to_batches()[0], other])
        self.raises(pelton.DataError, "not rows of columns", self.sum, pa.array([1, 2]))


class Statements(Case):
    def test_they_run_at_once_and_once(self):
        connection = pelton.connect(threads=1)
        connection.sql("CREATE TABLE t (x INT)")
        connection.sql("INSERT INTO t VALUES (1), (2)")
        inserted = connection.sql("INSERT INTO t VALUES (3)")
        connection.sql("CREATE VIEW v AS SELECT sum(x) AS s FROM t")
        self.assertEqual(connection.tables(), ["t", "v"])
        for _ in range(2):
            self.assertEqual(inserted.fetchall(), [(1,)])
            self.assertEqual(inserted.to_arrow().to_pydict(), {"Count": [1]})
            self.assertEqual(sum(batch.num_rows for batch in inserted), 1)
        self.assertEqual(connection.sql("SELECT s FROM v").fetchall(), [(6,)])

    def test_they_fail_at_once(self):
        connection = pelton.connect(threads=1)
        connection.sql("CREATE TABLE t (x INT)")
        self.raises(pelton.QueryError, "division by zero", connection.sql, "INSERT INTO t SELECT 1 / x FROM (VALUES (0)) u(x)")
        self.assertEqual(connection.sql("SELECT count(*) FROM t").fetchall(), [(0,)])


class Errors(Case):
    def test_each_has_its_class(self):
        self.assertTrue(issubclass(pelton.QueryError, pelton.Error))
        self.assertTrue(issubclass(pelton.MissingFileError, pelton.TableError))
        self.assertTrue(issubclass(pelton.MissingFileError, FileNotFoundError))
        self.assertTrue(issubclass(pelton.DataError, ValueError))
        self.assertTrue(issubclass(pelton.OutOfMemory, MemoryError))

    def test_queries(self):
        for query, words in (
            ("SELECT", "does not parse"),
            ("", "empty"),
            ("SELECT nope FROM (VALUES (1)) t(x)", "nope"),
            ("SELECT * FROM nope", "nope"),
            ("CREATE TABLE t (x INT PRIMARY KEY)", "PRIMARY KEY"),
            ("SELECT 1; SELECT 2", ""),
            ("SELECT nope(1)", "nope"),
        ):
            with self.subTest(query):
                self.raises(pelton.QueryError, words, pelton.sql, query)
        self.raises(pelton.QueryError, "division by zero", lambda: pelton.sql("SELECT 1 / x FROM (VALUES (0)) t(x)").fetchall())

    def test_files(self):
        missing = self.path("missing.parquet")
        self.raises(pelton.MissingFileError, "missing.parquet: no such file", pelton.read_parquet, missing)
        self.raises(pelton.MissingFileError, "no file matches", pelton.read_parquet, self.path("*.parquet"))
        text = self.path("text.parquet")
        pathlib.Path(text).write_text("this is no Parquet file, whatever its name says")
        self.raises(pelton.DataError, "text.parquet: not a readable Parquet file", pelton.read_parquet, text)

    def test_a_damaged_page_is_a_data_error_that_names_its_place(self):
        path = self.path("t.parquet")
        rows = pa.table({"x": [f"value {i % 991}" for i in range(20_000)]})
        pyarrow.parquet.write_table(rows, path, compression="gzip", use_dictionary=False)
        damaged = bytearray(pathlib.Path(path).read_bytes())
        damaged[2000:2100] = bytes(100)
        pathlib.Path(path).write_bytes(damaged)
        result = pelton.read_parquet(path)
        error = self.raises(pelton.DataError, "row group 0, column x, page 0", result.to_arrow)
        self.assertIsInstance(error, ValueError)
        self.raises(pelton.DataError, "row group 0, column x, page 0", result.to_arrow)

    def test_a_file_that_vanishes(self):
        path = self.path("t.parquet")
        pyarrow.parquet.write_table(ROWS, path)
        connection = pelton.connect(threads=1)
        connection.register("t", path)
        pathlib.Path(path).unlink()
        self.raises(pelton.TableError, "no such file", lambda: connection.sql("SELECT * FROM t").to_arrow())

    def test_memory(self):
        rows = pa.table({"x": [str(i) * 20 for i in range(20_000)]})
        query = "SELECT count(DISTINCT a.x || b.x) FROM t a, t b"
        error = self.raises(pelton.OutOfMemory, "memory", lambda: pelton.sql(query, {"t": rows}, memory="1MB").to_arrow())
        self.assertIsInstance(error, MemoryError)

    def test_settings(self):
        for kind, options in (
            (ValueError, {"threads": 0}),
            (ValueError, {"threads": -1}),
            (ValueError, {"threads": 2**70}),
            (TypeError, {"threads": "two"}),
            (TypeError, {"threads": 1.5}),
            (ValueError, {"memory": 0}),
            (ValueError, {"memory": "much"}),
            (TypeError, {"memory": 1.5}),
            (ValueError, {"device": "abacus"}),
            (ValueError, {"device": []}),
            (ValueError, {"device": ["cpu", "cpu"]}),
            (TypeError, {"device": 1}),
            (TypeError, {"devices": "cpu"}),
        ):
            with self.subTest(options=options):
                with self.assertRaises(kind):
                    pelton.sql("SELECT 1", **options)
        for options in ({"device": "cpu"}, {"device": ["cpu"]}, {"device": "auto"}, {"memory": 10**8}, {"memory": "64MiB"}):
            self.assertEqual(pelton.sql("SELECT 1", **options).fetchall(), [(1,)])
        with self.assertRaises(TypeError):
            pelton.sql(5)

    def test_settings_of_connections(self):
        for kind, words, options in (
            (TypeError, "connect has no argument thread: did you mean threads?", {"thread": 1}),
            (TypeError, "connect has no argument devices: write device", {"devices": "cpu"}),
            (TypeError, "connect has no argument memory_limit: write memory", {"memory_limit": "1GB"}),
            (TypeError, "connect has no argument any_order: run SET any_order = ...", {"any_order": True}),
            (TypeError, "connect has no argument xyz: it has device, memory, threads, verify_checksums", {"xyz": 1}),
            (TypeError, "threads is a whole number, 1 or more", {"threads": True}),
            (TypeError, "threads is a whole number, 1 or more", {"threads": "2"}),
            (TypeError, "verify_checksums is True or False", {"verify_checksums": 1}),
            (ValueError, "verify_checksums is true or false, and perhaps is neither", {"verify_checksums": "perhaps"}),
            (ValueError, "threads is a whole number from 1 to 4096, and 5000 is none", {"threads": 5000}),
            (ValueError, "memory can't be 0: give a number of bytes", {"memory": 0}),
            (ValueError, "abacus", {"device": "abacus"}),
        ):
            with self.subTest(options=options):
                self.raises(kind, words, pelton.connect, **options)
        self.assertRaises(TypeError, pelton.connect, "cpu")
        with pelton.connect(threads=3, memory="64MiB", device=["cpu"], verify_checksums=True) as connection:
            shown = dict(connection.sql("SELECT name, value FROM pelton_settings()").fetchall())
        names = {"threads": "3", "memory": "64MiB", "device": "cpu", "verify_checksums": "true"}
        self.assertEqual({name: shown[name] for name in names}, names)
        with pelton.connect(threads=None, memory=None, device="auto", verify_checksums="off") as connection:
            self.assertEqual(connection.sql("SHOW verify_checksums").fetchall()[0][-1], "false")


class Connections(Case):
    def test_tables_are_kept_until_they_are_not(self):
        with pelton.connect(threads=2, memory="1GB", device="cpu") as connection:
            connection.register("t", ROWS)
            connection.register("u", ROWS.slice(0, 2))
            self.assertEqual(connection.tables(), ["t", "u"])
            self.assertIn("t, u", repr(connection))
            query = "SELECT count(*) FROM t JOIN u USING (x)"
            self.assertEqual(connection.sql(query).fetchall(), [(2,)])
            connection.register("u", ROWS)
            self.assertEqual(connection.sql(query).fetchall(), [(3,)])
            connection.unregister("u")
            self.assertEqual(connection.tables(), ["t"])
            self.assertRaises(KeyError, connection.unregister, "u")
        self.raises(pelton.Error, "closed", connection.sql, "SELECT 1")
        self.raises(pelton.Error, "closed", connection.tables)
        self.raises(pelton.Error, "closed", connection.__enter__)
        self.assertIn("closed", repr(connection))
        connection.close()

    def test_what_replaces_a_table_and_fails_leaves_it(self):
        connection = pelton.connect(threads=1)
        connection.register("t", ROWS)
        self.assertRaises(TypeError, connection.register, "t", 5)
        self.assertRaises(pelton.MissingFileError, connection.register, "t", self.path("missing.parquet"))
        self.assertEqual(len(connection.sql("SELECT * FROM t")), 4)
        path = self.path("t.parquet")
        pyarrow.parquet.write_table(ROWS.slice(0, 1), path)
        connection.register("t", path)
        connection.register("t", path)
        self.assertEqual(len(connection.sql("SELECT * FROM t")), 1)

    def test_plans_and_profiles(self):
        path = self.path("t.parquet")
        pyarrow.parquet.write_table(ROWS, path, compression="gzip")
        plan = pelton.explain("SELECT sum(x) FROM t WHERE x > 1", tables={"t": path})
        self.assertIn("physical_plan:\n", plan)
        self.assertIn(f"pelton {path}", plan)
        analyzed = pelton.explain(f"SELECT sum(x) FROM '{path}'", analyze=True)
        self.assertIn("bytes_read=", analyzed)
        self.raises(pelton.QueryError, "parse", pelton.explain, "SELECT")
        page = self.path("page.html")
        profile = pelton.profile(f"SELECT x FROM '{path}'", path=page)
        self.assertEqual((profile.rows, profile.query), (4, f"SELECT x FROM '{path}'"))
        self.assertGreater(profile.seconds, 0)
        self.assertIn("pelton", profile.plan)
        self.assertEqual(pathlib.Path(page).read_text(), profile.html)
        self.assertTrue(profile._repr_html_().startswith('<iframe srcdoc="&lt;!'))
        self.assertIn("4 rows in", repr(profile))
        self.assertIn("read: ", repr(profile))
        profile.save(self.path("again.html"))
        with self.assertRaises(OSError):
            profile.save(self.path("no/folder.html"))
        with pelton.connect(threads=1) as connection:
            self.assertIn("x", connection.explain("SELECT x FROM t", tables={"t": ROWS}))
            self.assertEqual(connection.profile("SELECT x FROM t", tables={"t": ROWS}).rows, 4)

    def test_devices_and_what_they_did(self):
        path = self.path("t.parquet")
        pyarrow.parquet.write_table(ROWS, path, compression="gzip")
        devices = {device["name"]: device for device in pelton.devices()}
        self.assertTrue(devices["cpu"]["available"])
        self.assertEqual(set(devices["cpu"]), {"name", "available", "detail", "enable"})
        with pelton.connect(threads=1, verify_checksums=True) as connection:
            self.assertEqual(connection.stats(), [])
            connection.sql(f"SELECT * FROM '{path}'").to_arrow()
            (did,) = connection.stats()
            self.assertEqual((did["device"], did["operation"], did["format"]), ("cpu", "decompress", "gzip"))
            self.assertEqual((did["done"], did["failed"], did["fell_back"]), (did["tried"], 0, {}))
            self.assertGreater(did["bytes_out"], 0)
            self.assertGreater(did["seconds"], 0)
        with pelton.connect(threads=1, device="iaa-model") as connection:
            connection.sql(f"SELECT * FROM '{path}'").to_arrow()
            self.assertEqual({row["device"] for row in connection.stats()}, {"iaa-model"})
