"""The types that the package says it has, against those that it has, and in use."""

import os
import subprocess
import sys

import pelton

from support import HANGS, Case

SETTINGS = os.path.join(os.path.dirname(__file__), "mypy.ini")

PROGRAM = """
import pathlib
import pelton
import polars

frame = polars.DataFrame({"x": [1]})
result: pelton.Result = pelton.sql("SELECT * FROM t", tables={"t": frame, "u": "a.parquet", "v": [pathlib.Path("b")]})
answer: polars.DataFrame = result.to_polars()
count: int = len(result)
written: int = pelton.write_parquet(result, "x.parquet", level=6)["rows"]
with pelton.connect(device=["cpu"], memory="1GB") as connection:
    connection.register("t", frame.lazy())
    names: list[str] = connection.tables()
device: str = pelton.devices()[0]["name"]
packed: list[bytes] = pelton.compress_batch([b"a"], device=["cpu"])
plain: list[bytes] = pelton.decompress_batch(packed, device=None)
"""

WRONG = """
import pelton

pelton.sql(5)
pelton.connect(devices="cpu")
pelton.sql("SELECT 1").rows
"""


class Stubs(Case):
    def mypy(self, module, *arguments):
        environment = {**os.environ, "MYPYPATH": os.path.dirname(os.path.dirname(pelton.__file__))}
        command = [sys.executable, "-m", module, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=4 * HANGS, env=environment, cwd=self.folder)
        return done.returncode, done.stdout + done.stderr

    def test_stubs_say_what_there_is(self):
        code, out = self.mypy("mypy.stubtest", "--mypy-config-file", SETTINGS, "pelton")
        self.assertEqual(code, 0, out)

    def test_programs_are_checked(self):
        right, wrong = self.path("right.py"), self.path("wrong.py")
        for path, text in ((right, PROGRAM), (wrong, WRONG)):
            with open(path, "w") as file:
                file.write(text)
        _, out = self.mypy("mypy", "--strict", "--config-file", SETTINGS, right, wrong)
        self.assertNotIn("right.py", out)
        self.assertEqual(out.count("error:"), 3, out)

    def test_everything_public_has_words(self):
        for name in pelton.__all__:
            thing = getattr(pelton, name)
            self.assertGreater(len(thing.__doc__ or ""), 20, name)
            for member in vars(thing) if isinstance(thing, type) else ():
                if not member.startswith("_"):
                    self.assertGreater(len(getattr(thing, member).__doc__ or ""), 10, f"{name}.{member}")
