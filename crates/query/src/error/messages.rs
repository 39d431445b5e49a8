//! DataFusion's errors in the terms of SQL, on one line with the next step.

/// Text that DataFusion appends to errors that it takes for its own faults.
const REPORT: &str = " This issue was likely caused by a bug in DataFusion's code. Please help us to resolve \
                      this by filing a bug report in our issue tracker: \
                      https://github.com/apache/datafusion/issues.";

/// DataFusion's names of types in errors, and SQL's.
const TYPES: [(&str, &str); 29] = [
    ("Binary", "BYTEA"),
    ("BinaryView", "BYTEA"),
    ("Boolean", "BOOLEAN"),
    ("Date", "DATE"),
    ("Date32", "DATE"),
    ("Date64", "DATE"),
    ("Decimal", "DECIMAL"),
    ("Decimal128", "DECIMAL"),
    ("Decimal256", "DECIMAL"),
    ("Float32", "REAL"),
    ("Float64", "DOUBLE"),
    ("Int16", "SMALLINT"),
    ("Int32", "INTEGER"),
    ("Int64", "BIGINT"),
    ("Int8", "TINYINT"),
    ("Integer", "BIGINT"),
    ("Interval", "INTERVAL"),
    ("LargeBinary", "BYTEA"),
    ("LargeUtf8", "VARCHAR"),
    ("String", "VARCHAR"),
    ("Time32", "TIME"),
    ("Time64", "TIME"),
    ("Timestamp", "TIMESTAMP"),
    ("UInt16", "SMALLINT UNSIGNED"),
    ("UInt32", "INTEGER UNSIGNED"),
    ("UInt64", "BIGINT UNSIGNED"),
    ("UInt8", "TINYINT UNSIGNED"),
    ("Utf8", "VARCHAR"),
    ("Utf8View", "VARCHAR"),
];

/// Returns SQL's name of a type.
pub(crate) fn type_name(found: &arrow::datatypes::DataType) -> String {
    in_sql(&found.to_string())
}

/// Returns a clearer text for a mistake in a query; `None` for other texts.
pub(super) fn query_mistake(text: &str) -> Option<String> {
    let kinds = [
        call,
        no_common_type,
        comparison,
        field,
        text_cast,
        of_null,
        distinct,
        frame,
        limit,
        window,
        unplanned,
    ];
    kinds.iter().find_map(|kind| kind(text))
}

/// Returns a text without the request to report it elsewhere.
pub(super) fn without_report(text: &str) -> String {
    text.replace(REPORT, "")
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
        TYPES.iter().find(|(theirs, _)| *theirs == found).map(|(_, ours)| *ours)
    });
    Some(all.collect::<Option<Vec<_>>>()?.join(", "))
}

/// Explains two types without a common one: one needs a cast.
fn no_common_type(text: &str) -> Option<String> {
    let places = [
        ("Failed to coerce types ", " in BETWEEN expression", "BETWEEN"),
        ("There isn't a common type to coerce ", " in LIKE expression", "LIKE"),
        ("Failed to coerce ", " to common types in CASE WHEN expression", "CASE"),
    ];
    places.iter().find_map(|(start, end, place)| {
        let types = in_sql(between(text, start, end)?);
        Some(format!("{types} have no common type in {place}: cast one of them"))
    })
}

/// Explains a comparison of two types without a common one.
fn comparison(text: &str) -> Option<String> {
    let compared = text.strip_prefix("Cannot infer common argument type for comparison operation ")?;
    Some(format!("{} compares types without a common one: cast one of them", in_sql(compared)))
}

/// Explains a field access on an expression in parentheses.
fn field(text: &str) -> Option<String> {
    let found = text.strip_prefix("Dot access not supported for non-string expr: ")?;
    let name = between(found, "value: \"", "\"")?;
    Some(format!("(...).{name} is not supported: write (...)['{name}']"))
}

/// Explains text that is no value of a type.
fn text_cast(text: &str) -> Option<String> {
    let (value, data_type) = between(text, "Cannot cast string '", " type")?.rsplit_once("' to value of ")?;
    Some(format!("'{value}' can't be cast to {}: write TRY_CAST for NULL in its place", in_sql(data_type)))
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

/// Returns a text with SQL's names of types, without the units of times and intervals in
/// parentheses.
fn in_sql(text: &str) -> String {
    let mut sql = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let is_part = |part: char| part.is_ascii_alphanumeric() || part == '_';
        let end = rest.find(|part| !is_part(part)).unwrap_or(rest.len());
        if end == 0 {
            let mut parts = rest.chars();
            sql.extend(parts.next());
            rest = parts.as_str();
            continue;
        }
        let (word, behind) = rest.split_at(end);
        let name = TYPES.iter().find(|(theirs, _)| *theirs == word).map_or(word, |(_, ours)| ours);
        sql.push_str(name);
        rest = behind;
        if ["TIME", "TIMESTAMP", "INTERVAL"].contains(&name)
            && let Some((unit, behind)) = behind.strip_prefix('(').and_then(|behind| behind.split_once(')'))
        {
            if unit.contains('"') {
                sql.push_str("TZ");
            }
            rest = behind;
        }
    }
    sql
}

#[cfg(test)]
mod tests;
