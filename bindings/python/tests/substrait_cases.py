"""The function tests of the Substrait consortium, as plans.

The package substrait-extensions has them, a file for each function: lines such as
`add(120::i8, 5::i8) [overflow:ERROR] = 125::i8`. Here each line becomes a plan with one row or one
measure. Lines of kinds that this reader has not are counted.
"""

import base64
import datetime
import decimal
import math
import pathlib
import re
import struct


class Unread(Exception):
    """A line of another kind."""


ERROR = object()
UNDEFINED = object()

TOKEN = re.compile(
    r"\s*(?:(?P<text>'(?:[^'\\]|\\.)*')|(?P<mark>::|->|[()\[\],=<>?{}:])|(?P<word>[^\s()\[\],=<>?{}:']+"
    r"(?::[0-9][^\s()\[\],=<>?{}':]*)*))"
)


def cases(folder):
    """Yields (file, line, case or None): a case has a function, arguments, options, a result."""
    for path in sorted(pathlib.Path(folder).glob("*/*.test")):
        kind, urn = "", ""
        for line in path.read_text().splitlines():
            if line.startswith("### SUBSTRAIT_INCLUDE"):
                urn = line.split(": ", 1)[1].strip()
            elif line.startswith("### SUBSTRAIT_"):
                kind = line.split("_")[1].split("_")[0]
            elif line.strip() and not line.startswith("#"):
                try:
                    yield f"{path.parent.name}/{path.name}", line, Case(line, kind, urn)
                except Unread:
                    yield f"{path.parent.name}/{path.name}", line, None


class Case:
    """One line."""

    def __init__(self, line, kind, urn):
        self.urn, self.is_aggregate = urn, kind == "AGGREGATE"
        if kind not in ("SCALAR", "AGGREGATE") or "->" in line or line.startswith("DEFINE"):
            raise Unread
        call, _, result = line.rpartition(" = ")
        rows = None
        if not call:
            raise Unread
        if self.is_aggregate and call.startswith("("):
            rows, call = rows_before(call)
        options = re.search(r"\)\s*\[(.*)\]\s*$", call)
        self.options = {}
        if options:
            call = call[: options.start() + 1]
            for option in options[1].split(","):
                name, value = option.split(":")
                self.options[name.strip()] = value.strip()
        name, _, arguments = call.partition("(")
        self.function = name.strip()
        reader = Reader(arguments)
        self.arguments = []
        while not reader.take(")"):
            if rows is not None and re.fullmatch(r"col\d+", reader.peek()):
                column = int(reader.next()[3:])
                reader.take("::")
                type_ = reader.type()
                if any(len(row) <= column for row in rows):
                    raise Unread
                self.arguments.append(([convert(row[column], type_) for row in rows], type_))
            else:
                self.arguments.append(reader.value(is_column=self.is_aggregate))
            reader.take(",")
        if result.startswith("<!ERROR"):
            self.result, self.type = ERROR, None
        elif result.startswith("<!UNDEFINED"):
            self.result, self.type = UNDEFINED, None
        else:
            self.result, self.type = Reader(result).value()

    def plan(self):
        """Returns the plan, as Python's form of JSON."""
        fields, arguments = [], []
        rows = [[]]
        for value, type_ in self.arguments:
            if type_ == ("enum",):
                arguments.append({"enum": value})
            elif self.is_aggregate:
                rows = [[literal(one, type_)] for one in value]
                arguments.append({"value": {"selection": {"directReference": {"structField": {"field": len(fields)}},
                                                          "rootReference": {}}}})
                fields.append(type_)
            else:
                arguments.append({"value": {"literal": literal(value, type_)}})
        schema = {"names": [f"c{i}" for i in range(len(fields))],
                  "struct": {"types": [type_of(f) for f in fields], "nullability": "NULLABILITY_REQUIRED"}}
        table = {"expressions": [{"fields": [{"literal": v} for v in row]} for row in rows]} if rows else {}
        read = {"read": {"baseSchema": schema, "virtualTable": table}}
        call = {"functionReference": 7, "arguments": arguments,
                "options": [{"name": n, "preference": [v]} for n, v in self.options.items()],
                "outputType": type_of(self.type or ("i64",))}
        if self.is_aggregate:
            rel = {"aggregate": {"input": read, "groupings": [{}],
                                 "measures": [{"measure": call | {"phase": "AGGREGATION_PHASE_INITIAL_TO_RESULT"}}]}}
        else:
            rel = {"project": {"input": read, "expressions": [{"scalarFunction": call}],
                               "common": {"emit": {"outputMapping": [len(fields)]}}}}
        return {"version": {"minorNumber": 75, "producer": "cases"},
                "extensionUrns": [{"extensionUrnAnchor": 1, "urn": self.urn}],
                "extensions": [{"extensionFunction": {"extensionUrnReference": 1, "functionAnchor": 7,
                                                      "name": self.function}}],
                "relations": [{"root": {"input": rel, "names": ["result"]}}]}

    def is_right(self, value):
        """Returns whether a value of Python's is the result."""
        return equal(self.result, self.type, value)


