"""Lists of files and the options for them, by the native layer: pelton_scan gives the columns and rows of read_parquet.

Usage: multi_file.py EXTENSION FOLDER
"""

import sys
from pathlib import Path

import duckdb
import fsspec
import pelton_duckdb
import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 9000

# Options, each with the places that it is for and the columns that are compared.
CALLS = [
    ("'{d}/one.parquet'", "*"),
    ("'{d}/[ot][nw]*.parquet'", "*"),
    ("'{d}/narrow'", "*"),
    ("['{d}/two.parquet', '{d}/one.parquet', '{d}/two.parquet']", "*"),
    ("'{d}/one.parquet', filename := true", "* REPLACE (parse_filename(filename) AS filename)"),
    ("'{d}/[ot][nw]*.parquet', filename := 'place'", "* REPLACE (parse_filename(place) AS place)"),
    ("'{d}/one.parquet', file_row_number := true", "*"),
    ("'{d}/[ot][nw]*.parquet', file_row_number := true, filename := true", "*"),
    ("['{d}/one.parquet', '{d}/other/wide.parquet'], union_by_name := true", "*"),
    ("'{d}/other/*.parquet', union_by_name := true, filename := true", "*"),
    ("'{d}/hive/**/*.parquet'", "*"),
    ("'{d}/hive/**/*.parquet', hive_partitioning := false", "*"),
    ("'{d}/hive/**/*.parquet', hive_partitioning := true, hive_types_autocast := false", "*"),
    ("'{d}/hive/**/*.parquet', hive_types := {{'year': SMALLINT}}", "*"),
    ("'{d}/narrow/*.parquet'", "*"),
    ("'{d}/narrow/*.parquet', union_by_name := true", "*"),
    # conditions rule out the files that lack the column, wherever in the list they are
    ("['{d}/one.parquet', '{d}/bare.parquet', '{d}/two.parquet', '{d}/bare.parquet'], union_by_name := true", "*"),
    ("['{d}/bare.parquet', '{d}/one.parquet'], union_by_name := true, filename := true", "* EXCLUDE (filename)"),
    ("'{d}/types.parquet'", "*, id"),
]

# Conditions on rows, with columns that all files have.
WHERE = [
    "",
    "WHERE id % 1000 = 7",
    "WHERE id BETWEEN 4000 AND 4010",
    "WHERE word IN ('word 3', 'word 77', 'none')",
    "WHERE word IS NULL AND id < 100",
    "WHERE id IN (SELECT max(i) FROM range(5000) r(i) GROUP BY i % 5)",
    "WHERE id > 100 AND 1000 // (id - 50) > 0",
    "ORDER BY word DESC NULLS LAST, id LIMIT 5",
    "ORDER BY id DESC LIMIT 3",
]


def write(connection, folder):
    columns = "i AS id, CASE WHEN i % 11 > 0 THEN 'word ' || i % 100 END AS word, (i / 7)::DOUBLE AS x, {'a': i, 'b': [i, NULL]} AS nested"
    for name in ("other", "narrow"):
        (folder / name).mkdir()

    def put(name, select, **options):
        options = "".join(f", {key} {value}" for key, value in options.items())
        connection.execute(f"COPY ({select}) TO '{folder}/{name}' (FORMAT parquet, ROW_GROUP_SIZE 2048{options})")

    put("one.parquet", f"SELECT {columns} FROM range({ROWS}) r(i)")
    put("two.parquet", f"SELECT {columns} FROM range({ROWS}, {ROWS + 3000}) r(i)")
    put("other/wide.parquet", f"SELECT word, id::INTEGER AS id, x, x + 1 AS y FROM (SELECT {columns} FROM range(4000, 7000) r(i))")
    put("other/few.parquet", "SELECT range AS id, 'word ' || range AS word FROM range(5)")
    put("bare.parquet", "SELECT range AS other FROM range(500)")
    put("hive", f"SELECT {columns}, 2020 + i % 3 AS year, 'm' || i % 2 AS month FROM range({ROWS}) r(i)", PARTITION_BY="(year, month)")
    # the second file's types differ from the first one's, so that conditions need a cast
    put("narrow/a.parquet", f"SELECT i AS id, 'word ' || i % 100 AS word FROM range({ROWS}) r(i)")
    put("narrow/b.parquet", f"SELECT i::SMALLINT AS id, 'word ' || i % 100 AS word FROM range({ROWS}) r(i)")


def of_pyarrow(folder):
    moments = pa.array([-1, 0, 1, 1500, -1500, 2**62], pa.timestamp("ns", "UTC"))
    pq.write_table(pa.table({"id": list(range(6)), "word": ["word 3"] * 6, "moment": moments}), folder / "types.parquet")
    columns = [pa.array([i] * 10) for i in range(6)]
    pq.write_table(pa.table(columns, names=["A", "a_1", "a", "Ä", "ä", "Ä_1"]), folder / "names.parquet")


