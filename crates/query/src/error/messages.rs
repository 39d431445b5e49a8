//! DataFusion's errors in the terms of SQL, on one line with the next step.

mod calls;
mod clauses;

use super::types::in_sql;

/// Text that DataFusion appends to errors that it takes for its own faults.
const REPORT: &str = " This issue was likely caused by a bug in DataFusion's code. Please help us to resolve \
                      this by filing a bug report in our issue tracker: \
                      https://github.com/apache/datafusion/issues.";

/// Kinds of errors that DataFusion and Arrow write in front of a text.
const KINDS: [&str; 10] = [
    "Arrow error: ",
    "Cast error: ",
    "Compute error: ",
    "Error during planning: ",
    "Execution error: ",
    "Invalid argument error: ",
    "Invalid or Unsupported Configuration: ",
    "Parser error: ",
    "Schema error: ",
    "This feature is not implemented: ",
];

/// Returns a clearer text for a mistake in a query; `None` for other texts.
pub(super) fn query_mistake(text: &str) -> Option<String> {
    let kinds = [
        calls::call,
        no_common_type,
        in_subquery,
        comparison,
        operator,
        clauses::condition,
        truth,
        clauses::position,
        clauses::sorted_distinct,
        clauses::no_fields,
        clauses::field,
        text_cast,
        cast,
        no_type,
        digits,
        escape,
        absolute,
        interval,
        clauses::ungrouped,
        of_null,
        distinct,
        clauses::frame,
        clauses::limit,
        clauses::window,
        clauses::unplanned,
        part_of_time,
        clauses::element,
        clauses::rows_of_values,
        clauses::names_of_columns,
        clauses::ambiguous,
        clauses::join_condition,
        clauses::columns_of_subquery,
        clauses::star,
        clauses::same_name,
        clauses::fetch,
        calls::lambda,
        calls::map,
        calls::series,
        sign,
        regular_expression,
        bytes,
        calls::substring,
    ];
    kinds.iter().find_map(|kind| kind(text))
}

/// Returns a text without the request to report it elsewhere, and without the kinds of errors in
/// front.
pub(super) fn without_report(text: &str) -> String {
    let text = text.replace(REPORT, "");
    let mut rest = text.as_str();
    while let Some(behind) = KINDS.iter().find_map(|kind| rest.strip_prefix(kind)) {
        rest = behind;
    }
    rest.to_owned()
}

/// Returns a text without the fields in Rust's notation of values, `Name { field: value }`.
pub(super) fn without_dumps(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(" { ") {
        let (before, fields) = rest.split_at(start);
        let is_name = |part: char| part.is_ascii_alphanumeric() || part == '_';
        let has_name = before
            .rsplit(|part| !is_name(part))
            .next()
            .is_some_and(|name| name.starts_with(|first: char| first.is_ascii_uppercase()));
        let field = fields.trim_start_matches([' ', '{']).split(|part| !is_name(part)).next();
        let has_field = field.is_some_and(|field| {
            !field.is_empty() && fields.trim_start_matches([' ', '{'])[field.len()..].starts_with(": ")
        });
        kept.push_str(before);
        rest = match (has_name && has_field).then(|| end_of_braces(fields)) {
            Some(end) => &fields[end..],
            None => {
                kept.push_str(&fields[..3]);
                &fields[3..]
            }
        };
    }
    kept + rest
}

