"""Values of every type: from files and from memory, through a query, to Python and back into files."""

import duckdb
import pelton
import polars
import pyarrow as pa
import pyarrow.parquet

from support import Case, every_type, memory_types


class Types(Case):
    def same(self, found, expected):
        """Checks columns and values; a type may differ where its values don't."""
        self.assertEqual(found.column_names, expected.column_names)
        for name in expected.column_names:
            with self.subTest(column=name):
                left, right = found.column(name), expected.column(name)
                self.assertEqual(left.to_pylist(), right.to_pylist())

    def test_files_of_pyarrows_have_the_values_that_pyarrow_reads(self):
        table = every_type()
        for codec in ("gzip", "zstd", "snappy", "lz4", "brotli", "none"):
            for version in ("1.0", "2.0"):
                path = self.path(f"{codec}-{version}.parquet")
                pyarrow.parquet.write_table(table, path, compression=codec, data_page_version=version, row_group_size=40)
                self.same(pelton.read_parquet(path).to_arrow(), pyarrow.parquet.read_table(path))

    def test_files_of_duckdbs_have_the_values_that_duckdb_reads(self):
        path = self.path("t.parquet")
        query = """
            SELECT i AS n, i::TINYINT AS tiny, (i * 1.5)::FLOAT AS f, i::HUGEINT::VARCHAR AS text, i % 2 = 0 AS even,
                DATE '2024-02-28' + i::INTEGER AS day, TIMESTAMP '2024-02-28 12:00:00' + to_hours(i) AS moment,
                (i / 3)::DECIMAL(12, 4) AS price, [i, NULL] AS list, {'a': i, 'b': [i::VARCHAR]} AS struct,
                map([i::VARCHAR], [i]) AS map, CASE WHEN i % 3 = 0 THEN NULL ELSE i::VARCHAR::BLOB END AS bytes,
                TIME '01:02:03' AS time
            FROM range(100) t(i)
        """
        duckdb.sql(f"COPY ({query}) TO '{path}' (FORMAT parquet, CODEC gzip)")
        expected = duckdb.sql(f"SELECT * FROM '{path}'").to_arrow_table()
        self.same(pelton.read_parquet(path).to_arrow(), expected)

    def test_pyarrows_types_come_back(self):
        table = memory_types()
        for start, length in ((0, len(table)), (3, 20), (5, 0)):
            given = table.slice(start, length)
            found = pelton.sql("SELECT * FROM t", tables={"t": given}).to_arrow()
            self.same(found, given)
        batches = table.to_reader(7).read_all()
        self.same(pelton.sql("SELECT * FROM t", tables={"t": batches}).to_arrow(), table)

    def test_polars_frames_come_back(self):
        table = every_type()
        # polars has no maps, and takes decimals of up to 38 digits
        frame = polars.from_arrow(table.drop_columns(["map", "wide_decimal"]))
        frame = frame.with_columns(category=polars.col("large_text").cast(polars.Categorical))
        found = pelton.sql("SELECT * FROM t", tables={"t": frame}).to_polars()
        self.assertEqual(found.columns, frame.columns)
        for name in frame.columns:
            with self.subTest(column=name):
                self.assertEqual(found[name].to_list(), frame[name].to_list())

    def test_files_that_are_written_have_the_values(self):
        table = every_type()
        for codec, level in (("gzip", None), ("gzip", 9), ("zstd", 3), ("snappy", None), ("lz4_raw", None), ("none", None)):
            path = self.path(f"{codec}-{level}.parquet")
            done = pelton.write_parquet(table, path, codec, level, row_group_rows=40)
            self.assertEqual((done["rows"], done["row_groups"]), (100, 3))
            read = pyarrow.parquet.read_table(path)
            self.same(read, table)
            self.assertEqual(read.schema.field("text").type, pa.string())
            self.same(pelton.read_parquet(path).to_arrow(), table)
            names = ", ".join(f'"{name}"' for name in table.column_names if name not in ("wide_decimal", "most"))
            read = duckdb.sql(f"SELECT count(*), count(text) FROM (SELECT {names} FROM '{path}')").fetchall()
            self.assertEqual(read, [(100, 67)])
