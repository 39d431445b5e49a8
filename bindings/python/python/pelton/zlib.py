"""Faster version of the standard library's zlib, with the same interface.

    from pelton import zlib
    zlib.decompress(data)

Functions, objects, constants and errors are those of the standard module; error is its class, so
that programs which catch zlib.error catch these. Pelton's codecs compress and decompress whole
buffers; zlib-rs handles streams in pieces. Compressed bytes differ from zlib's, and between
compress() and compressobj(); they decompress to the same.
"""

from zlib import error

from ._pelton import zlib as _zlib

adler32 = _zlib.adler32
compress = _zlib.compress
compressobj = _zlib.compressobj
crc32 = _zlib.crc32
decompress = _zlib.decompress
decompressobj = _zlib.decompressobj

# As in zlib.h.
MAX_WBITS = 15
DEFLATED = 8
DEF_MEM_LEVEL = 8
DEF_BUF_SIZE = 16384
Z_NO_COMPRESSION = 0
Z_BEST_SPEED = 1
Z_BEST_COMPRESSION = 9
Z_DEFAULT_COMPRESSION = -1
Z_FILTERED = 1
Z_HUFFMAN_ONLY = 2
Z_RLE = 3
Z_FIXED = 4
Z_DEFAULT_STRATEGY = 0
Z_NO_FLUSH = 0
Z_PARTIAL_FLUSH = 1
Z_SYNC_FLUSH = 2
Z_FULL_FLUSH = 3
Z_FINISH = 4
Z_BLOCK = 5
Z_TREES = 6

# Python's own gzip module uses this from 3.12 on.
_ZlibDecompressor = _zlib._ZlibDecompressor

# zlib's version, by zlib-rs.
ZLIB_VERSION = ZLIB_RUNTIME_VERSION = _zlib.version().partition("-")[0]

__all__ = [
    "DEFLATED", "DEF_BUF_SIZE", "DEF_MEM_LEVEL", "MAX_WBITS", "ZLIB_RUNTIME_VERSION", "ZLIB_VERSION",
    "Z_BEST_COMPRESSION", "Z_BEST_SPEED", "Z_BLOCK", "Z_DEFAULT_COMPRESSION", "Z_DEFAULT_STRATEGY", "Z_FILTERED",
    "Z_FINISH", "Z_FIXED", "Z_FULL_FLUSH", "Z_HUFFMAN_ONLY", "Z_NO_COMPRESSION", "Z_NO_FLUSH", "Z_PARTIAL_FLUSH", "Z_RLE",
    "Z_SYNC_FLUSH", "Z_TREES", "adler32", "compress", "compressobj", "crc32", "decompress", "decompressobj", "error",
]
