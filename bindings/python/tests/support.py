"""What the tests share: folders, tables of every type, and processes of their own."""

import datetime
import decimal
import os
import random
import subprocess
import sys
import tempfile
import textwrap
import unittest

import pyarrow as pa

# What has not ended by then hangs. Nothing is measured by this.
HANGS = 60


class Case(unittest.TestCase):
    """A test in a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def raises(self, kind, words, function, *arguments, **options):
        """Checks what is raised: of exactly this class, with these words, in one line."""
        with self.assertRaises(kind) as caught:
            function(*arguments, **options)
        self.assertIs(type(caught.exception), kind)
        text = str(caught.exception)
        self.assertIn(words, text)
        self.assertNotIn("\n", text)
        self.assertNotIn("internal error", text)
        return caught.exception


def python(program, *arguments, **options):
    """Runs a program in a process of its own; returns its exit code, and what it printed on both streams."""
    command = [sys.executable, "-X", "faulthandler", "-c", textwrap.dedent(program), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANGS, **options)
    return done.returncode, done.stdout, done.stderr


def seeded():
    """A source of random numbers whose seed is printed, for a test that fails to be run again: PELTON_SEED."""
    seed = int(os.environ.get("PELTON_SEED", "20260711"))
    print(f"seed {seed}", file=sys.stderr)
    return random.Random(seed)


def every_type(rows=100):
    """A table with a column of each type that Parquet has a place for, with nulls in every third row or so."""
    day = datetime.date(2024, 2, 28)
    moment = datetime.datetime(2024, 2, 28, 23, 59, 58)
    columns = {}

    def add(name, of, value):
        columns[name] = pa.array([None if i % 3 == 2 else value(i) for i in range(rows)], of)

    for bits in (8, 16, 32, 64):
        add(f"i{bits}", getattr(pa, f"int{bits}")(), lambda i: i - 50)
        add(f"u{bits}", getattr(pa, f"uint{bits}")(), lambda i: 2 * i)
    add("least", pa.int64(), lambda i: -(2**63) + i)
    add("most", pa.uint64(), lambda i: 2**64 - 1 - i)
    add("f32", pa.float32(), lambda i: i / 4)
    add("f64", pa.float64(), lambda i: [float("inf"), -0.0, 1e300, i / 7][i % 4])
    add("bool", pa.bool_(), lambda i: i % 2 == 0)
    add("decimal", pa.decimal128(20, 3), lambda i: decimal.Decimal(i * 1001) / 1000)
    add("wide_decimal", pa.decimal256(50, 2), lambda i: decimal.Decimal(10**40 + i) / 100)
    add("date32", pa.date32(), lambda i: day + datetime.timedelta(days=i))
    add("date64", pa.date64(), lambda i: day - datetime.timedelta(days=i))
    add("time_ms", pa.time32("ms"), lambda i: datetime.time(1, 2, 3, 4000 + i * 1000))
    add("time_us", pa.time64("us"), lambda i: datetime.time(23, 59, 59, i))
    for unit in ("ms", "us", "ns"):
        add(f"timestamp_{unit}", pa.timestamp(unit), lambda i: moment + datetime.timedelta(minutes=i))
    add("timestamp_tz", pa.timestamp("us", "Europe/Zurich"), lambda i: moment + datetime.timedelta(hours=i))
    add("text", pa.string(), lambda i: ["", "é" * i, "a\x00b", "plain"][i % 4])
    add("large_text", pa.large_string(), lambda i: f"row {i}")
    add("bytes", pa.binary(), lambda i: bytes([i, 0, 255]))
    add("large_bytes", pa.large_binary(), lambda i: bytes(i))
    add("fixed", pa.binary(3), lambda i: bytes([i, i, i]))
    add("dictionary", pa.dictionary(pa.int32(), pa.string()), lambda i: "abc"[i % 3])
    add("list", pa.list_(pa.int32()), lambda i: [None, *range(i % 4)])
    add("text_list", pa.list_(pa.string()), lambda i: ["x", None, str(i)][: i % 4])
    add("nested_list", pa.list_(pa.list_(pa.int64())), lambda i: [[i], [], None][: i % 4])
    fields = pa.struct([("a", pa.int32()), ("b", pa.string())])
    add("struct", fields, lambda i: {"a": i, "b": None if i % 2 else "s"})
    add("struct_list", pa.list_(fields), lambda i: [{"a": i, "b": "t"}, None][: i % 3])
    add("map", pa.map_(pa.string(), pa.int32()), lambda i: [(f"k{i}", i), ("n", None)][: i % 3])
    return pa.table(columns)


def memory_types(rows=30):
    """A table with types that only rows in memory have."""
    table = every_type(rows)
    columns = {
        "null": pa.nulls(rows),
        "f16": pa.array([i / 2 for i in range(rows)], pa.float16()),
        "text_view": pa.array([None if i % 3 == 2 else "long enough for a buffer " * (i % 3) for i in range(rows)], pa.string_view()),
        "bytes_view": pa.array([b"x" * i for i in range(rows)], pa.binary_view()),
        "timestamp_s": pa.array(range(rows), pa.timestamp("s")),
        "time_s": pa.array(range(rows), pa.time32("s")),
        "time_ns": pa.array(range(rows), pa.time64("ns")),
        "duration": pa.array(range(rows), pa.duration("ms")),
        "large_list": pa.array([[i] for i in range(rows)], pa.large_list(pa.int8())),
        "fixed_list": pa.array([[i, None] for i in range(rows)], pa.list_(pa.int16(), 2)),
        "interval": pa.array([(1, i, 2) for i in range(rows)], pa.month_day_nano_interval()),
    }
    for name, column in columns.items():
        table = table.append_column(name, column)
    return table
