"""pelton.zlib beside the standard library's: the same calls, the same outcomes."""

import random
import threading
import unittest
import zlib as standard

from pelton import zlib

SEED = 41
WBITS = [15, 31, -15, 9, -9, 25, 12]


def plain(chance, most=300_000):
    length = chance.choice([0, 1, 50, 1000, 20_000, most])
    kind = chance.randrange(3)
    if kind == 0:
        return chance.randbytes(length)
    return bytes(chance.choices(b"abcdefghij \n" if kind == 1 else b"ab", k=length))


def pieces(chance, data):
    at = 0
    while at < len(data):
        length = chance.choice([1, 7, 100, 5000, 100_000])
        yield data[at : at + length]
        at += length


class BothWays(unittest.TestCase):
    def setUp(self):
        self.chance = random.Random(SEED)

    def test_whole_buffers(self):
        for turn in range(150):
            data, level, wbits = plain(self.chance), self.chance.randint(-1, 9), self.chance.choice(WBITS)
            with self.subTest(seed=SEED, turn=turn, level=level, wbits=wbits, length=len(data)):
                self.assertEqual(standard.decompress(zlib.compress(data, level, wbits=wbits), wbits), data)
                packed = standard.compress(data, level, wbits=wbits)
                for bufsize in (1, zlib.DEF_BUF_SIZE, len(data), len(data) + 100):
                    self.assertEqual(zlib.decompress(packed, wbits, bufsize), data)
                self.assertEqual(zlib.decompress(packed + b"more", wbits), data)
                if wbits > 0:
                    self.assertEqual(zlib.decompress(packed, 47), data)

    def test_streams_in_pieces(self):
        for turn in range(150):
            data, level, wbits = plain(self.chance), self.chance.randint(-1, 9), self.chance.choice(WBITS)
            strategy, memory = self.chance.randrange(5), self.chance.randint(1, 9)
            zdict = self.chance.choice([None, b"abcdefg" * 20])
            if wbits > 15:
                zdict = None
            named = {"zdict": zdict} if zdict else {}
            flush = self.chance.choice([0, 0, zlib.Z_SYNC_FLUSH, zlib.Z_FULL_FLUSH, zlib.Z_PARTIAL_FLUSH, zlib.Z_BLOCK])
            with self.subTest(seed=SEED, turn=turn, level=level, wbits=wbits, strategy=strategy, memory=memory, zdict=zdict, flush=flush):
                packed = []
                compressor = zlib.compressobj(level, zlib.DEFLATED, wbits, memory, strategy, **named)
                for piece in pieces(self.chance, data):
                    packed.append(compressor.compress(piece))
                    if self.chance.random() < 0.1:
                        packed.append(compressor.flush(flush))
                    if self.chance.random() < 0.02:
                        compressor = compressor.copy()
                packed = b"".join(packed) + compressor.flush()
                theirs = standard.decompressobj(wbits, **named)
                self.assertEqual(theirs.decompress(packed) + theirs.flush(), data)
                self.assertTrue(theirs.eof)
                ours, given = zlib.decompressobj(wbits, **named), []
                for piece in pieces(self.chance, packed + b"rest"):
                    most = self.chance.choice([0, 1, 100, 10_000])
                    given.append(ours.decompress(ours.unconsumed_tail + piece, most))
                    if self.chance.random() < 0.05:
                        ours = ours.copy()
                while ours.unconsumed_tail:
                    given.append(ours.decompress(ours.unconsumed_tail, 10_000))
                given.append(ours.flush())
                self.assertEqual(b"".join(given), data)
                self.assertEqual((ours.eof, ours.unused_data, ours.unconsumed_tail), (True, b"rest", b""))

    def test_a_sync_flush_gives_all_there_was(self):
        compressor, decompressor = zlib.compressobj(), zlib.decompressobj()
        for turn in range(50):
            data = plain(self.chance, 2000)
            packed = compressor.compress(data) + compressor.flush(zlib.Z_SYNC_FLUSH)
            self.assertEqual(decompressor.decompress(packed), data)

    def test_checksums(self):
        for turn in range(300):
            data = plain(self.chance, 70_000)
            for name in ("crc32", "adler32"):
                ours, theirs = getattr(zlib, name), getattr(standard, name)
                start = theirs(plain(self.chance, 100))
                with self.subTest(seed=SEED, turn=turn, name=name):
                    self.assertEqual(ours(data), theirs(data))
                    self.assertEqual(ours(data, start), theirs(data, start))
        for start in (-1, 1 << 40, 0xFFFFFFFF, True):
            self.assertEqual(zlib.crc32(b"abc", start), standard.crc32(b"abc", start))


