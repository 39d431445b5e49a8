"""Python's database interface, PEP 249: ``connect``, cursors, exceptions and types.

    >>> import pelton.dbapi
    >>> with pelton.dbapi.connect() as connection:
    ...     cursor = connection.cursor()
    ...     cursor.execute("SELECT city, price FROM 'trips.parquet' WHERE price > ?", [5])
    ...     for city, price in cursor:
    ...         print(city, price)

Parameters are ``?``, as ``paramstyle`` says; ``$1`` with a list and ``$name`` with a dict work, too.
Each statement takes effect by itself, and there are no transactions.
"""

import contextlib
import datetime
import time

from . import _pelton

__all__ = [
    "BINARY",
    "Binary",
    "Connection",
    "Cursor",
    "DATETIME",
    "DataError",
    "DatabaseError",
    "Date",
    "DateFromTicks",
    "Error",
    "IntegrityError",
    "InterfaceError",
    "InternalError",
    "NUMBER",
    "NotSupportedError",
    "OperationalError",
    "ProgrammingError",
    "ROWID",
    "STRING",
    "Time",
    "TimeFromTicks",
    "Timestamp",
    "TimestampFromTicks",
    "Warning",
    "apilevel",
    "connect",
    "paramstyle",
    "threadsafety",
]

apilevel = "2.0"
paramstyle = "qmark"
# Threads may share the module and connections.
threadsafety = 2


class Warning(Exception):
    """A warning of a database. Pelton's own are Python warnings of the category RuntimeWarning."""


class Error(_pelton.Error):
    """Base of this module's exceptions. Its cause is the exception of ``pelton`` with the same text."""


class InterfaceError(Error):
    """A wrong use of this module."""


class DatabaseError(Error):
    """An error of a statement or its data."""


class DataError(DatabaseError):
    """Data that is damaged, or a value that a type has no place for."""


class OperationalError(DatabaseError):
    """Files that can't be read or written, a limit on memory that was reached, a query that was stopped."""


class IntegrityError(DatabaseError):
    """Part of PEP 249, and never raised."""


class InternalError(DatabaseError):
    """A fault of Pelton's."""


class ProgrammingError(DatabaseError):
    """A statement that does not parse, or names a missing table; a closed connection or cursor."""


class NotSupportedError(DatabaseError):
    """Something that Pelton does not have, such as transactions."""


# The first that fits.
_KINDS = (
    (_pelton.QueryError, ProgrammingError),
    (_pelton.DataError, DataError),
    (_pelton.Error, OperationalError),
    ((TypeError, ValueError), ProgrammingError),
)


@contextlib.contextmanager
def _errors(connection=None):
    """Raises this module's exceptions in place of those of ``pelton``."""
    try:
        yield
    except Error:
        raise
    except Exception as error:
        kind = next((kind for kinds, kind in _KINDS if isinstance(error, kinds)), None)
        if kind is None:
            raise
        if type(error) is _pelton.Error:
            if connection is not None and connection._closed:
                kind = ProgrammingError
            elif str(error).startswith("internal error"):
                kind = InternalError
        raise kind(str(error)) from error


class _Type:
    """A type of PEP 249, equal to the types of SQL that it stands for."""

    def __init__(self, name, *types):
        self._name = name
        self._types = types

    def __eq__(self, other):
        if isinstance(other, _Type):
            return self is other
        return isinstance(other, str) and not other.endswith("]") and other.split("(")[0] in self._types

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash(self._name)

    def __repr__(self):
        return f"pelton.dbapi.{self._name}"


STRING = _Type("STRING", "VARCHAR")
BINARY = _Type("BINARY", "BYTEA")
_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")
NUMBER = _Type(
    "NUMBER", "BOOLEAN", *_WHOLE, *(f"{name} UNSIGNED" for name in _WHOLE), "REAL", "DOUBLE", "DECIMAL"
)
DATETIME = _Type(
    "DATETIME", "DATE", "TIME", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMPTZ", "INTERVAL", "Duration"
)
# There are no row ids.
ROWID = _Type("ROWID")

Date = datetime.date
Time = datetime.time
Timestamp = datetime.datetime
Binary = bytes


def DateFromTicks(ticks):
    """Returns the local date of seconds since 1970."""
    return Date(*time.localtime(ticks)[:3])


def TimeFromTicks(ticks):
    """Returns the local time of day of seconds since 1970."""
    return Time(*time.localtime(ticks)[3:6])


def TimestampFromTicks(ticks):
    """Returns the local date and time of seconds since 1970."""
    return Timestamp(*time.localtime(ticks)[:6])


def connect(**settings):
    """Opens a connection. The arguments are those of ``pelton.connect``."""
    with _errors():
        return Connection(_pelton.connect(**settings))