/// Returns the end of the braces that a text begins with, or of the text.
fn end_of_braces(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, part) in text.char_indices() {
        match part {
            '{' => depth += 1,
            '}' if depth <= 1 => return at + 1,
            '}' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

/// Explains two types without a common one: one needs a cast.
fn no_common_type(text: &str) -> Option<String> {
    let places = [
        ("Failed to coerce types ", " in BETWEEN expression", "BETWEEN"),
        ("There isn't a common type to coerce ", " in LIKE expression", "LIKE"),
        ("There isn't a common type to coerce ", " in ILIKE expression", "ILIKE"),
        ("Failed to coerce ", " to common types in CASE WHEN expression", "CASE"),
    ];
    places.iter().find_map(|(start, end, place)| {
        let types = in_sql(between(text, start, end)?);
        Some(format!("{types} have no common type in {place}: cast one of them"))
    })
}

/// Explains a value and a subquery of other types.
fn in_subquery(text: &str) -> Option<String> {
    if let Some((value, others)) = text
        .strip_prefix("Can not find compatible types to compare ")
        .and_then(|types| types.split_once(" with ["))
    {
        let others = others.strip_suffix(']')?;
        return Some(format!(
            "{} and {} have no common type in IN: cast one of them",
            in_sql(value),
            in_sql(others)
        ));
    }
    let types = text.strip_prefix("expr type ")?;
    let (types, place) = match types.strip_suffix(" in InSubquery") {
        Some(types) => (types, "IN"),
        None => (types.strip_suffix(" in SetComparison")?, "ANY and ALL"),
    };
    let (value, column) = types.split_once(" can't cast to ")?;
    let (value, column) = (in_sql(value), in_sql(column));
    Some(format!("{value} and {column} have no common type in {place}: cast one of them"))
}

/// Explains a comparison of two types without a common one.
fn comparison(text: &str) -> Option<String> {
    if let Some((left, right)) =
        text.strip_prefix("Invalid comparison operation: ").and_then(|types| types.split_once(" == "))
    {
        let (left, right) = (in_sql(left), in_sql(right));
        return Some(format!("{left} = {right} compares types without a common one: cast one of them"));
    }
    let compared = text.strip_prefix("Cannot infer common argument type for comparison operation ")?;
    if let Some(value) = compared.strip_suffix(" IS DISTINCT FROM Boolean") {
        return Some(format!(
            "{} is no condition, as IS TRUE and the like take one: compare it with a value",
            in_sql(value)
        ));
    }
    Some(format!("{} compares types without a common one: cast one of them", in_sql(compared)))
}

/// Explains an operator over types that it does not take.
fn operator(text: &str) -> Option<String> {
    let places = [
        ("Cannot coerce arithmetic expression ", " to valid types"),
        ("Cannot get result type for temporal operation ", ": "),
        ("Cannot infer common type for bitwise operation ", ""),
        ("Cannot infer common string type for string concat operation ", ""),
    ];
    places.iter().find_map(|(start, end)| {
        let types = match *end {
            "" => text.strip_prefix(start)?,
            end => text.strip_prefix(start)?.split_once(end)?.0,
        };
        Some(format!("there is no {}: cast one of them", in_sql(types)))
    })
}

/// Explains an operator of conditions over other values.
fn truth(text: &str) -> Option<String> {
    if let Some(operands) =
        text.strip_prefix("Cannot infer common argument type for logical boolean operation ")
    {
        return Some(format!("{} takes conditions: compare the other value, as in x <> 0", in_sql(operands)));
    }
    let found = text.strip_prefix("Unary operator 'NOT' requires a boolean expression, got ")?;
    Some(format!("NOT takes a condition, and not a {}: compare it with a value, as in x = 0", in_sql(found)))
}

/// Explains a DECIMAL that there is none of.
fn digits(text: &str) -> Option<String> {
    let found = between(text, "Decimal(precision = ", ") should satisfy")?;
    let (digits, scale) = found.split_once(", scale = ")?;
    Some(format!(
        "there is no DECIMAL({digits}, {scale}): the first number counts all digits, 1 to 76, and the second those \
         behind the point, at most as many"
    ))
}

/// Explains text that is no value of a type.
fn text_cast(text: &str) -> Option<String> {
    let found = ["Cannot cast string '", "Cannot cast value '"];
    let found = found.iter().find_map(|start| between(text, start, " type"));
    let (value, data_type) = found?.rsplit_once("' to value of ")?;
    Some(format!("'{value}' can't be cast to {}: write TRY_CAST for NULL in its place", in_sql(data_type)))
}

/// Explains a cast between types that have none.
fn cast(text: &str) -> Option<String> {
    if let Some((from, to)) =
        text.strip_prefix("Unsupported CAST from ").and_then(|types| types.split_once(" to "))
    {
        return Some(format!(
            "{} can't be cast to {}: select its parts, or another type",
            in_sql(from),
            in_sql(to)
        ));
    }
    let (from, to) = text.strip_prefix("Cannot automatically convert ")?.split_once(" to ")?;
    let to = in_sql(to);
    if to == "INTERVAL" {
        return Some(format!("{} is no INTERVAL: write one, such as n * INTERVAL '1 day'", in_sql(from)));
    }
    Some(format!("{} is no {to}: write CAST(... AS {to})", in_sql(from)))
}

/// Explains a type that is not supported.
fn no_type(text: &str) -> Option<String> {
    let name = text.strip_prefix("Unsupported SQL type ")?;
    Some(format!("there is no type {name}: write one such as BIGINT, DECIMAL(18, 2), VARCHAR or TIMESTAMP"))
}

/// Explains an absolute value that its type does not have.
fn absolute(text: &str) -> Option<String> {
    let (data_type, value) = text.split_once("Array overflow on abs(")?;
    let value = value.strip_suffix(')')?;
    Some(format!("abs({value}) overflows {}: cast the argument to a wider type", in_sql(data_type)))
}

/// Explains an escape of LIKE that needs a constant pattern.
fn escape(text: &str) -> Option<String> {
    text.starts_with("LIKE does not support escape_char").then(|| {
        "ESCAPE takes any character for a constant pattern that does not end with it, and '\\' for others"
            .to_owned()
    })
}

/// Explains text that is no interval or time.
fn interval(text: &str) -> Option<String> {
    if let Some(value) = between(text, "Invalid input syntax for type interval: \"", "\"") {
        return Some(format!("'{value}' is no INTERVAL: write numbers with units, INTERVAL '1 day 2 hours'"));
    }
    let value = between(text, "Error parsing timestamp from '", "': ")?;
    Some(format!("'{value}' is no TIMESTAMP: write one such as '2024-01-31 10:00:00'"))
}

/// Explains an aggregate over NULL alone.
fn of_null(text: &str) -> Option<String> {
    let name = match text {
        _ if text.contains("SUM not supported for Null") => "sum",
        _ if text.contains("AvgAccumulator for (Null") => "avg",
        _ => return None,
    };
    Some(format!("{name}(NULL) has no type: write {name}(CAST(NULL AS DOUBLE))"))
}

/// Explains DISTINCT in an aggregate that does not support it.
fn distinct(text: &str) -> Option<String> {
    if text == "COUNT DISTINCT with multiple arguments" {
        return Some("count(DISTINCT a, b) is not supported: write count(DISTINCT (a, b))".to_owned());
    }
    let name = text.strip_suffix("(DISTINCT) aggregations are not available")?.to_ascii_lowercase();
    Some(format!(
        "{name}(DISTINCT ...) is not supported: write {name}(...) over a subquery, (SELECT DISTINCT ...)"
    ))
}

/// Explains a part of a date that there is none of.
fn part_of_time(text: &str) -> Option<String> {
    if let Some((part, found)) = text.split_once(" does not support: ") {
        let (part, found) = (part.to_lowercase(), in_sql(found));
        return Some(format!("a {found} has no part '{part}': write a DATE or a TIMESTAMP in its place"));
    }
    let part = text.strip_prefix("Date part '")?.strip_suffix("' not supported")?;
    Some(format!(
        "there is no part '{part}' of a date or a time: write 'year', 'month', 'day', 'hour' and the like"
    ))
}

/// Explains a sign in front of a value that has none.
fn sign(text: &str) -> Option<String> {
    text.strip_prefix("Unary operator '-' only supports signed numeric, interval and timestamp types")?;
    Some("a sign stands in front of a number or an INTERVAL: cast the value to a number".to_owned())
}

/// Explains a text that is no regular expression.
fn regular_expression(text: &str) -> Option<String> {
    let rest = text.split_once("regex parse error: ")?.1;
    let (pattern, reason) = rest.rsplit_once(" error: ")?;
    let pattern = pattern.trim_end_matches(['^', ' ']);
    Some(format!("'{pattern}' is no regular expression: {reason}; a backslash makes a sign a letter, \\("))
}

/// Explains hexadecimal digits that are none.
fn bytes(text: &str) -> Option<String> {
    let digits = text.strip_prefix("Invalid HexStringLiteral '")?.strip_suffix('\'')?;
    Some(format!("X'{digits}' is no value of bytes: write two digits for each, 0 to 9 and A to F"))
}

/// Returns the part of a text between two others.
fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(start)?;
    rest.split_once(end).map(|(found, _)| found)
}

#[cfg(test)]
mod tests;
