"""Plans of Substrait: bytes and JSON, plans of pyarrow, and what is refused."""

import datetime
import json

import pelton
import pyarrow as pa
import pyarrow.acero
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pyarrow.substrait
from support import Case


def rows():
    days = [datetime.date(2024, 1, day) for day in range(1, 5)]
    return pa.table({"id": [1, 2, 3, None], "name": ["a", "b", None, "d"], "day": days})


def plan(relation, names, extensions=()):
    return json.dumps({
        "version": {"minorNumber": 75, "producer": "test"},
        "extensions": [{"extensionFunction": {"functionAnchor": anchor, "name": name}} for anchor, name in extensions],
        "relations": [{"root": {"input": relation, "names": names}}],
    })


def read(**kind):
    types = [{"i64": {"nullability": "NULLABILITY_NULLABLE"}}, {"string": {"nullability": "NULLABILITY_NULLABLE"}}]
    schema = {"names": ["id", "name"], "struct": {"types": types, "nullability": "NULLABILITY_REQUIRED"}}
    return {"read": {"baseSchema": schema} | kind}


def field(index):
    return {"selection": {"directReference": {"structField": {"field": index}}, "rootReference": {}}}


def call(anchor, *arguments, **more):
    nullable = {"i64": {"nullability": "NULLABILITY_NULLABLE"}}
    values = [{"value": argument} for argument in arguments]
    return {"scalarFunction": {"functionReference": anchor, "arguments": values, "outputType": nullable} | more}


