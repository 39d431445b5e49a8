"""What is decompressed: TPC-H's lineitem and orders as text, as columns and as JSON, in blocks that know nothing of each other."""

import itertools
import json
import os
import pathlib

# As other benchmarks do: large enough that results don't stay in the caches.
TOTAL = 8 << 20
SIZES = {"4K": 4 << 10, "16K": 16 << 10, "64K": 64 << 10, "256K": 256 << 10, "1M": 1 << 20}


def folder(scale_factor=1):
    """Where `pelton tpch` and `pelton-bench tpch` leave the tables."""
    named = os.environ.get("PELTON_TPCH")
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    return pathlib.Path(named) if named else cache / "pelton" / f"tpch-sf{scale_factor}-gzip"


def _rows(table, columns=None):
    import pyarrow.parquet as parquet

    file = parquet.ParquetFile(folder() / f"{table}.parquet")
    for batch in file.iter_batches(batch_size=10_000, columns=columns):
        yield batch


def _fill(pieces):
    """The first TOTAL bytes of some pieces."""
    taken, length = [], 0
    for piece in pieces:
        taken.append(piece)
        length += len(piece)
        if length >= TOTAL:
            break
    data = b"".join(taken)
    return (data * (TOTAL // len(data) + 1))[:TOTAL]


def text():
    """Lines as dbgen writes them."""
    lines = ("|".join(map(str, row.values())) + "|\n" for batch in _rows("lineitem") for row in batch.to_pylist())
    return _fill(line.encode() for line in lines)


def columns():
    """Values as they are in memory: prices of 8 bytes each, keys, and the comments' bytes, in turn as row groups have them."""
    names = ["l_orderkey", "l_extendedprice", "l_comment"]

    def buffers():
        for batch in _rows("lineitem", names):
            for column in batch.columns:
                yield bytes(column.buffers()[-1])

    return _fill(buffers())


def documents():
    """A JSON document a line."""
    rows = (json.dumps(row, default=str) + "\n" for batch in _rows("orders") for row in batch.to_pylist())
    return _fill(row.encode() for row in rows)


KINDS = {"text": text, "columns": columns, "json": documents}


def blocks(data, size):
    """The data in blocks."""
    return [data[start : start + size] for start in itertools.takewhile(lambda at: at < len(data), itertools.count(0, size))]
