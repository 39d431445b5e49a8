"""Writes Parquet files with an engine, and beside each, as plain Arrow, what that engine reads back from it.

Usage: write.py ENGINE FOLDER. Prints the names of the files, without their extensions.
"""

import sys
import uuid
from pathlib import Path

import pyarrow as pa

import values


def keep(folder, name, table):
    """Writes what an engine read, and prints the name."""
    table = table.combine_chunks()
    # a dictionary of each chunk is more than the file format wants to replace
    with pa.ipc.new_file(str(folder / f"{name}.arrow"), table.schema) as writer:
        writer.write_table(table)
    print(name)


def write_pyarrow(folder):
    import pyarrow.parquet as pq

    def write(name, table, **options):
        path = folder / f"{name}.parquet"
        options.setdefault("row_group_size", 128)
        pq.write_table(table, path, **options)
        keep(folder, name, pq.read_table(path))

    tables = {"flat": values.flat(), "nested": values.nested()}
    for codec in ("none", "snappy", "gzip", "brotli", "zstd", "lz4"):
        for page in ("1.0", "2.0"):
            for dictionary in (True, False):
                for kind, table in tables.items():
                    name = f"{kind}-{codec}-page{page[0]}-{'dictionary' if dictionary else 'plain'}"
                    write(name, table, compression=codec, data_page_version=page, use_dictionary=dictionary)

    flat = tables["flat"]
    integers = [name for name in flat.column_names if name[0] in "iu" and name[1:].isdigit()] + ["id"]
    times = ["date", "time_ms", "time_us", "time_ns", "ts_ms", "ts_us", "ts_ns", "ts_us_utc", "ts_ms_zone"]
    texts = ["text", "large_text", "binary"]
    encodings = {
        "delta": {name: "DELTA_BINARY_PACKED" for name in integers + times}
        | {name: "DELTA_BYTE_ARRAY" for name in texts + ["fixed16"]},
        "delta_length": {name: "DELTA_LENGTH_BYTE_ARRAY" for name in texts},
        "split": {name: "BYTE_STREAM_SPLIT" for name in ["f32", "f64", "i32", "i64", "fixed16", "decimal38"]},
        "rle": {"bool": "RLE"},
    }
    for kind, encoding in encodings.items():
        for page in ("1.0", "2.0"):
            write(f"{kind}-page{page[0]}", flat, use_dictionary=False, column_encoding=encoding, data_page_version=page)
    for version in ("1.0", "2.4", "2.6"):
        write(f"version-{version}", flat, version=version)
    for kind, table in tables.items():
        write(f"{kind}-index", table, write_page_index=True, data_page_size=200, write_batch_size=16)
        write(f"{kind}-checksum", table, write_page_checksum=True, compression="gzip")
        write(f"{kind}-no-schema", table, store_schema=False)
    write("int96", flat, use_deprecated_int96_timestamps=True)
    write("integer-decimals", flat, store_decimal_as_integer=True)
    write("old-lists", tables["nested"], use_compliant_nested_type=False)
    write("no-statistics", flat, write_statistics=False)
    write("empty", flat.slice(0, 0))
    write("bloom", flat, bloom_filter_options={"text": {"ndv": 128, "fpp": 0.01}, "i64": {"ndv": 128, "fpp": 0.01}})
    write("spark", flat.drop_columns(["only_nulls"]), flavor="spark")


DUCKDB_FLAT = """
SELECT
    i AS id,
    CASE WHEN i % 7 <> 0 THEN (i % 256 - 128)::TINYINT END AS i8,
    CASE WHEN i % 7 <> 1 THEN (i * 97 - 14000)::SMALLINT END AS i16,
    CASE WHEN i % 7 <> 2 THEN (i * 1234567 - 180000000)::INTEGER END AS i32,
    CASE WHEN i % 7 <> 3 THEN (i * 30744573456182586 - 4611686018427387904)::BIGINT END AS i64,
    (i::HUGEINT * 123456789012345678901234567) AS i128,
    (i % 256)::UTINYINT AS u8,
    (i * 200)::USMALLINT AS u16,
    (i * 14000000)::UINTEGER AS u32,
    (i::UBIGINT * 61489146912365173) AS u64,
    CASE WHEN i % 5 = 1 THEN 'Infinity'::FLOAT ELSE (i / 8)::FLOAT END AS f32,
    CASE WHEN i % 5 = 1 THEN '-Infinity'::DOUBLE ELSE sqrt(i) END AS f64,
    i % 3 = 0 AS flag,
    (i * 1.25 - 100)::DECIMAL(4, 1) AS decimal4,
    (i * 12345.25 - 100)::DECIMAL(9, 2) AS decimal9,
    (i * 123456789.125 - 100)::DECIMAL(18, 3) AS decimal18,
    (i::DECIMAL(38, 0) * 12345678901234567890123456789)::DECIMAL(38, 0) AS decimal38,
    DATE '1900-01-01' + (i * 200)::INTEGER AS day,
    TIME '00:00:00' + INTERVAL (i * 287123) MILLISECONDS AS clock,
    TIMESTAMP '1900-01-01' + INTERVAL (i * 20000017) SECONDS AS ts_us,
    (TIMESTAMP '1900-01-01' + INTERVAL (i * 20000017) SECONDS)::TIMESTAMP_S AS ts_s,
    (TIMESTAMP '1900-01-01' + INTERVAL (i * 20000017) SECONDS)::TIMESTAMP_MS AS ts_ms,
    (TIMESTAMP '1900-01-01' + INTERVAL (i * 20000017) SECONDS)::TIMESTAMP_NS AS ts_ns,
    (TIMESTAMP '1900-01-01' + INTERVAL (i * 20000017) SECONDS)::TIMESTAMPTZ AS ts_zone,
    CASE WHEN i % 4 <> 0 THEN 'word ' || i % 20 END AS text,
    CASE WHEN i % 4 <> 1 THEN repeat('long ', (i % 9)::INTEGER) || i END AS long_text,
    encode('blob ' || i) AS blob,
    ('00000000-0000-4000-8000-' || lpad(i::VARCHAR, 12, '0'))::UUID AS uuid,
    (['red', 'green', 'blue'])[i % 3 + 1]::ENUM ('red', 'green', 'blue') AS colour
FROM range(300) numbers (i)
"""

