"""Programs in the documents, run as they stand."""

import pathlib

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
