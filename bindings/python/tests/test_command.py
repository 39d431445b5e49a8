"""The `pelton` command of the package."""

import os
import signal
import subprocess
import sys
import time

import pyarrow as pa
import pyarrow.parquet

from support import HANGS, Case

COMMAND = [sys.executable, "-m", "pelton"]


class Command(Case):
    def command(self, *arguments):
        done = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=HANGS)
        return done.returncode, done.stdout, done.stderr

    def has_unnamed_file(self, process):
        folder = f"/proc/{process}/fd"
        try:
            files = [os.readlink(os.path.join(folder, number)) for number in os.listdir(folder)]
        except FileNotFoundError:
            return False
        return any(file.startswith(self.folder) and file.endswith(" (deleted)") for file in files)

    def test_queries_and_their_errors(self):
        path = self.path("t.parquet")
        pyarrow.parquet.write_table(pa.table({"x": [1, 2]}), path)
        query = f"SELECT sum(x) AS s FROM '{path}'"
        self.assertEqual(self.command("sql", query, "--format", "csv"), (0, "s\n3\n", ""))
        code, out, err = self.command("sql", "SELECT nope")
        self.assertEqual((code, out), (1, ""))
        self.assertTrue(err.startswith("error: ") and "nope" in err, err)

    def test_help_versions_and_usage(self):
        code, out, _ = self.command("--help")
        self.assertEqual(code, 0)
        self.assertIn("Usage: pelton [OPTIONS] <COMMAND>", out)
        self.assertEqual(self.command("--version")[0], 0)
        code, out, err = self.command("nonsense")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("nonsense", err)
        self.assertEqual(self.command()[0], 2)

    def test_output_whose_reader_is_gone(self):
        command = " ".join(COMMAND) + " sql \"SELECT * FROM generate_series(1, 1000000)\" --format csv | head -n 2"
        done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, timeout=HANGS)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "value\n1\n", ""))

    def test_ctrl_c(self):
        path = self.path("t.parquet")
        pyarrow.parquet.write_table(pa.table({"x": list(range(20_000))}), path)
        out = self.path("out.csv")
        query = f"SELECT sum(a.x * b.x * c.x) AS s FROM '{path}' a, '{path}' b, '{path}' c"
        child = subprocess.Popen([*COMMAND, "sql", query, "--format", "csv", "-o", out], stderr=subprocess.PIPE, text=True)
        try:
            started = time.monotonic()
            # its unfinished file, which has no name, says that the query runs
            while not self.has_unnamed_file(child.pid):
                self.assertLess(time.monotonic() - started, HANGS)
                time.sleep(0.01)
            child.send_signal(signal.SIGINT)
            _, err = child.communicate(timeout=HANGS)
        finally:
            child.kill()
            child.wait()
        self.assertEqual((child.returncode, err), (130, "cancelled\n"))
        self.assertEqual(os.listdir(self.folder), ["t.parquet"])
