"""Faster version of the standard library's gzip, with the same interface.

    from pelton import gzip
    with gzip.open("log.gz", "rt") as lines: ...

This is the code of the running Python's standard module, over pelton.zlib and a reader of Pelton:
open, GzipFile, compress and decompress behave as there, with the same errors. Files of several
members, and files that are read at once, are read fastest.

register_fsspec() makes fsspec, and with it pandas, Dask and others, read and write gzip with this.
"""

import gzip as _gzip
import io as _io
import types as _types

from . import zlib as _zlib
from ._pelton import gzip as _native

BadGzipFile = _gzip.BadGzipFile

# Buffer size of a file that is read in lines or small pieces: Python 3.12's size of a read.
_BUFFER_SIZE = 128 * 1024

# Limit of a reach, which doubles with each read: Python's integers would grow without an end.
# Larger buffers are filled by several reads.
_LONGEST_REACH = 1 << 30


def _own_copy():
    """Returns a copy of the standard module, under this name, to replace parts of it without effect
    on other users of the original."""
    spec = _gzip.__spec__
    copy = _types.ModuleType(__name__)
    copy.__file__ = spec.origin
    exec(spec.loader.get_code(spec.name), copy.__dict__)
    copy.zlib = _zlib
    copy.BadGzipFile = BadGzipFile
    return copy


_standard = _own_copy()


class _GzipReader(_standard._GzipReader):
    """The decompressed bytes of a file. Rust code decompresses; seeking reads, as in the standard
    module."""

    def __init__(self, fp):
        super().__init__(fp)
        self._begin()

    def _begin(self):
        self._members = _native.Members(self._fp)
        # Short at first, so that a peek into a highly compressed file costs little.
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
        with memoryview(buffer) as view, view.cast("B") as output:
            wanted = len(output)
            with output[: self._reach] as part:
                count = self._members.read_into(part)
        self._reach = min(2 * self._reach, _LONGEST_REACH)
        self._advance(count, count == 0 and wanted > 0)
        return count

    def read(self, size=-1):
        if size is None or size < 0:
            return self.readall()
        output = bytearray(min(size, _BUFFER_SIZE))
        with memoryview(output) as view:
            count = self._members.read_into(view)
        self._advance(count, count == 0 and size > 0)
        return bytes(output[:count])

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
    decompressed = _native.decompress(data)
    # The standard module reports errors in its own words.
    return _standard.decompress(data) if decompressed is None else decompressed


def register_fsspec():
    """Make fsspec use this module for gzip: fsspec.open(url, compression="gzip"), and
    compression="infer" with names that end in gz.

    pandas.read_csv(url) of remote files and Dask use fsspec.
    """
    try:
        from fsspec.compression import register_compression
    except ModuleNotFoundError as error:
        if error.name.partition(".")[0] != "fsspec":
            raise
        raise ModuleNotFoundError("this needs fsspec, which is not here: pip install fsspec", name="fsspec") from error

    register_compression("gzip", lambda file, **named: GzipFile(fileobj=file, **named), "gz", force=True)


_standard._GzipReader = _GzipReader
_standard.GzipFile = GzipFile

READ, WRITE = _standard.READ, _standard.WRITE
compress = _standard.compress
open = _standard.open
main = _standard.main


def __getattr__(name):
    """Returns an undocumented name of the standard module, some of which programs use."""
    return getattr(_standard, name)


__all__ = ["BadGzipFile", "GzipFile", "compress", "decompress", "open", "register_fsspec"]

if __name__ == "__main__":
    main()
