//! Errors about names that do not exist: tables, columns and functions, with the nearest name.

use std::collections::HashSet;

use datafusion::common::Column;
use pelton_settings::{did_you_mean, nearest};

/// Maximum number of columns in an error.
const MAX_COLUMNS: usize = 20;

/// Functions that need OVER.
const WINDOWS: [&str; 9] =
    ["row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile", "lag", "lead", "nth_value"];

/// Names that are no functions, or that are called in other forms, and what to write.
const OTHER_CALLS: [(&str, &str); 11] = [
    ("cast", "write CAST(value AS type)"),
    ("try_cast", "write TRY_CAST(value AS type)"),
    ("struct_pack", "write struct_pack(a := 1) or {'a': 1}"),
    ("mod", "write mod(a, b) or a % b"),
    ("array", "write a list of values [1, 2], or array_agg(x) over a subquery"),
    ("read_parquet", IN_FROM),
    ("read_csv", IN_FROM),
    ("read_json", IN_FROM),
    ("parquet_metadata", IN_FROM),
    ("parquet_schema", IN_FROM),
    ("glob", IN_FROM),
];

const IN_FROM: &str = "write SELECT * FROM with the call, which makes a table";

/// Functions of DataFusion's, and the forms of SQL that call them: a part of a statement that has
/// the form, and the form for an error.
const FORMS: [(&str, &str, &str); 12] = [
    ("btrim", "trim", "trim"),
    ("strpos", "position", "position"),
    ("make_array", "[", "[...]"),
    ("array_element", "[", "l[i]"),
    ("array_slice", "[", "l[a:b]"),
    ("get_field", "[", "s['field']"),
    ("concat", "||", "||"),
    ("array_concat", "||", "||"),
    ("power", "**", "**"),
    ("abs", "@", "@"),
    ("date_part", "extract", "extract"),
    ("timezone", "zone", "AT TIME ZONE"),
];

/// Start of the error for a missing table.
const NO_TABLE: &str = "there is no table ";

/// Explains a missing column, with the columns that there are, without the names of their tables.
pub(super) fn missing_column(field: &Column, valid: &[Column]) -> String {
    let name = field.name();
    let table = field.relation.as_ref().map(|relation| short(relation.table()));
    let place = table.map(|table| format!(" in {table}")).unwrap_or_default();
    let mut seen = HashSet::new();
    let names: Vec<&str> = valid.iter().map(Column::name).filter(|name| seen.insert(*name)).collect();
    let hint = match names.iter().find(|other| other.eq_ignore_ascii_case(name) && **other != name) {
        Some(other) => Some(format!("did you mean \"{other}\"? Names with capitals need double quotes")),
        None => did_you_mean(name, names.iter().copied()),
    };
    let hint = hint.or_else(|| match names.as_slice() {
        [] => None,
        all if all.len() > MAX_COLUMNS => {
            let (shown, more) = (all[..MAX_COLUMNS].join(", "), all.len() - MAX_COLUMNS);
            Some(format!("there are {shown} and {more} more"))
        }
        all => Some(format!("there are {}", all.join(", "))),
    });
    let hint = hint.map(|hint| format!(": {hint}")).unwrap_or_default();
    format!("there is no column {name}{place}{hint}")
}

/// Returns the last part of a place of files, and other names unchanged.
fn short(table: &str) -> &str {
    table.trim_end_matches('/').rsplit('/').next().unwrap_or(table)
}

/// Explains a missing table or function; `None` for other texts.
pub(super) fn missing(text: &str) -> Option<String> {
    let between = |start: &str, end: &str| text.strip_prefix(start)?.strip_suffix(end);
    if let Some(name) = between("table '", "' not found") {
        let name = name
            .strip_prefix("datafusion.public.")
            .or_else(|| name.strip_prefix("datafusion."))
            .unwrap_or(name);
        return Some(format!("{NO_TABLE}{name}"));
    }
    if let Some(name) = between("table function '", "' not found") {
        return Some(format!(
            "there is no function {name} that makes a table: write read_parquet, read_csv, read_json, glob, range or \
             unnest"
        ));
    }
    let rest = text.strip_prefix("Invalid function '")?;
    let (name, rest) = rest.split_once('\'')?;
    if WINDOWS.iter().any(|window| window.eq_ignore_ascii_case(name)) {
        return Some(format!("{name} is a function of windows: write {name}(...) OVER (ORDER BY ...)"));
    }
    if let Some((name, advice)) = OTHER_CALLS.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)) {
        return Some(format!("{name} is no function of values in this form: {advice}"));
    }
    let suggested = rest.split_once("Did you mean '").and_then(|(_, rest)| rest.strip_suffix("'?"));
    let hint = suggested.and_then(|suggested| nearest(name, [suggested]));
    let hint = hint.map_or("SHOW FUNCTIONS lists them".to_owned(), |hint| format!("did you mean {hint}?"));
    Some(format!("there is no function {name}: {hint}"))
}

/// Returns the error for a missing table with the nearest of some tables; `None` for other errors.
pub(super) fn with_tables<'a>(text: &str, tables: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let name = text.strip_prefix(NO_TABLE).filter(|name| !name.contains(": "))?;
    let hint = did_you_mean(name, tables);
    let hint = hint.unwrap_or_else(|| {
        "SHOW TABLES lists those that exist, and a file is named in quotes, 'data.parquet'".to_owned()
    });
    Some(format!("{text}: {hint}"))
}

/// Returns the error of a call with the name that a statement has for the function, given all names
/// of functions by one of them; `None` for other errors.
pub(super) fn as_written(text: &str, sql: &str, names: impl Fn(&str) -> Vec<OtherName>) -> Option<String> {
    let (name, rest) = text.split_once(" does not take (")?;
    let sql = sql.to_lowercase();
    if name.contains(|part| !is_part(part)) || has_word(&sql, name) {
        return None;
    }
    let Some(written) = names(name).into_iter().find(|name| has_word(&sql, &name.name)) else {
        let form = FORMS.iter().find(|(theirs, sign, _)| *theirs == name && has_word(&sql, sign));
        return form.map(|(.., shown)| format!("{shown} does not take ({rest}"));
    };
    Some(match written.forms.as_str() {
        "" => format!("{} does not take ({rest}", written.name),
        // the arguments are not those of the call
        forms => format!("{} does not take arguments of these types: write {forms}", written.name),
    })
}

/// A name that a statement may have for a function.
pub(crate) struct OtherName {
    pub name: String,
    /// The calls of a macro; empty for a plain name.
    pub forms: String,
}

fn is_part(part: char) -> bool {
    part.is_alphanumeric() || part == '_'
}

/// Returns whether a text has a word, or a sign.
fn has_word(text: &str, word: &str) -> bool {
    let is_word = word.starts_with(is_part);
    text.match_indices(word).any(|(at, _)| {
        let (before, behind) = (&text[..at], &text[at + word.len()..]);
        !is_word || !(before.ends_with(is_part) || behind.starts_with(is_part))
    })
}

#[cfg(test)]
mod tests;
