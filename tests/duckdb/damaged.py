"""Files with bytes changed and cut off: every one gives rows or an error that names the file, and the process lives.

Usage: damaged.py EXTENSION FOLDER SEED COUNT: COUNT damages of each file in the folder.
"""

import random
import sys
from pathlib import Path

import duckdb
import pelton_duckdb


def damage(rng, whole):
    """The bytes with some changed, or without their end."""
    if rng.random() < 0.1:
        return whole[: rng.randrange(len(whole))]
    broken = bytearray(whole)
    for _ in range(rng.choice([1, 1, 2, 8])):
        at = rng.randrange(len(broken))
        # the footer is small beside the pages, and what it says steers the rest
        if rng.random() < 0.5:
            at = max(0, len(broken) - rng.randrange(1, 4000))
        broken[at] = rng.randrange(256)
    return bytes(broken)


def main(extension, folder, seed, count):
    print(f"seed {seed}")
    rng = random.Random(seed)
    connection = pelton_duckdb.connect(extension)
    errors = 0
    for path in sorted(Path(folder).glob("*.parquet")):
        whole = path.read_bytes()
        for number in range(count):
            broken = path.parent / f"damaged-{number}"
            broken.write_bytes(damage(rng, whole))
            try:
                connection.execute(f"SELECT COLUMNS(*)::VARCHAR FROM pelton_scan('{broken}')").fetchall()
            except duckdb.Error as error:
                errors += 1
                # values that DuckDB can't show are its own matter
                ours = isinstance(error, (duckdb.BinderException, duckdb.InvalidInputException))
                assert not ours or str(broken) in str(error), f"{path.name}, {number}: {error}"
                assert "internal error" not in str(error), f"{path.name}, {number}: {error}"
            broken.unlink()
    print(f"{errors} errors")
    assert errors > 0


main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