def rows_before(call):
    """Returns the rows in front of a call of an aggregate, and the call."""
    depth, at = 0, 0
    for at, character in enumerate(call):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0:
            break
    return Reader(call[: at + 1]).raw(), call[at + 1 :].strip()


class Reader:
    """Values with their types."""

    def __init__(self, text):
        self.tokens = []
        at = 0
        text = text.strip()
        while at < len(text):
            found = TOKEN.match(text, at)
            if not found:
                raise Unread
            self.tokens.append(found[0].strip())
            at = found.end()
        self.at = 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, token):
        if self.peek() == token:
            self.at += 1
            return True
        return False

    def next(self):
        self.at += 1
        if self.at > len(self.tokens):
            raise Unread
        return self.tokens[self.at - 1]

    def raw(self):
        for opening, closing in ("()", "[]"):
            if self.take(opening):
                values = []
                while not self.take(closing):
                    values.append(self.raw())
                    self.take(",")
                return values
        token = self.next()
        if token.startswith("'"):
            return ("text", token[1:-1])
        return token

    def value(self, is_column=False):
        raw = self.raw()
        if not self.take("::"):
            raise Unread
        type_ = self.type()
        if type_ == ("enum",):
            return raw, type_
        if is_column:
            if not isinstance(raw, list):
                raise Unread
            return [convert(one, type_) for one in raw], type_
        return convert(raw, type_), type_

    def type(self):
        name = self.next()
        self.take("?")
        parameters = []
        if self.take("<"):
            while not self.take(">"):
                if self.peek().isdigit():
                    parameters.append(int(self.next()))
                else:
                    parameters.append(self.type())
                self.take(",")
        self.take("?")
        return (name, *parameters)


def convert(raw, type_):
    name = type_[0]
    if isinstance(raw, str) and raw.lower() == "null":
        return None
    if name == "list":
        return [convert(one, type_[1]) for one in raw]
    if isinstance(raw, list):
        raise Unread
    if isinstance(raw, tuple):
        return raw[1]
    if re.fullmatch(r"[iu](8|16|32|64)", name):
        return int(raw)
    if name in ("fp32", "fp64"):
        return float(raw)
    if name == "bool":
        return raw.lower() == "true"
    if name == "dec":
        return decimal.Decimal(raw)
    if name == "date":
        return datetime.date.fromisoformat(raw)
    if name == "pts":
        return datetime.datetime.fromisoformat(raw)
    if name == "ptstz":
        return datetime.datetime.fromisoformat(raw).astimezone(datetime.timezone.utc)
    if name == "pt":
        return datetime.time.fromisoformat(raw)
    if name in ("iday", "iyear"):
        return interval(raw)
    raise Unread


def interval(text):
    found = re.fullmatch(r"P(?:(-?\d+)Y)?(?:(-?\d+)M)?(?:(-?\d+)D)?(?:T(?:(-?\d+)H)?(?:(-?\d+)M)?(?:(-?[\d.]+)S)?)?",
                         text)
    if not found:
        raise Unread
    years, months, days, hours, minutes = (int(part or 0) for part in found.groups()[:5])
    micros = round(float(found[6] or 0) * 1e6)
    return years * 12 + months, days, (hours * 3600 + minutes * 60) * 1_000_000 + micros


NULLABLE = {"nullability": "NULLABILITY_NULLABLE"}
NAMES = {"i8": "i8", "i16": "i16", "i32": "i32", "i64": "i64", "fp32": "fp32", "fp64": "fp64", "bool": "bool",
         "str": "string", "string": "string", "date": "date", "iyear": "intervalYear"}


