"""What happens to scans while they run: interrupts, files that vanish or change, many at once, the end of the process.

Usage: running.py EXTENSION FOLDER
"""

import os
import sys
import threading
import time
from pathlib import Path

import duckdb
import pelton_duckdb


def interrupted(connection, path):
    """A query over all pairs of rows would take hours; an interrupt ends it, and the next one works."""
    threading.Timer(0.3, connection.interrupt).start()
    pairs = f"SELECT sum(a.n * b.n) FROM pelton_scan('{path}') a, pelton_scan('{path}') b WHERE a.s <> b.s"
    try:
        connection.execute(pairs).fetchall()
        raise AssertionError("it ran to its end")
    except duckdb.InterruptException:
        pass
    assert connection.execute(f"SELECT count(n) FROM pelton_scan('{path}')").fetchone() == (100_000,)


def left_early(connection, path):
    """Results that are not fetched: what was being read for them is dropped."""
    for _ in range(20):
        connection.execute(f"SELECT * FROM pelton_scan('{path}') LIMIT 1")
        connection.execute(f"SELECT * FROM pelton_scan('{path}')").fetchone()


def gone(connection, path):
    """A file that is not there any more, or is another, when a prepared statement runs again, or a view."""
    copy = path.with_name("copy.parquet")
    copy.write_bytes(path.read_bytes())
    connection.execute(f"CREATE OR REPLACE VIEW v AS SELECT * FROM pelton_scan('{copy}')")
    assert connection.execute("SELECT count(s) FROM v").fetchone() == (100_000,)
    copy.unlink()
    message = pelton_duckdb.error(connection, "SELECT count(s) FROM v")
    assert str(copy) in message and ("no such file or directory" in message or "No files found" in message), message


def rewritten(connection, path):
    """A file whose footer and dictionaries are kept, and that is written again: in its place, under its name, and with the same size."""
    copy = path.with_name("rewritten.parquet")
    query = f"SELECT min(n), max(n), min(s), max(s) FROM pelton_scan('{copy}')"
    for number, age in enumerate((100, 50, 0)):
        first = 1000 + number
        for _ in range(2):
            connection.execute(f"COPY (SELECT {first} + range AS n, '{first}-' || range % 3 AS s FROM range(500)) TO '{copy}' (CODEC gzip)")
            # footers of files that have just been written are not kept
            os.utime(copy, (time.time() - age, time.time() - age))
            for _ in range(2):
                found = connection.execute(query).fetchone()
                assert found == (first, first + 499, f"{first}-0", f"{first}-2"), (found, first)
            first += 7
    copy.unlink()


def copied_in_little_memory(connection, path):
    """Pages larger than what may be in flight are compressed while others, read ahead, wait for the same thread."""
    source, copy = path.with_name("source.parquet"), path.with_name("copy.parquet")
    rows = "SELECT hash(i) AS a, hash(i + 1)::VARCHAR AS s FROM range(100000) r(i)"
    connection.execute(f"COPY ({rows}) TO '{source}' (CODEC gzip, ROW_GROUP_SIZE 5000)")
    connection.execute("SET pelton_memory = '4MB'")
    for _ in range(5):
        connection.execute(f"COPY (SELECT a, repeat(s, 20) AS s FROM pelton_scan('{source}')) TO '{copy}' (FORMAT pelton, columns ['a', 's'], row_group_rows 20000)")
    connection.execute("SET pelton_memory = ''")
    pelton_duckdb.assert_same(connection, f"SELECT * FROM pelton_scan('{copy}')", f"SELECT a, repeat(s, 20) FROM ({rows})", "in little memory")
    source.unlink()
    copy.unlink()


def gone_while_read(connection, path):
    """A file that changes between its footer and its pages: the rows of before, or an error that names it."""
    errors = 0
    for number in range(30):
        copy = path.with_name(f"changing-{number}.parquet")
        copy.write_bytes(path.read_bytes())

        def change():
            time.sleep(number / 2000)
            copy.unlink() if number % 2 else copy.write_bytes(b"PAR1 another file PAR1")

        changing = threading.Thread(target=change)
        changing.start()
        try:
            found = connection.execute(f"SELECT count(s), sum(n) FROM pelton_scan('{copy}')").fetchone()
            assert found == (100_000, 4_999_950_000), found
        except duckdb.Error as error:
            errors += 1
            assert copy.name in str(error), error
        changing.join()
        copy.unlink(missing_ok=True)
    print(f"{errors} of 30 files changed in time")


def at_once(connection, path):
    """Several connections, each with scans on its threads."""
    wrong = []

    def work(number):
        cursor = connection.cursor()
        for _ in range(5):
            low = number * 1000
            ranges = f"{{'n': {{'min': {low}, 'max': {low + 999}}}}}"
            found = cursor.execute(f"SELECT count(*), min(n) FROM pelton_scan('{path}', ranges := {ranges})").fetchone()
            if found != (1000, low):
                wrong.append(found)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not wrong, wrong


def main(extension, folder):
    import fixtures

    fixtures.write(folder)
    path = Path(folder) / "numbers.parquet"
    connection = pelton_duckdb.connect(extension)
    for check in (interrupted, left_early, gone, rewritten, copied_in_little_memory, gone_while_read, at_once):
        check(connection, path)
        print(check.__name__)
    # loaded twice: in the same database, and in another one
    connection.execute(f"LOAD '{extension}'")
    other = pelton_duckdb.connect(extension)
    assert other.execute(f"SELECT count(*) FROM pelton_scan('{path}')").fetchone() == (100_000,)
    # the interpreter ends while this is being read
    other.execute(f"SELECT * FROM pelton_scan({[str(path)] * 50})").fetchone()


main(*sys.argv[1:])
