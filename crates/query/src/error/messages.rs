//! DataFusion's errors in the terms of SQL, on one line with the next step.

use arrow::datatypes::DataType;

use super::types::in_sql;
use crate::plan::type_in_sql;

/// Text that DataFusion appends to errors that it takes for its own faults.
const REPORT: &str = " This issue was likely caused by a bug in DataFusion's code. Please help us to resolve \
                      this by filing a bug report in our issue tracker: \
                      https://github.com/apache/datafusion/issues.";

/// Names of types in the signatures of DataFusion's functions, and SQL's. Those of Arrow's types
/// have theirs from [`in_sql`].
const SIGNATURES: [(&str, &str); 8] = [
    ("Boolean", "BOOLEAN"),
    ("Date", "DATE"),
    ("Decimal", "DECIMAL"),
    ("Integer", "BIGINT"),
    ("Interval", "INTERVAL"),
    ("String", "VARCHAR"),
    ("Time", "TIME"),
    ("Timestamp", "TIMESTAMP"),
];

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
        call,
        no_common_type,
        in_subquery,
        comparison,
        operator,
        condition,
        truth,
        position,
        sorted_distinct,
        no_fields,
        field,
        text_cast,
        cast,
        no_type,
        digits,
        escape,
        absolute,
        interval,
        ungrouped,
        of_null,
        distinct,
        frame,
        limit,
        window,
        unplanned,
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

/// Explains a call with arguments that the function does not accept.
fn call(text: &str) -> Option<String> {
    let found = between(text, "No function matches the given name and argument types '", "'. You might")?;
    let (name, types) = found.split_once('(')?;
    let types = in_sql(types.strip_suffix(')')?);
    let candidates = text.rsplit_once("Candidate functions: ").map_or("", |(_, candidates)| candidates);
    let only = only_candidate(candidates, name);
    let of_doubles = candidates.contains(&format!("{name}(Float64"));
    let advice = match (only, types.as_str()) {
        (Some(taken), _) => format!("it takes ({taken})"),
        (None, "VARCHAR" | "BOOLEAN") if of_doubles => "cast to DOUBLE".to_owned(),
        (None, "DATE" | "TIMESTAMP" | "TIMESTAMPTZ") if of_doubles => {
            format!("write {name}(date_part('epoch', ...)) for seconds")
        }
        _ => "cast its arguments, or give it others".to_owned(),
    };
    Some(format!("{name} does not take ({types}): {advice}"))
}

/// Returns the types of a function that has one signature, if SQL has names for them all.
fn only_candidate(candidates: &str, name: &str) -> Option<String> {
    let types = candidates.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')')?;
    if types.contains('(') {
        return None;
    }
    let all = types.split(", ").map(|found| {
        let found = found.rsplit_once(": ").map_or(found, |(_, found)| found);
        let signature = SIGNATURES.iter().find(|(theirs, _)| *theirs == found);
        let arrow = || found.parse::<DataType>().ok().map(|found| type_in_sql(&found));
        signature.map(|(_, ours)| (*ours).to_owned()).or_else(arrow)
    });
    Some(all.collect::<Option<Vec<_>>>()?.join(", "))
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
    let types = text.strip_prefix("expr type ")?.strip_suffix(" in InSubquery")?;
    let (value, column) = types.split_once(" can't cast to ")?;
    Some(format!("{} and {} have no common type in IN: cast one of them", in_sql(value), in_sql(column)))
}

/// Explains a comparison of two types without a common one.
fn comparison(text: &str) -> Option<String> {
    let compared = text.strip_prefix("Cannot infer common argument type for comparison operation ")?;
    Some(format!("{} compares types without a common one: cast one of them", in_sql(compared)))
}

/// Explains an operator over types that it does not take.
fn operator(text: &str) -> Option<String> {
    let places = [
        ("Cannot coerce arithmetic expression ", " to valid types"),
        ("Cannot get result type for temporal operation ", ": "),
        ("Cannot infer common type for bitwise operation ", ""),
    ];
    places.iter().find_map(|(start, end)| {
        let types = match *end {
            "" => text.strip_prefix(start)?,
            end => text.strip_prefix(start)?.split_once(end)?.0,
        };
        Some(format!("there is no {}: cast one of them", in_sql(types)))
    })
}

