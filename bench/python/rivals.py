"""Who decompresses: a function of a list of gzip buffers and their plain sizes, for each library.

Every library gets what it is fastest with: the size where it takes one, and for two threads a list for each of them instead of
a task for each buffer.
"""

import concurrent.futures
import importlib.metadata
import zlib


def _zlib(items, sizes):
    return [zlib.decompress(item, 31, size) for item, size in zip(items, sizes)]


def _isal(items, sizes):
    from isal import isal_zlib

    decompress = isal_zlib.decompress
    return [decompress(item, 31, size) for item, size in zip(items, sizes)]


def _zlib_ng(items, sizes):
    from zlib_ng import zlib_ng

    decompress = zlib_ng.decompress
    return [decompress(item, 31, size) for item, size in zip(items, sizes)]


def _cramjam(items, sizes):
    from cramjam import gzip

    decompress = gzip.decompress
    return [decompress(item, size) for item, size in zip(items, sizes)]


def _libdeflate(items, sizes):
    import deflate

    decompress = deflate.gzip_decompress
    return [decompress(item, size) for item, size in zip(items, sizes)]


def _pelton(items, sizes):
    import pelton

    return pelton.decompress_batch(items, "gzip", threads=1)


def _pelton_two(items, sizes):
    import pelton

    return pelton.decompress_batch(items, "gzip", threads=2)


_POOL = concurrent.futures.ThreadPoolExecutor(2)


def _halves(function):
    """The same on two threads."""

    def run(items, sizes):
        half = len(items) // 2
        first = _POOL.submit(function, items[:half], sizes[:half])
        second = _POOL.submit(function, items[half:], sizes[half:])
        return first.result() + second.result()

    return run


ONE = {
    "pelton": _pelton,
    "libdeflate": _libdeflate,
    "isal": _isal,
    "zlib-ng": _zlib_ng,
    "cramjam": _cramjam,
    "zlib": _zlib,
}
TWO = {name: _pelton_two if name == "pelton" else _halves(function) for name, function in ONE.items()}


def versions():
    """The packages, with what they bring."""
    packages = {"libdeflate": "deflate", "isal": "isal", "zlib-ng": "zlib-ng", "cramjam": "cramjam"}
    found = [f"{name} (package {package} {importlib.metadata.version(package)})" for name, package in packages.items()]
    return [*found, f"zlib {zlib.ZLIB_RUNTIME_VERSION}"]
