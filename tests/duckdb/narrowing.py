"""Conditions of WHERE that reach pelton_scan: rows are those of a table in memory, whatever else a query does with the same
scan, and what conditions rule out is not read.

Usage: narrowing.py EXTENSION FOLDER SEED QUERIES
"""

import random
import sys
from pathlib import Path

import pelton_duckdb

ROWS = 6000
# Of a number i: columns whose values have an order that conditions ask for, some of them sorted, with nulls, zeros of both signs and NaN.
COLUMNS = f"""
    i AS id, (i * 7919 % {ROWS})::INT AS mixed, nullif(i % 50, 7)::SMALLINT AS few, (i % 200)::UTINYINT AS tiny, i * 1000003 % 7 = 0 AS flag,
    (i / 100)::DECIMAL(9, 2) AS dec, (i * 12345678901)::DECIMAL(38, 4) AS wide, DATE '1992-01-01' + i::INT AS day,
    TIMESTAMP '1969-12-31 20:00:00' + INTERVAL (i * 1234567) MICROSECOND AS ts,
    (TIMESTAMP '1969-12-31 20:00:00' + INTERVAL (i) MINUTE)::TIMESTAMP_MS AS ts_ms,
    (TIMESTAMP '1969-12-31 20:00:00' + INTERVAL (i) MINUTE)::TIMESTAMP_NS AS ts_ns,
    (TIMESTAMP '2020-01-01' + INTERVAL (i) HOUR)::TIMESTAMPTZ AS tstz,
    CASE i % 9 WHEN 0 THEN 'NaN' WHEN 1 THEN 0 WHEN 2 THEN -0.0 WHEN 3 THEN NULL ELSE i / 7 - 300 END::DOUBLE AS f64,
    CASE i % 11 WHEN 0 THEN 'NaN' WHEN 1 THEN 'Infinity' WHEN 2 THEN '-Infinity' ELSE i / 3 END::FLOAT AS f32,
    CASE WHEN i % 13 > 0 THEN 'key ' || i % 300 || CASE i % 17 WHEN 3 THEN chr(0) || i % 5 ELSE '' END END AS word, md5(i::VARCHAR) AS hash
"""
NAMES = "id mixed few tiny flag dec wide day ts ts_ms ts_ns tstz f64 f32 word hash".split()
LITERALS = {"f64": ["'NaN'::DOUBLE", "0.0::DOUBLE", "-0.0::DOUBLE", "'Infinity'::DOUBLE"], "f32": ["'NaN'::FLOAT", "'-Infinity'::FLOAT"]}