class Connection:
    """A connection of PEP 249, over one of ``pelton.connect``, which is its attribute ``pelton``.

    As a context manager it closes itself. The exceptions of the module are attributes, too.
    """

    Warning = Warning
    Error = Error
    InterfaceError = InterfaceError
    DatabaseError = DatabaseError
    DataError = DataError
    OperationalError = OperationalError
    IntegrityError = IntegrityError
    InternalError = InternalError
    ProgrammingError = ProgrammingError
    NotSupportedError = NotSupportedError

    def __init__(self, connection):
        self.pelton = connection
        self._closed = False

    def _check(self):
        if self._closed:
            raise ProgrammingError("the connection is closed; open another: pelton.dbapi.connect()")

    def cursor(self):
        """Returns a cursor."""
        self._check()
        return Cursor(self)

    def execute(self, operation, parameters=None):
        """Runs a statement with a cursor of its own, and returns the cursor."""
        return self.cursor().execute(operation, parameters)

    def commit(self):
        """Does nothing: each statement takes effect by itself."""
        self._check()

    def rollback(self):
        """Raises ``NotSupportedError``: a statement that took effect stays."""
        self._check()
        raise NotSupportedError("there are no transactions: each statement takes effect by itself")

    def close(self):
        """Stops the statements that run, and forgets the tables. Every later use is an error."""
        self._check()
        self._closed = True
        self.pelton.close()

    def __enter__(self):
        self._check()
        return self

    def __exit__(self, _type, _value, _traceback):
        if not self._closed:
            self.close()


class Cursor:
    """A cursor of PEP 249: runs statements, and takes the rows of the latest query as they are computed.

    ``description`` has a tuple for each column of the query: its name, its type in SQL (which the module's
    type objects are equal to), and five times None. It is None after a statement without rows. ``rowcount``
    is the number of rows that a statement has inserted or written, and -1 after a query, whose rows are not
    counted. ``arraysize`` is the number of rows that ``fetchmany`` takes by default.
    """

    def __init__(self, connection):
        self.arraysize = 1
        self._connection = connection
        self._description = None
        self._rowcount = -1
        self._rows = None
        self._closed = False

    @property
    def connection(self):
        """The connection that the cursor is of."""
        return self._connection

    @property
    def description(self):
        """The columns of the latest query; None after other statements, and once the cursor is closed."""
        return None if self._is_closed() else self._description

    @property
    def rowcount(self):
        """The rows that the latest statement has inserted or written; -1 if it has no such number, and once
        the cursor is closed."""
        return -1 if self._is_closed() else self._rowcount

    def _is_closed(self):
        return self._closed or self._connection._closed

    def _check(self):
        if self._closed:
            raise ProgrammingError("the cursor is closed; take another: connection.cursor()")
        self._connection._check()

    def _begin(self):
        self._check()
        self._description, self._rowcount, self._rows = None, -1, None

    def _end(self):
        self._closed, self._rows = True, None

    def execute(self, operation, parameters=None):
        """Runs a statement, with a list, tuple or dict of values for its parameters. Returns the cursor."""
        self._begin()
        with _errors(self._connection):
            result = self._connection.pelton.execute(operation, parameters)
            if result.is_statement and result.columns in ([], ["Count"]):
                counts = result.fetchall()
                self._rowcount = counts[0][0] if counts and counts[0] else -1
            else:
                columns = zip(result.columns, result.types)
                self._description = [(name, kind, None, None, None, None, None) for name, kind in columns]
                self._rows = result.iter_rows()
        return self

    def executemany(self, operation, seq_of_parameters):
        """Runs a statement such as INSERT once with each of several values. Returns the cursor."""
        self._begin()
        with _errors(self._connection):
            self._rowcount = self._connection.pelton.executemany(operation, seq_of_parameters)
        return self

    def _take(self, count):
        self._check()
        if self._rows is None:
            raise ProgrammingError("there are no rows: execute a query first")
        with _errors(self._connection):
            return self._rows.take(count)

    def fetchone(self):
        """Takes the next row, as a tuple; None after the last."""
        rows = self._take(1)
        return rows[0] if rows else None

    def fetchmany(self, size=None):
        """Takes the next rows, up to ``size``, as a list of tuples."""
        return self._take(self.arraysize if size is None else size)

    def fetchall(self):
        """Takes the remaining rows, as a list of tuples."""
        return self._take(None)

    def __iter__(self):
        return self

    def __next__(self):
        row = self.fetchone()
        if row is None:
            raise StopIteration
        return row

    def setinputsizes(self, sizes):
        """Does nothing, as PEP 249 allows."""
        self._check()

    def setoutputsize(self, size, column=None):
        """Does nothing, as PEP 249 allows."""
        self._check()

    def close(self):
        """Closes the cursor, and stops its query. Every later use is an error."""
        self._check()
        self._end()

    def __enter__(self):
        self._check()
        return self

    def __exit__(self, _type, _value, _traceback):
        if not self._closed:
            self._end()
