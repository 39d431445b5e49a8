use super::{in_sql, plan_in_sql};

#[test]
fn types_have_their_names_of_sql() {
    for (theirs, ours) in [
        ("Timestamp(µs, \"+00:00\"), Time64(ns)", "TIMESTAMPTZ, TIME"),
        ("Interval(MonthDayNano) > Decimal128(3, 1)", "INTERVAL > DECIMAL(3,1)"),
        ("Dictionary(Int32, Utf8View)", "VARCHAR"),
        ("List(Int64) or List(non-null Utf8)", "BIGINT[] or VARCHAR[]"),
        ("Struct(\"a\": Int64, \"b c\": List(Utf8))", "STRUCT(a BIGINT, b c VARCHAR[])"),
        ("not Struct, Map, or Null", "not STRUCT, MAP, or Null"),
        ("got Int64.", "got BIGINT."),
        ("column 's' of type 'Int32' for", "column 's' of type INTEGER for"),
        ("Müller", "Müller"),
    ] {
        assert_eq!(in_sql(theirs), ours);
    }
}

#[test]
fn constants_are_written_as_in_sql() {
    for (theirs, ours) in [
        ("Int64(1) + Float64(1.5)", "1 + 1.5"),
        ("Utf8(\"it's (\") || Utf8View(\"b\")", "'it''s (' || 'b'"),
        ("Boolean(true) OR Utf8(NULL)", "true OR NULL"),
        ("Decimal128(1.5,2,1)", "1.5"),
        (
            "Date32(\"2024-01-31\") + IntervalMonthDayNano(\"IntervalMonthDayNano { months: 1, days: 0, \
             nanoseconds: 5000000000 }\")",
            "DATE '2024-01-31' + INTERVAL '1 months 5 seconds'",
        ),
        ("Binary(\"1,255\")", "X'01FF'"),
        ("TimestampMicrosecond(1706695200500000, None)", "TIMESTAMP '2024-01-31 10:00:00.500'"),
        ("TimestampSecond(1706695200, Some(\"UTC\"))", "TIMESTAMPTZ '2024-01-31 10:00:00+00'"),
        ("Time64Microsecond(\"36000000000\")", "TIME '10:00:00'"),
        ("Utf8(_a_b_)", "'a_b'"),
        ("make_array(Int64(1),Int64(2))", "make_array(1,2)"),
        ("List([1, 2])", "[1, 2]"),
        ("cast to FixedSizeList(3): value", "cast to a list of 3: value"),
    ] {
        assert_eq!(in_sql(theirs), ours);
    }
}

#[test]
fn texts_in_quotes_and_other_words_stay() {
    for text in [
        "'Int64' can't be cast to BIGINT",
        "/data/\"Utf8View\".parquet isn't there, and 'Date32(\"x\")' is not",
        "Dates of Listings and my_Int64 and Int64x",
        "it doesn't matter: don't",
        "a ' b",
    ] {
        assert_eq!(in_sql(text), text);
    }
}

#[test]
fn plans_keep_names_of_columns() {
    for (theirs, ours) in [
        ("Filter: t.x > Int64(0) AND Map = List", "Filter: t.x > 0 AND Map = List"),
        ("CAST(x AS Int32) AS Interval2, Struct", "CAST(x AS INTEGER) AS Interval2, Struct"),
        ("a = it's\nb = Utf8(\"it's\")", "a = it's\nb = 'it''s'"),
        ("[shape=box label=\"x = Int64(1), Utf8(_a_)\"]", "[shape=box label=\"x = 1, 'a'\"]"),
        ("x + IntervalMonthDayNano { months: 0, days: 1, nanoseconds: 0 }", "x + INTERVAL '1 days'"),
        ("wdw=[lag(x): Field { \"lag(x)\": nullable Int64 }, frame: ROWS]", "wdw=[lag(x), frame: ROWS]"),
        ("Date32(\"NULL\") TimestampSecond(NULL, None) Utf8(\"NULL\")", "NULL NULL 'NULL'"),
        ("schema=[x:Int64;N, y:Utf8View]", "schema=[x:BIGINT;N, y:VARCHAR]"),
    ] {
        assert_eq!(plan_in_sql(theirs), ours);
    }
}