def type_of(type_):
    name = type_[0]
    if name in NAMES:
        return {NAMES[name]: dict(NULLABLE)}
    if name[0] == "u" and name[1:] in ("8", "16", "32", "64"):
        return {f"i{name[1:]}": NULLABLE | {"typeVariationReference": 1}}
    if name == "dec":
        precision, scale = type_[1:] if len(type_) == 3 else (38, 0)
        return {"decimal": NULLABLE | {"precision": precision, "scale": scale}}
    if name in ("pts", "ptstz", "pt"):
        field = {"pts": "precisionTimestamp", "ptstz": "precisionTimestampTz", "pt": "precisionTime"}[name]
        return {field: NULLABLE | {"precision": type_[1] if len(type_) > 1 else 6}}
    if name == "vchar":
        return {"varchar": NULLABLE | {"length": type_[1]}}
    if name == "fchar":
        return {"fixedChar": NULLABLE | {"length": type_[1]}}
    if name == "iday":
        return {"intervalDay": NULLABLE | {"precision": 6}}
    if name == "list":
        return {"list": NULLABLE | {"type": type_of(type_[1] if len(type_) > 1 else ("str",))}}
    raise Unread


def literal(value, type_):
    name = type_[0]
    if value is None:
        return {"null": type_of(type_)}
    if name in ("fp32", "fp64") and not math.isfinite(value):
        return {name: {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")}
    if name == "bool":
        return {"boolean": value}
    if name in NAMES and name not in ("date", "iyear"):
        return {NAMES[name]: str(value) if name == "i64" else value}
    if name[0] == "u" and name[1:] in ("8", "16", "32", "64"):
        bits = int(name[1:])
        signed = value - (1 << bits) if bits >= 32 and value >> (bits - 1) else value
        return {f"i{bits}": str(signed) if bits == 64 else signed, "typeVariationReference": 1}
    if name == "date":
        return {"date": (value - datetime.date(1970, 1, 1)).days}
    if name == "dec":
        if len(type_) != 3:
            raise Unread
        precision, scale = type_[1:]
        number = int(value.scaleb(scale, decimal.Context(prec=60)).to_integral_value())
        encoded = base64.b64encode(number.to_bytes(16, "little", signed=True)).decode()
        return {"decimal": {"value": encoded, "precision": precision, "scale": scale}}
    if name in ("pts", "ptstz"):
        zone = value.tzinfo
        micros = (value - datetime.datetime(1970, 1, 1, tzinfo=zone)) // datetime.timedelta(microseconds=1)
        precision = type_[1] if len(type_) > 1 else 6
        field = "precisionTimestamp" if name == "pts" else "precisionTimestampTz"
        return {field: {"precision": precision, "value": str(micros // 10 ** (6 - precision))}}
    if name == "pt":
        micros = ((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond
        return {"precisionTime": {"precision": 6, "value": str(micros)}}
    if name == "vchar":
        return {"varChar": {"value": value, "length": type_[1]}}
    if name == "fchar":
        return {"fixedChar": value}
    if name == "iyear":
        return {"intervalYearToMonth": {"years": value[0] // 12, "months": value[0] % 12}}
    if name == "iday":
        seconds, micros = divmod(value[2], 1_000_000)
        return {"intervalDayToSecond": {"days": value[1], "seconds": seconds, "subseconds": str(micros),
                                        "precision": 6}}
    if name == "list":
        if not value:
            return {"emptyList": type_of(type_)["list"]}
        return {"list": {"values": [literal(one, type_[1]) for one in value]}}
    raise Unread


def equal(right, type_, value):
    if right is None or value is None:
        return right is None and value is None
    name = type_[0]
    if name == "list":
        inner = type_[1] if len(type_) > 1 else ("str",)
        return len(right) == len(value) and all(equal(a, inner, b) for a, b in zip(right, value))
    if name in ("fp32", "fp64"):
        value = float(value)
        if math.isnan(right) or math.isnan(value):
            return math.isnan(right) and math.isnan(value)
        if math.isinf(right) or math.isinf(value):
            return right == value
        # the tests have seven digits of numbers with 32 bits, and ten of longer ones
        return math.isclose(right, value, rel_tol=1e-6 if name == "fp32" else 1e-9, abs_tol=1e-9)
    if name == "dec" or re.fullmatch(r"[iu](8|16|32|64)", name):
        return decimal.Decimal(str(value)) == right
    if name == "ptstz" and isinstance(value, datetime.datetime):
        return value.astimezone(datetime.timezone.utc) == right
    if name == "bool":
        return value is right
    if name in ("iyear", "iday"):
        return interval_of(value) == right
    if name == "date" and isinstance(value, datetime.datetime):
        return False
    return value == right


def interval_of(value):
    if isinstance(value, datetime.timedelta):
        return 0, value.days, value.seconds * 1_000_000 + value.microseconds
    if isinstance(value, tuple):
        months, days, nanos = value
        return months, days, nanos // 1000
    return value
