"""Runs the cases of an .slt file; README.md in tests/sql has their form. A first line that ends in ` in first`,
` in first,second` or the like is of cases where the extension has one of these of DuckDB's interfaces.

Usage: cases.py EXTENSION FOLDER FILE: `{dir}` in the cases stands for the folder, which fixtures.py fills.
"""

import sys

import duckdb
import fixtures
import pelton_duckdb


def cases(text):
    """(line, kind, sql, what is expected) of each case."""
    kind, sql, expected, start, seen = None, [], [], 0, False
    for number, line in enumerate(text.split("\n") + [""], 1):
        if kind is None:
            if line and not line.startswith("#"):
                kind, sql, expected, start, seen = line, [], [], number, False
        elif not line:
            yield start, kind, "\n".join(sql), expected
            kind = None
        elif line == "----":
            seen = True
        else:
            (expected if seen else sql).append(line)


def shown(value):
    """A value as the files have it."""
    if value is None:
        return "NULL"
    return str(value) or "(empty)"


def check(connection, kind, sql, expected, folder):
    """What is wrong, or nothing."""
    if kind == "statement error":
        message = pelton_duckdb.error(connection, sql).replace(folder, "{dir}")
        return None if expected[0] in message else f"the error is {message}"
    if kind == "statement":
        connection.execute(sql)
        return None
    found = [" | ".join(map(shown, row)) for row in connection.execute(sql).fetchall()]
    if kind == "query contains":
        missing = [line for line in expected if line not in "\n".join(found)]
        return f"{missing} is not in {found}" if missing else None
    if kind == "query rowsort":
        found, expected = sorted(found), sorted(expected)
    elif kind != "query":
        return f"there is no {kind!r}"
    return None if found == expected else "found\n" + "\n".join(found)


def main(extension, folder, path):
    fixtures.write(folder)
    connection = pelton_duckdb.connect(extension)
    failures, count = [], 0
    (interface,) = connection.execute("SELECT interface FROM pelton_interface()").fetchone()
    for line, kind, sql, expected in cases(open(path).read()):
        count += 1
        kind, _, only = kind.partition(" in ")
        if only and interface not in only.split(","):
            continue
        try:
            wrong = check(connection, kind, sql.replace("{dir}", folder), expected, folder)
        except (duckdb.Error, AssertionError) as error:
            wrong = f"{error}"
        if wrong:
            failures.append(f"line {line}: {sql}\n{wrong}")
    assert count > 0, f"{path} has no cases"
    assert not failures, f"{len(failures)} of {count} failed in DuckDB {duckdb.__version__}\n" + "\n\n".join(failures)
    print(f"{count} cases")


main(*sys.argv[1:])
