"""The interface of the standard library's gzip, with this package's speed.

    from pelton import gzip
    with gzip.open("log.gz", "rt") as lines: ...

This is the standard module's own code, of the Python that runs it, over pelton.zlib and over a reader of Pelton's: open,
GzipFile, compress and decompress do what they do there, with the same errors. Files of several members are read faster than
others, and so is what is read whole.

register_fsspec() makes fsspec, and with it pandas, Dask and others, read and write gzip with this.
"""

import gzip as _gzip
import io as _io
import types as _types

from . import zlib as _zlib
from ._pelton import gzip as _native

BadGzipFile = _gzip.BadGzipFile

# What a file gives at once to those who read lines or small pieces: as much as Python 3.12 reads of it at once.
_BUFFER_SIZE = 128 * 1024

# Where a reach ends that is doubled with each read: Python's integers have no end, and would grow by a bit
# each time. Few buffers are larger; those are filled by several reads.
_LONGEST_REACH = 1 << 30


def _own_copy():
    """The standard module once more, under this name, so that it can be given other parts without anybody else noticing."""
    spec = _gzip.__spec__
    copy = _types.ModuleType(__name__)
    copy.__file__ = spec.origin
    exec(spec.loader.get_code(spec.name), copy.__dict__)
    copy.zlib = _zlib
    copy.BadGzipFile = BadGzipFile
    return copy


_standard = _own_copy()


class _GzipReader(_standard._GzipReader):
    """The plain bytes of a file. What decompresses is in Rust; to seek is to read, as in the standard module."""

    def __init__(self, fp):
        super().__init__(fp)
        self._begin()

    def _begin(self):
        self._members = _native.Members(self._fp)
        # Short at first, so that a look at a file that decompresses to very much costs little.
        self._reach = _io.DEFAULT_BUFFER_SIZE

    def _rewind(self):
        super()._rewind()
        self._begin()

    def _advance(self, count, is_end):
        self._pos += count
        self._last_mtime = self._members.mtime
        if is_end:
            self._size = self._pos

    def readinto(self, buffer):
        with memoryview(buffer) as view, view.cast("B") as room:
            wanted = len(room)
            with room[: self._reach] as part:
                count = self._members.read_into(part)
        self._reach = min(2 * self._reach, _LONGEST_REACH)
        self._advance(count, count == 0 and wanted > 0)
        return count

    def read(self, size=-1):
        if size is None or size < 0:
            return self.readall()
        room = bytearray(min(size, _BUFFER_SIZE))
        with memoryview(room) as view:
            count = self._members.read_into(view)
        self._advance(count, count == 0 and size > 0)
        return bytes(room[:count])

    def readall(self):
        data = self._members.read_all()
        self._advance(len(data), True)
        return data


class GzipFile(_standard.GzipFile):
    __doc__ = _gzip.GzipFile.__doc__

    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        if self.mode == READ:
            self._buffer = _io.BufferedReader(self._buffer.detach(), _BUFFER_SIZE)


def decompress(data):
    """Decompress all members of a buffer."""
    plain = _native.decompress(data)
    # What is wrong with it, the standard module says in its own words.
    return _standard.decompress(data) if plain is None else plain


def register_fsspec():
    """Make fsspec use this module for gzip: fsspec.open(url, compression="gzip"), and compression="infer" with names that end in gz.

    pandas.read_csv(url) of remote files and Dask go through it.
    """
    from fsspec.compression import register_compression

    register_compression("gzip", lambda file, **named: GzipFile(fileobj=file, **named), "gz", force=True)


_standard._GzipReader = _GzipReader
_standard.GzipFile = GzipFile

READ, WRITE = _standard.READ, _standard.WRITE
compress = _standard.compress
open = _standard.open
main = _standard.main


def __getattr__(name):
    """What else the standard module has: it has more names than it documents, and some are used."""
    return getattr(_standard, name)


__all__ = ["BadGzipFile", "GzipFile", "compress", "decompress", "open", "register_fsspec"]

if __name__ == "__main__":
    main()