class Queries:
    """Random ones over a table that is called {t}, and another, {u}."""

    def __init__(self, connection, seed):
        self.random = random.Random(seed)
        self.types = dict(pelton_duckdb.types(connection, "plain"))
        values = connection.execute("SELECT COLUMNS(*)::VARCHAR FROM plain WHERE id % 97 = 11").fetchall()
        self.values = {name: [row[i] for row in values if row[i] is not None] for i, name in enumerate(NAMES)}

    def literal(self, name):
        of = self.types[name]
        special = LITERALS.get(name, [])
        if special and self.random.random() < 0.3:
            return self.random.choice(special)
        if self.random.random() < 0.05:
            return f"NULL::{of}"
        value = self.random.choice(self.values[name])
        if name == "word" and self.random.random() < 0.2:
            return f"('{value.split(chr(0))[0]}' || chr(0) || '{self.random.randrange(5)}')"
        return "'" + value.replace(chr(0), "' || chr(0) || '") + f"'::{of}"

    def condition(self, alias):
        name = self.random.choice(NAMES)
        column, literal = f"{alias}.{name}", lambda: self.literal(name)
        match self.random.randrange(11):
            case 0 | 1 | 2:
                return f"{column} {self.random.choice(['<', '<=', '>', '>=', '=', '<>'])} {literal()}"
            case 3:
                return f"{literal()} {self.random.choice(['<', '<=', '>', '>=', '='])} {column}"
            case 4:
                return f"{column} BETWEEN {literal()} AND {literal()}"
            case 5:
                return f"{column} {self.random.choice(['IN', 'NOT IN'])} ({', '.join(literal() for _ in range(self.random.randint(1, 5)))})"
            case 6:
                return f"({self.condition(alias)} OR {self.condition(alias)})"
            case 7:
                return f"{column} IS {self.random.choice(['', 'NOT '])}NULL"
            case 8:
                return f"{column} IS {self.random.choice(['', 'NOT '])}DISTINCT FROM {literal()}"
            case 9:
                # several conditions on one column, which DuckDB may push into a scan as one
                return f"({column} {self.random.choice(['<', '>='])} {literal()} OR {column} = {literal()} OR {column} IS NULL)"
            case 10:
                text = f"{alias}.word {self.random.choice(['', 'NOT '])}LIKE '%{self.random.randrange(10)}'"
                number = f"{alias}.mixed % {self.random.randint(2, 9)} {self.random.choice(['=', '<'])} {self.random.randrange(9)}"
                return self.random.choice([text, number, f"length({alias}.word) < {self.random.randint(5, 9)}", f"NOT {alias}.flag"])

    def where(self, alias):
        return " AND ".join(self.condition(alias) for _ in range(self.random.randint(1, 3)))

    def part(self):
        """A query of one row or more, of the columns n and s."""
        summed = "count(*) AS n, sum(a.mixed) AS s"
        match self.random.randrange(12):
            case 0 | 1 | 2:
                return f"SELECT {summed} FROM {{t}} a WHERE {self.where('a')}"
            case 3:
                return f"SELECT {summed} FROM {{t}} a JOIN {{t}} b ON a.id = b.mixed WHERE {self.where('a')} AND {self.where('b')}"
            case 4:
                return f"SELECT {summed} FROM {{t}} a LEFT JOIN {{t}} b ON a.mixed = b.id AND {self.where('b')} WHERE {self.where('a')}"
            case 5:
                return f"SELECT {summed} FROM {{t}} a WHERE a.id IN (SELECT b.mixed FROM {{t}} b WHERE {self.where('b')})"
            case 6:
                return f"SELECT {summed} FROM {{t}} a WHERE NOT EXISTS (FROM {{t}} b WHERE b.mixed = a.id AND {self.where('b')}) AND {self.where('a')}"
            case 7:
                return f"SELECT count(DISTINCT a.few) AS n, sum(a.mixed) AS s FROM {{t}} a WHERE {self.where('a')} GROUP BY a.flag"
            case 8:
                inner = f"SELECT *, row_number() OVER (PARTITION BY few ORDER BY id) AS number FROM {{t}} a WHERE {self.where('a')}"
                return f"SELECT {summed} FROM ({inner}) a WHERE number <= 3 AND {self.where('a')}"
            case 10:
                order = f"a.{self.random.choice(NAMES)} {self.random.choice(['', 'DESC', 'NULLS FIRST'])}, a.id"
                inner = f"SELECT a.mixed FROM {{t}} a WHERE {self.where('a')} ORDER BY {order} LIMIT {self.random.randint(1, 50)}"
                return f"SELECT {summed} FROM ({inner}) a"
            case 11:
                # all columns, of which the other ones are read late
                order = f"a.{self.random.choice(NAMES)} {self.random.choice(['', 'DESC', 'NULLS FIRST'])}, a.id"
                inner = f"SELECT * FROM {{t}} a WHERE {self.where('a')} ORDER BY {order} LIMIT {self.random.randint(1, 40)} OFFSET {self.random.randrange(9)}"
                return f"SELECT count(*) AS n, (sum(hash(a.id, a.word, a.hash, a.day)) % 1000007)::BIGINT AS s FROM ({inner}) a"
            case 9:
                return f"SELECT {summed} FROM {{t}} a, {{u}} u WHERE a.few = u.few AND {self.where('a')} AND {self.where('u')}"

    def query(self):
        parts = [self.part() for _ in range(self.random.randint(1, 3))]
        match self.random.randrange(3):
            case 0:
                return " UNION ALL ".join(parts)
            case 1:
                named = ", ".join(f"p{i} AS ({part})" for i, part in enumerate(parts))
                every = " UNION ALL ".join(f"SELECT n, s FROM p{i} UNION ALL SELECT n + 1, s FROM p{i} WHERE n > 2" for i in range(len(parts)))
                return f"WITH {named} {every}"
            case 2:
                joined = ", ".join(f"({part}) p{i}" for i, part in enumerate(parts))
                return f"SELECT * FROM {joined}"


