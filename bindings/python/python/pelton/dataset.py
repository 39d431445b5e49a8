"""Parquet files as a pyarrow dataset that Pelton reads."""

try:
    import pyarrow as pa
    import pyarrow.compute
    import pyarrow.dataset
    import pyarrow.fs
except ModuleNotFoundError as error:
    if error.name.partition(".")[0] != "pyarrow":
        raise
    raise ModuleNotFoundError(
        "scan_parquet needs pyarrow, which is not here: pip install pyarrow, or call read_parquet", name="pyarrow"
    ) from error

from ._pelton import connect, where_clause

_TABLE = "files"

# Path that pyarrow's own code sees if it bypasses the methods below.
_BEHIND = "a dataset of Pelton's, which only its own methods read: scanner(), to_reader(), to_table()"


def _readable(dataset):
    return dataset._whole() if isinstance(dataset, Dataset) else dataset


def _quoted(name):
    return '"' + name.replace('"', '""') + '"'


class Dataset(pyarrow.dataset.FileSystemDataset):
    """Result of ``scan_parquet``. Overrides every method of pyarrow's class that would bypass it.

    pyarrow's C++ code expects a valid pointer in a dataset, and ends the process without one. Here
    it refers to an impossible file with an explanatory name, for ``Scanner.from_dataset`` and other
    code that bypasses the methods.
    """

    def __init__(self, path, settings):
        self._arguments = (path, settings)
        self._connection = connect(**settings)
        self._connection.register(_TABLE, path)
        self._schema = self._connection.sql(f"SELECT * FROM {_TABLE}").schema
        parquet, files = pyarrow.dataset.ParquetFileFormat(), pyarrow.fs.LocalFileSystem()
        super().__init__([parquet.make_fragment(_BEHIND, files)], self._schema, parquet, files)

    def __reduce__(self):
        return Dataset, self._arguments

    def __repr__(self):
        return f"<pelton.dataset.Dataset of {self._arguments[0]}>\n{self._schema}"

    @property
    def schema(self):
        """Returns the columns, as a ``pyarrow.Schema``."""
        return self._schema

    def scanner(self, columns=None, filter=None, **options):
        """Returns a scan: ``columns`` are names, or a dict of names and expressions; ``filter`` is an
        expression or SQL.

        Options of pyarrow's ``Scanner.from_batches`` that concern the execution are passed on.
        """
        where = ""
        if isinstance(filter, str):
            where, filter = where_clause(filter), None
        names = self._needed(columns, filter)
        # Without a column there would be no rows to count.
        names = names or self._schema.names[:1]
        query = f"SELECT {', '.join(map(_quoted, names))} FROM {_TABLE}{where}"
        schema = pa.schema([self._schema.field(name) for name in names])
        reader = pa.RecordBatchReader.from_stream(self._connection.sql(query), schema)
        allowed = ("batch_size", "use_threads", "memory_pool")
        options = {name: value for name, value in options.items() if name in allowed and value is not None}
        return pyarrow.dataset.Scanner.from_batches(reader, columns=columns, filter=filter, **options)

    def _needed(self, columns, filter):
        """Returns the columns to read, in the files' order: all that the arguments mention."""
        if columns is None:
            return self._schema.names
        wanted = set()
        texts = [] if filter is None else [str(filter)]
        if isinstance(columns, dict):
            texts += map(str, columns.values())
        else:
            wanted.update(columns)
            unknown = [name for name in columns if name not in self._schema.names]
            if unknown:
                raise KeyError(f"no column {unknown[0]!r}; there are {', '.join(self._schema.names)}")
        # Expressions don't list their columns. This finds too many rather than too few.
        if any("FieldPath" in text for text in texts):
            return self._schema.names
        wanted.update(name for name in self._schema.names if any(name in text for text in texts))
        return [name for name in self._schema.names if name in wanted]

    def to_reader(self, columns=None, filter=None, **options):
        """Returns the rows, batch by batch, as a ``pyarrow.RecordBatchReader``."""
        return self.scanner(columns, filter, **options).to_reader()

    def to_batches(self, columns=None, filter=None, **options):
        """Returns the rows as an iterator of ``pyarrow.RecordBatch``."""
        return self.scanner(columns, filter, **options).to_batches()

    def to_table(self, columns=None, filter=None, **options):
        """Returns the rows as a ``pyarrow.Table``."""
        return self.scanner(columns, filter, **options).to_table()

    def head(self, num_rows, columns=None, filter=None, **options):
        """Returns the first rows as a ``pyarrow.Table``."""
        return self.scanner(columns, filter, **options).head(num_rows)

    def take(self, indices, columns=None, filter=None, **options):
        """Returns rows by their positions as a ``pyarrow.Table``. All rows are read."""
        return self.to_table(columns, filter, **options).take(indices)

    def count_rows(self, filter=None, **options):
        """Returns the number of rows."""
        if filter is None or isinstance(filter, str):
            where = "" if filter is None else where_clause(filter)
            return self._connection.sql(f"SELECT count(*) AS n FROM {_TABLE}{where}").fetchall()[0][0]
        return self.scanner([], filter, **options).count_rows()

    def _whole(self):
        return pyarrow.dataset.InMemoryDataset(self.to_table())

    def filter(self, expression):
        """Returns the rows that meet an expression, read now, as a dataset."""
        return self._whole().filter(expression)

    def sort_by(self, sorting, **options):
        """Returns the rows in order, read now, as a dataset."""
        return self._whole().sort_by(sorting, **options)

    def join(self, right_dataset, *arguments, **options):
        """Returns a join of the rows, read now, as a dataset."""
        return self._whole().join(_readable(right_dataset), *arguments, **options)

    def join_asof(self, right_dataset, *arguments, **options):
        """Returns a join of the rows, read now, as a dataset."""
        return self._whole().join_asof(_readable(right_dataset), *arguments, **options)

    def get_fragments(self, filter=None):
        """Returns the rows, read now, as one fragment."""
        return self._whole().get_fragments(filter)

    def _get_fragments(self, filter):
        return self.get_fragments(filter)

    @property
    def files(self):
        """Not available: a location may be a folder, a glob or a URL."""
        raise NotImplementedError("a dataset of Pelton's does not list its files; pelton.sql has their rows")

    @property
    def partition_expression(self):
        """Returns a condition that is true of all rows."""
        return pyarrow.compute.scalar(True)

    def replace_schema(self, schema):
        """Not possible: the columns are those of the files."""
        raise NotImplementedError("a dataset of Pelton's has the columns of its files; cast the table that it gives")
