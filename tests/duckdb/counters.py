"""The counters say which device decompressed the pages.

Usage: counters.py EXTENSION FILE: of gzip pages that reach back no more than 4 KiB, so that an IAA takes them.
"""

import os
import sys
import tempfile
import time

import pelton_duckdb


def done(connection, device):
    """Pages that a device has decompressed so far, and those that it was given and did not."""
    sql = "SELECT coalesce(sum(done), 0)::INT, coalesce(sum(failed + fell_back), 0)::INT FROM pelton_stats() WHERE device = ?"
    return connection.execute(sql, [device]).fetchone()


def said_meanwhile(what):
    """What the process prints on standard error while `what` is done, by whatever language."""
    with tempfile.TemporaryFile() as printed:
        kept = os.dup(2)
        os.dup2(printed.fileno(), 2)
        try:
            what()
        finally:
            os.dup2(kept, 2)
            os.close(kept)
        printed.seek(0)
        return printed.read().decode()


def without_a_gpu(connection, sql):
    """A GPU that is named and not there is done without, which is said once for the same settings."""
    if connection.execute("SELECT available FROM pelton_devices() WHERE name = 'cuda'").fetchone()[0]:
        print("skipped: this machine has a GPU, and what is said without one is not tried")
        return
    scan = sql % ", device := 'cuda'"
    said = said_meanwhile(lambda: connection.execute(scan).fetchone())
    assert said.startswith("pelton: cuda can't be used") and said.count("\n") == 1, said
    assert said_meanwhile(lambda: connection.execute(scan).fetchone()) == ""


def main(extension, path):
    connection = pelton_duckdb.connect(extension)
    assert connection.execute("SELECT count(*) FROM pelton_stats()").fetchone() == (0,)
    (expected,) = connection.execute(f"SELECT bit_xor(hash(t)) FROM read_parquet('{path}') t").fetchone()
    sql = f"SELECT bit_xor(hash(t)) FROM pelton_scan('{path}'%s) t"

    # footers are kept from two seconds after a file was written on, and dictionaries as long as they are
    time.sleep(3)
    assert connection.execute(sql % "").fetchone() == (expected,)
    pages, rest = done(connection, "cpu")
    assert pages > 0 and rest == 0, (pages, rest)
    assert done(connection, "iaa-model") == (0, 0)
    assert connection.execute(sql % "").fetchone() == (expected,)
    others = done(connection, "cpu")[0] - pages
    assert 0 < others < pages, (others, pages)

    assert connection.execute(sql % ", device := 'iaa-model'").fetchone() == (expected,)
    on_model, rest = done(connection, "iaa-model")
    again = done(connection, "cpu")[0] - others
    assert on_model > 0 and rest == 0, (on_model, rest)
    assert on_model + again == 2 * pages, (on_model, again, pages)

    # a device that fails: the CPU does what it did not, and says so
    connection.execute("SET pelton_devices = 'iaa-model:fault-every=7'")
    assert connection.execute(sql % "").fetchone() == (expected,)
    _, fell_back = done(connection, "iaa-model")
    assert fell_back > 0
    reasons = connection.execute("SELECT reasons FROM pelton_stats() WHERE device = 'iaa-model'").fetchone()
    assert "fell back" in reasons[0], reasons
    without_a_gpu(connection, sql)
    # where the setting names none, the environment does, and an error says so; each machine is one that was not opened before
    connection.execute("SET pelton_devices = 'auto'")
    for threads, named in ((3, ""), (4, "abacus")):
        connection.execute(f"SET pelton_threads = {threads}")
        os.environ["PELTON_DEVICES"] = named
        if named:
            message = pelton_duckdb.error(connection, sql % "")
            assert 'PELTON_DEVICES: there is no device "abacus"' in message, message
        else:
            assert connection.execute(sql % "").fetchone() == (expected,)
    print(f"{pages} pages, {on_model} of them on the model; {fell_back} fell back")


main(*sys.argv[1:])
