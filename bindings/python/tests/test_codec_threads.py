"""Threads, signals, forks, the interpreter's end, and objects that change or lie."""

import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
import unittest

import pelton

SEED = 5
PLAIN = bytes(random.Random(SEED).choices(b"abcdefgh \n", k=200_000))


def child(source):
    """Runs a program that finds the package where this one did."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(pelton.__file__)))
    environment = {**os.environ, "PYTHONPATH": folder}
    return subprocess.run([sys.executable, "-c", textwrap.dedent(source)], env=environment, capture_output=True, text=True, timeout=120)


class Threads(unittest.TestCase):
    def run_in_threads(self, work, count=8):
        failures = []

        def guarded(number):
            try:
                work(number)
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=guarded, args=(number,)) for number in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_calls_from_many_threads(self):
        packed = [pelton.compress(PLAIN[at : at + 20_000]) for at in range(0, 200_000, 20_000)]

        def work(number):
            for _ in range(10):
                self.assertEqual(b"".join(pelton.decompress_batch(packed, threads=number % 3 + 1)), PLAIN)
                self.assertEqual(pelton.decompress(pelton.compress(PLAIN, "zlib")), PLAIN)

        self.run_in_threads(work)

    def test_data_that_another_thread_changes(self):
        packed = bytearray(pelton.compress(PLAIN))
        place, done = len(packed) // 2, threading.Event()

        def change():
            while not done.is_set():
                packed[place] ^= 0xFF
                packed[place] ^= 0xFF
                # It can be resized while it is being worked on, as a copy is.
                packed.append(0)
                packed.pop()

        changing = threading.Thread(target=change)
        changing.start()
        try:
            for _ in range(200):
                try:
                    results = {pelton.decompress(packed), *pelton.decompress_batch([packed] * 4)}
                except pelton.DataError:
                    continue
                self.assertEqual(results, {PLAIN})
        finally:
            done.set()
            changing.join()

    def test_out_cannot_be_resized_meanwhile(self):
        packed, out, resized = pelton.compress(PLAIN), bytearray(len(PLAIN)), []
        done = threading.Event()

        def resize():
            while not done.is_set():
                try:
                    out.append(0)
                    out.pop()
                except BufferError as error:
                    resized.append(error)

        resizing = threading.Thread(target=resize)
        resizing.start()
        try:
            for _ in range(200):
                self.assertEqual(pelton.decompress_into(packed, out), len(PLAIN))
                self.assertEqual(out[: len(PLAIN)], PLAIN)
        finally:
            done.set()
            resizing.join()

    def test_a_list_that_another_thread_empties(self):
        packed = pelton.compress(PLAIN)
        for _ in range(20):
            items = [packed] * 50
            emptying = threading.Thread(target=items.clear)
            emptying.start()
            results = pelton.decompress_batch(items)
            emptying.join()
            self.assertIn(len(results), (0, 50))
            self.assertLessEqual(set(results), {PLAIN})


@unittest.skipIf(sys.version_info < (3, 12), "a class can't export a buffer before Python 3.12")
class Liars(unittest.TestCase):
    def test_buffers_of_other_sizes_each_time(self):
        packed = pelton.compress(PLAIN)

        class Changing:
            count = 0

            def __buffer__(self, flags):
                self.count += 1
                return memoryview(packed if self.count % 2 else b"")

        self.assertEqual(pelton.decompress(Changing()), PLAIN)
        self.assertEqual(pelton.decompress_batch([Changing()] * 1), [PLAIN])

    def test_asking_for_a_buffer_changes_the_list(self):
        items = []

        class Emptying:
            def __buffer__(self, flags):
                items.clear()
                return memoryview(pelton.compress(b"x"))

        items += [Emptying(), pelton.compress(b"y"), pelton.compress(b"z")]
        self.assertEqual(pelton.decompress_batch(items), [b"x", b"y", b"z"])

    def test_a_buffer_that_raises_or_is_none(self):
        class Raising:
            def __buffer__(self, flags):
                raise LookupError("not today")

        class Wrong:
            def __buffer__(self, flags):
                return b"not a memoryview"

        with self.assertRaisesRegex(LookupError, "not today"):
            pelton.decompress(Raising())
        with self.assertRaises(TypeError):
            pelton.decompress(Wrong())


class Signals(unittest.TestCase):
    @unittest.skipUnless(hasattr(signal, "setitimer"), "there are no timers here")
    def test_a_large_batch_is_interrupted(self):
        def interrupt(*_):
            raise KeyboardInterrupt

        before = signal.signal(signal.SIGALRM, interrupt)
        try:
            # Minutes of work.
            for threads in (1, 2):
                signal.setitimer(signal.ITIMER_REAL, 0.1)
                with self.assertRaises(KeyboardInterrupt):
                    pelton.compress_batch([PLAIN * 10] * 2000, level=9, threads=threads)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)


class Processes(unittest.TestCase):
    def test_the_interpreter_ends_with_work_in_flight(self):
        done = child("""
            import random, threading, time, pelton
            from pelton import zlib
            plain = bytes(random.Random(1).choices(b"abc d", k=1_000_000))
            packed = [pelton.compress(plain)] * 8
            def work():
                while True:
                    pelton.decompress_batch(packed)
                    zlib.decompress(zlib.compress(plain))
            for _ in range(4):
                threading.Thread(target=work, daemon=True).start()
            time.sleep(0.3)
            print("ended")
        """)
        self.assertEqual((done.returncode, done.stdout.strip(), done.stderr), (0, "ended", ""))

    @unittest.skipUnless(hasattr(os, "fork"), "there is no fork here")
    def test_a_forked_child_works_as_its_parent_does(self):
        done = child("""
            import os, threading, warnings, pelton
            warnings.simplefilter("ignore")
            plain = bytes(range(256)) * 4000
            packed = [pelton.compress(plain)] * 8
            def work(devices=("auto", "iaa-model")):
                for device in devices:
                    assert pelton.decompress_batch(packed, device=device) == [plain] * 8
            work()
            stop = threading.Event()
            def others():
                while not stop.is_set():
                    work(("auto",))
            thread = threading.Thread(target=others)
            thread.start()
            for _ in range(5):
                pid = os.fork()
                if pid == 0:
                    work()
                    os._exit(0)
                assert os.waitpid(pid, 0)[1] == 0
            stop.set()
            thread.join()
            print("ended")
        """)
        self.assertEqual((done.returncode, done.stdout.strip(), done.stderr), (0, "ended", ""))


if __name__ == "__main__":
    unittest.main()
