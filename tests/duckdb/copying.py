"""COPY TO with FORMAT pelton: every type against what DuckDB's own writer makes, every codec, and what is left when it fails.

Usage: copying.py EXTENSION FOLDER
"""

import sys
import threading
from pathlib import Path

import duckdb
import pelton_duckdb

# A value of each type for a number i.
TYPES = """
    i % 2 = 0 AS bool, i::TINYINT AS i8, i::SMALLINT AS i16, i::INT AS i32, i AS i64, i::UTINYINT AS u8, i::USMALLINT AS u16,
    i::UINTEGER AS u32, i::UBIGINT AS u64, (i * 1000)::HUGEINT - 5 AS i128, (i * 1000)::UHUGEINT AS u128, i / 7::FLOAT AS f32,
    i / 7::DOUBLE AS f64, (i % 900)::DECIMAL(4, 1) AS dec4, i::DECIMAL(9, 2) AS dec9, -i::DECIMAL(18, 3) AS dec18,
    i::DECIMAL(38, 5) AS dec38, DATE '1969-12-01' + i::INT AS date, TIME '01:02:03.000004' + INTERVAL (i) SECOND AS time,
    ('12:00:' || i % 60 || '+02')::TIMETZ AS timetz, TIMESTAMP '1969-12-31 23:00:00' + INTERVAL (i) MINUTE AS ts,
    (TIMESTAMP '1969-12-31 23:00:00' + INTERVAL (i) MINUTE)::TIMESTAMP_S AS ts_s,
    (TIMESTAMP '1969-12-31 23:00:00' + INTERVAL (i) MINUTE)::TIMESTAMP_MS AS ts_ms,
    (TIMESTAMP '1969-12-31 23:00:00' + INTERVAL (i) MINUTE)::TIMESTAMP_NS AS ts_ns,
    (TIMESTAMP '1969-12-31 23:00:00' + INTERVAL (i) MINUTE)::TIMESTAMPTZ AS tstz,
    INTERVAL (i) MONTH + INTERVAL (i) DAY + INTERVAL (i) SECOND AS span, 's' || i % 50 AS short,
    repeat('a long text ', i % 4) || i AS text, ('blob' || i)::BLOB AS blob, ('1' || repeat('01', i % 9))::BIT AS bit,
    md5(i::VARCHAR)::UUID AS uuid, ('{"n": ' || i || '}')::JSON AS json,
    (CASE i % 3 WHEN 0 THEN 'red' WHEN 1 THEN 'green' ELSE 'a colour without a name' END)::ENUM (
        'red', 'green', 'a colour without a name') AS word,
    [i, NULL, i + 1][: i % 4] AS list, [['x' || i], [], NULL] AS lists, {'a': i, 'b': {'c': 'c' || i, 'd': [i]}} AS struct,
    MAP {'k' || i: i, 'l': NULL} AS map, [i, i + 1, i + 2]::INT[3] AS arr, [['t' || i, 'u']]::VARCHAR[2][1] AS arrs
"""
CODECS = ["gzip", "zstd", "snappy", "lz4_raw", "brotli", "none"]


def every_type(connection, folder):
    """What DuckDB reads of our file is what it reads of its own."""
    connection.execute(f"CREATE TABLE plain AS SELECT {TYPES} FROM (SELECT i % 120 AS i FROM range(7000) r(i))")
    names = [name for name, *_ in connection.execute("DESCRIBE plain").fetchall()]
    # rows of nulls between the others
    numbered = "SELECT *, (row_number() OVER ()) * 8 // 7 AS n FROM plain"
    connection.execute(f"CREATE TABLE t AS SELECT p.* EXCLUDE n FROM range(8000) r(n) LEFT JOIN ({numbered}) p USING (n)")
    own = folder / "own.parquet"
    connection.execute(f"COPY t TO '{own}' (FORMAT parquet)")
    for codec in CODECS:
        ours = folder / f"{codec}.parquet"
        connection.execute(f"COPY (SELECT t FROM t) TO '{ours}' (FORMAT pelton, codec '{codec}', row_group_rows 3000)")
        found, expected = (pelton_duckdb.types(connection, f"read_parquet('{file}')") for file in (ours, own))
        assert found == expected, [pair for pair in zip(found, expected) if pair[0] != pair[1]]
        read = [f"SELECT * FROM read_parquet('{file}')" for file in (ours, own)]
        pelton_duckdb.assert_same(connection, *read, codec)
    for name in names:
        empty = folder / "nulls.parquet"
        connection.execute(f"COPY (SELECT {{'c': NULL::{type_of(connection, name)}}} FROM range(10)) TO '{empty}' (FORMAT pelton)")
        assert connection.execute(f"SELECT count(*), count(c) FROM '{empty}'").fetchone() == (10, 0), name
    return len(names)


