"""Compression of buffers. Import `pelton`, not this."""

from ._pelton import codec as _codec

MAX_LENGTH = _codec.MAX_LENGTH
compress = _codec.compress
compress_batch = _codec.compress_batch
decompress = _codec.decompress
decompress_batch = _codec.decompress_batch
decompress_into = _codec.decompress_into
formats = _codec.formats