DUCKDB_INTERVALS = "SELECT i AS id, INTERVAL (i) MONTHS + INTERVAL (i % 28) DAYS AS span FROM range(300) numbers (i)"

DUCKDB_NESTED = """
SELECT
    i AS id,
    CASE WHEN i % 5 <> 0 THEN [n * i FOR n IN range(i % 6)] END AS list,
    [CASE WHEN n % 3 = 0 THEN NULL ELSE 'w' || n END FOR n IN range(i % 4)] AS words,
    [[m + n FOR m IN range(n)] FOR n IN range(i % 4)] AS matrix,
    {'x': i, 'y': CASE WHEN i % 3 = 0 THEN NULL ELSE i / 4 END} AS point,
    [{'name': 'n' || n, 'points': [{'x': m, 'y': m / 2} FOR m IN range(n)]} FOR n IN range(i % 4)] AS structs,
    MAP {'a' || i: i, 'b': NULL} AS map,
    array_value(i, i + 1, i + 2)::INTEGER[3] AS fixed
FROM range(300) numbers (i)
"""


def write_with_duckdb(folder, name, query, options):
    import duckdb

    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        path = folder / f"{name}.parquet"
        connection.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet, {options})")
        table = connection.execute(f"SELECT * FROM '{path}' ORDER BY id").to_arrow_table()
        if "uuid" in table.column_names:
            raw = [uuid.UUID(str(value)).bytes for value in table.column("uuid").to_pylist()]
            table = table.set_column(table.column_names.index("uuid"), "uuid", pa.array(raw, pa.binary(16)))
        keep(folder, name, table)


def write_duckdb_intervals(folder):
    write_with_duckdb(folder, "intervals", DUCKDB_INTERVALS, "COMPRESSION zstd")


def write_duckdb(folder):
    def write(name, query, options):
        write_with_duckdb(folder, name, query, options)

    tables = {"flat": DUCKDB_FLAT, "nested": DUCKDB_NESTED}
    for codec in ("uncompressed", "snappy", "gzip", "brotli", "zstd", "lz4", "lz4_raw"):
        for version in ("v1", "v2"):
            for kind, query in tables.items():
                write(f"{kind}-{codec}-{version}", query, f"COMPRESSION {codec}, PARQUET_VERSION {version}")
    for kind, query in tables.items():
        write(f"{kind}-plain", query, "DICTIONARY_SIZE_LIMIT 1")
    write("bloom", DUCKDB_FLAT, "BLOOM_FILTER_FALSE_POSITIVE_RATIO 0.01")


def write_polars(folder):
    import polars as pl

    flat = pl.from_arrow(values.flat().drop_columns(["decimal60", "category"]))
    flat = flat.with_columns(
        category=pl.Series(values.column("category", values.word), dtype=pl.Categorical),
        span=pl.Series(values.column("span", values.integer(40)), dtype=pl.Duration("us")),
    )
    nested = pl.from_arrow(values.nested().drop_columns(["map"]))

    def write(name, frame, **options):
        path = folder / f"{name}.parquet"
        frame.write_parquet(path, **options)
        keep(folder, name, pl.read_parquet(path).to_arrow(compat_level=pl.CompatLevel.oldest()))

    for kind, frame in {"flat": flat, "nested": nested}.items():
        for codec in ("uncompressed", "snappy", "gzip", "brotli", "zstd", "lz4"):
            write(f"{kind}-{codec}", frame, compression=codec)
        write(f"{kind}-small", frame, compression="zstd", row_group_size=64, data_page_size=100)
        write(f"{kind}-no-statistics", frame, compression="zstd", statistics=False)


if __name__ == "__main__":
    globals()[f"write_{sys.argv[1]}"](Path(sys.argv[2]))
