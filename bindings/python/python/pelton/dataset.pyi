"""Parquet files as a dataset of pyarrow's, read by Pelton."""

from collections.abc import Sequence
from os import PathLike
from typing import Any

import pyarrow.dataset

def scan_parquet(
    path: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    device: str | Sequence[str] | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
) -> pyarrow.dataset.Dataset:
    """Parquet files as a `pyarrow.dataset.Dataset` that is read when it is asked for rows.

    Only columns that are asked for, and those that a filter names, are read. A filter is a `pyarrow.compute.Expression`,
    applied to what was read, or a condition in SQL, by which row groups and pages are left out before they are read. Raises
    `MissingFileError`, `TableError` or `DataError`.
    """

def __getattr__(name: str) -> Any: ...
