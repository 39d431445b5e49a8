use super::*;

fn no_match(call: &str, candidates: &str) -> String {
    format!(
        "Internal error: Function 'f' failed to match any signature, errors: Error during planning: \
         Function 'f' requires Decimal.{REPORT} No function matches the given name and argument types \
         '{call}'. You might need to add explicit type casts. Candidate functions: {candidates}"
    )
}

#[test]
fn calls_have_one_line() {
    for (call, candidates, expected) in [
        ("sum(Utf8)", "sum(Decimal) sum(Float64)", "sum does not take (VARCHAR): cast to DOUBLE"),
        ("upper(Int64)", "upper(String)", "upper does not take (BIGINT): it takes (VARCHAR)"),
        (
            "corr(Utf8, Date32)",
            "corr(y: Float64, x: Float64)",
            "corr does not take (VARCHAR, DATE): it takes (DOUBLE, DOUBLE)",
        ),
        (
            "avg(Timestamp(µs))",
            "avg(Decimal) avg(Float64)",
            "avg does not take (TIMESTAMP): write avg(date_part('epoch', ...)) for seconds",
        ),
        (
            "coalesce(List(Int64), Boolean)",
            "coalesce(UserDefined)",
            "coalesce does not take (BIGINT[], BOOLEAN): cast its arguments, or give it others",
        ),
        (
            "substr(Int64, Int64)",
            "substr(str: String, start: Int64) substr(str: String, start: Int64, length: Int64)",
            "substr does not take (BIGINT, BIGINT): it takes (VARCHAR, BIGINT) or (VARCHAR, BIGINT, BIGINT)",
        ),
        ("sum()", "sum(Float64) sum(Int64)", "sum does not take (): it takes (DOUBLE) or (BIGINT)"),
        ("max()", "max(UserDefined)", "max does not take (): give it an argument"),
    ] {
        assert_eq!(query_mistake(&no_match(call, candidates)).as_deref(), Some(expected));
    }
}

#[test]
fn other_slips_have_one_line() {
    for (text, expected) in [
        (
            "Failed to coerce types Boolean and Utf8 in BETWEEN expression",
            Some("BOOLEAN and VARCHAR have no common type in BETWEEN: cast one of them"),
        ),
        (
            "Cannot infer common argument type for comparison operation List(Int64) = Int64",
            Some("BIGINT[] = BIGINT compares types without a common one: cast one of them"),
        ),
        (
            "Dot access not supported for non-string expr: Identifier(Ident { value: \"a\", span: S })",
            Some("(...).a is not supported: write (...)['a']"),
        ),
        (
            "Cannot cast string 'it's' to value of Int64 type",
            Some("'it's' can't be cast to BIGINT: write TRY_CAST for NULL in its place"),
        ),
        (
            "Failed to coerce then (Int64) and else (Boolean) to common types in CASE WHEN expression",
            Some("then (BIGINT) and else (BOOLEAN) have no common type in CASE: cast one of them"),
        ),
        (
            "Execution error: [return_type] SUM not supported for Null",
            Some("sum(NULL) has no type: write sum(CAST(NULL AS DOUBLE))"),
        ),
        (
            "APPROX_MEDIAN(DISTINCT) aggregations are not available",
            Some(
                "approx_median(DISTINCT ...) is not supported: \
                 write approx_median(...) over a subquery, (SELECT DISTINCT ...)",
            ),
        ),
        (
            "COUNT DISTINCT with multiple arguments",
            Some("count(DISTINCT a, b) is not supported: write count(DISTINCT (a, b))"),
        ),
        (
            "Cannot coerce arithmetic expression Utf8 + Int64 to valid types",
            Some("there is no VARCHAR + BIGINT: cast one of them"),
        ),
        (
            "Cannot get result type for temporal operation Date32 * Int64: Invalid argument error: Date32",
            Some("there is no DATE * BIGINT: cast one of them"),
        ),
        (
            "Cannot infer common type for bitwise operation Int64 & Utf8",
            Some("there is no BIGINT & VARCHAR: cast one of them"),
        ),
        (
            "Unsupported CAST from List(Int64) to Int32",
            Some("BIGINT[] can't be cast to INTEGER: select its parts, or another type"),
        ),
        (
            "Cannot automatically convert Int64 to Interval(MonthDayNano)",
            Some("BIGINT is no INTERVAL: write one, such as n * INTERVAL '1 day'"),
        ),
        (
            "Invalid input syntax for type interval: \"x\"",
            Some("'x' is no INTERVAL: write numbers with units, INTERVAL '1 day 2 hours'"),
        ),
        (
            "Column in SELECT must be in GROUP BY or an aggregate function: While expanding wildcard, column \
             \"t.x\" must appear in the GROUP BY clause or must be part of an aggregate function, currently",
            Some("t.x in SELECT must be in GROUP BY, or in an aggregate such as any_value(t.x)"),
        ),
        (
            "Cannot create filter with non-boolean predicate 'Utf8(\"x\")' returning Utf8",
            Some("'x' is a VARCHAR, and no condition: compare it with a value"),
        ),
        (
            "Cannot access field at argument 1: type List(Int64) is not Struct, Map, or Null",
            Some("BIGINT[] has no fields: an element has a number, l[1] for the first"),
        ),
        (
            "Int64Array overflow on abs(-9223372036854775808)",
            Some("abs(-9223372036854775808) overflows BIGINT: cast the argument to a wider type"),
        ),
        ("the disk is full", None),
    ] {
        assert_eq!(query_mistake(text).as_deref(), expected, "{text}");
    }
}

