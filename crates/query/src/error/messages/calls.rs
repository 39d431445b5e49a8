//! Errors about the arguments of functions, in the terms of SQL.

use arrow::datatypes::DataType;

use super::{between, in_sql};
use crate::plan::type_in_sql;

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

/// Explains a call with arguments that the function does not accept.
pub(super) fn call(text: &str) -> Option<String> {
    let found = between(text, "No function matches the given name and argument types '", "'. You might")?;
    // a function of this crate says itself what it takes
    if let Some(own) =
        between(text, "user-defined coercion failed with: External error: ", " No function matches")
    {
        return Some(in_sql(own.trim_end_matches('.')));
    }
    let (name, types) = found.split_once('(')?;
    let types = in_sql(types.strip_suffix(')')?);
    let candidates = text.rsplit_once("Candidate functions: ").map_or("", |(_, candidates)| candidates);
    let of_doubles = candidates.contains(&format!("{name}(Float64"));
    let forms = forms(candidates, name);
    let is_one = forms.as_ref().is_some_and(|forms| !forms.contains(" or "));
    let advice = match (forms, types.as_str()) {
        (Some(form), _) if is_one => format!("it takes {form}"),
        (_, "VARCHAR" | "BOOLEAN") if of_doubles => "cast to DOUBLE".to_owned(),
        (_, "DATE" | "TIMESTAMP" | "TIMESTAMPTZ") if of_doubles => {
            format!("write {name}(date_part('epoch', ...)) for seconds")
        }
        (Some(forms), _) => format!("it takes {forms}"),
        (None, "") => "give it an argument".to_owned(),
        (None, _) => "cast its arguments, or give it others".to_owned(),
    };
    Some(format!("{name} does not take ({types}): {advice}"))
}

/// Returns the types that a function takes, if SQL has names for them all, and there are few.
fn forms(candidates: &str, name: &str) -> Option<String> {
    const MOST: usize = 3;
    let mut forms = Vec::new();
    for form in candidates.strip_suffix(')')?.split(&format!(") {name}(")) {
        let types = form.strip_prefix(&format!("{name}(")).unwrap_or(form);
        if types.contains('(') {
            return None;
        }
        let all = types.split(", ").map(|found| {
            let found = found.rsplit_once(": ").map_or(found, |(_, found)| found);
            let signature = SIGNATURES.iter().find(|(theirs, _)| *theirs == found);
            let arrow = || found.parse::<DataType>().ok().map(|found| type_in_sql(&found));
            signature.map(|(_, ours)| (*ours).to_owned()).or_else(arrow)
        });
        let form = format!("({})", all.collect::<Option<Vec<_>>>()?.join(", "));
        if !forms.contains(&form) {
            forms.push(form);
        }
    }
    (forms.len() <= MOST).then(|| forms.join(" or "))
}

/// Explains a lambda function with too many parameters.
pub(super) fn lambda(text: &str) -> Option<String> {
    let counts = text.strip_prefix("lambda defined ")?;
    let (found, most) = counts.split_once(" params but UDF support only ")?;
    Some(format!("the lambda function has {found} parameters, and gets {most} values: leave parameters out"))
}

/// Explains a map without its two lists.
pub(super) fn map(text: &str) -> Option<String> {
    let is_of_map = text.starts_with("Function 'map' expected at least one argument")
        || text.starts_with("make_map requires an even number of arguments");
    is_of_map
        .then(|| "map takes a list of keys and a list of values: write map(['a', 'b'], [1, 2])".to_owned())
}

/// Explains an argument of `range` or `generate_series`.
pub(super) fn series(text: &str) -> Option<String> {
    let rest = text.strip_prefix("Argument #")?;
    let (number, rest) = rest.split_once(" must be an ")?;
    let (kinds, found) = rest.split_once(", got ")?;
    let constant =
        found.strip_prefix("Literal(").and_then(|found| found.rsplit_once(", ")).map(|(found, _)| found);
    let found = in_sql(constant.unwrap_or(found));
    Some(format!("argument {number} of range or generate_series is an {kinds}, and not {found}: cast it"))
}

/// Explains a SUBSTRING without a start.
pub(super) fn substring(text: &str) -> Option<String> {
    text.strip_prefix("Substring without for/from is not valid")?;
    Some("substring takes a text and a start: write substring(text, 1), or substring(text, 1, 3)".to_owned())
}
