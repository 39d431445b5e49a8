"""Writes compressed files of all kinds into a folder, or reads and checks them there: exchange.py write|read FOLDER.

Prints their number."""

import gzip
import io
import os
import random
import sys
import tarfile
import zipfile
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

numbers = random.Random(4)
NOISE = numbers.randbytes(50_000)
TEXT = "".join(f"{n}|{numbers.choice(['final', 'ironic'])} deposits|{n * n % 1009}\n" for n in range(6000)).encode()
SAMPLES = {"empty": b"", "short": b"a word", "text": TEXT, "noise": NOISE, "mixed": TEXT + bytes(70_000) + NOISE + TEXT}
DICTIONARY = b"|final deposits|ironic deposits|" * 20
FLUSHES = [zlib.Z_NO_FLUSH, zlib.Z_PARTIAL_FLUSH, zlib.Z_SYNC_FLUSH, zlib.Z_FULL_FLUSH, zlib.Z_BLOCK]


def deflate(data, level, bits, memory, strategy, flush, dictionary):
    """Compresses a stream in pieces, with a flush after each, and a copy from midway, which has to end in the same way."""
    options = (level, zlib.DEFLATED, bits, memory, strategy)
    stream = zlib.compressobj(*options, DICTIONARY) if dictionary else zlib.compressobj(*options)
    out = b""
    for at in range(0, len(data), 20_011):
        out += stream.compress(data[at:at + 20_011])
        if flush != zlib.Z_NO_FLUSH:
            out += stream.flush(flush)
    copy = stream.copy()
    end = stream.flush()
    assert copy.flush() == end, "the copy of a stream ends otherwise"
    return out + end


def inflate(stream, bits, dictionary):
    """Decompresses a stream with little output at a time, and with data after its end."""
    known = {"zdict": DICTIONARY} if dictionary else {}
    reader = zlib.decompressobj(bits, **known)
    out, rest = b"", stream + b"after"
    while not reader.eof:
        piece = reader.decompress(rest[:9_001], 30_000)
        # At the end, the rest of a piece may be in the tail, too.
        rest = (b"" if reader.eof else reader.unconsumed_tail) + rest[9_001:]
        assert piece or rest or reader.eof, "the stream has no end"
        out += piece
    assert reader.unused_data + rest == b"after", "bytes after the stream"
    return out


def streams():
    """Yields each setting of a stream with some of the others."""
    for name in SAMPLES:
        for number, level in enumerate(range(-1, 10)):
            for strategy in range(5):
                for flush in FLUSHES:
                    turn = number + strategy + flush
                    bits = (15, -15, 31, 12, -9, 26)[turn % 6]
                    yield name, level, bits, 1 + turn % 9, strategy, flush, turn % 4 == 0 and bits < 16


def exchange_stream(folder, write, settings):
    name, level, bits, memory, strategy, flush, dictionary = settings
    path = folder / "-".join(map(str, settings))
    if write:
        path.write_bytes(deflate(SAMPLES[name], *settings[1:]))
    else:
        assert inflate(path.read_bytes(), bits, dictionary) == SAMPLES[name], settings


def exchange_forked(folder, write):
    """Compresses a stream whose beginning two processes share, and each of them ends."""
    path, data = folder / "forked", SAMPLES["mixed"]
    if not write:
        assert zlib.decompress(path.read_bytes()) == data, "a forked process wrote something else"
        return
    stream = zlib.compressobj()
    begun = stream.compress(data[:200_000])
    child = os.fork()
    whole = begun + stream.compress(data[200_000:]) + stream.flush()
    if child == 0:
        path.write_bytes(whole)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0, "the forked process failed"
    assert path.read_bytes() == whole, "the forked process ended the stream otherwise"


def exchange_calls(folder, write, name, data):
    """Writes or reads whole buffers, and files."""
    if write:
        (folder / f"{name}.zlib").write_bytes(zlib.compress(data))
        (folder / f"{name}.gz").write_bytes(gzip.compress(data, 9) + gzip.compress(data[::-1], 1))
        with zipfile.ZipFile(folder / f"{name}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("one", data)
            archive.writestr("two", data[::-1], compresslevel=1)
        with tarfile.open(folder / f"{name}.tar.gz", "w:gz") as archive:
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
        return
    assert zlib.decompress((folder / f"{name}.zlib").read_bytes()) == data, name
    with gzip.open(folder / f"{name}.gz") as members:
        assert members.read() == data + data[::-1], name
        members.seek(len(data) // 2)
        assert members.read(1000) == (data + data[::-1])[len(data) // 2:][:1000], name
    with zipfile.ZipFile(folder / f"{name}.zip") as archive:
        assert archive.testzip() is None, name
        assert (archive.read("one"), archive.read("two")) == (data, data[::-1]), name
    with tarfile.open(folder / f"{name}.tar.gz") as archive:
        assert archive.extractfile(name).read() == data, name


def main(what, place):
    folder, write = Path(place), what == "write"
    with ThreadPoolExecutor(4) as pool:
        count = len(list(pool.map(lambda settings: exchange_stream(folder, write, settings), streams())))
    exchange_forked(folder, write)
    for name, data in SAMPLES.items():
        exchange_calls(folder, write, name, data)
        count += 4
    print(count)


main(*sys.argv[1:])
