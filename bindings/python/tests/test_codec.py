"""pelton.compress, decompress and their batches: what goes in comes out again."""

import array
import gzip
import mmap
import os
import random
import tempfile
import unittest
import zlib

import pelton

from support import python

SEED = 20261122
FORMATS = ["deflate", "zlib", "gzip", "lz4", "lz4-hadoop", "snappy", "zstd", "brotli"]
TOLD = ["gzip", "zlib", "zstd"]


def samples(seed=SEED):
    """Plain data of several kinds and lengths, around the sizes at which another way is taken."""
    chance = random.Random(seed)
    words = [chance.randbytes(chance.randint(1, 9)) for _ in range(200)]
    for length in (0, 1, 13, 100, 4095, 4096, 8192, 32768, 32769, 100_000, 1_000_000):
        yield bytes(length)
        yield chance.randbytes(length)
        yield b"".join(chance.choices(words, k=length // 4 + 1))[:length]


class RoundTrip(unittest.TestCase):
    def test_formats_are_those_of_the_docs(self):
        self.assertEqual(pelton.formats(), FORMATS)

    def test_every_format_gives_back_what_it_got(self):
        for plain in samples():
            for format in FORMATS:
                with self.subTest(format=format, length=len(plain), seed=SEED):
                    packed = pelton.compress(plain, format)
                    self.assertEqual(pelton.decompress(packed, format), plain)
                    self.assertEqual(pelton.decompress(packed, format, size=len(plain)), plain)
                    if format in TOLD:
                        self.assertEqual(pelton.decompress(packed), plain)

    def test_levels(self):
        plain = b"".join(b"%d apples, " % (n * n % 97) for n in range(3000))
        for format, levels in {"deflate": range(13), "zlib": range(13), "gzip": range(13), "zstd": range(1, 23), "brotli": range(12)}.items():
            sizes = [len(pelton.compress(plain, format, level)) for level in levels]
            self.assertLess(sizes[-1], sizes[0], format)
            for level in levels:
                self.assertEqual(pelton.decompress(pelton.compress(plain, format, level), format), plain)

    def test_the_standard_library_reads_and_writes_the_same(self):
        for plain in samples(SEED + 1):
            self.assertEqual(gzip.decompress(pelton.compress(plain)), plain)
            self.assertEqual(zlib.decompress(pelton.compress(plain, "zlib")), plain)
            self.assertEqual(zlib.decompress(pelton.compress(plain, "deflate"), -15), plain)
            self.assertEqual(pelton.decompress(gzip.compress(plain)), plain)
            self.assertEqual(pelton.decompress(zlib.compress(plain)), plain)

    def test_members_and_frames_that_follow_each_other_are_one_buffer(self):
        plain = random.Random(SEED).randbytes(50_000)
        for format in ("gzip", "zstd"):
            packed = b"".join(pelton.compress(plain[at : at + 7_000], format) for at in range(0, 50_000, 7_000))
            self.assertEqual(pelton.decompress(packed), plain)
            self.assertEqual(pelton.decompress_batch([packed, packed]), [plain, plain])
            # The size at the end, or at the start, is that of one of them.
            self.assertEqual(pelton.decompress(packed, size=len(plain)), plain)

    def test_bytes_after_the_end_are_ignored(self):
        for format in ("deflate", "zlib", "gzip", "zstd", "brotli"):
            packed = pelton.compress(b"some text", format) + b"and more"
            self.assertEqual(pelton.decompress(packed, format), b"some text", format)


class Batches(unittest.TestCase):
    def test_a_batch_gives_what_single_calls_give(self):
        plain = list(samples(SEED + 2))
        for format in FORMATS:
            packed = [pelton.compress(data, format) for data in plain]
            self.assertEqual(pelton.compress_batch(plain, format), packed)
            for options in ({}, {"threads": 1}, {"threads": 3}, {"sizes": [len(data) for data in plain]}):
                with self.subTest(format=format, **options):
                    self.assertEqual(pelton.decompress_batch(packed, format, **options), plain)

    def test_formats_may_be_mixed(self):
        plain = [b"a" * 3000, b"b" * 5000, b"c" * 10]
        packed = [pelton.compress(data, format) for data, format in zip(plain, TOLD)]
        self.assertEqual(pelton.decompress_batch(packed * 9), plain * 9)

    def test_many_small_ones_and_none(self):
        plain = [b"%d" % number * 20 for number in range(5000)]
        for format in ("gzip", "zlib", "snappy"):
            self.assertEqual(pelton.decompress_batch(pelton.compress_batch(plain, format), format), plain)
        self.assertEqual(pelton.decompress_batch([]), [])
        self.assertEqual(pelton.compress_batch([]), [])

    def test_any_sequence_will_do(self):
        packed = [pelton.compress(b"x")] * 3
        for items in (tuple(packed), iter(packed), (item for item in packed), dict.fromkeys(packed)):
            self.assertEqual(set(pelton.decompress_batch(items)), {b"x"})

    def test_both_ways_of_decoding_give_the_same(self):
        # Enough chunks of one class that each way has its turn, on data for which either may be the faster.
        chance = random.Random(SEED)
        for make in (lambda: bytes(chance.choices(b"abcdef ", k=6000)), lambda: b"%d;" % chance.getrandbits(9) * 3000):
            plain = [make() for _ in range(600)]
            packed = [zlib.compress(data) for data in plain]
            sizes = [len(data) for data in plain]
            for _ in range(3):
                self.assertEqual(pelton.decompress_batch(packed, "zlib", sizes=sizes), plain)

    def test_other_devices_give_the_same(self):
        plain = [bytes(random.Random(SEED + n).choices(b"ab cd", k=4000)) for n in range(40)]
        packed = pelton.compress_batch(plain, device="iaa-model")
        self.assertEqual([gzip.decompress(data) for data in packed], plain)
        for options in ({}, {"sizes": [4000] * 40}):
            self.assertEqual(pelton.decompress_batch(packed, device="iaa-model", **options), plain)

    def test_devices_are_named_as_for_connections(self):
        plain = [b"a" * 3000, b"b" * 5000]
        names = ("auto", "auto ", "cpu", " cpu", "iaa-model:devices=2,cpu")
        for device in (None, *names, ["cpu"], ("iaa-model", "cpu")):
            with self.subTest(device=device):
                packed = pelton.compress_batch(plain, device=device)
                self.assertEqual(pelton.decompress_batch(packed, device=device), plain)

    def test_devices_of_the_environment(self):
        program = """
            import pelton
            packed = pelton.compress_batch([b"abc"])
            print(pelton.decompress_batch(packed, device="auto"))
        """
        for devices in ("", "cpu", "iaa-model", "iaa-model, cpu"):
            code, out, err = python(program, env={**os.environ, "PELTON_DEVICES": devices})
            self.assertEqual((code, out, err), (0, "[b'abc']\n", ""), devices)
        code, _, err = python(program, env={**os.environ, "PELTON_DEVICES": "abacus"})
        self.assertEqual(code, 1)
        self.assertIn('ValueError: PELTON_DEVICES: there is no device "abacus"', err)


class Buffers(unittest.TestCase):
    PLAIN = array.array("i", range(5000))

    def test_whatever_exports_a_buffer_is_taken(self):
        plain = self.PLAIN.tobytes()
        packed = pelton.compress(self.PLAIN)
        self.assertEqual(pelton.decompress(packed), plain)
        kinds = [bytearray, memoryview, lambda data: memoryview(bytearray(data)).toreadonly(), lambda data: array.array("B", data)]
        for kind in kinds:
            self.assertEqual(pelton.decompress(kind(packed)), plain)
            self.assertEqual(pelton.decompress_batch([kind(packed)] * 3), [plain] * 3)
        self.assertEqual(pelton.decompress(memoryview(b"??" + packed)[2:]), plain)

    def test_a_mapped_file_is_taken(self):
        with tempfile.TemporaryFile() as file:
            file.write(pelton.compress(self.PLAIN))
            file.flush()
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
                self.assertEqual(pelton.decompress(mapped), self.PLAIN.tobytes())

    def test_decompress_into(self):
        plain = self.PLAIN.tobytes()
        for format in FORMATS:
            packed = pelton.compress(plain, format)
            for spare in (0, 1, 1000):
                out = bytearray(len(plain) + spare)
                self.assertEqual(pelton.decompress_into(packed, out, format), len(plain))
                self.assertEqual(out[: len(plain)], plain)
            out = array.array("i", bytes(len(plain)))
            self.assertEqual(pelton.decompress_into(packed, out, format), len(plain))
            self.assertEqual(out, self.PLAIN)
        self.assertEqual(pelton.decompress_into(pelton.compress(b""), bytearray()), 0)


class Modules(unittest.TestCase):
    def test_those_of_the_standard_librarys_names_need_no_import(self):
        code, out, errors = python(
            """
            import pelton
            assert "pelton.gzip" not in __import__("sys").modules
            print(pelton.gzip.decompress(pelton.gzip.compress(b"x")), pelton.zlib.decompress(pelton.zlib.compress(b"y")))
            import gzip, zlib
            assert gzip is not pelton.gzip and zlib is not pelton.zlib
            """
        )
        self.assertEqual((code, out), (0, "b'x' b'y'\n"), errors)


if __name__ == "__main__":
    unittest.main()
