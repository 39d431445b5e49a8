"""Python's database interface, PEP 249."""

import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, NoReturn, TypeAlias

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

_Parameters: TypeAlias = Sequence[Any] | Mapping[str, Any] | None
_Column: TypeAlias = tuple[str, str, None, None, None, None, None]

apilevel: str
paramstyle: str
threadsafety: int

class Warning(Exception):
    """A warning of a database."""

class Error(_pelton.Error):
    """Base of this module's exceptions."""

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

class _Type:
    def __init__(self, name: str, *types: str) -> None: ...
    def __eq__(self, other: object) -> bool: ...
    def __ne__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

STRING: _Type
BINARY: _Type
NUMBER: _Type
DATETIME: _Type
ROWID: _Type

Date = datetime.date
Time = datetime.time
Timestamp = datetime.datetime
Binary = bytes

def DateFromTicks(ticks: float) -> datetime.date:
    """The local date of seconds since 1970."""

def TimeFromTicks(ticks: float) -> datetime.time:
    """The local time of day of seconds since 1970."""

def TimestampFromTicks(ticks: float) -> datetime.datetime:
    """The local date and time of seconds since 1970."""

def connect(**settings: Any) -> Connection:
    """Opens a connection. The arguments are those of `pelton.connect`."""

class Connection:
    """A connection of PEP 249."""

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
    pelton: _pelton.Connection

    def __init__(self, connection: _pelton.Connection) -> None: ...
    def cursor(self) -> Cursor:
        """A cursor."""

    def execute(self, operation: str, parameters: _Parameters = None) -> Cursor:
        """Runs a statement with a cursor of its own, and returns the cursor."""

    def commit(self) -> None:
        """Does nothing: each statement takes effect by itself."""

    def rollback(self) -> NoReturn:
        """Raises `NotSupportedError`."""

    def close(self) -> None:
        """Stops the statements that run, and forgets the tables. Every later use is an error."""

    def __enter__(self) -> Connection: ...
    def __exit__(
        self, _type: type[BaseException] | None, _value: BaseException | None, _traceback: TracebackType | None
    ) -> None: ...

class Cursor:
    """A cursor of PEP 249: runs statements, and takes the rows of the latest query as they are computed."""

    arraysize: int

    def __init__(self, connection: Connection) -> None: ...
    @property
    def connection(self) -> Connection:
        """The connection that the cursor is of."""

    @property
    def description(self) -> list[_Column] | None:
        """The columns of the latest query; None after other statements, and once the cursor is closed."""

    @property
    def rowcount(self) -> int:
        """The rows that the latest statement has inserted or written; -1 if it has no such number."""

    def execute(self, operation: str, parameters: _Parameters = None) -> Cursor:
        """Runs a statement, with values for its parameters. Returns the cursor."""

    def executemany(self, operation: str, seq_of_parameters: Iterable[Sequence[Any] | Mapping[str, Any]]) -> Cursor:
        """Runs a statement such as INSERT once with each of several values. Returns the cursor."""

    def fetchone(self) -> tuple[Any, ...] | None:
        """Takes the next row; None after the last."""

    def fetchmany(self, size: int | None = None) -> list[tuple[Any, ...]]:
        """Takes the next rows, up to `size`."""

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Takes the remaining rows."""

    def __iter__(self) -> Iterator[tuple[Any, ...]]: ...
    def __next__(self) -> tuple[Any, ...]: ...
    def setinputsizes(self, sizes: object) -> None:
        """Does nothing."""

    def setoutputsize(self, size: int, column: int | None = None) -> None:
        """Does nothing."""

    def close(self) -> None:
        """Closes the cursor, and stops its query. Every later use is an error."""

    def __enter__(self) -> Cursor: ...
    def __exit__(
        self, _type: type[BaseException] | None, _value: BaseException | None, _traceback: TracebackType | None
    ) -> None: ...
