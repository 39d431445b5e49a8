"""The compiled half of the package `pelton`. Import `pelton`, not this."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from os import PathLike
from types import ModuleType, TracebackType
from typing import Any, Literal, Protocol, TypeAlias, TypedDict, final, overload

import pandas
import polars
import pyarrow
from _typeshed import ReadableBuffer

from ._values import Interval

__all__ = [
    "Connection",
    "DataError",
    "Error",
    "MissingFileError",
    "OutOfMemory",
    "Prepared",
    "Profile",
    "QueryError",
    "Result",
    "TableError",
    "cli",
    "codec",
    "connect",
    "devices",
    "explain",
    "gzip",
    "profile",
    "read_parquet",
    "sql",
    "stats",
    "version",
    "where_clause",
    "write_parquet",
    "zlib",
]

class _Stream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class _Array(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

_Path: TypeAlias = str | PathLike[str]
_Paths: TypeAlias = _Path | Sequence[_Path]
_Table: TypeAlias = _Paths | _Stream | _Array | polars.LazyFrame | pandas.DataFrame | Iterable[_Array]
_Tables: TypeAlias = Mapping[str, _Table]
_Device: TypeAlias = str | Sequence[str]
_Binary: TypeAlias = bytes | bytearray | memoryview
_Scalar: TypeAlias = None | bool | int | float | Decimal | str | _Binary | date | time | datetime | timedelta | Interval
_Value: TypeAlias = _Scalar | Sequence[_Value]
_Params: TypeAlias = Sequence[_Value] | Mapping[str, _Value]
_Row: TypeAlias = tuple[Any, ...]

class _DeviceReport(TypedDict):
    name: str
    available: bool
    detail: str
    enable: list[str]

class _Counts(TypedDict):
    device: str
    operation: str
    format: str
    tried: int
    done: int
    side_by_side: int
    failed: int
    cancelled: int
    refused: dict[str, int]
    fell_back: dict[str, int]
    bytes_in: int
    bytes_out: int
    seconds: float

class _Written(TypedDict):
    rows: int
    bytes: int
    row_groups: int

class Error(Exception):
    """An error of Pelton, with its cause and a remedy. Base of all other errors of Pelton."""

class QueryError(Error):
    """A query that does not parse, names an unknown table or column, or fails in a computation."""

class TableError(Error):
    """Files or columns that make no table, or a file that can't be read or written."""

class MissingFileError(TableError, FileNotFoundError):
    """A location without a file."""

class DataError(Error, ValueError):
    """Data that is damaged, or of a kind that is not supported. Names file, row group, column and page."""

class OutOfMemory(Error, MemoryError):
    """The limit on memory was reached."""

