"""Which of DuckDB's interfaces the extension gets, and that it goes on with a lesser one where that is not to be had.

Usage: interface.py EXTENSION FOLDER
"""

import os
import sys
import threading
from pathlib import Path

import duckdb
import pelton_duckdb

VARIABLE = "PELTON_DUCKDB_INTERFACE"


def interface(connection):
    return connection.execute("SELECT interface, reason FROM pelton_interface()").fetchone()


def works(connection, file):
    connection.execute(f"COPY (SELECT {{'a': i}} FROM range(5000) r(i)) TO '{file}' (FORMAT pelton)")
    sql = f"SELECT count(*), sum(a) FROM pelton_scan('{file}', device := 'cpu') WHERE a >= 4000"
    assert connection.execute(sql).fetchone() == (1000, 4_499_500)


def main(extension, folder):
    wanted = os.environ.pop(VARIABLE, None)
    file, temporary = f"{folder}/x.parquet", Path(folder) / "temporary"
    temporary.mkdir()
    os.environ["TMPDIR"] = str(temporary)
    newest = duckdb.__version__ == "2.0.0"
    expected = "native"

    connection = pelton_duckdb.connect(extension)
    assert interface(connection) == ("native", None), interface(connection)
    (dictionaries,) = connection.execute("SELECT dictionaries FROM pelton_interface()").fetchone()
    assert dictionaries == "named", dictionaries
    works(connection, file)
    # again, in another database, and in a transaction
    connection.execute(f"LOAD '{extension}'")
    other = duckdb.connect(config={"allow_unsigned_extensions": True})
    other.execute(f"BEGIN; LOAD '{extension}'; COMMIT")
    for each in (connection, other):
        assert interface(each)[0] == expected
        works(each, file)
    databases = []
    threads = [threading.Thread(target=lambda: databases.append(pelton_duckdb.connect(extension))) for _ in range(6)]
    for step in (threading.Thread.start, threading.Thread.join):
        for thread in threads:
            step(thread)
    assert len(databases) == 6
    for each in databases:
        works(each, file)
    assert list(temporary.iterdir()) == [], "files are left"

    # nowhere to write: COPY is by the first interface, and the scan by the native one in any case
    os.environ["TMPDIR"] = f"{folder}/missing"
    connection = pelton_duckdb.connect(extension)
    assert interface(connection)[0] == "native", interface(connection)
    works(connection, file)
    os.environ["TMPDIR"] = str(temporary)

    os.environ[VARIABLE] = "first"
    connection = pelton_duckdb.connect(extension)
    assert interface(connection) == ("first", f"{VARIABLE} is first")
    works(connection, file)
    for name, part in [("third", "there are first, second and native"), ("second", None if newest else "v2.0.0's")]:
        os.environ[VARIABLE] = name
        connection = duckdb.connect(config={"allow_unsigned_extensions": True})
        if part is None:
            connection.execute(f"LOAD '{extension}'")
        else:
            message = pelton_duckdb.error(connection, f"LOAD '{extension}'")
            assert part in message, message
    print(f"{expected}, though {wanted} was asked for" if wanted not in (None, expected) else expected)


main(*sys.argv[1:])
