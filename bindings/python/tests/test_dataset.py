"""Files as pyarrow's datasets."""

import pickle

import duckdb
import pelton
import polars
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset
import pyarrow.parquet

from support import Case

ROWS = pa.table({"x": list(range(10_000)), "name": [f"n{i % 7}" for i in range(10_000)], "y": [i / 2 for i in range(10_000)]})


class Datasets(Case):
    def setUp(self):
        super().setUp()
        self.file = self.path("t.parquet")
        pyarrow.parquet.write_table(ROWS, self.file, compression="gzip", row_group_size=1000)
        self.dataset = pelton.scan_parquet(self.file, threads=1)

    def test_it_is_a_dataset(self):
        dataset = self.dataset
        self.assertIsInstance(dataset, pyarrow.dataset.Dataset)
        self.assertEqual(dataset.schema, ROWS.schema)
        self.assertEqual(dataset.to_table().sort_by("x"), ROWS)
        self.assertEqual(dataset.to_table(columns=["y", "x"]).column_names, ["y", "x"])
        self.assertEqual(sum(batch.num_rows for batch in dataset.to_batches(columns=["x"])), 10_000)
        self.assertEqual(dataset.to_reader(columns=["x"]).read_all().num_rows, 10_000)
        self.assertEqual(dataset.head(5, columns=["x"]).num_rows, 5)
        self.assertEqual(dataset.count_rows(), 10_000)
        self.assertEqual(dataset.scanner(columns=[]).count_rows(), 10_000)
        self.assertEqual(dataset.take([1, 2]).num_rows, 2)
        self.assertEqual(dataset.sort_by([("x", "descending")]).head(1)["x"].to_pylist(), [9999])
        self.assertEqual(dataset.filter(pc.field("x") < 5).count_rows(), 5)
        self.assertEqual(dataset.join(pyarrow.dataset.dataset(ROWS.slice(0, 3)), "x", right_suffix="_r").to_table().num_rows, 10_000)
        self.assertEqual(sum(fragment.count_rows() for fragment in dataset.get_fragments()), 10_000)
        self.assertTrue(dataset.partition_expression.equals(pc.scalar(True)))
        self.assertRaises(NotImplementedError, dataset.replace_schema, ROWS.schema)
        self.assertRaises(KeyError, dataset.to_table, columns=["nope"])
        self.assertIn(self.file, repr(dataset))
        self.assertEqual(pickle.loads(pickle.dumps(dataset)).count_rows(), 10_000)

    def test_what_reaches_behind_it_is_told_so(self):
        others = pyarrow.dataset.dataset(ROWS.slice(0, 3))
        for reach in (
            lambda: pyarrow.dataset.Scanner.from_dataset(self.dataset).to_table(),
            lambda: others.join(self.dataset, "x", right_suffix="_r"),
        ):
            self.raises(FileNotFoundError, "only its own methods read", reach)
        self.assertRaises(NotImplementedError, lambda: self.dataset.files)
        self.assertRaises(NotImplementedError, pyarrow.dataset.dataset, [self.dataset])
        joined = self.dataset.join(self.dataset, "x", right_suffix="_r").to_table()
        self.assertEqual(joined.num_rows, 10_000)

    def test_filters(self):
        expression = (pc.field("x") >= 9000) & (pc.field("name") == "n3")
        expected = ROWS.filter(expression)
        for filter in (expression, "x >= 9000 AND name = 'n3'"):
            found = self.dataset.to_table(columns=["y"], filter=filter).sort_by("y")
            self.assertEqual(found, expected.select(["y"]))
            self.assertEqual(self.dataset.count_rows(filter), len(expected))
        computed = self.dataset.to_table(columns={"z": pc.field("x") * 2}, filter=pc.field("y") < 2)
        self.assertEqual(sorted(computed["z"].to_pylist()), [0, 2, 4, 6])

    def test_only_what_is_needed_is_read(self):
        before = self.dataset._connection.stats()[0]["done"] if self.dataset._connection.stats() else 0
        self.dataset.to_table(columns=["x"], filter="x < 1000")
        one = self.dataset._connection.stats()[0]["done"] - before
        self.dataset.to_table()
        all_columns = self.dataset._connection.stats()[0]["done"] - before - one
        self.assertLess(one * 10, all_columns)

    def test_duckdb_and_polars_take_it(self):
        dataset = self.dataset
        self.assertEqual(duckdb.sql("SELECT count(*), sum(y) FROM dataset WHERE x < 10 AND name <> 'n2'").fetchall(), [(8, 17.0)])
        frame = polars.scan_pyarrow_dataset(dataset).filter(polars.col("x") < 10).select("y").collect()
        self.assertEqual(sorted(frame["y"].to_list()), [i / 2 for i in range(10)])

    def test_missing_files(self):
        self.raises(pelton.MissingFileError, "missing", pelton.scan_parquet, self.path("missing.parquet"))
