"""Arguments that are out of range or of another type, and libraries that are missing."""

import os
import pathlib
import sys

import numpy
import pelton
import pelton.dbapi
import pyarrow as pa

from support import Case, python

# Numbers that are of no use for a size, and the class of their error.
WRONG = ((-1, ValueError), (-(2**63), ValueError), (2**64, ValueError), (2**70, ValueError), (-(2**200), ValueError),
         (10**5000, ValueError), (1.5, TypeError), ("1", TypeError))


class Numbers(Case):
    def setUp(self):
        super().setUp()
        self.connection = pelton.connect(threads=1)
        self.addCleanup(self.connection.close)
        self.result = self.connection.sql("SELECT v FROM range(10) t(v) ORDER BY v")

    def test_numbers_of_rows(self):
        for number, kind in (*WRONG, (None, TypeError)):
            for name, use in {
                "fetchmany": self.result.fetchmany,
                "limit": self.result.limit,
                "offset": lambda offset: self.result.limit(1, offset),
                "show": self.result.show,
            }.items():
                with self.subTest(name, kind=kind):
                    self.raises(kind, "whole number", use, number)
        self.raises(ValueError, "0 to 9223372036854775807", self.result.limit, 2**63)
        self.raises(ValueError, "0 to 9223372036854775807", self.result.limit, 1, 2**63)

    def test_numbers_that_are_large(self):
        for number in (0, 3, 10, 2**31, 2**63 - 1, numpy.int64(4), numpy.uint8(200), True):
            self.assertEqual(len(self.result.limit(number)), min(10, number))
            self.assertEqual(len(self.result.limit(2**63 - 1, number)), 10 - min(10, number))
            self.assertEqual(len(self.connection.sql("SELECT v FROM range(10) t(v)").fetchmany(number)), min(10, number))
        self.assertEqual(len(self.result.fetchmany(sys.maxsize)), 10)
        self.assertEqual(len(self.result.fetchmany(2**64 - 1)), 0)

    def test_cursors(self):
        with pelton.dbapi.connect(threads=1) as database:
            cursor = database.execute("SELECT v FROM range(10) t(v)")
            for number, _ in WRONG:
                error = self.raises(pelton.dbapi.ProgrammingError, "whole number", cursor.fetchmany, number)
                self.assertIsInstance(error, pelton.dbapi.Error)
                cursor.arraysize = number
                self.raises(pelton.dbapi.ProgrammingError, "whole number", cursor.fetchmany)
            self.assertEqual(len(cursor.fetchmany(2**40)), 10)
            for params in ([pelton.Interval(2**31, 0, 0)], [10**40], ["\ud800"], [[1, "x"]], [object()], "ab", [2**63, 2]):
                self.raises(pelton.dbapi.ProgrammingError, "", cursor.execute, "SELECT ?", params)
                self.raises(pelton.dbapi.ProgrammingError, "", cursor.executemany, "CREATE TABLE t AS SELECT ?", [params])

    def test_levels_and_sizes(self):
        data = b"x" * 100
        for number, kind in WRONG:
            uses = {
                "write_csv": lambda: self.result.write_csv(self.path("t.csv.gz"), level=number),
                "write_parquet": lambda: self.result.write_parquet(self.path("t.parquet"), level=number),
                "pelton.write_parquet": lambda: pelton.write_parquet(self.result, self.path("t.parquet"), level=number),
                "row_group_rows": lambda: self.result.write_parquet(self.path("t.parquet"), row_group_rows=number),
                "threads": lambda: pelton.connect(threads=number),
                "compress": lambda: pelton.compress(data, level=number),
                "compress_batch": lambda: pelton.compress_batch([data], level=number),
                "threads of a batch": lambda: pelton.compress_batch([data], threads=number),
                "decompress": lambda: pelton.decompress(pelton.compress(data), size=number),
                "max_length": lambda: pelton.decompress(pelton.compress(data), max_length=number),
                "sizes": lambda: pelton.decompress_batch([pelton.compress(data)], sizes=[number]),
                "max_length of a batch": lambda: pelton.decompress_batch([pelton.compress(data)], max_length=number),
            }
            for name, use in uses.items():
                # a negative level is one of some libraries, and no codec here has it
                if number == -1 and name == "write_csv":
                    continue
                with self.subTest(name, kind=kind):
                    with self.assertRaises(kind) as caught:
                        use()
                    self.assertNotIsInstance(caught.exception, OverflowError)
                    self.assertNotIn("\n", str(caught.exception))
        self.raises(pelton.QueryError, "-1", self.result.write_csv, self.path("t.csv.gz"), level=-1)
        self.assertEqual(os.listdir(self.folder), [])