class Plans(Case):
    def setUp(self):
        super().setUp()
        self.connection = pelton.connect(threads=2)
        self.addCleanup(self.connection.close)
        self.connection.register("t", rows())

    def run_plan(self, relation, names, extensions=(), **options):
        return self.connection.from_substrait(plan(relation, names, extensions), **options).fetchall()

    def test_a_query_comes_back_from_bytes_and_from_json(self):
        query = "SELECT id, upper(name) AS n FROM t WHERE id > 1 ORDER BY id DESC"
        made = self.connection.to_substrait(query)
        self.assertIsInstance(made, bytes)
        as_json = self.connection.to_substrait(query, format="json")
        self.assertIn("relations", json.loads(as_json))
        for given in (made, bytearray(made), memoryview(made), pa.py_buffer(made), as_json, as_json.encode()):
            result = self.connection.from_substrait(given)
            self.assertEqual(result.fetchall(), [(3, None), (2, "B")])
            self.assertEqual(result.columns, ["id", "n"])

    def test_long_chains_of_conditions_are_not_deep(self):
        for word, count in (("AND", 2), ("OR", 4)):
            chain = f" {word} ".join(f"coalesce(id, 0) * {number} <> 3" for number in range(2, 300))
            made = self.connection.to_substrait(f"SELECT id FROM t WHERE {chain}")
            expected = self.connection.sql(f"SELECT id FROM t WHERE {chain}").fetchall()
            self.assertEqual(self.connection.from_substrait(made).fetchall(), expected)
            self.assertGreaterEqual(len(expected), count)

    def test_a_result_is_queried_further_and_again(self):
        result = self.connection.from_substrait(self.connection.to_substrait("SELECT id FROM t"))
        self.assertEqual(result.filter("id > 2").fetchall(), [(3,)])
        self.assertEqual(len(list(result.iter_rows())), 4)
        self.assertEqual(len(list(result.iter_rows())), 4)

    def test_tables_of_a_call(self):
        made = self.connection.to_substrait("SELECT count(*) FROM u", tables={"u": rows()})
        self.assertEqual(self.connection.from_substrait(made, {"u": rows()}).fetchall(), [(4,)])
        self.raises(pelton.QueryError, "there is no table u", self.connection.from_substrait, made)

    def test_files_of_a_plan(self):
        for at in range(2):
            pq.write_table(rows().slice(at * 2, 2), self.path(f"{at} part.parquet"))
        uri = "file://" + self.path("0 part.parquet").replace(" ", "%20")
        for item, expected in [
            ({"uriFile": uri}, 2),
            ({"uriFile": self.path("0 part.parquet")}, 2),
            ({"uriFolder": "file://" + self.folder}, 4),
            ({"uriPath": self.folder}, 4),
            ({"uriPathGlob": self.path("* part.parquet")}, 4),
        ]:
            relation = read(localFiles={"items": [item | {"parquet": {}}]})
            self.assertEqual(len(self.run_plan(relation, ["id", "name"])), expected, item)
        both = [{"uriFile": self.path(f"{at} part.parquet"), "parquet": {}} for at in range(2)]
        self.assertEqual(len(self.run_plan(read(localFiles={"items": both}), ["id", "name"])), 4)
        with self.assertRaisesRegex(pelton.TableError, "as a folder, which it is not"):
            item = {"uriFolder": self.path("0 part.parquet"), "parquet": {}}
            self.run_plan(read(localFiles={"items": [item]}), ["id", "name"])
        for kind, words in [({"orc": {}}, "ORC"), ({"arrow": {}}, "Arrow"), ({"text": {}}, "text"),
                            ({"dwrf": {}}, "DWRF"), ({"parquet": {}, "start": "4", "length": "8"}, "parts of files")]:
            item = {"uriFile": self.path("0 part.parquet")} | kind
            with self.assertRaisesRegex(pelton.QueryError, words):
                self.run_plan(read(localFiles={"items": [item]}), ["id", "name"])

    def test_rows_of_a_plan(self):
        values = [[{"literal": {"i64": "1"}}, {"literal": {"string": "x"}}],
                  [{"literal": {"null": {"i64": {"nullability": "NULLABILITY_NULLABLE"}}}},
                   {"literal": {"string": "y"}}]]
        relation = read(virtualTable={"expressions": [{"fields": row} for row in values]})
        self.assertEqual(self.run_plan(relation, ["a", "b"]), [(1, "x"), (None, "y")])

    def test_expressions_of_plans(self):
        """Switches, lists of rows, parameters, and the groups of several sets, in the plan's order."""
        table = read(namedTable={"names": ["t"]})
        number, text = lambda value: {"i64": str(value)}, lambda value: {"string": value}
        switch = {"switchExpression": {"match": field(0), "else": {"literal": text("other")},
                                       "ifs": [{"if": number(2), "then": {"literal": text("two")}}]}}
        rows_of = {"multiOrList": {"value": [field(0), field(1)], "options": [
            {"fields": [{"literal": number(1)}, {"literal": text("a")}]},
            {"fields": [{"literal": number(2)}, {"literal": text("a")}]}]}}
        parameter = {"dynamicParameter": {"parameterReference": 5, "type": {"i64": {}}}}
        emitted = {"emit": {"outputMapping": [2, 3, 4]}}
        relation = {"project": {"input": table, "common": emitted, "expressions": [switch, rows_of, parameter]}}
        whole = json.loads(plan(relation, ["s", "r", "p"]))
        whole["parameterBindings"] = [{"parameterAnchor": 5, "value": number(9)}]
        found = self.connection.from_substrait(json.dumps(whole)).fetchall()
        self.assertEqual(found, [("other", True, 9), ("two", False, 9), ("other", False, 9), ("other", False, 9)])
        del whole["parameterBindings"]
        self.raises(pelton.QueryError, "parameter 5", self.connection.from_substrait, json.dumps(whole))
        sets = {"aggregate": {"input": table, "groupingExpressions": [field(0), field(1)],
                              "groupings": [{"expressionReferences": [0]}, {"expressionReferences": [0, 1]}],
                              "measures": [{"measure": {"functionReference": 3, "outputType": {"i64": {}}}}]}}
        found = self.run_plan(sets, ["id", "name", "n"], [(3, "count:")])
        self.assertEqual([row for row in sorted(found, key=str) if row[0] == 1], [(1, "a", 1), (1, None, 1)])
        self.assertEqual(len(found), 8)
        sets["aggregate"]["groupings"].reverse()
        self.assertEqual(len(self.run_plan(sets, ["id", "name", "n"], [(3, "count:")])), 8)
        sets["aggregate"]["groupings"] = [{"expressionReferences": [1]}, {"expressionReferences": [0, 1]}]
        self.raises(pelton.QueryError, "in another order", self.run_plan, sets, ["id", "name", "n"], [(3, "count:")])

    def test_old_forms_of_times_count_microseconds(self):
        nullable = {"nullability": "NULLABILITY_NULLABLE"}
        schema = {"names": ["a", "b"], "struct": {"types": [{"timestamp": nullable}, {"time": nullable}]}}
        row = [{"literal": {"timestamp": "1704067200000001"}}, {"literal": {"time": "3661000001"}}]
        relation = {"read": {"baseSchema": schema, "virtualTable": {"expressions": [{"fields": row}]}}}
        expected = (datetime.datetime(2024, 1, 1, 0, 0, 0, 1), datetime.time(1, 1, 1, 1))
        self.assertEqual(self.run_plan(relation, ["a", "b"]), [expected])

    def test_literals_of_plans_are_checked(self):
        for literal, words in [
            ({"i8": 300}, "300 is no i8"),
            ({"decimal": {"value": "AAAAAAAAAAAAAAAAAAAAAA==", "precision": 99, "scale": 2}}, "a decimal of 99 digits"),
            ({"null": {"fixedBinary": {"length": 2000000000}}}, "2000000000 bytes"),
            ({"list": {"values": [{"i64": "1"}, {"string": "x"}]}}, "several types"),
            ({"intervalDayToSecond": {"days": 1, "seconds": 2147483647}}, "beyond its type"),
            ({"precisionTimestamp": {"precision": 12, "value": "1"}}, "12 digits"),
            ({}, "a literal has no type"),
        ]:
            relation = {"project": {"input": read(namedTable={"names": ["t"]}), "expressions": [{"literal": literal}]}}
            self.raises(pelton.QueryError, words, self.run_plan, relation, ["id", "name", "x"])
        values = {"list": {"values": [{"i64": "1"}, {"null": {"i64": {"nullability": "NULLABILITY_NULLABLE"}}}]}}
        relation = {"project": {"input": read(namedTable={"names": ["t"]}), "expressions": [{"literal": values}]}}
        self.assertEqual(self.run_plan(relation, ["id", "name", "x"])[0], (1, "a", [1, None]))

    def test_names_in_plans_are_shown_without_control_characters(self):
        relation = {"filter": {"input": read(namedTable={"names": ["t"]}), "condition": call(1, field(0))}}
        error = self.raises(pelton.QueryError, "anchor 1", self.run_plan, relation, ["id", "name"],
                            [(1, "a\n\u001b[31mb")])
        self.assertIn("a\\n\\u{1b}[31mb", str(error))

    def test_everything_that_is_missing_is_named_at_once(self):
        inner = read(namedTable={"names": ["t"]})
        relation = {"project": {"input": {"expand": {"input": inner}},
                                "expressions": [call(4, field(0)), call(5, field(1)),
                                                call(6, field(0), options=[{"name": "overflow",
                                                                            "preference": ["SATURATE"]}])]}}
        error = self.raises(pelton.QueryError, "needs what Pelton lacks", self.run_plan, relation, ["x"],
                            [(4, "no_such:i64"), (5, "nor_this"), (6, "add:i64_i64")])
        for part in ("no_such (anchor 4)", "nor_this (anchor 5)", "ExpandRel", "overflow SATURATE"):
            self.assertIn(part, str(error))

    def test_plans_that_contradict_themselves(self):
        table = read(namedTable={"names": ["t"]})
        for relation, names, words in [
            ({"project": {"input": table, "expressions": [field(7)]}}, ["x"], "column 7"),
            ({"project": {"input": table, "expressions": [field(-1)]}}, ["x"], "column -1"),
            ({"filter": {"input": table}}, ["id", "name"], "has no condition"),
            ({"cross": {"left": table}}, ["id", "name"], "has no right"),
            (read(namedTable={"names": ["t"]}, common={"emit": {"outputMapping": [9]}}), ["x"], "column 9"),
            (table, ["id"], "name"),
            (table, ["id", "name", "more"], "names"),
            (read(namedTable={"names": ["nowhere"]}), ["id", "name"], "there is no table nowhere"),
            ({}, ["id"], "a relation has no type"),
        ]:
            self.raises(pelton.QueryError, words, self.run_plan, relation, names)

    def test_columns_are_found_by_their_names_and_types(self):
        self.connection.register("narrow", pa.table({"NAME": ["x"], "id": pa.array([7], pa.int32())}))
        self.assertEqual(self.run_plan(read(namedTable={"names": ["narrow"]}), ["a", "b"]), [(7, "x")])
        self.connection.register("wrong", pa.table({"id": ["x"], "name": ["y"]}))
        self.raises(pelton.QueryError, "column id of table 'wrong' is", self.run_plan,
                    read(namedTable={"names": ["wrong"]}), ["a", "b"])
        self.connection.register("less", pa.table({"id": [1]}))
        self.raises(pelton.QueryError, "has no column name", self.run_plan, read(namedTable={"names": ["less"]}),
                    ["a", "b"])

    def test_objects_that_are_no_plans(self):
        self.raises(TypeError, "bytes, or a text of JSON", self.connection.from_substrait, 7)
        for given, words in [(b"\xff\xff", "no Substrait plan"), (b"", "has no relations"), ("{", "in JSON"),
                             ('{"relation": []}', "relation"), ("SELECT 1", "no Substrait plan")]:
            self.raises(pelton.QueryError, words, self.connection.from_substrait, given)
        deep = {"literal": {"boolean": True}}
        for _ in range(60):
            deep = call(1, deep)
        relation = {"filter": {"input": read(namedTable={"names": ["t"]}), "condition": deep}}
        self.raises(pelton.QueryError, "the limit", self.run_plan, relation, ["id", "name"], [(1, "not:bool")])
        self.raises(ValueError, "format", self.connection.to_substrait, "SELECT 1", format="xml")


