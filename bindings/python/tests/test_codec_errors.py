"""What bad arguments and damaged data get: an exception that says what is wrong, and never a crash."""

import random
import unittest

import pelton

SEED = 7
FORMATS = pelton.formats()


class Arguments(unittest.TestCase):
    def test_wrong_types_name_the_argument(self):
        for wrong in (None, 5, "text", [], object()):
            for call in (pelton.compress, pelton.decompress):
                with self.assertRaisesRegex(TypeError, "^data: "):
                    call(wrong)
            with self.assertRaisesRegex(TypeError, r"^items\[1\]: "):
                pelton.decompress_batch([pelton.compress(b""), wrong])
            with self.assertRaisesRegex(TypeError, r"^items\[0\]: "):
                pelton.compress_batch([wrong])
            with self.assertRaisesRegex(TypeError, "^out: "):
                pelton.decompress_into(b"", wrong, "gzip")
        for one in (b"bytes", bytearray(), memoryview(b""), "text"):
            with self.assertRaisesRegex(TypeError, "^items: .*list"):
                pelton.decompress_batch(one)

    def test_buffers_that_are_none(self):
        with self.assertRaisesRegex(BufferError, "^data: "):
            pelton.decompress(memoryview(b"abcdef")[::2])
        with self.assertRaisesRegex(BufferError, "^out: "):
            pelton.decompress_into(pelton.compress(b""), b"can't be written to")
        released = memoryview(b"abc")
        released.release()
        with self.assertRaises(ValueError):
            pelton.decompress(released)

    def test_unknown_formats_and_levels(self):
        for call in (pelton.compress, pelton.decompress, lambda data, format: pelton.compress_batch([data], format)):
            with self.assertRaisesRegex(ValueError, "'zip'.*gzip.*snappy"):
                call(b"", "zip")
        for format, levels in {"gzip": (-1, 13), "zstd": (0, 23), "brotli": (-1, 12), "snappy": (1,), "lz4": (0,)}.items():
            for level in levels:
                with self.assertRaisesRegex(ValueError, f"{format} has no compression level {level}"):
                    pelton.compress(b"", format, level)
        with self.assertRaisesRegex(ValueError, "auto|format"):
            pelton.compress(b"", "auto")

    def test_unknown_devices(self):
        for call in (pelton.decompress_batch, pelton.compress_batch):
            for wrong in ("abacus", "", [], ["cpu", "cpu"], ["cpu", "abacus"]):
                with self.subTest(wrong=wrong), self.assertRaisesRegex(ValueError, "no device|twice"):
                    call([], device=wrong)
            for wrong in (1, b"cpu", [1]):
                with self.subTest(wrong=wrong), self.assertRaisesRegex(TypeError, "^device is a name"):
                    call([], device=wrong)

    def test_sizes_have_to_be_as_many_as_items(self):
        with self.assertRaisesRegex(ValueError, "^sizes: there are 1 for 2 items"):
            pelton.decompress_batch([b"", b""], "gzip", sizes=[5])

    def test_out_that_overlaps(self):
        memory = bytearray(pelton.compress(b"x" * 100) + bytes(200))
        with memoryview(memory) as view:
            # The data is copied where it can change, so that only what is read in place can overlap.
            self.assertEqual(pelton.decompress_into(view[:100], view[100:]), 100)


class Limits(unittest.TestCase):
    def test_max_length(self):
        for format in FORMATS:
            packed = pelton.compress(bytes(100_000), format)
            self.assertEqual(len(pelton.decompress(packed, format, max_length=100_000)), 100_000)
            for call in (
                lambda limit: pelton.decompress(packed, format, max_length=limit),
                lambda limit: pelton.decompress_batch([packed], format, max_length=limit),
                lambda limit: pelton.decompress(packed, format, size=100_000, max_length=limit),
            ):
                for limit in (0, 1, 5000, 99_999):
                    with self.assertRaisesRegex(pelton.DataError, "max_length"):
                        call(limit)

    def test_the_default_is_a_gibibyte(self):
        self.assertEqual(pelton.MAX_LENGTH, 1 << 30)
        # A gzip trailer that claims more than there can be is not believed, and nothing is allocated for it.
        packed = pelton.compress(b"x" * 100)[:-4] + b"\xff\xff\xff\xff"
        with self.assertRaisesRegex(pelton.DataError, "length"):
            pelton.decompress(packed)

    def test_wrong_sizes(self):
        for format in FORMATS:
            packed = pelton.compress(b"x" * 5000, format)
            for size in (0, 4999, 5001, 100_000):
                with self.subTest(format=format, size=size), self.assertRaises(pelton.DataError):
                    pelton.decompress(packed, format, size=size)
                with self.subTest(format=format, size=size), self.assertRaisesRegex(pelton.DataError, r"^items\[1\]: "):
                    pelton.decompress_batch([packed, packed], format, sizes=[5000, size])

    def test_out_that_is_too_small(self):
        with self.assertRaisesRegex(pelton.DataError, "more than the 99 bytes of out"):
            pelton.decompress_into(pelton.compress(b"x" * 100), bytearray(99))


class Damage(unittest.TestCase):
    PLAIN = b"".join(b"%d green bottles, " % (n % 13) for n in range(40)) + random.Random(SEED).randbytes(40)

    def outcome(self, call):
        try:
            return call()
        except pelton.DataError:
            return None

    def test_every_byte(self):
        for format in FORMATS:
            packed = pelton.compress(self.PLAIN, format)
            has_checksum = format in ("gzip", "zlib")
            for at in range(len(packed)):
                for flip in (0x01, 0x80, 0xFF):
                    damaged = bytearray(packed)
                    damaged[at] ^= flip
                    alone = self.outcome(lambda: pelton.decompress(damaged, format))
                    beside = self.outcome(lambda: pelton.decompress_batch([damaged, packed, packed], format)[0])
                    with self.subTest(format=format, at=at, flip=flip):
                        self.assertEqual(alone, beside)
                        if has_checksum:
                            self.assertIn(alone, (None, self.PLAIN))

    def test_every_length(self):
        for format in FORMATS:
            packed = pelton.compress(self.PLAIN, format)
            for length in range(len(packed)):
                with self.subTest(format=format, length=length):
                    given = self.outcome(lambda: pelton.decompress(packed[:length], format))
                    # Formats without an end mark may end anywhere between two of their elements.
                    self.assertTrue(given is None or format in ("lz4", "lz4-hadoop", "snappy") and self.PLAIN.startswith(given))

    def test_the_item_is_named(self):
        good = pelton.compress(self.PLAIN)
        for at in (0, 3, 199):
            items = [good] * 200
            items[at] = good[:-9]
            with self.assertRaisesRegex(pelton.DataError, rf"^items\[{at}\]: gzip: the input ends before"):
                pelton.decompress_batch(items)
            items[at] = b"neither"
            with self.assertRaisesRegex(pelton.DataError, rf"^items\[{at}\]: .*name its format"):
                pelton.decompress_batch(items)

    def test_it_is_a_value_error(self):
        self.assertTrue(issubclass(pelton.DataError, ValueError))
        self.assertTrue(issubclass(pelton.DataError, pelton.Error))

    def test_noise(self):
        chance = random.Random(SEED)
        for turn in range(300):
            noise = chance.randbytes(chance.randint(0, 300))
            for format in FORMATS:
                with self.subTest(seed=SEED, turn=turn, format=format):
                    self.outcome(lambda: pelton.decompress(noise, format, max_length=1 << 20))


if __name__ == "__main__":
    unittest.main()
