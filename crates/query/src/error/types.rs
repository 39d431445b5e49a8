//! SQL's words for the types and constants of Arrow and DataFusion in the texts of errors.

mod times;

use arrow::datatypes::DataType;

use crate::plan::type_in_sql;

/// Names of Arrow's types that are no words of English, and those of DataFusion's constants.
const NAMES: [&str; 49] = [
    "Binary",
    "BinaryView",
    "Boolean",
    "Date32",
    "Date64",
    "Decimal128",
    "Decimal256",
    "Decimal32",
    "Decimal64",
    "Dictionary",
    "DurationMicrosecond",
    "DurationMillisecond",
    "DurationNanosecond",
    "DurationSecond",
    "FixedSizeBinary",
    "FixedSizeList",
    "Float16",
    "Float32",
    "Float64",
    "Int16",
    "Int32",
    "Int64",
    "Int8",
    "Interval",
    "IntervalDayTime",
    "IntervalMonthDayNano",
    "IntervalYearMonth",
    "LargeBinary",
    "LargeList",
    "LargeUtf8",
    "List",
    "Map",
    "Struct",
    "Time32",
    "Time32Millisecond",
    "Time32Second",
    "Time64",
    "Time64Microsecond",
    "Time64Nanosecond",
    "Timestamp",
    "TimestampMicrosecond",
    "TimestampMillisecond",
    "TimestampNanosecond",
    "TimestampSecond",
    "UInt16",
    "UInt32",
    "UInt64",
    "UInt8",
    "Utf8",
];

/// Names of types that stand alone in texts, without the parts of the type.
const ALONE: [(&str, &str); 10] = [
    ("Date32", "DATE"),
    ("Decimal128", "DECIMAL"),
    ("Dictionary", "VARCHAR"),
    ("IntervalMonthDayNano", "INTERVAL"),
    ("Time64", "TIME"),
    ("Time32", "TIME"),
    ("Struct", "STRUCT"),
    ("Map", "MAP"),
    ("Decimal256", "DECIMAL"),
    ("Date64", "DATE"),
];

/// Returns a text with SQL's names of types, and constants as SQL has them. Texts in quotes stay,
/// but for a type behind the word `type`.
pub(super) fn in_sql(text: &str) -> String {
    rewritten(text, |_, _| true)
}

