"""The files that the cases are about."""

import datetime
import decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq


def numbers(start, count):
    """`n` counts, `d` is a day for every thousand, `k` has ten words, `x` is null for every tenth row."""
    of = range(start, start + count)
    first = datetime.date(2024, 1, 1)
    return pa.table(
        {
            "n": pa.array(of, pa.int64()),
            "d": pa.array([first + datetime.timedelta(i // 1000) for i in of], pa.date32()),
            "k": pa.array([f"a word of some length, number {i % 10}" for i in of]),
            "s": pa.array([f"row {i}" for i in of]),
            "x": pa.array([None if i % 10 == 0 else i / 4 for i in of], pa.float64()),
            "p": pa.array([decimal.Decimal(i) for i in of], pa.decimal128(15, 2)),
        }
    )


def write(folder):
    folder = Path(folder)

    def put(name, table, **options):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table, path, **{"compression": "gzip"} | options)

    put("numbers.parquet", numbers(0, 100_000), row_group_size=25_000, write_page_index=True, data_page_size=16_384)
    put("parts/a.parquet", pa.table({"i": [1, 2], "w": ["one", "two"]}))
    put("parts/b.parquet", pa.table({"w": ["three"], "i": [3]}))
    put("parts/deep/c.pq", pa.table({"i": [4], "w": [None]}, schema=pa.schema({"i": pa.int64(), "w": pa.string()})))
    put("parts/.hidden.parquet", pa.table({"i": [0]}))
    for year, month, rows in ((2023, "11", 1), (2023, "12", 2), (2024, "01", 3)):
        put(f"events/year={year}/month={month}/part-0.parquet", pa.table({"e": list(range(rows))}))
    for day in ("2024-02-29", "__HIVE_DEFAULT_PARTITION__"):
        put(f"days/day={day}/x.parquet", pa.table({"e": [1]}))
    put("words/w=a%20b/x.parquet", pa.table({"e": [1], "w": ["in the file"]}))
    put("words/w=7/x.parquet", pa.table({"e": [2], "w": ["in the file"]}))
    put("mixed/a=1/x.parquet", pa.table({"e": [1]}))
    put("mixed/x.parquet", pa.table({"e": [2]}))
    put("unlike/a.parquet", pa.table({"i": [1]}))
    put("unlike/b.parquet", pa.table({"i": ["one"]}))
    put("unlike/c.parquet", pa.table({"j": [1]}))
    put("empty.parquet", numbers(0, 0))
    put("nulls.parquet", pa.table({"a": pa.nulls(3), "b": pa.array([None] * 3, pa.string())}))
    put("lists.parquet", pa.table({"l": [[], [1, None], None, [2]], "m": [[[]], [None, ["x"]], None, []]}))
    put("no_columns.parquet", pa.table({}))
    put("upper.parquet", pa.table([[1], [2]], names=["a", "A"]))
    put("twice/a.parquet", pa.table([[1, 2], [3, 4], ["x", "y"]], names=["a", "a", "w"]))
    put("twice/b.parquet", pa.table([["z"], [5], [6]], names=["w", "a", "a"]))
    put("twice.parquet", pa.table([[1], ["one"]], names=["a", "a"]))
    floats = [0.0, -0.0, float("nan"), 3.0]
    put("floats.parquet", pa.table({"x": pa.array(floats, pa.float64()), "f": pa.array(floats, pa.float32())}))
    (folder / "text.parquet").write_text("this is no Parquet file")
    whole = (folder / "numbers.parquet").read_bytes()
    (folder / "cut.parquet").write_bytes(whole[: len(whole) // 2])
    # bytes of the first column's pages
    damaged = whole[:2000] + bytes(b ^ 0x55 for b in whole[2000:2400]) + whole[2400:]
    (folder / "damaged.parquet").write_bytes(damaged)
