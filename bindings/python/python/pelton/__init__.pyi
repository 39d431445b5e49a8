from collections.abc import Sequence
from os import PathLike

import pyarrow.dataset

from ._pelton import (
    Connection as Connection,
    DataError as DataError,
    Error as Error,
    MissingFileError as MissingFileError,
    OutOfMemory as OutOfMemory,
    Prepared as Prepared,
    Profile as Profile,
    QueryError as QueryError,
    Result as Result,
    TableError as TableError,
    connect as connect,
    devices as devices,
    explain as explain,
    profile as profile,
    read_parquet as read_parquet,
    sql as sql,
    stats as stats,
    version as version,
    write_parquet as write_parquet,
)
from ._codec import MAX_LENGTH as MAX_LENGTH
from ._codec import compress as compress
from ._codec import compress_batch as compress_batch
from ._codec import decompress as decompress
from ._codec import decompress_batch as decompress_batch
from ._codec import decompress_into as decompress_into
from ._codec import formats as formats
from ._values import Interval as Interval
from . import dbapi as dbapi
from . import gzip as gzip
from . import zlib as zlib

__version__: str
__all__ = [
    "Connection",
    "DataError",
    "Error",
    "Interval",
    "MAX_LENGTH",
    "MissingFileError",
    "OutOfMemory",
    "Prepared",
    "Profile",
    "QueryError",
    "Result",
    "TableError",
    "compress",
    "compress_batch",
    "connect",
    "decompress",
    "decompress_batch",
    "decompress_into",
    "devices",
    "explain",
    "formats",
    "profile",
    "read_parquet",
    "scan_parquet",
    "sql",
    "stats",
    "write_parquet",
]

def scan_parquet(
    path: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    device: str | Sequence[str] | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
) -> pyarrow.dataset.Dataset:
    """Parquet files as a `pyarrow.dataset.Dataset`, which reads rows on demand.

    Only columns that are asked for, and those that a filter names, are read. A filter is a `pyarrow.compute.Expression`,
    applied to what was read, or a condition in SQL, by which row groups and pages are left out before they are read. Raises
    `MissingFileError`, `TableError` or `DataError`.
    """
