"""Parquet files as a pyarrow dataset that Pelton reads."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn, TypeAlias

import pyarrow
import pyarrow.compute
import pyarrow.dataset

_Columns: TypeAlias = Sequence[str] | Mapping[str, pyarrow.compute.Expression] | None
_Filter: TypeAlias = pyarrow.compute.Expression | str | None

class Dataset(pyarrow.dataset.FileSystemDataset):  # type: ignore[misc]
    """Result of `scan_parquet`. Filters are pyarrow expressions, or SQL."""

    def __init__(self, path: object, settings: dict[str, Any]) -> None: ...
    def __reduce__(self) -> tuple[type[Dataset], tuple[object, dict[str, Any]]]: ...
    @property
    def schema(self) -> pyarrow.Schema:
        """The columns."""

    def scanner(self, columns: _Columns = None, filter: _Filter = None, **options: Any) -> pyarrow.dataset.Scanner:
        """A scan of names, or of a dict of names and expressions."""

    def to_reader(self, columns: _Columns = None, filter: _Filter = None, **options: Any) -> pyarrow.RecordBatchReader:
        """The rows, batch by batch."""

    def to_batches(self, columns: _Columns = None, filter: _Filter = None, **options: Any) -> Iterator[pyarrow.RecordBatch]:
        """The rows, batch by batch."""

    def to_table(self, columns: _Columns = None, filter: _Filter = None, **options: Any) -> pyarrow.Table:
        """The rows."""

    def head(self, num_rows: int, columns: _Columns = None, filter: _Filter = None, **options: Any) -> pyarrow.Table:
        """The first rows."""

    def take(self, indices: Any, columns: _Columns = None, filter: _Filter = None, **options: Any) -> pyarrow.Table:
        """Rows by their positions. All rows are read."""

    def count_rows(self, filter: _Filter = None, **options: Any) -> int:
        """The number of rows."""

    def filter(self, expression: pyarrow.compute.Expression) -> pyarrow.dataset.Dataset:
        """The rows that meet an expression, read now."""

    def sort_by(self, sorting: Any, **options: Any) -> pyarrow.dataset.Dataset:
        """The rows in order, read now."""

    def join(self, right_dataset: pyarrow.dataset.Dataset, *arguments: Any, **options: Any) -> pyarrow.dataset.Dataset:
        """A join of the rows, read now."""

    def join_asof(self, right_dataset: pyarrow.dataset.Dataset, *arguments: Any, **options: Any) -> pyarrow.dataset.Dataset:
        """A join of the rows, read now."""

    def get_fragments(self, filter: _Filter = None) -> Iterator[pyarrow.dataset.Fragment]:
        """The rows, read now, as one fragment."""

    @property
    def files(self) -> NoReturn:
        """Not available: a location may be a folder, a glob or a URL."""

    @property
    def partition_expression(self) -> pyarrow.compute.Expression:
        """A condition that is true of all rows."""

    def replace_schema(self, schema: pyarrow.Schema) -> NoReturn:
        """Not possible: the columns are those of the files."""
