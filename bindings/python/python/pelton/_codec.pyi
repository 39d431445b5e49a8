from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from _typeshed import ReadableBuffer, WriteableBuffer

_Format: TypeAlias = Literal["deflate", "zlib", "gzip", "lz4", "lz4-hadoop", "snappy", "zstd", "brotli"]
_FormatOrAuto: TypeAlias = Literal["auto"] | _Format
_Device: TypeAlias = str | Sequence[str]

MAX_LENGTH: int

def compress(data: ReadableBuffer, format: _Format = "gzip", level: int | None = None) -> bytes: ...
def compress_batch(
    items: Iterable[ReadableBuffer],
    format: _Format = "gzip",
    level: int | None = None,
    *,
    device: _Device | None = None,
    threads: int | None = None,
) -> list[bytes]: ...
def decompress(
    data: ReadableBuffer, format: _FormatOrAuto = "auto", *, size: int | None = None, max_length: int = 1073741824
) -> bytes: ...
def decompress_batch(
    items: Iterable[ReadableBuffer],
    format: _FormatOrAuto = "auto",
    *,
    sizes: Sequence[int | None] | None = None,
    max_length: int = 1073741824,
    device: _Device | None = None,
    threads: int | None = None,
) -> list[bytes]: ...
def decompress_into(data: ReadableBuffer, out: WriteableBuffer, format: _FormatOrAuto = "auto") -> int: ...
def formats() -> list[str]: ...