@final
class Result:
    """The rows of a query, computed while they are taken.

    `to_arrow`, `fetchall`, `len` and the like keep them. A stream (`__arrow_c_stream__`), `iter_rows`, `fetchone`,
    `fetchmany` and an iteration hand rows on and keep none; later uses of the result run the query again. Methods raise
    the query's errors, at every later use again, and `KeyboardInterrupt` for Ctrl-C, which stops the query. `filter`,
    `project`, `aggregate`, `order` and `limit` write queries over this one: over the rows that it keeps, or its query.
    """

    def to_arrow(self) -> pyarrow.Table:
        """All rows. Views of text and bytes become `string` and `binary`; other types are the engine's."""

    def to_polars(self) -> polars.DataFrame:
        """All rows, sharing memory."""

    def to_pandas(self, **options: Any) -> pandas.DataFrame:
        """All rows; options are those of `pyarrow.Table.to_pandas`."""

    def to_pylist(self) -> list[dict[str, Any]]:
        """All rows, each a dict by column."""

    def fetchall(self) -> list[_Row]:
        """All rows, each a tuple in the columns' order; after `fetchone` or `fetchmany`, those that they have left."""

    def fetchone(self) -> _Row | None:
        """Takes the next row; None after the last."""

    def fetchmany(self, size: int = 1) -> list[_Row]:
        """Takes the next rows, up to `size`."""

    def iter_rows(self) -> Iterator[_Row]:
        """Takes the rows, one tuple after the other, as the query computes them."""

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows, and of columns."""

    @property
    def columns(self) -> list[str]:
        """The columns' names. Known before the query has run."""

    @property
    def types(self) -> list[str]:
        """The columns' types in SQL, such as "BIGINT". Known before the query has run."""

    @property
    def schema(self) -> pyarrow.Schema:
        """The columns as `to_arrow` has them. Known before the query has run."""

    @property
    def is_statement(self) -> bool:
        """Whether this is a statement such as INSERT, which ran to its end at once, and no query."""

    def filter(self, condition: str) -> Result:
        """The rows that meet a condition in SQL."""

    def project(self, *expressions: str) -> Result:
        """Expressions in SQL of each row, such as `project("city", "price * 2 AS twice")`."""

    def aggregate(self, *expressions: str, group_by: str | None = None) -> Result:
        """Aggregates in SQL, such as `aggregate("city", "avg(price)")`, for each value of the expressions that are none."""

    def order(self, *expressions: str) -> Result:
        """The rows in the order of expressions in SQL, such as `order("price DESC")`."""

    def limit(self, rows: int, offset: int = 0) -> Result:
        """The first rows after `offset` others."""

    def describe(self) -> Result:
        """A row of statistics about each column, as SUMMARIZE."""

    def show(self, rows: int = 10) -> None:
        """Prints the first rows as a table."""

    def write_parquet(
        self,
        path: _Path,
        codec: str = "gzip",
        level: int | None = None,
        *,
        row_group_rows: int | None = None,
        bloom_filters: bool = True,
    ) -> _Written:
        """Writes the rows as a Parquet file, as `pelton.write_parquet`."""

    def write_csv(
        self,
        path: _Path,
        *,
        header: bool = True,
        delimiter: str = ",",
        null: str = "",
        codec: str | None = None,
        level: int | None = None,
    ) -> int:
        """Writes the rows as a CSV file, and returns their number. A name that ends in .gz or .zst is compressed so."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[pyarrow.RecordBatch]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __arrow_c_schema__(self) -> object: ...
    def _repr_html_(self) -> str: ...

@final
class Profile:
    """Activity of one query over time, as a self-contained page of HTML. Notebooks show it."""

    @property
    def html(self) -> str:
        """The page."""

    @property
    def query(self) -> str:
        """The query's text."""

    @property
    def plan(self) -> str:
        """The plan, with the counts of its parts."""

    @property
    def seconds(self) -> float:
        """Time from the query's text to its last row."""

    @property
    def rows(self) -> int:
        """Rows that the query gave."""

    def save(self, path: _Path) -> None:
        """Writes the page to a file. Raises `OSError`."""

    def _repr_html_(self) -> str: ...

@final
class Prepared:
    """A statement that was parsed once, for several executions with other values."""

    def execute(self, params: _Params | None = None, /) -> Result:
        """Runs the statement with values for its parameters, as `Connection.execute`."""

    @property
    def sql(self) -> str:
        """The statement's text."""

    @property
    def parameters(self) -> list[str]:
        """The names of the parameters, without the `$`: "1", "2" and so on for those by position."""

@final
class Connection:
    """Tables, and the engine that queries them. Threads may share one; a child of a fork opens its own."""

    def sql(self, query: str, tables: _Tables | None = None, *, params: _Params | None = None) -> Result:
        """Runs one statement of SQL. `tables` are there for this query only. `params` are values as of `execute`."""

    def execute(self, query: str, params: _Params | None = None, tables: _Tables | None = None) -> Result:
        """Runs one statement with values for its parameters: a list or tuple for `?` or `$1`, a dict for `$name`."""

    def executemany(self, query: str, params: Iterable[_Params]) -> int:
        """Runs a statement such as INSERT once with each of several values. Returns the number of rows inserted."""

    def prepare(self, query: str) -> Prepared:
        """Parses a statement once, for several executions with other values of its parameters."""

    def table(self, name: str) -> Result:
        """The rows of a table or view."""

    def from_substrait(
        self, plan: ReadableBuffer | str, tables: _Tables | None = None, *, over: str | None = None
    ) -> Result:
        """Runs a plan of Substrait: bytes, or a text of JSON. With `over`, expressions over that table or file.

        Raises `QueryError` for a plan that needs what Pelton lacks, with all of it, and as `sql`.
        """

    @overload
    def to_substrait(
        self, query: str, tables: _Tables | None = None, *, format: Literal["bytes"] = "bytes"
    ) -> bytes:
        """The Substrait plan of a query, optimised: bytes, or with `format="json"` a text."""

    @overload
    def to_substrait(self, query: str, tables: _Tables | None = None, *, format: Literal["json"]) -> str: ...
    def register(self, name: str, table: _Table) -> None:
        """Gives a table a name, in place of an earlier table of that name. Rows in memory are not copied; iterables are read now.

        Raises `TypeError` for what is no table, `TableError` for columns or files that make none, `DataError` for Arrow data
        that contradicts itself, and whatever the object raises.
        """

    def unregister(self, name: str) -> None:
        """Forgets a table. Raises `KeyError` if there is none of the name."""

    def tables(self) -> list[str]:
        """The names of the tables, in order."""

    def explain(self, query: str, analyze: bool = False, tables: _Tables | None = None) -> str:
        """The plan as text; with `analyze` the query runs, and each part of the plan has its counts."""

    def profile(self, query: str, path: _Path | None = None, tables: _Tables | None = None) -> Profile:
        """Runs a query to its end, drops its rows, and records its activity over time; `path` gets the page."""

    def devices(self) -> list[_DeviceReport]:
        """The devices that Pelton knows of, accelerators first."""

    def stats(self) -> list[_Counts]:
        """The counts of each device for this connection, by operation and format. Seconds are summed over threads."""

    def close(self) -> None:
        """Stops the queries that run, and forgets the tables. Closing twice does nothing."""

    def __enter__(self) -> Connection: ...
    def __exit__(
        self, _type: type[BaseException] | None, _value: BaseException | None, _traceback: TracebackType | None
    ) -> None: ...