/// Returns the text of a plan with constants and the types of casts as SQL has them. Other words
/// may be names of columns.
pub(super) fn plan_in_sql(plan: &str) -> String {
    let is_constant = |before: &str, rest: &str| {
        let behind = rest.trim_start_matches(is_part);
        behind.starts_with('(') || before.ends_with(" AS ") || before.ends_with(':')
    };
    let lines = plan.split('\n').map(|line| {
        // Graphviz has the line in quotes
        let label = line.split_once("label=\"").and_then(|(head, rest)| Some((head, rest.rsplit_once('"')?)));
        match label {
            Some((head, (label, tail))) => format!("{head}label=\"{}\"{tail}", rewritten(label, is_constant)),
            None => rewritten(&without_fields(&with_intervals(line)), is_constant),
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns a line with intervals that are not in quotes as SQL has them.
fn with_intervals(line: &str) -> String {
    const NAME: &str = "IntervalMonthDayNano { ";
    let mut kept = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(start) = rest.find(NAME) {
        let (before, dump) = rest.split_at(start);
        let Some(end) = dump.find(" }").map(|end| end + " }".len()) else { break };
        kept.push_str(before);
        match before.ends_with('"') {
            true => kept.push_str(&dump[..end]),
            false => kept.push_str(&format!("INTERVAL '{}'", interval(&dump[..end]))),
        }
        rest = &dump[end..];
    }
    kept + rest
}

/// Returns a line of a window without the dumps of its fields.
fn without_fields(line: &str) -> String {
    let mut kept = line.to_owned();
    while let Some(start) = kept.find(": Field { \"")
        && let Some(length) = kept[start..].find(" }, frame: ")
    {
        kept.replace_range(start..start + length + " }".len(), "");
    }
    kept
}

/// Returns a text with SQL's names and constants where they may be, given the text in front and
/// that from there on.
fn rewritten(text: &str, may_be: impl Fn(&str, &str) -> bool) -> String {
    let mut sql = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if let Some((written, behind)) = named(rest, &sql).filter(|_| may_be(&sql, rest)) {
            sql.push_str(&written);
            rest = behind;
            continue;
        }
        let end = match first {
            '\'' | '"' if !sql.ends_with(is_part) => quoted(rest).unwrap_or(1),
            first if is_part(first) => rest.find(|part| !is_part(part)).unwrap_or(rest.len()),
            first => first.len_utf8(),
        };
        let (kept, behind) = rest.split_at(end);
        match sql.ends_with("type ").then(|| typed(kept)).flatten() {
            Some(name) => sql.push_str(&name),
            None => sql.push_str(kept),
        }
        rest = behind;
    }
    sql
}

fn is_part(part: char) -> bool {
    part.is_alphanumeric() || part == '_'
}

/// Returns the name of the type that a text in quotes consists of.
fn typed(quoted: &str) -> Option<String> {
    let inner = quoted.strip_prefix('\'')?.strip_suffix('\'')?;
    inner.parse::<DataType>().ok().map(|found| type_in_sql(&found))
}

/// Returns the end of a text in quotes: a quote that no letter follows.
fn quoted(text: &str) -> Option<usize> {
    let mut parts = text.char_indices();
    let (_, quote) = parts.next()?;
    let ends = text[1..].match_indices(quote).map(|(at, _)| at + 2);
    ends.into_iter().find(|end| !text[*end..].starts_with(is_part))
}

/// Returns SQL for the type or constant that a text begins with, and the text behind it.
fn named<'a>(text: &'a str, before: &str) -> Option<(String, &'a str)> {
    // a part of a path or of another name
    if before.ends_with(is_part) || before.ends_with(['/', '\\', '.', '-']) {
        return None;
    }
    let end = text.find(|part| !is_part(part)).unwrap_or(text.len());
    let (word, behind) = text.split_at(end);
    let continues = behind.strip_prefix(['.', '-']).is_some_and(|rest| rest.starts_with(is_part));
    if continues || behind.starts_with(['/', '\\']) {
        return None;
    }
    if !NAMES.contains(&word) && word != "Utf8View" && !word.starts_with("Duration") {
        return None;
    }
    if let Some(close) = closing(behind) {
        let whole = &text[..end + close];
        let (inner, behind) = (&behind[1..close - 1], &behind[close..]);
        if let Ok(found) = whole.parse::<DataType>() {
            return Some((type_in_sql(&found), behind));
        }
        return constant(word, inner).map(|sql| (sql, behind));
    }
    let alone = ALONE.iter().find(|(name, _)| *name == word).map(|(_, sql)| (*sql).to_owned());
    let plain = || word.parse::<DataType>().ok().map(|found| type_in_sql(&found));
    alone.or_else(plain).map(|sql| (sql, behind))
}

/// Returns the end of the parentheses that a text begins with.
fn closing(text: &str) -> Option<usize> {
    if !text.starts_with('(') {
        return None;
    }
    let (mut depth, mut is_quoted) = (0_usize, false);
    for (at, part) in text.char_indices() {
        match part {
            '"' => is_quoted = !is_quoted,
            '(' if !is_quoted => depth += 1,
            ')' if !is_quoted => match depth {
                1 => return Some(at + 1),
                _ => depth -= 1,
            },
            _ => {}
        }
    }
    None
}

/// Returns a constant of a type, as `Int64(1)` for 1, in SQL.
fn constant(name: &str, inner: &str) -> Option<String> {
    let text = inner.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    let is_text = name.contains("Utf8");
    if inner.split(',').next() == Some("NULL") || (text == Some("NULL") && !is_text) {
        return Some("NULL".to_owned());
    }
    let of_type = |sql: &str| text.map(|text| format!("{sql} '{text}'"));
    Some(match name {
        "Utf8" | "Utf8View" | "LargeUtf8" => {
            // Graphviz has underscores for quotes
            let in_graph = || inner.strip_prefix('_').and_then(|text| text.strip_suffix('_'));
            format!("'{}'", text.or_else(in_graph)?.replace('\'', "''"))
        }
        "Binary" | "BinaryView" | "LargeBinary" => {
            let bytes = text?.split(',').map(|byte| byte.trim().parse::<u8>());
            let digits = bytes.map(|byte| byte.map(|byte| format!("{byte:02X}")));
            format!("X'{}'", digits.collect::<Result<String, _>>().ok()?)
        }
        "Date32" | "Date64" => of_type("DATE")?,
        name if name.starts_with("Time32") || name.starts_with("Time64") => {
            let time = text?.parse::<i64>().ok().and_then(|count| times::time(name, count));
            time.map_or_else(|| of_type("TIME"), |time| Some(format!("TIME '{time}'")))?
        }
        name if name.starts_with("Interval") => format!("INTERVAL '{}'", interval(text?)),
        name if name.starts_with("Decimal") => inner.split(',').next()?.to_owned(),
        "Dictionary" => in_sql(inner.split_once(", ")?.1),
        "FixedSizeList" if inner.parse::<usize>().is_ok() => format!("a list of {inner}"),
        "List" | "LargeList" | "FixedSizeList" | "Struct" | "Map" if inner.starts_with(['[', '{']) => {
            in_sql(inner)
        }
        "List" | "LargeList" | "FixedSizeList" | "Struct" | "Map" => return None,
        name if name.starts_with("Timestamp") => {
            let (count, zone) = inner.split_once(", ").unwrap_or((inner, "None"));
            let time = count.parse::<i64>().ok().and_then(|count| times::timestamp(name, count));
            let time = time.unwrap_or_else(|| count.to_owned());
            match zone {
                "None" => format!("TIMESTAMP '{time}'"),
                _ => format!("TIMESTAMPTZ '{time}+00'"),
            }
        }
        _ => inner.to_owned(),
    })
}

/// Returns the parts of an interval that are not 0, given DataFusion's dump of its fields.
fn interval(text: &str) -> String {
    let fields = text.split_once("{ ").and_then(|(_, fields)| fields.strip_suffix(" }"));
    let Some(fields) = fields else { return text.to_owned() };
    let parts = fields.split(", ").filter_map(|field| {
        let (unit, number) = field.split_once(": ")?;
        match (unit, number.parse::<i64>().ok()?) {
            (_, 0) => None,
            ("nanoseconds", number) if number % 1_000_000_000 == 0 => {
                Some(format!("{} seconds", number / 1_000_000_000))
            }
            (unit, number) => Some(format!("{number} {unit}")),
        }
    });
    match parts.collect::<Vec<_>>().join(" ") {
        none if none.is_empty() => "0 days".to_owned(),
        parts => parts,
    }
}

#[cfg(test)]
mod tests;
