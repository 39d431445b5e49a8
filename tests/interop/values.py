"""Values of every type that Arrow has and Parquet can hold, the same in every run."""

import datetime
import decimal
import random

import pyarrow as pa

ROWS = 300


def column(seed, make, nulls=0.15):
    """A list of values, some of them None."""
    rng = random.Random(seed)
    return [None if rng.random() < nulls else make(rng) for _ in range(ROWS)]


def word(rng):
    return rng.choice(["", "a", "Zürich", "日本", "\U0001f600", "the quick brown fox jumps"]) + str(rng.randrange(40))


def blob(rng):
    return rng.randbytes(rng.choice([0, 1, 12, 13, 40]))


def integer(bits, signed=True):
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    return lambda rng: rng.choice([low, high, 0, rng.randint(low, high), rng.randrange(100)])


def real(rng):
    return rng.choice([0.0, -0.0, float("inf"), float("-inf"), rng.uniform(-1e6, 1e6), rng.randrange(50) / 8])


def single(rng):
    return rng.choice([0.0, float("inf"), rng.randrange(-(1 << 20), 1 << 20) / 64])


def fixed_point(precision, scale):
    def make(rng):
        digits = rng.randint(-(10**precision) + 1, 10**precision - 1)
        return decimal.Decimal(digits).scaleb(-scale, decimal.Context(prec=80))

    return make


def day(rng):
    return datetime.date(1900, 1, 1) + datetime.timedelta(days=rng.randrange(73_000))


def moment(rng):
    return datetime.datetime(1900, 1, 1) + datetime.timedelta(seconds=rng.randrange(6_300_000_000))


def moment_us(rng):
    return moment(rng) + datetime.timedelta(microseconds=rng.randrange(1_000_000))


def list_of(make, longest=5):
    return lambda rng: [None if rng.random() < 0.1 else make(rng) for _ in range(rng.randrange(longest))]


def struct_of(**fields):
    return lambda rng: {name: None if rng.random() < 0.1 else make(rng) for name, make in fields.items()}


def deep(rng):
    return list_of(struct_of(name=word, points=list_of(struct_of(x=integer(32), y=real))))(rng)


def mapping(rng):
    return [(f"key {n}", None if rng.random() < 0.2 else rng.randrange(1000)) for n in range(rng.randrange(4))]


def flat():
    """An Arrow table with a column of each type without children."""
    columns = {"id": pa.array(range(ROWS), pa.int64())}

    def add(name, of, make):
        columns[name] = pa.array(column(name, make), of)

    for bits in (8, 16, 32, 64):
        add(f"i{bits}", getattr(pa, f"int{bits}")(), integer(bits))
        add(f"u{bits}", getattr(pa, f"uint{bits}")(), integer(bits, signed=False))
    add("f32", pa.float32(), single)
    add("f64", pa.float64(), real)
    add("bool", pa.bool_(), lambda rng: rng.random() < 0.5)
    for precision, scale in ((5, 2), (9, 0), (18, 4), (38, 10)):
        add(f"decimal{precision}", pa.decimal128(precision, scale), fixed_point(precision, scale))
    add("decimal60", pa.decimal256(60, 7), fixed_point(60, 7))
    add("date", pa.date32(), day)
    add("time_ms", pa.time32("ms"), lambda rng: datetime.time(rng.randrange(24), rng.randrange(60), 7, 5000))
    add("time_us", pa.time64("us"), lambda rng: datetime.time(rng.randrange(24), rng.randrange(60), 7, 5001))
    add("time_ns", pa.time64("ns"), lambda rng: rng.randrange(86_400 * 10**9))
    add("ts_s", pa.timestamp("s"), moment)
    add("ts_ms", pa.timestamp("ms"), moment)
    add("ts_us", pa.timestamp("us"), moment_us)
    add("ts_ns", pa.timestamp("ns"), moment_us)
    add("ts_us_utc", pa.timestamp("us", "UTC"), moment_us)
    add("ts_ms_zone", pa.timestamp("ms", "Europe/Zurich"), moment)
    add("text", pa.string(), word)
    add("large_text", pa.large_string(), word)
    add("binary", pa.binary(), blob)
    add("fixed16", pa.binary(16), lambda rng: rng.randbytes(16))
    columns["category"] = pa.array(column("category", word)).dictionary_encode()
    columns["only_nulls"] = pa.nulls(ROWS)
    return pa.table(columns)


def nested():
    """An Arrow table with lists, structs, maps, and lists of structs of lists."""
    point = pa.struct([("x", pa.int32()), ("y", pa.float64())])
    types = {
        "list": (pa.list_(pa.int32()), list_of(integer(32))),
        "words": (pa.list_(pa.string()), list_of(word)),
        "large": (pa.large_list(pa.int64()), list_of(integer(64))),
        "fixed": (pa.list_(pa.float32(), 3), lambda rng: [single(rng) for _ in range(3)]),
        "matrix": (pa.list_(pa.list_(pa.int64())), list_of(list_of(integer(64)))),
        "point": (point, struct_of(x=integer(32), y=real)),
        "structs": (
            pa.list_(pa.struct([("name", pa.string()), ("points", pa.list_(point))])),
            deep,
        ),
        "map": (pa.map_(pa.string(), pa.int32()), mapping),
    }
    columns = {"id": pa.array(range(ROWS), pa.int64())}
    for name, (of, make) in types.items():
        columns[name] = pa.array(column(name, make), of)
    return pa.table(columns)
