"""Runs the SQL of the README's and the document's first blocks as it stands.

Usage: readme.py EXTENSION FOLDER DATA DOCUMENT...
"""

import os
import re
import sys
from pathlib import Path

import duckdb


def main(extension, folder, data, *documents):
    built = Path(folder) / "target/release"
    built.mkdir(parents=True)
    (built / "pelton.duckdb_extension").symlink_to(extension)
    for path in Path(data).glob("*.parquet"):
        (Path(folder) / path.name).symlink_to(path)
    texts = [Path(document).read_text() for document in documents]
    os.chdir(folder)
    for document, text in zip(documents, texts):
        connection = duckdb.connect(config={"allow_unsigned_extensions": True})
        blocks = [block for block in re.findall(r"```sql\n(.*?)```", text, re.DOTALL) if "pelton_" in block]
        assert blocks, f"{document} has no SQL"
        count = 0
        for statement in filter(str.strip, "".join(blocks).split(";")):
            count += len(connection.execute(statement).fetchall())
        assert count > 2, f"{document}: {count} rows"
        print(f"{document}: {count} rows")


main(*sys.argv[1:])
