"""Ctrl-C, threads, forks, and the interpreter's end."""

import os
import threading

import pelton
import pyarrow as pa
import pyarrow.parquet

from support import Case, python

# A query that takes hours: 27 billion rows of a join.
LONG = """
import os, signal, sys, threading, time
import pelton
import pyarrow as pa

# A shell that starts this in the background has it ignore Ctrl-C, and Python leaves it at that.
signal.signal(signal.SIGINT, signal.default_int_handler)
ROWS = pa.table({"x": list(range(3000))})
LONG = "SELECT sum(a.x * b.x * c.x) AS s FROM t a, t b, t c"
connection = pelton.connect(threads=2)
connection.register("t", ROWS)


def later(what):
    def wait():
        time.sleep(0.3)
        what()

    threading.Thread(target=wait).start()


def interrupt():
    os.kill(os.getpid(), signal.SIGINT)


def works():
    assert connection.sql("SELECT count(*) FROM t").fetchall() == [(3000,)]
    assert pelton.sql("SELECT 42").fetchall() == [(42,)]

"""


class Processes(Case):
    def runs(self, program, expected="", errors=""):
        code, out, err = python(LONG + program)
        self.assertEqual((code, out), (0, expected), err)
        if errors is not None:
            self.assertEqual(err, errors)

    def test_the_queues_of_a_gpu_are_requested_unless_the_user_has(self):
        program = """
            import os
            import pelton

            pelton.connect(device="cpu")
            print(os.environ["CUDA_DEVICE_MAX_CONNECTIONS"])
        """
        environment = {name: value for name, value in os.environ.items() if not name.startswith("CUDA_")}
        for given, expected in ({}, "32\n"), ({"CUDA_DEVICE_MAX_CONNECTIONS": "4"}, "4\n"):
            code, out, err = python(program, env={**environment, **given})
            self.assertEqual((code, out), (0, expected), err)

    def test_ctrl_c_stops_what_runs_and_nothing_else(self):
        self.runs(
            """
for take in ("to_arrow", "to_polars", "__len__", "__repr__", "fetchall"):
    result = connection.sql(LONG)
    later(interrupt)
    try:
        getattr(result, take)()
    except KeyboardInterrupt:
        print("stopped")
    works()
later(interrupt)
try:
    next(iter(connection.sql(LONG)))
except KeyboardInterrupt:
    print("stopped")
later(interrupt)
try:
    connection.profile(LONG)
except KeyboardInterrupt:
    print("stopped")
later(interrupt)
try:
    pelton.write_parquet(connection.sql(LONG), sys.argv[0] + "nowhere.parquet")
except KeyboardInterrupt:
    print("stopped")
works()
assert not os.path.exists("nowhere.parquet")
""",
            "stopped\n" * 8,
        )

    def test_ctrl_c_reaches_a_query_that_another_library_reads(self):
        self.runs(
            """
later(interrupt)
try:
    try:
        pa.table(connection.sql(LONG))
    except pa.ArrowInvalid:
        time.sleep(1)
except KeyboardInterrupt:
    print("stopped")
works()
""",
            "stopped\n",
        )

    def test_what_a_handler_raises_is_in_the_error_of_another_library(self):
        self.runs(
            """
class Enough(Exception):
    pass


def handler(*_):
    raise Enough("of this")


signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.3)
try:
    pa.table(connection.sql(LONG))
except pa.ArrowInvalid as error:
    print(error)
works()
""",
            "External error: cancelled by a signal: Enough: of this\n",
        )

    def test_a_signals_own_handler_is_asked(self):
        self.runs(
            """
class Enough(Exception):
    pass


def handler(*_):
    raise Enough("signal")


signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.3)
try:
    connection.sql(LONG).to_arrow()
except Enough as error:
    print(error)
works()
signals = []
signal.signal(signal.SIGUSR1, lambda *_: signals.append(1))
later(lambda: os.kill(os.getpid(), signal.SIGUSR1))
later(lambda: (time.sleep(0.3), interrupt()))
try:
    connection.sql(LONG).to_arrow()
except KeyboardInterrupt:
    print(signals)
""",
            "signal\n[1]\n",
        )

    def test_a_connection_that_closes_stops_its_queries(self):
        self.runs(
            """
later(connection.close)
try:
    connection.sql(LONG).to_arrow()
except pelton.Error as error:
    print(error)
""",
            "the query was stopped: its connection was closed\n",
        )

    def test_threads_share_a_connection(self):
        with pelton.connect(threads=2) as connection:
            connection.register("t", pa.table({"x": list(range(1000))}))
            shared = connection.sql("SELECT x FROM t ORDER BY x")
            failed = []

            def work(number):
                try:
                    for i in range(20):
                        table = pa.table({"y": [number, i]})
                        mine = connection.sql("SELECT min(y), max(y), (SELECT sum(x) FROM t) FROM u", tables={"u": table})
                        assert mine.fetchall() == [(min(number, i), max(number, i), 499_500)]
                        assert pelton.sql("SELECT max(y) FROM u", tables={"u": table}).fetchall() == [(max(number, i),)]
                        assert len(shared) == 1000
                        assert shared.to_arrow().num_rows == 1000
                        name = f"t{number}"
                        connection.register(name, table)
                        assert len(connection.sql(f"SELECT * FROM {name}")) == 2
                        connection.unregister(name)
                except BaseException as error:
                    failed.append(error)

            threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(failed, [])
            self.assertEqual(connection.tables(), ["t"])

    def test_threads_take_turns_with_an_iteration(self):
        with pelton.connect(threads=2) as connection:
            connection.register("t", pa.table({"x": list(range(100_000))}))
            batches, taken = iter(connection.sql("SELECT * FROM t")), []

            def work():
                for batch in batches:
                    taken.append(batch.num_rows)

            threads = [threading.Thread(target=work) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(sum(taken), 100_000)

    def test_a_child_of_a_fork_has_new_engines_and_no_old_ones(self):
        self.runs(
            """
works()
result = connection.sql("SELECT x FROM t")
batches = iter(connection.sql("SELECT x FROM t"))
stream = connection.sql("SELECT x FROM t").__arrow_c_stream__()
running = threading.Thread(target=lambda: connection.sql(LONG).to_arrow(), daemon=True)
running.start()
time.sleep(0.2)
child = os.fork()
if child == 0:
    uses = [
        lambda: connection.sql("SELECT 1"), lambda: connection.tables(), lambda: result.to_arrow(), lambda: len(result),
        lambda: next(batches), lambda: connection.register("u", ROWS), lambda: pa.table(result),
    ]
    for use in uses:
        try:
            use()
            print("used")
        except pelton.Error as error:
            assert "before the process forked" in str(error), error
    try:
        pa.RecordBatchReader._import_from_c_capsule(stream).read_all()
        print("used")
    except pa.ArrowInvalid as error:
        assert "before the process forked" in str(error), error
    print(pelton.sql("SELECT 1 AS a").fetchall())
    with pelton.connect(threads=1) as mine:
        mine.register("t", ROWS)
        print(mine.sql("SELECT count(*) FROM t").fetchall())
    connection.close()
    del result, batches, stream
    sys.stdout.flush()
    # as a child of multiprocessing ends, and then as any other does
    if os.fork() == 0:
        os._exit(0)
    os.wait()
    sys.exit(0)
_, status = os.waitpid(child, 0)
assert status == 0, status
works()
connection.close()
running.join()
""",
            "[(1,)]\n[(3000,)]\n",
            None,
        )

    def test_multiprocessing(self):
        self.runs(
            """
import multiprocessing


def square(number):
    return pelton.sql(f"SELECT {number} * {number}").fetchall()[0][0]


works()
with multiprocessing.get_context("fork").Pool(2) as pool:
    print(pool.map(square, range(5)))
works()
""",
            "[0, 1, 4, 9, 16]\n",
        )

    def test_the_interpreter_ends_with_work_in_flight(self):
        for program in (
            # threads that nobody waits for
            """
def work():
    while True:
        try:
            connection.sql(LONG).to_arrow()
        except pelton.Error:
            pass


for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.3)
print("done")
""",
            # a query that nobody waits for, a stream that nobody reads, an iteration that nobody ends
            """
result = connection.sql(LONG)
stream = pelton.sql(LONG, tables={"t": ROWS}).__arrow_c_stream__()
batches = iter(connection.sql("SELECT a.x FROM t a, t b, t c"))
next(batches)
print("done")
""",
            # another library's thread that reads
            """
reader = pa.RecordBatchReader.from_stream(connection.sql(LONG))
threading.Thread(target=reader.read_all, daemon=True).start()
time.sleep(0.3)
print("done")
""",
        ):
            with self.subTest(program):
                self.runs(program, "done\n", None)

    def test_threads_that_the_system_does_not_give(self):
        program = """
            import os, resource, sys, pyarrow, pelton
            limit, file = int(sys.argv[1]), sys.argv[2]
            resource.setrlimit(resource.RLIMIT_NPROC, (limit, limit))
            if os.geteuid() == 0:
                os.setuid(65534 - limit)  # a limit is not for root
            try:
                print(pelton.sql(f"SELECT sum(x) FROM '{file}'", threads=2).fetchall())
            except pelton.Error as error:
                print(error)
        """
        file = self.path("rows.parquet")
        pyarrow.parquet.write_table(pa.table({"x": [1, 2]}), file)
        os.chmod(os.path.dirname(file), 0o755)
        seen = set()
        for limit in (1, 2, 3, 4, 5, 8, 100):
            code, out, errors = python(program, str(limit), file)
            self.assertEqual((code, errors), (0, ""), limit)
            self.assertTrue(out.startswith(("[(", "cannot start")), out)
            seen.add(out[:2])
        self.assertIn("ca", seen)

    def test_files_that_sorts_wrote_are_gone_after_the_end(self):
        folder = self.path("")
        program = """
rows = pa.table({"x": [str(i * 7919 % 300000) * 5 for i in range(300000)]})
result = pelton.sql("SELECT x FROM t ORDER BY x", tables={"t": rows}, memory="24MB", threads=1)
next(iter(result))
print("done")
"""
        code, out, err = python(LONG + program, env={**os.environ, "TMPDIR": folder})
        self.assertEqual((code, out), (0, "done\n"), err)
        self.assertEqual(os.listdir(folder), [])

    def test_a_handler_that_asks_for_the_result_that_is_read(self):
        self.runs(
            """
def handler(*_):
    try:
        len(result)
    except pelton.Error as error:
        print(error)


signal.signal(signal.SIGUSR1, handler)
result = connection.sql(LONG)
later(lambda: os.kill(os.getpid(), signal.SIGUSR1))
later(lambda: (time.sleep(0.3), interrupt()))
try:
    result.to_arrow()
except KeyboardInterrupt:
    print("stopped")
""",
            "this result is being read by what called this; wait until that is done\nstopped\n",
        )
