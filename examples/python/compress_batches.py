"""Compresses many buffers in one call, and reads a gzip file with the standard library's interface.

    pip install ./bindings/python
    python examples/python/compress_batches.py
"""

import pathlib
import tempfile

import pelton
from pelton import gzip

pages = [f"{number % 97:05}\n".encode() * 8_192 for number in range(100)]

# One call for many buffers: several are decoded at a time on each thread.
packed = pelton.compress_batch(pages, "gzip", level=6)
assert pelton.decompress_batch(packed) == pages
print(f"{sum(map(len, pages))} bytes as {sum(map(len, packed))}")

# The module has the interface of the standard library's gzip.
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder, "pages.gz")
    with gzip.open(path, "wb") as file:
        file.writelines(pages)
    with gzip.open(path, "rt") as file:
        print(f"{sum(1 for _ in file)} lines in {path.name}")

# Damaged data is an error with its place in the batch.
try:
    pelton.decompress_batch([packed[0], packed[1][:-4]])
except pelton.DataError as error:
    print(error)
