"""What the programs in this folder share: a connection with the extension loaded, and comparing."""

import duckdb


def connect(extension, **config):
    """A database in memory with the extension, and two threads unless something else is said."""
    config = {"threads": 2, "allow_unsigned_extensions": True} | config
    connection = duckdb.connect(config=config)
    connection.execute(f"LOAD '{extension}'")
    return connection


def error(connection, sql):
    """The message of the error that a statement ends in, without DuckDB's drawing of the statement."""
    try:
        connection.execute(sql).fetchall()
    except duckdb.Error as failure:
        return str(failure).split("\n\nLINE ")[0]
    raise AssertionError(f"no error: {sql}")


def types(connection, source):
    """The columns of a table or a call, with their types."""
    rows = connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()
    return [(name, of) for name, of, *_ in rows]


def rows(connection, sql):
    """All rows as text, in an order of their own: what differs in any bit that can be seen differs in it."""
    found = connection.execute(f"SELECT COLUMNS(*)::VARCHAR FROM ({sql})").fetchall()
    return sorted(found, key=repr)


def assert_same(connection, found, expected, context):
    """Both queries give the same rows."""
    found, expected = rows(connection, found), rows(connection, expected)
    if found == expected:
        return
    assert len(found) == len(expected), f"{context}: {len(found)} rows, expected {len(expected)}"
    for one, other in zip(found, expected):
        different = [(a, b) for a, b in zip(one, other) if a != b]
        assert not different, f"{context}: {different[:3]}"