class Places(Case):
    def test_a_place_to_write_to_has_no_wildcards(self):
        words = "a place to write to has no wildcards; name one file, or one folder"
        with pelton.connect(threads=1) as connection:
            result = connection.sql("SELECT 1 AS a")
            for name in ("*.csv", "a*/b.csv", "**"):
                self.raises(pelton.QueryError, words, result.write_csv, self.path(name))
                self.raises(pelton.QueryError, words, connection.sql, f"COPY (SELECT 1 AS a) TO '{self.path(name)}' (FORMAT parquet)")
            self.raises(pelton.TableError, words, result.write_parquet, self.path("*.parquet"))
            self.raises(pelton.TableError, words, pelton.write_parquet, pa.table({"a": [1]}), self.path("*.parquet"))
            self.assertEqual(os.listdir(self.folder), [])
            for name in ("[a].csv", "a b?.csv"):
                self.assertEqual(result.write_csv(self.path(name)), 1)
            self.assertEqual(sorted(os.listdir(self.folder)), ["[a].csv", "a b?.csv"])

    def test_a_path_that_is_no_text(self):
        words = "path is no UTF-8: rename its folder or the file"
        result = pelton.sql("SELECT 1 AS a")
        for path in (self.path("\udcff.parquet"), pathlib.Path(self.path("\udcff.parquet"))):
            for use in (result.write_parquet, result.write_csv, lambda path: pelton.write_parquet(result, path), pelton.read_parquet):
                self.raises(ValueError, words, use, path)
        for use in (result.write_csv, pelton.read_parquet, lambda path: pelton.sql("SELECT 1", {"t": path})):
            self.assertRaises(TypeError, use, b"t.parquet")
        self.assertEqual(os.listdir(self.folder), [])


# Has libraries be missing: the arguments of the program.
MISSING = """
import sys


class Missing:
    def find_spec(self, name, *_):
        if name.partition(".")[0] in sys.argv[1:]:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def says(use):
    try:
        use()
    except ModuleNotFoundError as error:
        print(error)


sys.meta_path.insert(0, Missing())
import pelton

"""


class Libraries(Case):
    def missing(self, names, program):
        code, out, err = python(MISSING + program, *names, cwd=self.folder)
        self.assertEqual((code, err), (0, ""))
        return out.splitlines()

    def test_every_entry_says_which_library_it_needs(self):
        needs = "this needs {0}, which is not here: pip install {0}".format
        out = self.missing(("pyarrow", "polars", "pandas", "fsspec"), """
result = pelton.sql("SELECT 1 AS x")
class DataFrame:
    __module__ = "pandas.core.frame"
for use in (
    result.to_arrow, lambda: result.schema, lambda: iter(result), result.to_polars, result.to_pandas,
    lambda: pelton.scan_parquet("t.parquet"), lambda: pelton.sql("SELECT * FROM t", {"t": DataFrame()}),
    lambda: __import__("pelton.dataset"), pelton.gzip.register_fsspec,
):
    says(use)
from pelton import *
print(scan_parquet.__name__, result.fetchall())
""")
        scan = "scan_parquet needs pyarrow, which is not here: pip install pyarrow, or call read_parquet"
        batches = ("an iteration takes batches of pyarrow, which is not here: iterate over iter_rows() for tuples, or "
                   "pip install pyarrow")
        self.assertEqual(out, [
            needs("pyarrow"), needs("pyarrow"), batches, needs("polars"), needs("pyarrow"), scan, needs("pyarrow"), scan,
            needs("fsspec"), "scan_parquet [(1,)]",
        ])

    def test_pandas_alone_is_missing(self):
        out = self.missing(("pandas",), """
result = pelton.sql("SELECT 1 AS x")
says(result.to_pandas)
print(result.to_arrow().num_rows, result.to_polars().shape)
""")
        self.assertEqual(out, ["this needs pandas, which is not here: pip install pandas", "1 (1, 1)"])

    def test_a_library_that_lacks_another_says_so_itself(self):
        with open(self.path("polars.py"), "w") as file:
            file.write("import nowhere_at_all\n")
        code, out, err = python("""
            import sys
            sys.path.insert(0, ".")
            import pelton
            try:
                pelton.sql("SELECT 1").to_polars()
            except ModuleNotFoundError as error:
                print(error)
        """, cwd=self.folder)
        self.assertEqual((code, out, err), (0, "No module named 'nowhere_at_all'\n", ""))
