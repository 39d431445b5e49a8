# The standard module's own declarations, and one function more.
from gzip import (
    READ as READ,
    WRITE as WRITE,
    BadGzipFile as BadGzipFile,
    GzipFile as GzipFile,
    compress as compress,
    decompress as decompress,
    open as open,
)

__all__ = ["BadGzipFile", "GzipFile", "compress", "decompress", "open", "register_fsspec"]

def register_fsspec() -> None: ...
def main() -> None: ...