#[test]
fn nothing_asks_for_a_report_elsewhere() {
    assert_eq!(without_report(&format!("Expected a Map type.{REPORT} More")), "Expected a Map type. More");
}

#[test]
fn dumps_of_expressions_are_left_out() {
    for (text, expected) in [
        (
            "INTERVAL expression cannot be Value(ValueWithSpan { value: Number(\"1\", false) })",
            "a distance in the frame of a window is a constant: write 3 PRECEDING or INTERVAL 1 DAY PRECEDING",
        ),
        (
            "Unsupported LIMIT expression: Some(ScalarSubquery(<subquery>))",
            "LIMIT takes a number, and no query",
        ),
        ("Unsupported OFFSET expression: Some(Column(Column { }))", "OFFSET takes a number, and no query"),
        (
            "Aggregate function calls cannot contain window function calls: 'a' is nested inside 'b'",
            "an aggregate can't contain a window function: compute it in a subquery, (SELECT ... OVER () AS w)",
        ),
        (
            "Physical plan does not support logical expression WindowFunction(WindowFunction { fun: x })",
            "a window function stands in SELECT and ORDER BY: write QUALIFY for a condition, or a subquery",
        ),
        (
            "Physical plan does not support logical expression AggregateFunction(AggregateFunction { x })",
            "an aggregate is not supported in this place: write a subquery",
        ),
        (
            "Physical plan does not support logical expression Exists(Exists { subquery: x })",
            "Exists is not supported in this place: write a subquery",
        ),
    ] {
        assert_eq!(query_mistake(text).as_deref(), Some(expected));
    }
}

#[test]
fn fields_of_values_are_left_out() {
    for (text, expected) in [
        (
            "Cannot convert Column(Column { relation: Some(Bare { table: \"t\" }), name: \"x\" }) here",
            "Cannot convert Column(Column) here",
        ),
        ("type String(String { type_variation_reference: 7, nullability: Nullable })", "type String(String)"),
        ("Struct([Field { name: \"a\" }, Field { name: \"b\" }])", "Struct([Field, Field])"),
        ("unclosed Value { field: 1", "unclosed Value"),
        (
            "struct { 'a': 1 } and { b: 2 } stay, and A { b } too",
            "struct { 'a': 1 } and { b: 2 } stay, and A { b } too",
        ),
        ("plain", "plain"),
    ] {
        assert_eq!(without_dumps(text), expected);
    }
}