def sql(
    query: str,
    tables: _Tables | None = None,
    *,
    params: _Params | None = None,
    device: _Device | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
) -> Result:
    """Runs one statement of SQL over Parquet files and over rows that Python has.

    `params` are values as of `Connection.execute`. `device`: one or a list of `pelton.devices()`, "auto" for what is there. `threads`: as many as cores by default.
    `memory`: a limit in bytes, or text such as "2GB". Raises `QueryError`, `TableError`, `DataError`, `OutOfMemory`,
    `TypeError` for a table that is none, `ValueError` for a setting that is none.
    """

def connect(
    *,
    device: _Device | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
    verify_checksums: bool = False,
) -> Connection:
    """Opens a connection, which keeps tables and the data that was read of their files."""

def explain(
    query: str,
    analyze: bool = False,
    tables: _Tables | None = None,
    *,
    device: _Device | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
) -> str:
    """As `Connection.explain`."""

def profile(
    query: str,
    path: _Path | None = None,
    tables: _Tables | None = None,
    *,
    device: _Device | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
) -> Profile:
    """As `Connection.profile`."""

def read_parquet(
    path: _Paths,
    columns: Sequence[str] | None = None,
    filter: str | None = None,
    *,
    device: _Device | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
) -> Result:
    """Reads Parquet files: a file, a folder, a glob, a URL, or a list of these.

    `filter` is a condition in SQL; row groups and pages that it rules out are not read. Raises `MissingFileError`,
    `TableError`, `DataError`, and `QueryError` for columns that are not there.
    """

def write_parquet(
    data: _Table,
    path: _Path,
    codec: str = "gzip",
    level: int | None = None,
    *,
    row_group_rows: int | None = None,
    bloom_filters: bool = True,
    device: _Device | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
) -> _Written:
    """Writes a table as a Parquet file, whose pages the devices compress. It appears when it is whole.

    `codec`: "gzip" (levels 0 to 12), "zstd" (1 to 22), "snappy", "lz4_raw" or "none". `row_group_rows`: 1048576 by default.
    Returns `rows`, `bytes` of the file, and `row_groups`. Raises `ValueError` for a codec or level that is none, `TypeError`
    for data that is no table, `TableError` if the file can't be written, and whatever the data raises.
    """

def devices() -> list[_DeviceReport]:
    """The devices that Pelton knows of, accelerators first."""

def stats() -> list[_Counts]:
    """The counts of each device for calls of the package's functions without settings."""

def where_clause(condition: str) -> str:
    """The WHERE clause of a condition. Raises `QueryError` if it is not one expression."""

def version() -> str:
    """The version of the package."""

def cli(arguments: Sequence[str]) -> int:
    """Runs the `pelton` command, its name first among the arguments, and returns its exit code."""

# Compiled halves of `pelton._codec`, `pelton.gzip` and `pelton.zlib`.
codec: ModuleType
gzip: ModuleType
zlib: ModuleType