class Expressions(Case):
    """Expressions as pyarrow writes them, over tables."""

    def test_expressions_of_pyarrow(self):
        table = rows()
        id_, name, day = pc.field("id"), pc.field("name"), pc.field("day")
        expressions = [
            id_ + 1, id_ * 2 - 1, id_ > 2, (id_ > 1) & (name == "b"), ~(id_ == 1), name.is_null(), id_.is_valid(),
            day <= datetime.date(2024, 1, 2), pc.if_else(name.is_null(), "none", name),
        ]
        with pelton.connect(threads=1) as connection:
            connection.register("t", table)
            written = 0
            for expression in expressions:
                try:
                    made = pyarrow.substrait.serialize_expressions([expression], ["x"], table.schema)
                except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
                    continue
                written += 1
                found = connection.from_substrait(made, over="t").to_arrow()
                right = pa.Table.from_batches(
                    pa.acero.Declaration.from_sequence([
                        pa.acero.Declaration("table_source", pa.acero.TableSourceNodeOptions(table)),
                        pa.acero.Declaration("project", pa.acero.ProjectNodeOptions([expression], ["x"])),
                    ]).to_table().to_batches())
                self.assertEqual(found.column("x").to_pylist(), right.column("x").to_pylist(), str(expression))
            self.assertGreaterEqual(written, 7)
            several = pyarrow.substrait.serialize_expressions([id_ + 1, id_ > 2], ["a", "b"], table.schema)
            self.assertEqual(connection.from_substrait(several, over="t").fetchall(),
                             [(2, False), (3, False), (4, True), (None, None)])

    def test_expressions_need_a_table_and_plans_have_theirs(self):
        table = rows()
        made = pyarrow.substrait.serialize_expressions([pc.field("id") + 1], ["x"], table.schema)
        pq.write_table(table, self.path("t.parquet"))
        with pelton.connect(threads=1) as connection:
            self.assertEqual(len(connection.from_substrait(made, over=self.path("t.parquet")).fetchall()), 4)
            self.raises(pelton.QueryError, "over columns id, name, day", connection.from_substrait, made)
            self.raises(pelton.QueryError, "not found", connection.from_substrait, made, over="nowhere")
            connection.register("t", table)
            plan = connection.to_substrait("SELECT id FROM t")
            self.raises(pelton.QueryError, "leave out the table t", connection.from_substrait, plan, over="t")
