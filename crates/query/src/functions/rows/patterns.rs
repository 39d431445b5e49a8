//! Functions of regular expressions.

use std::cell::RefCell;

use regex::{Regex, RegexBuilder};

use super::{Cell, Entry, Kind, Outcome, Value, form};

const TEXT: Kind = Kind::Text;

pub(super) const TABLE: &[Entry] = &[
    (
        &["regexp_matches"],
        &[
            form(&[TEXT, TEXT], Kind::Bool, |cells| matches(cells, "")),
            form(&[TEXT, TEXT, TEXT], Kind::Bool, |cells| matches(cells, "")),
        ],
    ),
    (
        &["regexp_full_match"],
        &[
            form(&[TEXT, TEXT], Kind::Bool, |cells| matches(cells, "full")),
            form(&[TEXT, TEXT, TEXT], Kind::Bool, |cells| matches(cells, "full")),
        ],
    ),
    (
        &["regexp_extract"],
        &[
            form(&[TEXT, TEXT], TEXT, extract),
            form(&[TEXT, TEXT, Kind::Int], TEXT, extract),
            form(&[TEXT, TEXT, Kind::Int, TEXT], TEXT, extract),
            form(&[TEXT, TEXT, TEXT], TEXT, extract),
        ],
    ),
    (
        &["regexp_extract_all"],
        &[
            form(&[TEXT, TEXT], Kind::Texts, extract_all),
            form(&[TEXT, TEXT, Kind::Int], Kind::Texts, extract_all),
            form(&[TEXT, TEXT, Kind::Int, TEXT], Kind::Texts, extract_all),
        ],
    ),
    (
        &["string_split_regex", "str_split_regex", "regexp_split_to_array"],
        &[form(&[TEXT, TEXT], Kind::Texts, split), form(&[TEXT, TEXT, TEXT], Kind::Texts, split)],
    ),
    (
        &["regexp_escape"],
        &[form(&[TEXT], TEXT, |cells| match cells {
            [Cell::Text(text)] => Ok(Value::Text(escaped(text))),
            _ => Ok(Value::Null),
        })],
    ),
];

/// Patterns that a thread keeps compiled: those of a statement, and a few of columns.
const KEPT: usize = 16;

/// Calls a function with a compiled pattern.
fn with<R>(pattern: &str, options: &str, then: impl FnOnce(&Regex) -> R) -> Result<R, String> {
    thread_local! {
        static COMPILED: RefCell<Vec<(String, String, Regex)>> = const { RefCell::new(Vec::new()) };
    }
    COMPILED.with_borrow_mut(|compiled| {
        let mut kept = compiled.iter();
        let at = match kept.position(|(text, flags, _)| text == pattern && flags == options) {
            Some(at) => at,
            None => {
                let regex = compile(pattern, options)?;
                if compiled.len() == KEPT {
                    compiled.remove(0);
                }
                compiled.push((pattern.to_owned(), options.to_owned(), regex));
                compiled.len() - 1
            }
        };
        let (_, _, regex) = compiled.get(at).ok_or("the pattern is lost")?;
        Ok(then(regex))
    })
}

fn compile(pattern: &str, options: &str) -> Result<Regex, String> {
    let mut builder;
    let mut text = pattern.to_owned();
    if options.contains('l') {
        text = regex::escape(pattern);
    }
    // the dot matches line ends in RE2 by option 's' alone
    builder = RegexBuilder::new(&text);
    for option in options.chars() {
        match option {
            'i' => drop(builder.case_insensitive(true)),
            'c' => drop(builder.case_insensitive(false)),
            's' => drop(builder.dot_matches_new_line(true)),
            'm' | 'n' | 'p' => drop(builder.multi_line(true)),
            'l' | 'g' => {}
            other => {
                return Err(format!(
                    "'{other}' is no option of a pattern: write 'i' to ignore case, 's' or 'm'"
                ));
            }
        }
    }
    builder.build().map_err(|_| format!("'{pattern}' is no regular expression"))
}

/// Returns the options among the arguments behind the pattern.
fn options<'a>(cells: &[Cell<'a>]) -> &'a str {
    match cells.get(2..).and_then(|rest| rest.last()) {
        Some(Cell::Text(options)) => options,
        _ => "",
    }
}

fn matches(cells: &[Cell<'_>], how: &str) -> Outcome {
    let [Cell::Text(text), Cell::Text(pattern), ..] = cells else { return Ok(Value::Null) };
    let options = options(cells);
    let matched = match how {
        "full" => with(&format!("^(?:{pattern})$"), options, |regex| {
            // without the option for lines, $ is the end of the text
            regex.find(text).is_some_and(|found| found.start() == 0 && found.end() == text.len())
        }),
        _ => with(pattern, options, |regex| regex.is_match(text)),
    };
    matched.map(Value::Bool)
}

/// Returns the number of the group that is asked for.
fn group(cells: &[Cell<'_>]) -> Result<usize, String> {
    match cells.get(2) {
        Some(Cell::Int(group)) => {
            usize::try_from(*group).map_err(|_| format!("there is no group {group}: groups count from 0"))
        }
        _ => Ok(0),
    }
}

fn extract(cells: &[Cell<'_>]) -> Outcome {
    let [Cell::Text(text), Cell::Text(pattern), ..] = cells else { return Ok(Value::Null) };
    let group = group(cells)?;
    with(pattern, options(cells), |regex| {
        if group >= regex.captures_len() {
            return Err(format!("the pattern has no group {group}"));
        }
        let found = regex.captures(text).and_then(|groups| groups.get(group));
        Ok(Value::Text(found.map_or("", |found| found.as_str()).to_owned()))
    })?
}

fn extract_all(cells: &[Cell<'_>]) -> Outcome {
    let [Cell::Text(text), Cell::Text(pattern), ..] = cells else { return Ok(Value::Null) };
    let group = group(cells)?;
    with(pattern, options(cells), |regex| {
        if group >= regex.captures_len() {
            return Err(format!("the pattern has no group {group}"));
        }
        let found = regex
            .captures_iter(text)
            .map(|groups| Some(groups.get(group).map_or("", |found| found.as_str()).to_owned()));
        Ok(Value::Texts(found.collect()))
    })?
}

fn split(cells: &[Cell<'_>]) -> Outcome {
    let [Cell::Text(text), Cell::Text(pattern), ..] = cells else { return Ok(Value::Null) };
    let parts =
        with(pattern, options(cells), |regex| regex.split(text).map(|part| Some(part.to_owned())).collect());
    parts.map(Value::Texts)
}

/// Escapes all that is no letter, digit or underscore, as RE2 does.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter == '\0' {
            escaped.push_str("\\x00");
            continue;
        }
        if letter.is_ascii() && !letter.is_ascii_alphanumeric() && letter != '_' {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}