class Errors(unittest.TestCase):
    def outcome(self, call):
        try:
            return call()
        except Exception as error:
            return type(error), str(error)

    def test_damage_is_reported_in_the_same_words(self):
        data = b"".join(b"%d, " % (n * n % 31) for n in range(60))
        same = total = 0
        for wbits in (15, 31):
            packed = standard.compress(data, wbits=wbits)
            cases = [packed[:length] for length in range(len(packed))]
            for at in range(len(packed)):
                for flip in (1, 0x80, 0xFF):
                    damaged = bytearray(packed)
                    damaged[at] ^= flip
                    cases.append(bytes(damaged))
            for case in cases:
                theirs = self.outcome(lambda: standard.decompress(case, wbits))
                ours = self.outcome(lambda: zlib.decompress(case, wbits))
                decompressor = zlib.decompressobj(wbits)
                streamed = self.outcome(lambda: decompressor.decompress(case) + decompressor.flush())
                with self.subTest(wbits=wbits, case=case):
                    # The class always; the words, where several things are wrong at once, may be about another of them.
                    self.assertEqual(isinstance(theirs, tuple), isinstance(ours, tuple))
                    if isinstance(theirs, tuple):
                        self.assertIs(ours[0], standard.error)
                        self.assertEqual(ours[1].split(":")[0], theirs[1].split(":")[0])
                        self.assertTrue(isinstance(streamed, tuple) or not decompressor.eof)
                    total += 1
                    same += ours == theirs
        self.assertGreater(same / total, 0.8)

    def test_arguments(self):
        calls = [
            lambda zlib: zlib.compress(b"", 10),
            lambda zlib: zlib.compress(b"", wbits=5),
            lambda zlib: zlib.decompress(b"", 100),
            lambda zlib: zlib.decompress(b"", bufsize=-1),
            lambda zlib: zlib.compressobj(10),
            lambda zlib: zlib.compressobj(wbits=7),
            lambda zlib: zlib.decompressobj(5),
            lambda zlib: zlib.decompressobj().decompress(b"", -1),
            lambda zlib: zlib.decompressobj().flush(0),
            lambda zlib: zlib.compressobj().flush(99),
            lambda zlib: zlib.decompressobj(zdict=b"x").decompress(standard.compressobj(zdict=b"abc").flush()),
        ]
        for number, call in enumerate(calls):
            ours, theirs = self.outcome(lambda: call(zlib)), self.outcome(lambda: call(standard))
            with self.subTest(number=number):
                self.assertEqual(ours[0], theirs[0], (ours, theirs))

    def test_the_error_is_the_standard_one(self):
        self.assertIs(zlib.error, standard.error)

    def test_nothing_is_missing(self):
        theirs = {name for name in dir(standard) if not name.startswith("_")}
        self.assertLessEqual(theirs, set(dir(zlib)))
        for name in theirs:
            if isinstance(getattr(standard, name), int):
                self.assertEqual(getattr(zlib, name), getattr(standard, name), name)


class Threads(unittest.TestCase):
    def test_threads_take_turns_with_an_object(self):
        compressor, packed, lock = zlib.compressobj(1, wbits=-15), [], threading.Lock()
        piece = random.Random(SEED).randbytes(50_000)

        def work():
            for _ in range(20):
                # Ordered by the lock; the object is used by others while one waits for it.
                with lock:
                    packed.append(compressor.compress(piece))
                compressor.copy()

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        data = standard.decompress(b"".join(packed) + compressor.flush(), -15)
        self.assertEqual(data, piece * 80)

    def test_calls_at_once_don_t_disturb_each_other(self):
        decompressor, given = zlib.decompressobj(), []
        packed = standard.compress(bytes(5_000_000))

        def work():
            given.append(decompressor.decompress(decompressor.unconsumed_tail, 10_000))

        given.append(decompressor.decompress(packed, 1000))
        threads = [threading.Thread(target=work) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual({bytes(piece).strip(b"\0") for piece in given}, {b""})


if __name__ == "__main__":
    unittest.main()
