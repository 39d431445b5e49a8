"""pelton.gzip beside the standard library's."""

import gzip as standard
import importlib.util
import io
import os
import pathlib
import random
import tempfile
import unittest

from pelton import gzip

SEED = 3


def lines(count):
    chance = random.Random(SEED)
    return b"".join(b"%d %s\n" % (number, chance.randbytes(5).hex().encode()) for number in range(count))


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "file.gz"

    def test_each_reads_what_the_other_writes(self):
        data = lines(30_000)
        for length in (0, 1, 100, 300_000, len(data)):
            for writer, reader in ((gzip, standard), (standard, gzip), (gzip, gzip)):
                with writer.open(self.path, "wb") as file:
                    for at in range(0, length, 70_000):
                        file.write(data[at : min(at + 70_000, length)])
                with reader.open(self.path) as file:
                    self.assertEqual(file.read(), data[:length])
                self.assertEqual(reader.decompress(writer.compress(data[:length])), data[:length])

    def members(self):
        chance, data = random.Random(SEED), lines(40_000)
        packed, at = b"", 0
        while at < len(data):
            length = chance.choice([0, 1, 100, 60_000, 300_000])
            packed += standard.compress(data[at : at + length], chance.randint(1, 9), mtime=at) + bytes(chance.choice([0, 0, 5]))
            at += length
        return packed, data

    def test_members_and_padding(self):
        packed, data = self.members()
        self.assertEqual(gzip.decompress(packed), data)
        self.assertEqual(gzip.GzipFile(fileobj=io.BytesIO(packed)).read(), data)
        with gzip.GzipFile(fileobj=io.BytesIO(packed)) as file:
            self.assertEqual(b"".join(file), data)

    def test_reads_of_all_kinds(self):
        packed, data = self.members()
        chance = random.Random(SEED)
        with gzip.GzipFile(fileobj=io.BytesIO(packed)) as file:
            at = 0
            for turn in range(400):
                self.assertEqual(file.tell(), at, (SEED, turn))
                kind, size = chance.randrange(7), chance.choice([0, 1, 10, 5000, 200_000])
                if kind == 0:
                    at = chance.randrange(len(data))
                    self.assertEqual(file.seek(at), at)
                elif kind == 1:
                    self.assertEqual(file.peek(1)[:1], data[at : at + 1])
                elif kind == 2:
                    room = bytearray(size)
                    count = file.readinto(room)
                    self.assertEqual(room[:count], data[at : at + count])
                    at += count
                else:
                    given = {3: file.read, 4: file.read1, 5: file.readline, 6: lambda size: b"".join(file.readlines(size or 1))}[kind](size)
                    self.assertEqual(given, data[at : at + len(given)], (SEED, turn))
                    if kind == 3:
                        self.assertEqual(len(given), min(size, len(data) - at))
                    at += len(given)

    def test_what_is_read_at_once_has_an_end(self):
        packed = b"".join(standard.compress(b"%d," % number) for number in range(500))
        with gzip.GzipFile(fileobj=io.BytesIO(packed)) as file:
            reader, room, data = file._buffer.raw, bytearray(2), b""
            while count := reader.readinto(room):
                data += room[:count]
        self.assertEqual(data, standard.decompress(packed))
        self.assertLessEqual(reader._reach, 1 << 30)

    def test_a_reader_that_gives_little_at_once(self):
        packed, data = self.members()

        class Slow(io.RawIOBase):
            def __init__(self):
                self.file, self.chance = io.BytesIO(packed), random.Random(SEED)

            def readable(self):
                return True

            def read(self, size=-1):
                return self.file.read(self.chance.randint(1, 3000))

        self.assertEqual(gzip.GzipFile(fileobj=Slow()).read(), data)
        with gzip.GzipFile(fileobj=Slow()) as file:
            self.assertEqual(b"".join(iter(lambda: file.read(1234), b"")), data)

    def test_text(self):
        with gzip.open(self.path, "wt", encoding="utf-8") as file:
            file.write("für\nalle\n")
        with gzip.open(self.path, "rt", encoding="utf-8") as file:
            self.assertEqual(file.readlines(), ["für\n", "alle\n"])


class Damage(unittest.TestCase):
    def outcome(self, call):
        try:
            return call()
        except Exception as error:
            return type(error)

    def test_every_byte_and_every_length(self):
        packed = standard.compress(lines(30), mtime=7) + standard.compress(b"second member", mtime=7)
        cases = [packed[:length] for length in range(len(packed))]
        for at in range(len(packed)):
            for flip in (1, 0xFF):
                cases.append(packed[:at] + bytes([packed[at] ^ flip]) + packed[at + 1 :])
        for case in cases:
            with self.subTest(case=case):
                theirs = self.outcome(lambda: standard.GzipFile(fileobj=io.BytesIO(case)).read())
                for call in (
                    lambda: gzip.GzipFile(fileobj=io.BytesIO(case)).read(),
                    lambda: b"".join(gzip.GzipFile(fileobj=io.BytesIO(case))),
                ):
                    self.assertEqual(self.outcome(call), theirs)
                # What a whole buffer gets differs in the standard module between one read and the other, too.
                whole = self.outcome(lambda: gzip.decompress(case))
                self.assertEqual(isinstance(whole, bytes), isinstance(self.outcome(lambda: standard.decompress(case)), bytes))

    def test_files_that_are_none(self):
        for wrong in (b"neither", b"\x1f", b"\x1f\x8b\x07" + bytes(20)):
            self.assertIs(self.outcome(lambda: gzip.GzipFile(fileobj=io.BytesIO(wrong)).read()), self.outcome(lambda: standard.GzipFile(fileobj=io.BytesIO(wrong)).read()))
        self.assertIs(gzip.BadGzipFile, standard.BadGzipFile)
        with self.assertRaises(FileNotFoundError):
            gzip.open("/nowhere/at all.gz")

    def test_an_object_whose_read_fails(self):
        class Failing:
            def read(self, size):
                raise LookupError("gone")

        class Wrong:
            def read(self, size):
                return "text"

        with self.assertRaisesRegex(LookupError, "gone"):
            gzip.GzipFile(fileobj=Failing(), mode="rb").read()
        with self.assertRaises(TypeError):
            gzip.GzipFile(fileobj=Wrong(), mode="rb").read()


class FileSystems(unittest.TestCase):
    def test_fsspec(self):
        if importlib.util.find_spec("fsspec") is None:
            self.skipTest("fsspec is not installed")
        import fsspec

        gzip.register_fsspec()
        data = lines(5000)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "file.csv.gz")
            with fsspec.open(path, "wb", compression="gzip") as file:
                file.write(data)
            self.assertEqual(standard.open(path).read(), data)
            with fsspec.open(path, "rb", compression="infer") as file:
                self.assertIsInstance(file, gzip.GzipFile)
                file.seek(1000)
                self.assertEqual(file.read(500), data[1000:1500])


if __name__ == "__main__":
    unittest.main()
