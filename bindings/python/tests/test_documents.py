"""Programs in the documents, run as they stand."""

import pathlib

import pyarrow
import pyarrow.parquet
from support import Case, python

DOCUMENTS = pathlib.Path(__file__).resolve().parents[3] / "docs"


def programs(page):
    """The blocks of Python in a page, in order."""
    text = (DOCUMENTS / page).read_text(encoding="utf-8")
    return [block.split("```", 1)[0] for block in text.split("```python\n")[1:]]


class Documents(Case):
    def test_programs_in_the_page_about_python(self):
        blocks = programs("python.md")
        self.assertGreaterEqual(len(blocks), 3)
        code, out, err = python("import pelton\n" + "\n".join(blocks), cwd=self.folder)
        self.assertEqual((code, err), (0, ""))
        self.assertIn("null_percentage", out)

    def test_programs_in_the_page_about_substrait(self):
        blocks = programs("substrait.md")
        self.assertEqual(len(blocks), 2)
        pyarrow.parquet.write_table(pyarrow.table({"city": ["Bern"]}), self.path("trips.parquet"))
        for block in blocks:
            code, out, err = python(block.replace("    connection.from", "    print(connection.from").replace(
                ".fetchall()", ".fetchall())"), cwd=self.folder)
            self.assertEqual((code, err), (0, ""))
            self.assertIn(out, ("[(1,)]\n[(1,)]\n", "[(2,), (3,)]\n"))
