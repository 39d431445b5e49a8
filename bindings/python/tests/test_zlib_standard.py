"""Python's own tests of zlib and gzip, of the Python that runs this, on pelton.zlib and pelton.gzip. None is left out."""

import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest

import pelton

PROGRAM = """
import sys, unittest
import {name} as standard
from pelton import {name}
sys.modules["{name}"] = {name}
import test.test_{name} as tests
assert tests.{name} is {name} and {name} is not standard
done = unittest.TextTestRunner(verbosity=0).run(unittest.defaultTestLoader.loadTestsFromModule(tests))
for test, reason in done.skipped:
    print("skipped by Python itself:", test, reason)
sys.exit(not done.wasSuccessful() or done.testsRun < 60)
"""


class Standard(unittest.TestCase):
    def run_tests(self, name):
        if importlib.util.find_spec("test") is None or importlib.util.find_spec(f"test.test_{name}") is None:
            self.skipTest("Python's own tests are not installed here (Debian: libpython3.11-testsuite)")
        environment = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(os.path.abspath(pelton.__file__)))}
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [sys.executable, "-c", PROGRAM.format(name=name)], cwd=folder, env=environment, capture_output=True, text=True, timeout=300
            )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_zlib(self):
        self.run_tests("zlib")

    def test_gzip(self):
        self.run_tests("gzip")


if __name__ == "__main__":
    unittest.main()
