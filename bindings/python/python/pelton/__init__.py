"""SQL over compressed Parquet and over DataFrames, on whatever device is fastest.

    >>> import pelton
    >>> pelton.sql("SELECT count(*) AS n FROM 'trips.parquet'").to_polars()
    >>> pelton.sql("SELECT city, avg(price) FROM t GROUP BY city", tables={"t": frame}).to_pandas()

``sql`` runs one query; ``connect`` keeps tables between queries. Results are rows of Python, and
Arrow for pyarrow, polars, pandas, DuckDB and any other library with Arrow's PyCapsule interface.
``pelton.dbapi`` is Python's database interface (PEP 249).
"""

from ._codec import (
    MAX_LENGTH,
    compress,
    compress_batch,
    decompress,
    decompress_batch,
    decompress_into,
    formats,
)
from ._pelton import (
    Connection,
    DataError,
    Error,
    MissingFileError,
    OutOfMemory,
    Prepared,
    Profile,
    QueryError,
    Result,
    TableError,
    connect,
    devices,
    explain,
    profile,
    read_parquet,
    sql,
    stats,
    version,
    write_parquet,
)
from ._values import Interval

__version__ = version()

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


def scan_parquet(path, *, device=None, threads=None, memory=None):
    """Returns Parquet files as a ``pyarrow.dataset.Dataset``, which reads rows on demand.

    ``path`` is a file, a folder, a glob, a URL, or a list of these; footers are read now. The other
    arguments are those of ``pelton.sql``. All users of datasets accept it: DuckDB by the variable's
    name, polars by ``scan_pyarrow_dataset``. Only the requested columns and the columns of a filter
    are read. A filter is a ``pyarrow.compute.Expression``, applied to the rows after reading, or a
    condition in SQL, which excludes row groups and pages before they are read.

    Needs pyarrow. Raises ``MissingFileError`` (a ``FileNotFoundError``), ``TableError`` or ``DataError``.
    """
    # On demand, as the module imports pyarrow, which takes longer than the rest of the package.
    from .dataset import Dataset

    return Dataset(path, {"device": device, "threads": threads, "memory": memory})


def __getattr__(name):
    # On demand, as these import the standard modules. The import sets the name here.
    if name in ("dbapi", "gzip", "zlib"):
        import importlib

        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
