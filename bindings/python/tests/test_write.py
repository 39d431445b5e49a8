"""Files that are written."""

import os
import pathlib
import time

import duckdb
import pandas
import pelton
import polars
import pyarrow as pa
import pyarrow.parquet

from support import Case, python

ROWS = pa.table({"x": list(range(10_000)), "name": [f"n{i % 7}" for i in range(10_000)]})


class Writing(Case):
    def test_everything_that_is_a_table_is_written(self):
        source = self.path("source.parquet")
        pyarrow.parquet.write_table(ROWS, source)
        given = {
            "table": ROWS,
            "reader": ROWS.to_reader(1000),
            "generator": (batch for batch in ROWS.to_batches(max_chunksize=500)),
            "polars": polars.from_arrow(ROWS),
            "pandas": ROWS.to_pandas(),
            "result": pelton.sql("SELECT * FROM t", tables={"t": ROWS}),
            "path": source,
            "paths": [source],
        }
        for name, table in given.items():
            with self.subTest(name):
                path = self.path(f"{name}.parquet")
                done = pelton.write_parquet(table, path, row_group_rows=4000, threads=1)
                self.assertEqual(done, {"rows": 10_000, "bytes": os.path.getsize(path), "row_groups": 3})
                self.assertEqual(pyarrow.parquet.read_table(path).cast(ROWS.schema), ROWS)
                metadata = pyarrow.parquet.read_metadata(path)
                self.assertEqual(metadata.row_group(0).column(0).compression, "GZIP")
                self.assertEqual(duckdb.sql(f"SELECT sum(x), max(name) FROM '{path}'").fetchall(), [(49_995_000, "n6")])

    def test_categories(self):
        words = ["b", "a", None, "a"] * 500
        frame = polars.DataFrame({
            "enum": polars.Series(words, dtype=polars.Enum(["a", "b", "c"])),
            "category": polars.Series(words, dtype=polars.Categorical),
            "list": polars.Series([[word] for word in words], dtype=polars.List(polars.Categorical)),
        })
        path = self.path("categories.parquet")
        pelton.write_parquet(frame, path, row_group_rows=700)
        for found in (polars.read_parquet(path), polars.from_arrow(pyarrow.parquet.read_table(path))):
            self.assertEqual(found["enum"].cast(polars.String).to_list(), words)
            self.assertEqual(found["category"].cast(polars.String).to_list(), words)
            self.assertEqual(found["list"].cast(polars.List(polars.String)).to_list(), [[word] for word in words])
        self.assertEqual(polars.read_parquet(path)["enum"].dtype, polars.Enum(["a", "b", "c"]))
        frame = pandas.DataFrame({"c": pandas.Categorical(["x", None, "y"])})
        pelton.write_parquet(frame, path)
        self.assertEqual(pandas.read_parquet(path)["c"].tolist()[::2], ["x", "y"])

    def test_a_value_that_has_no_place_in_the_file_is_an_error(self):
        far = 10**17
        for column in (
            pa.array([far, 1], pa.timestamp("s")),
            pa.array([{"x": 1}, {"x": far}], pa.struct({"x": pa.timestamp("s", "UTC")})),
            pa.array([[1], [far]], pa.list_(pa.timestamp("s"))),
            pa.array([2**31 - 1, 1], pa.time32("s")),
            pa.array([2**62, 1], pa.date64()),
        ):
            with self.subTest(column.type):
                table = pa.table({"fits": [1, 2], "a": column})
                for rows in (table, pelton.sql("SELECT * FROM t", tables={"t": table})):
                    write = lambda: pelton.write_parquet(rows, self.path("t.parquet"))
                    self.raises(pelton.DataError, 'column "a" as ', write)
        self.assertEqual(os.listdir(self.folder), [])

    def test_no_more_threads_encode_than_are_asked_for(self):
        if not os.path.isdir("/proc/self/task"):
            self.skipTest("the system does not list threads")
        counts = []

        def encodes(task):
            try:
                return task.joinpath("comm").read_text().startswith("pelton-encode")
            except OSError:
                return False  # it has ended meanwhile

        def count():
            return sum(map(encodes, pathlib.Path("/proc/self/task").iterdir()))

        def batches(expected):
            # More than wait for the writer, so that it has begun.
            for _ in range(40):
                yield pa.record_batch({name: [1] for name in "abc"})
            # A new thread has its name only when it runs.
            most, end = count(), time.monotonic() + 10
            while most < expected and time.monotonic() < end:
                most = max(most, count())
            counts.append(max(most, count()))

        for threads in (1, 3):
            pelton.write_parquet(batches(threads - 1), self.path("t.parquet"), threads=threads)
        self.assertEqual(counts, [0, 2])

    def test_no_rows(self):
        path = self.path("empty.parquet")
        self.assertEqual(pelton.write_parquet(ROWS.slice(0, 0), path)["rows"], 0)
        self.assertEqual(pyarrow.parquet.read_table(path).schema.names, ["x", "name"])

    def test_what_is_no_codec(self):
        path = self.path("t.parquet")
        for words, options in (
            ("brotli", {"codec": "brotli"}),
            ("level", {"codec": "gzip", "level": 13}),
            ("level", {"codec": "zstd", "level": 0}),
            ("levels", {"codec": "snappy", "level": 1}),
            ("row_group_rows", {"row_group_rows": 0}),
        ):
            with self.subTest(**options):
                self.raises(ValueError, words, pelton.write_parquet, ROWS, path, **options)
        self.assertRaises(TypeError, pelton.write_parquet, 5, path)
        self.assertRaises(TypeError, pelton.write_parquet, ROWS, 5)
        self.assertEqual(os.listdir(self.folder), [])

    def test_what_fails_leaves_nothing(self):
        path = self.path("t.parquet")
        pelton.write_parquet(ROWS, path)
        before = pathlib.Path(path).read_bytes()

        def batches():
            yield ROWS.to_batches()[0]
            raise KeyError("half way")

        self.assertRaises(KeyError, pelton.write_parquet, batches(), path)
        broken = pelton.sql("SELECT 1 / (x - 5000) AS y FROM t", tables={"t": ROWS})
        self.assertRaises(pelton.QueryError, pelton.write_parquet, broken, path)
        self.assertRaises(pelton.MissingFileError, pelton.write_parquet, self.path("missing.parquet"), path)
        self.assertEqual(pathlib.Path(path).read_bytes(), before)
        self.assertEqual(os.listdir(self.folder), ["t.parquet"])
        with pelton.connect(threads=1) as connection:
            connection.register("t", ROWS)
            result = connection.sql("SELECT * FROM t")
            pa.table(result)
            connection.register("t", pa.table({"y": [1]}))
            self.raises(pelton.QueryError, "columns have changed", pelton.write_parquet, result, path)
        self.assertEqual(pathlib.Path(path).read_bytes(), before)
        self.assertEqual(os.listdir(self.folder), ["t.parquet"])
        error = self.raises(pelton.TableError, "", pelton.write_parquet, ROWS, self.path("no/folder/t.parquet"))
        self.assertIn("no/folder/t.parquet", str(error))
        interval = pa.table({"i": pa.array([(1, 2, 3)], pa.month_day_nano_interval())})
        self.assertRaises(pelton.Error, pelton.write_parquet, interval, self.path("i.parquet"))
        self.assertEqual(os.listdir(self.folder), ["t.parquet"])

    def test_killed_processes_leave_the_old_file_or_the_new_one(self):
        program = """
            import os, random, signal, sys, time
            import pelton, pyarrow as pa, pyarrow.parquet

            path, kills = sys.argv[1], 60
            rows = pa.table({"x": list(range(20_000))})

            def child(count):
                process = os.fork()
                if process == 0:
                    try:
                        for _ in range(count):
                            pelton.write_parquet(rows, path)
                            pelton.profile("SELECT 1", path=path + ".html")
                        os._exit(0)
                    finally:
                        os._exit(1)
                return process

            def finish():
                assert os.waitpid(child(1), 0)[1] == 0
                assert sorted(os.listdir(os.path.dirname(path))) == ["t.parquet", "t.parquet.html"]

            finish()
            chance = random.Random(1)
            for _ in range(kills):
                process = child(1_000_000)
                time.sleep(chance.uniform(0, 0.1))
                os.kill(process, signal.SIGKILL)
                os.waitpid(process, 0)
                names = os.listdir(os.path.dirname(path))
                hidden = [name for name in names if name.startswith(".")]
                assert len(hidden) <= 1 and len(names) == 2 + len(hidden), names
                assert pyarrow.parquet.read_table(path, use_threads=False).num_rows == 20_000
                assert open(path + ".html").read().rstrip().endswith("</html>")
            finish()
        """
        self.assertEqual(python(program, self.path("t.parquet")), (0, "", ""))

    def test_signals_interrupt_nothing_that_is_written(self):
        program = """
            import os, signal, sys, threading
            import pelton, pyarrow as pa, pyarrow.parquet

            folder, signals = sys.argv[1], []
            rows = pa.table({"x": list(range(200_000))})
            signal.signal(signal.SIGALRM, lambda *_: signals.append(1))
            signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
            pelton.write_parquet(rows, folder + "/t.parquet")
            assert pyarrow.parquet.read_table(folder + "/t.parquet").equals(rows)

            # A pipe that is read slowly: its writer waits in a call that each signal ends.
            os.mkfifo(folder + "/pipe")
            read = []
            def reader():
                with open(folder + "/pipe") as pipe:
                    while text := pipe.read(1000):
                        read.append(text)
                        threading.Event().wait(0.001)
            thread = threading.Thread(target=reader)
            thread.start()
            profile = pelton.profile("SELECT sum(x) FROM t", tables={"t": rows}, path=folder + "/pipe")
            thread.join()
            assert "".join(read) == profile.html
            # A signal that comes when the interpreter ends would end the process.
            signal.setitimer(signal.ITIMER_REAL, 0)
            assert signals
        """
        self.assertEqual(python(program, self.folder), (0, "", ""))
