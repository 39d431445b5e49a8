"""Random queries over the same files, compared with DuckDB."""

import math

import duckdb
import pelton
import pyarrow as pa
import pyarrow.parquet

from support import Case, seeded

ROWS = 3000
QUERIES = 100


class Random(Case):
    def setUp(self):
        super().setUp()
        self.random = seeded()
        self.files = {name: self.path(f"{name}.parquet") for name in ("a", "b")}
        for name, rows in (("a", ROWS), ("b", ROWS // 10)):
            codec = self.random.choice(["gzip", "zstd", "snappy"])
            pyarrow.parquet.write_table(self.table(rows), self.files[name], compression=codec, row_group_size=700)
        self.connection = pelton.connect(threads=2)
        self.addCleanup(self.connection.close)
        self.duckdb = duckdb.connect()
        self.addCleanup(self.duckdb.close)
        for name, path in self.files.items():
            self.connection.register(name, path)
            self.duckdb.sql(f"CREATE VIEW {name} AS SELECT * FROM '{path}'")

    def table(self, rows):
        random = self.random

        def column(value, of):
            return pa.array([None if random.random() < 0.1 else value() for _ in range(rows)], of)

        return pa.table(
            {
                "k": column(lambda: random.randrange(40), pa.int32()),
                "n": column(lambda: random.randrange(-1000, 1000), pa.int64()),
                "f": column(lambda: random.randrange(-400, 400) / 8, pa.float64()),
                "s": column(lambda: random.choice(["", "a", "ab", "b", "Zürich", "x%y"]), pa.string()),
                "d": column(lambda: random.randrange(19_000, 19_100), pa.int32()).cast(pa.date32()),
            }
        )

    def value(self, table, kind):
        """An expression of a kind: number, text, or day."""
        random = self.random
        if kind == "text":
            column = f"{table}.s"
            return random.choice([column, column, f"upper({column})", f"{column} || 'q'", f"substr({column}, 1, 1)", f"coalesce({column}, 'none')"])
        if kind == "day":
            return f"{table}.d"
        column = f"{table}.{random.choice('knf')}"
        number = random.randrange(1, 9)
        return random.choice(
            [column, column, f"{column} + {number}", f"{column} * {number}", f"abs({column})", f"-{column}",
             f"coalesce({column}, {number})", f"length({table}.s)", f"CASE WHEN {column} > {number} THEN 1 ELSE 0 END"]
        )

    def condition(self, table):
        random = self.random
        choice = random.randrange(8)
        if choice == 0:
            return f"{table}.s LIKE '{random.choice(['a%', '%b', '%r%', 'x%'])}'"
        if choice == 1:
            return f"{table}.{random.choice('knfsd')} IS {random.choice(['', 'NOT '])}NULL"
        if choice == 2:
            numbers = ", ".join(str(random.randrange(40)) for _ in range(4))
            return f"{table}.k {random.choice(['', 'NOT '])}IN ({numbers})"
        if choice == 3:
            return f"{table}.d {random.choice(['<', '>=', '='])} DATE '2022-0{random.randrange(1, 4)}-15'"
        if choice == 4:
            low = random.randrange(-800, 600)
            return f"{table}.n BETWEEN {low} AND {low + random.randrange(400)}"
        if choice == 5:
            return f"NOT ({self.condition(table)})"
        if choice == 6:
            return f"({self.condition(table)} {random.choice(['AND', 'OR'])} {self.condition(table)})"
        return f"{self.value(table, 'number')} {random.choice(['<', '<=', '>', '=', '<>'])} {random.randrange(-50, 50)}"

    def query(self):
        random = self.random
        joined = random.random() < 0.35
        source = "a"
        if joined:
            how = random.choice(["JOIN", "JOIN", "LEFT JOIN"])
            on = random.choice(["a.k = b.k AND a.n < b.n", "a.n = b.n", "a.k = b.k AND a.s = b.s"])
            source = f"a {how} b ON {on}"
        sides = ["a", "b"] if joined else ["a"]
        side = lambda: random.choice(sides)
        where = f" WHERE {self.condition(side())}" if random.random() < 0.7 else ""
        if random.random() < 0.5:
            keys = [self.value(side(), random.choice(["text", "day", "number"])) for _ in range(random.randrange(3))]
            totals = [
                random.choice(["count(*)", f"count({value})", f"sum({value})", f"min({value})", f"max({value})", f"avg({value})", f"count(DISTINCT {value})"])
                for value in (self.value(side(), "number") for _ in range(random.randrange(1, 4)))
            ]
            items = [f"{item} AS c{i}" for i, item in enumerate(keys + totals)]
            group = f" GROUP BY {', '.join(str(i + 1) for i in range(len(keys)))}" if keys else ""
            having = " HAVING count(*) > 2" if keys and random.random() < 0.3 else ""
            return f"SELECT {', '.join(items)} FROM {source}{where}{group}{having}"
        values = [self.value(side(), random.choice(["text", "day", "number"])) for _ in range(random.randrange(1, 4))]
        items = [f"{item} AS c{i}" for i, item in enumerate(values)]
        distinct = "DISTINCT " if random.random() < 0.2 else ""
        if random.random() < 0.2:
            # All columns in the order, so that it does not matter which of equal rows are left out.
            order = ", ".join(f"{i + 1} {random.choice(['ASC', 'DESC'])} NULLS LAST" for i in range(len(values)))
            return f"SELECT {distinct}{', '.join(items)} FROM {source}{where} ORDER BY {order} LIMIT {random.randrange(1, 60)}"
        return f"SELECT {distinct}{', '.join(items)} FROM {source}{where}"

    def test_rows_are_duckdbs(self):
        some = 0
        for number in range(QUERIES):
            query = self.query()
            with self.subTest(number=number, query=query):
                expected = self.duckdb.sql(query).fetchall()
                found = self.connection.sql(query).fetchall()
                some += bool(expected)
                self.assertEqual(len(found), len(expected))
                key = lambda row: [(value is None, str(type(value)) if isinstance(value, str) else "", value if value is not None else 0) for value in row]
                for left, right in zip(sorted(map(plain, found), key=key), sorted(map(plain, expected), key=key)):
                    for one, other in zip(left, right):
                        if isinstance(one, float) and isinstance(other, float):
                            self.assertTrue(math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9), (left, right))
                        else:
                            self.assertEqual(one, other, (left, right))
        self.assertGreater(some, QUERIES // 2, "most queries have rows")


def plain(row):
    """Numbers of one kind: engines differ in which sums are whole numbers and which decimals. Rounded for sorting."""
    return [round(float(value), 9) if isinstance(value, (int, float)) or type(value).__name__ == "Decimal" else value for value in row]
