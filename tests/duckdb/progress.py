"""The progress of a scan, which only the second interface has.

Usage: progress.py EXTENSION FOLDER
"""

import sys
import threading
import time

import pelton_duckdb

ROWS = 400_000


def main(extension, folder):
    connection = pelton_duckdb.connect(extension, threads=1)
    (interface,) = connection.execute("SELECT interface FROM pelton_interface()").fetchone()
    file = f"{folder}/rows.parquet"
    rows = f"SELECT {{'a': i, 'b': hash(i)}} FROM range({ROWS}) r(i)"
    connection.execute(f"COPY ({rows}) TO '{file}' (FORMAT pelton, row_group_rows {ROWS // 20})")
    # the bar itself is not drawn
    connection.execute("SET enable_progress_bar = true; SET enable_progress_bar_print = false; SET progress_bar_time = 0")
    # slow for each row, so that there is time to look
    slow = f"SELECT sum(length(regexp_replace(repeat(b::VARCHAR, 5), '[1-4]+', 'x', 'g'))) FROM pelton_scan('{file}') WHERE a >= 0"
    running = threading.Thread(target=lambda: connection.execute(slow).fetchall())
    running.start()
    seen = set()
    while running.is_alive():
        seen.add(connection.query_progress())
        time.sleep(0.001)
    running.join()
    between = sorted(value for value in seen if 0 < value < 100)
    assert interface == "first" or len(between) > 1, (interface, sorted(seen))
    print(f"{interface}: {len(between)} values")


main(*sys.argv[1:])