def same_rows(connection, folder, seed, count):
    files = [folder / name for name in ("narrow.parquet", "plain.parquet")]
    connection.execute(f"CREATE TABLE plain AS SELECT {COLUMNS} FROM range({ROWS}) r(i)")
    connection.execute(f"COPY (SELECT p FROM plain AS p) TO '{files[0]}' (FORMAT pelton, row_group_rows 1500)")
    connection.execute(f"COPY plain TO '{files[1]}' (FORMAT parquet, ROW_GROUP_SIZE 2048)")
    queries = Queries(connection, seed)
    for _ in range(count):
        sql = queries.query()
        scans = sql.format(t=f"pelton_scan('{files[0]}')", u=f"pelton_scan('{files[1]}')")
        pelton_duckdb.assert_same(connection, scans, sql.format(t="plain", u="plain"), sql)


def late_columns(connection, folder):
    """A query with a small LIMIT reads the pages of the other columns in the row groups of its rows only."""
    file = folder / "late.parquet"
    connection.execute(f"COPY (SELECT i * 7919 % 300007 AS k, hash(i) AS a, md5(i::VARCHAR) AS b FROM range(300000) r(i)) TO '{file}' (FORMAT parquet, ROW_GROUP_SIZE 20480)")

    def pages(sql):
        counted = "SELECT sum(done) FROM pelton_stats() WHERE operation = 'decompress'"
        (before,) = connection.execute(counted).fetchone()
        rows = connection.execute(sql.format(f"pelton_scan('{file}')")).fetchall()
        (after,) = connection.execute(counted).fetchone()
        assert rows == connection.execute(sql.format(f"read_parquet('{file}')")).fetchall(), sql
        return (after or 0) - (before or 0)

    late = pages("SELECT * FROM {} ORDER BY k LIMIT 2")
    connection.execute("SET disabled_optimizers = 'late_materialization'")
    at_once = pages("SELECT * FROM {} ORDER BY k LIMIT 2")
    connection.execute("RESET disabled_optimizers")
    every = pages("SELECT sum(hash(a)), sum(k), count(b) FROM {}")
    (interface,) = connection.execute("SELECT interface FROM pelton_interface()").fetchone()
    if interface == "native":
        assert late < at_once, (late, at_once)
        numbers = pages("SELECT file_row_number, * FROM {} WHERE file_row_number IN (7, 299999)")
        assert numbers < every / 2, (numbers, every)
    return f"{late} late and {at_once} pages at once"


def not_read(connection, folder):
    """Pages that conditions rule out are not decompressed: by the second interface they are those of WHERE."""
    (interface,) = connection.execute("SELECT interface FROM pelton_interface()").fetchone()
    file = folder / "sorted.parquet"
    connection.execute(f"COPY (SELECT {{'a': i, 'b': hash(i)}} FROM range(400000) r(i)) TO '{file}' (FORMAT pelton)")

    def jobs(where):
        counted = "SELECT sum(done) FROM pelton_stats() WHERE operation = 'decompress'"
        (before,) = connection.execute(counted).fetchone()
        connection.execute(f"SELECT sum(b) FROM pelton_scan('{file}') {where}").fetchall()
        (after,) = connection.execute(counted).fetchone()
        return (after or 0) - (before or 0)

    all_of_it, few, none = jobs(""), jobs("WHERE a BETWEEN 1000 AND 1010"), jobs("WHERE a <= -1")
    assert all_of_it > 10, all_of_it
    if interface in ("second", "native"):
        assert few < all_of_it / 3 and none == 0, (all_of_it, few, none)
        assert jobs("WHERE a IN (5, 399999)") < all_of_it / 2 and jobs("WHERE a = 5 OR a = 7 AND b > 0") < all_of_it / 2
        # one that statistics say nothing of
        assert jobs("WHERE a % 7 = 0") >= all_of_it
    # what is bound again has the values of then
    connection.execute(f"PREPARE one AS SELECT b FROM pelton_scan('{file}') WHERE a = ?")
    for i in (5, 399_999, -1, 77):
        assert connection.execute(f"EXECUTE one({i})").fetchall() == connection.execute(f"SELECT hash({i}) WHERE {i} >= 0").fetchall()
    return f"{few} of {all_of_it} pages"


def main(extension, folder, seed, count):
    connection = pelton_duckdb.connect(extension)
    folder = Path(folder)
    read = not_read(connection, folder)
    late = late_columns(connection, folder)
    same_rows(connection, folder, int(seed), int(count))
    print(f"{count} queries; {read}; {late}")


main(*sys.argv[1:])