/// Explains a condition that is no truth value.
fn condition(text: &str) -> Option<String> {
    let (expression, found) = text
        .strip_prefix("Cannot create filter with non-boolean predicate '")?
        .rsplit_once("' returning ")?;
    let (expression, found) = (in_sql(expression), in_sql(found));
    Some(format!("{expression} is a {found}, and no condition: compare it with a value"))
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

/// Explains a number in ORDER BY or GROUP BY that is that of no column.
fn position(text: &str) -> Option<String> {
    let (clause, number, last) = match text.strip_prefix("Order by column out of bounds, specified: ") {
        Some(rest) => {
            let (number, last) = rest.split_once(", max: ")?;
            ("ORDER BY", number, last)
        }
        None => {
            let rest = text.strip_prefix("Cannot find column with position ")?;
            let (number, rest) = rest.split_once(" in SELECT clause. Valid columns: ")?;
            ("GROUP BY", number, rest.split_once(" to ")?.1)
        }
    };
    let places = if last == "1" { "1".to_owned() } else { format!("a number from 1 to {last}") };
    Some(format!("{clause} {number} is the place of no column: write {places}, or a name"))
}

/// Explains a key of ORDER BY that a SELECT DISTINCT leaves out.
fn sorted_distinct(text: &str) -> Option<String> {
    let rest = text.strip_prefix("For SELECT DISTINCT, ORDER BY expressions ")?;
    let key = in_sql(rest.strip_suffix(" must appear in select list")?);
    Some(format!("SELECT DISTINCT sorts by its own columns alone: add {key} to SELECT, or write GROUP BY"))
}

/// Explains a DECIMAL that there is none of.
fn digits(text: &str) -> Option<String> {
    let found = between(text, "Decimal(precision = ", ") should satisfy")?;
    let (digits, scale) = found.split_once(", scale = ")?;
    Some(format!(
        "there is no DECIMAL({digits}, {scale}): the first number counts all digits, 1 to 38, and the second those \
         behind the point, at most as many"
    ))
}

/// Explains a field access on a value without fields.
fn no_fields(text: &str) -> Option<String> {
    let found = text.strip_prefix("Cannot access field at argument ")?;
    let found = between(found, ": type ", " is not Struct")?;
    Some(format!("{} has no fields: a name behind a point is a field of a STRUCT", in_sql(found)))
}

/// Explains a field access on an expression in parentheses.
fn field(text: &str) -> Option<String> {
    let found = text.strip_prefix("Dot access not supported for non-string expr: ")?;
    let name = between(found, "value: \"", "\"")?;
    Some(format!("(...).{name} is not supported: write (...)['{name}']"))
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

/// Explains a column that is neither a key nor in an aggregate.
fn ungrouped(text: &str) -> Option<String> {
    let rest = text.strip_prefix("Column in ")?;
    let (clause, rest) = rest.split_once(" must be in GROUP BY or an aggregate function: ")?;
    let name = between(rest, "column \"", "\" must appear in the GROUP BY clause")?;
    let name = in_sql(name);
    Some(format!("{name} in {clause} must be in GROUP BY, or in an aggregate such as any_value({name})"))
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

/// Explains an interval without quotes in the frame of a window.
fn frame(text: &str) -> Option<String> {
    text.contains("INTERVAL expression cannot be ")
        .then(|| "an interval in the frame of a window is text: write INTERVAL '1' DAY PRECEDING".to_owned())
}

/// Explains a LIMIT or OFFSET that is no number.
fn limit(text: &str) -> Option<String> {
    if let Some((clause, found)) =
        text.strip_prefix("Expected ").and_then(|rest| rest.split_once(" to be an integer or null, but got "))
    {
        return Some(format!(
            "{clause} takes a whole number, and not a {}: write {clause} 10",
            in_sql(found)
        ));
    }
    let (clause, _) = text.strip_prefix("Unsupported ")?.split_once(" expression: ")?;
    ["LIMIT", "OFFSET"].contains(&clause).then(|| format!("{clause} takes a number, and no query"))
}

/// Explains a window function in an aggregate.
fn window(text: &str) -> Option<String> {
    text.starts_with("Aggregate function calls cannot contain window function calls").then(|| {
        "an aggregate can't contain a window function: compute it in a subquery, (SELECT ... OVER () AS w)"
            .to_owned()
    })
}

/// Explains an expression in a place where none of its kind is computed.
fn unplanned(text: &str) -> Option<String> {
    let expression = text.strip_prefix("Physical plan does not support logical expression ")?;
    let kind = expression.split(|part: char| !part.is_ascii_alphanumeric()).next().unwrap_or_default();
    let what = match kind {
        "WindowFunction" => return Some(
            "a window function stands in SELECT and ORDER BY: write QUALIFY for a condition, or a subquery"
                .to_owned(),
        ),
        "AggregateFunction" => "an aggregate",
        "OuterReferenceColumn" => "a column of the outer query",
        _ => return Some(format!("{kind} is not supported in this place: write a subquery")),
    };
    Some(format!("{what} is not supported in this place: write a subquery"))
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(start)?;
    rest.split_once(end).map(|(found, _)| found)
}

#[cfg(test)]
mod tests;
