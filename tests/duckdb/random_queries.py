"""Random queries over some files, through pelton_scan and through DuckDB's own reader.

Usage: random_queries.py EXTENSION FOLDER SEED COUNT. Prints the seed and each query before it runs.
"""

import random
import sys
from pathlib import Path

import pelton_duckdb

# What conditions compare with, by the beginning of the type.
NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "DECIMAL", "DOUBLE", "FLOAT")


def values(connection, path, column):
    """Some values of a column, as literals of SQL."""
    rows = connection.execute(
        f'SELECT DISTINCT "{column}"::VARCHAR v FROM read_parquet(\'{path}\') WHERE v IS NOT NULL ORDER BY ALL LIMIT 50'
    ).fetchall()
    return ["'" + text.replace("'", "''") + "'" for (text,) in rows]


def condition(rng, connection, path, columns):
    name, of = rng.choice(columns)
    of_column = values(connection, path, name)
    if not of_column or rng.random() < 0.15:
        return f'"{name}" IS {rng.choice(["", "NOT "])}NULL'
    literal = f"CAST({rng.choice(of_column)} AS {of})"
    return f'"{name}" {rng.choice(["<", "<=", "=", ">=", ">", "<>"])} {literal}'


def query(rng, connection, path):
    """A query over `SOURCE`."""
    columns = pelton_duckdb.types(connection, f"read_parquet('{path}')")
    # files.py says what is special about it
    columns = [column for column in columns if column[0] != "decimal60"]
    simple = [(name, of) for name, of in columns if "[" not in of and "(" not in of.replace("DECIMAL(", "")]
    chosen = rng.sample(columns, rng.randint(1, min(4, len(columns))))
    where = " AND ".join(condition(rng, connection, path, simple) for _ in range(rng.randint(0, 2)))
    where = f" WHERE {where}" if where else ""
    names = [f'"{name}"' for name, _ in chosen]
    kind = rng.choice(["rows", "groups", "counts", "order", "statistics"])
    if kind == "rows":
        return f"SELECT {', '.join(names)} FROM SOURCE{where}"
    if kind == "counts":
        counts = [f"count({name}), count(DISTINCT {name})" for name in names]
        return f"SELECT count(*), {', '.join(counts)} FROM SOURCE{where}"
    # zero and negative zero are one group, of which either may be shown
    exact = [f'"{name}"' for name, of in columns if "DOUBLE" not in of and "FLOAT" not in of]
    if kind == "statistics":
        # DuckDB may answer these by the statistics of row groups
        bounds = [f"{rng.choice(['min', 'max', 'count'])}({rng.choice(exact)})" for _ in range(rng.randint(1, 3))]
        return f"SELECT count(*), {', '.join(bounds)} FROM SOURCE{where}"
    if kind == "order":
        return f"SELECT min(c), max(c) FROM (SELECT {rng.choice(exact)} c FROM SOURCE{where})"
    numbers = [name for name, of in simple if of.startswith(NUMBERS[:8])]
    sums = f", sum(\"{rng.choice(numbers)}\")" if numbers else ""
    return f"SELECT {rng.choice(exact)}, count(*){sums} FROM SOURCE{where} GROUP BY ALL"


def main(extension, folder, seed, count):
    print(f"seed {seed}")
    rng = random.Random(seed)
    connection = pelton_duckdb.connect(extension)
    paths = [path for path in sorted(Path(folder).rglob("*.parquet")) if not path.name.startswith("split-")]
    for _ in range(count):
        path = rng.choice(paths)
        sql = query(rng, connection, path)
        print(sql.replace("SOURCE", path.name), flush=True)
        found, expected = (sql.replace("SOURCE", f"{f}('{path}')") for f in ("pelton_scan", "read_parquet"))
        pelton_duckdb.assert_same(connection, found, expected, sql)


main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