def by_statistics(connection, ours, theirs, context):
    """Aggregates that DuckDB may answer by the statistics of row groups. They are compared with those of rows."""
    types = [(name, of) for name, of in pelton_duckdb.types(connection, ours) if "(" not in of and "[" not in of]
    bounds = ", ".join(f'min("{name}"), max("{name}"), count("{name}")' for name, _ in types if name != "place")
    for where in ("", "WHERE id < 2048", "WHERE id >= 100000"):
        rows = f"(FROM {theirs} {where} LIMIT 1000000)"
        queries = [f"SELECT count(*), {bounds} FROM {source}" for source in (f"{ours} {where}", rows)]
        pelton_duckdb.assert_same(connection, *queries, f"{context} {where}")


def same(connection, place, chosen, context):
    ours, theirs = (f"{function}({place})" for function in ("pelton_scan", "read_parquet"))
    assert pelton_duckdb.types(connection, ours) == pelton_duckdb.types(connection, theirs), context
    by_statistics(connection, ours, theirs, context)
    count = 0
    for where in WHERE:
        queries = [f"SELECT {chosen} FROM {source} {where}" for source in (ours, theirs)]
        pelton_duckdb.assert_same(connection, *queries, f"{context} {where}")
        count += 1
    return count


def main(extension, folder):
    connection = pelton_duckdb.connect(extension)
    (interface,) = connection.execute("SELECT interface FROM pelton_interface()").fetchone()
    if interface != "native":
        print(f"skipped: the {interface} interface has no options for lists of files")
        return
    folder = Path(folder)
    write(connection, folder)
    of_pyarrow(folder)
    calls = CALLS
    if duckdb.__version__.startswith("1."):
        # an option of the Parquet reader alone there; the column of that name is read in any case
        calls = [call for call in CALLS if "file_row_number :=" not in call[0]]
    count = sum(same(connection, place.format(d=folder), chosen, place) for place, chosen in calls)
    count += same(connection, f"'{folder}/[ot][nw]*.parquet'", "*, file_row_number", "virtual column")

    # no file is scanned for what statistics answer
    answered = "count(*), count(id), min(id), max(id)"
    for place in (f"'{folder}/one.parquet'", f"'{folder}/[ot][nw]*.parquet'"):
        scans = [
            "pelton_scan" in str(connection.execute(f"EXPLAIN SELECT {of} FROM pelton_scan({place})").fetchall()).lower()
            for of in (answered, "sum(id)")
        ]
        assert scans == [False, True], (place, scans)

    # names that differ in case alone
    sources = [f"{function}('{folder}/names.parquet')" for function in ("pelton_scan", "read_parquet")]
    assert pelton_duckdb.types(connection, sources[0]) == pelton_duckdb.types(connection, sources[1])
    pelton_duckdb.assert_same(connection, f"FROM {sources[0]}", f"FROM {sources[1]}", "names")

    # files that DuckDB reads, of a file system that Python registers
    memory = fsspec.filesystem("memory")
    for name in ("one", "two"):
        memory.pipe(f"/tables/{name}.parquet", (folder / f"{name}.parquet").read_bytes())
    connection.register_filesystem(memory)
    count += same(connection, "'memory://tables/one.parquet'", "*", "in memory")
    count += same(connection, "'memory://tables/*.parquet', filename := true", "*", "in memory")
    memory.pipe("/tables/cut.parquet", (folder / "one.parquet").read_bytes()[:-100])
    message = pelton_duckdb.error(connection, "SELECT * FROM pelton_scan('memory://tables/cut.parquet')")
    assert "tables/cut.parquet" in message and "does not end in PAR1" in message, message

    # ranges are decided on the file's own columns
    for place in ("narrow/*.parquet", "hive/**/*.parquet"):
        name = "id" if place.startswith("narrow") else "year"
        sql = f"SELECT * FROM pelton_scan('{folder}/{place}', ranges := {{'{name}': {{'min': 1}}}})"
        message = pelton_duckdb.error(connection, sql)
        assert f"ranges: {name} " in message or f"there is no column {name}" in message, message

    # memory for one range at a time
    connection.execute("SET pelton_memory = '8MB'")
    sql = f"SELECT count(*), sum(x) FROM pelton_scan('{folder}/one.parquet') WHERE id > 10"
    assert connection.execute(sql).fetchone()[0] == ROWS - 11

    # what DuckDB may not read, Pelton does not read either
    connection.execute("SET enable_external_access = false")
    message = pelton_duckdb.error(connection, f"SELECT * FROM pelton_scan('{folder}/one.parquet')")
    assert "disabled by configuration" in message, message
    print(f"{count} queries in DuckDB {duckdb.__version__}")


main(*sys.argv[1:])