def type_of(connection, name):
    return connection.execute(f'SELECT typeof("{name}") FROM t LIMIT 1').fetchone()[0]


def pruned(connection, folder):
    """Bloom filters and statistics that DuckDB's reader uses."""
    file = folder / "pruned.parquet"
    rows = "SELECT {'a': i % 1000 * 1000, 'b': 'w' || i % 100} FROM range(100000) r(i)"
    connection.execute(f"COPY ({rows}) TO '{file}' (FORMAT pelton, row_group_rows 20000)")
    probe = f"SELECT count(*) FROM parquet_bloom_probe('{file}', 'a', %d) WHERE bloom_filter_excludes"
    assert connection.execute(probe % 5000).fetchone() == (0,)
    assert connection.execute(probe % 5001).fetchone()[0] >= 4
    connection.execute(f"COPY ({rows}) TO '{file}' (FORMAT pelton, bloom_filters false)")
    sql = f"SELECT count(bloom_filter_offset) FROM parquet_metadata('{file}')"
    assert connection.execute(sql).fetchone() == (0,)


def nothing_left(connection, folder):
    """Errors and interrupts leave no file behind, and the old one as it was."""
    folder = folder / "left"
    folder.mkdir()
    file = folder / "x.parquet"
    stops = "SELECT {'a': CASE WHEN i = 900000 THEN error('stop') ELSE i::VARCHAR END} FROM range(1000000) r(i)"
    for before in ([], [file]):
        message = pelton_duckdb.error(connection, f"COPY ({stops}) TO '{file}' (FORMAT pelton)")
        assert "stop" in message, message
        assert list(folder.iterdir()) == before
        threading.Timer(0.2, connection.interrupt).start()
        try:
            connection.execute(f"COPY (SELECT {{'a': md5(i::VARCHAR)}} FROM range(1000000000) r(i)) TO '{file}' (FORMAT pelton)")
            raise AssertionError("it ran to its end")
        except duckdb.InterruptException:
            pass
        assert list(folder.iterdir()) == before
        connection.execute(f"COPY (SELECT {{'a': 1}}) TO '{file}' (FORMAT pelton)")
        assert connection.execute(f"FROM '{file}'").fetchall() == [(1,)]


def devices(connection, folder):
    """Pages are compressed by the device that is asked for; one that fails costs nothing but time."""
    rows = "SELECT {'a': i, 'b': md5(i::VARCHAR)} FROM range(50000) r(i)"
    for device in ("iaa-model", "iaa-model:fault-every=7"):
        file = folder / "device.parquet"
        connection.execute(f"COPY ({rows}) TO '{file}' (FORMAT pelton, window 4096, device '{device}')")
        assert connection.execute(f"SELECT count(*), sum(a), count(DISTINCT b) FROM '{file}'").fetchone() == (
            50000, 1249975000, 50000)
    sql = "SELECT sum(done) FROM pelton_stats() WHERE device = 'iaa-model' AND operation = 'compress'"
    (done,) = connection.execute(sql).fetchone()
    assert done > 0, connection.execute("FROM pelton_stats()").fetchall()
    return done


def main(extension, folder):
    folder = Path(folder)
    connection = pelton_duckdb.connect(extension)
    connection.execute("SET TimeZone = 'UTC'")
    types = every_type(connection, folder)
    pruned(connection, folder)
    nothing_left(connection, folder)
    done = devices(connection, folder)
    print(f"{types} types in {len(CODECS)} codecs; the model of the IAA compressed {done} pages")


main(*sys.argv[1:])
