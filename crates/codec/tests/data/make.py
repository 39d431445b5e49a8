"""Makes the compressed files beside it from plain.txt, with implementations that Pelton does not use.

    python3 -m venv v && v/bin/pip install pyarrow && v/bin/python make.py

gzip: Python's own module (on the C zlib). brotli, snappy, lz4, zstd: the C and C++ libraries in pyarrow.
The files are committed; tests do not run this.
"""

import gzip
import io
import pathlib

import pyarrow

here = pathlib.Path(__file__).parent
plain = (here / "plain.txt").read_bytes()

half = len(plain) // 2
members = io.BytesIO()
for i, part in enumerate((plain[:half], b"", plain[half:])):
    with gzip.GzipFile(filename=f"part-{i}.txt", mode="wb", fileobj=members, mtime=1_700_000_000) as member:
        member.write(part)
(here / "members.gz").write_bytes(members.getvalue())

for codec in ("brotli", "snappy", "lz4_raw", "zstd"):
    (here / f"plain.{codec}").write_bytes(pyarrow.Codec(codec).compress(plain, asbytes=True))
