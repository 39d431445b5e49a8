//! Completion of what is typed at the prompt, and whether a statement has ended.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::Path;
use std::rc::Rc;

use arrow::array::{Array, StringArray};
use arrow::compute::cast;
use arrow::datatypes::DataType;
use pelton::Engine;
use pelton::settings::{Definition, Kind, SETTINGS};
use rustyline::Context;
use rustyline::completion::{Completer, Pair};
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};

use crate::sql::meta::{COMMANDS, Meta, Takes, find, modes};
use crate::sql::statements::Script;

/// Words of SQL that are completed.
const KEYWORDS: &str = "ALTER ANALYZE AND AS ASC BETWEEN BY CASE CAST COPY CREATE CROSS DESC DESCRIBE DISTINCT \
                        DROP ELSE END EXCEPT EXECUTE EXISTS EXPLAIN FROM FULL GROUP HAVING ILIKE INNER INSERT \
                        INTERSECT INTO IS JOIN LEFT LIKE LIMIT NOT NULL OFFSET ON OR ORDER OUTER OVER PARTITION \
                        PREPARE QUALIFY REPLACE RESET RIGHT SELECT SET SHOW SUMMARIZE TABLE TABLES THEN UNION USING \
                        VALUES VIEW WHEN WHERE WINDOW WITH";

/// Words behind which a table's name stands.
const BEFORE_TABLES: [&str; 8] = ["FROM", "JOIN", "INTO", "TABLE", "VIEW", "DESCRIBE", "SUMMARIZE", "UPDATE"];

/// Helper of the line editor.
pub struct Assistant {
    engine: Rc<Engine>,
    /// Names of functions, which do not change.
    functions: OnceCell<Vec<String>>,
}

impl Assistant {
    /// Returns the helper for an engine's names.
    pub fn new(engine: Rc<Engine>) -> Self {
        Assistant { engine, functions: OnceCell::new() }
    }

    /// Returns the start of the completed part, and the texts that can take its place.
    fn complete(&self, text: &str) -> (usize, Vec<Pair>) {
        if let Some(start) = open_quote(text) {
            return files(&text[start..], start, Some('\''));
        }
        if Meta::is_meta(text) {
            return self.of_meta(text);
        }
        let start = text.rfind(|c: char| !is_part_of_name(c)).map_or(0, |at| at + char_len(text, at));
        let typed = &text[start..];
        let words: Vec<String> = text[..start].split_whitespace().map(str::to_uppercase).collect();
        if let [first] = words.as_slice()
            && matches!(first.as_str(), "SET" | "RESET" | "SHOW" | "PRAGMA")
        {
            return (start, matching(typed, settings()));
        }
        if words.last().is_some_and(|word| BEFORE_TABLES.contains(&word.as_str())) {
            return (start, matching(typed, self.engine.tables()));
        }
        let mut found = matching(typed, self.columns(text));
        found.extend(matching(typed, self.engine.tables()));
        found.extend(matching(typed, self.functions().iter().cloned()));
        let is_lower = typed.chars().any(char::is_lowercase);
        let keywords = KEYWORDS.split_whitespace();
        found.extend(matching(
            typed,
            keywords.map(|word| if is_lower { word.to_lowercase() } else { word.into() }),
        ));
        (start, found)
    }

    /// Completes a meta-command or its argument.
    fn of_meta(&self, text: &str) -> (usize, Vec<Pair>) {
        let indent = text.len() - text.trim_start().len();
        let Some((name, rest)) = text[indent..].split_once(char::is_whitespace) else {
            let names = COMMANDS.iter().flat_map(|command| command.names).map(|&name| name.to_owned());
            return (indent, matching(&text[indent..], names));
        };
        let start = text.len() - rest.trim_start().len();
        let typed = &text[start..];
        let takes = match name {
            "\\d" => Takes::Table,
            _ => find(name).map_or(Takes::Nothing, |command| command.takes),
        };
        match takes {
            Takes::Nothing => (start, Vec::new()),
            Takes::File => files(typed, start, None),
            Takes::Table => (start, matching(typed, self.engine.tables())),
            Takes::Mode => (start, matching(typed, modes())),
            Takes::Switch => (start, matching(typed, ["on".to_owned(), "off".to_owned()])),
            Takes::Command => {
                let names =
                    COMMANDS.iter().map(|command| command.names[0].trim_start_matches('.').to_owned());
                (start, matching(typed.trim_start_matches('.'), names))
            }
        }
    }

    /// Returns the columns of the tables and files that a text names; without any, of all tables.
    fn columns(&self, text: &str) -> BTreeSet<String> {
        let all = self.engine.tables();
        let words: Vec<&str> = text.split(|c: char| !is_part_of_name(c)).collect();
        let is_named = |table: &&String| words.iter().any(|word| word.eq_ignore_ascii_case(table));
        let named: Vec<&String> = all.iter().filter(is_named).collect();
        let local =
            |place: &str| Path::new(place).exists().then(|| format!("'{}'", place.replace('\'', "''")));
        let files: Vec<String> = text.split('\'').skip(1).step_by(2).filter_map(local).collect();
        let tables: Vec<String> = match named.is_empty() && files.is_empty() {
            true => all.iter().map(|table| quoted(table)).collect(),
            false => named.into_iter().map(|table| quoted(table)).chain(files).collect(),
        };
        let described = |table: &String| self.texts(&format!("DESCRIBE {table}"));
        tables.iter().flat_map(described).map(|name| quoted(&name)).collect()
    }

    fn functions(&self) -> &[String] {
        self.functions.get_or_init(|| {
            let mut names = self.texts("SELECT DISTINCT routine_name FROM information_schema.routines");
            names.retain(|name| name.chars().all(|c| c.is_alphanumeric() || c == '_'));
            names.sort();
            names
        })
    }

    /// Returns the first column of a statement's rows; nothing, if it fails.
    fn texts(&self, sql: &str) -> Vec<String> {
        let batches = self.engine.sql(sql).unwrap_or_default();
        let mut texts = Vec::new();
        for batch in batches.iter().filter(|batch| batch.num_columns() > 0) {
            let Ok(column) = cast(batch.column(0), &DataType::Utf8) else { continue };
            if let Some(column) = column.as_any().downcast_ref::<StringArray>() {
                texts.extend(column.iter().flatten().map(str::to_owned));
            }
        }
        texts
    }
}

/// Returns the names of the settings that have no secret.
fn settings() -> impl Iterator<Item = String> {
    let is_shown = |definition: &&&Definition| definition.kind != Kind::Secret;
    SETTINGS.iter().filter(is_shown).map(|definition| definition.name.to_owned())
}

/// Returns the candidates that begin with the typed text, in any case.
fn matching(typed: &str, candidates: impl IntoIterator<Item = String>) -> Vec<Pair> {
    let lower = typed.to_lowercase();
    let candidates = candidates.into_iter().filter(|name| name.to_lowercase().starts_with(&lower));
    candidates.map(|name| Pair { display: name.clone(), replacement: name }).collect()
}

/// Returns the files whose paths begin with the typed text. A file in SQL ends with a quote.
fn files(typed: &str, start: usize, quote: Option<char>) -> (usize, Vec<Pair>) {
    let (folder, name) = typed.rsplit_once('/').map_or(("", typed), |(folder, name)| (folder, name));
    let listed = match (folder, typed.contains('/')) {
        ("", true) => "/",
        ("", false) => ".",
        (folder, _) => folder,
    };
    let entries = std::fs::read_dir(listed).into_iter().flatten().flatten();
    let mut found: Vec<Pair> = entries
        .filter_map(|entry| {
            let file = entry.file_name().into_string().ok()?;
            let is_hidden = file.starts_with('.') && !name.starts_with('.');
            let is_folder = entry.path().is_dir();
            (file.starts_with(name) && !is_hidden).then(|| {
                let end = match (is_folder, quote) {
                    (true, _) => "/".to_owned(),
                    (false, quote) => quote.map(String::from).unwrap_or_default(),
                };
                let display = if is_folder { format!("{file}/") } else { file.clone() };
                Pair { display, replacement: format!("{file}{end}") }
            })
        })
        .collect();
    found.sort_by(|a, b| a.display.cmp(&b.display));
    (start + typed.len() - name.len(), found)
}

/// Returns the offset behind a single quote that is not closed.
fn open_quote(text: &str) -> Option<usize> {
    let mut open = None;
    for (at, c) in text.char_indices() {
        if c == '\'' {
            open = if open.is_some() { None } else { Some(at + 1) };
        }
    }
    open
}

fn is_part_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '"'
}

fn char_len(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(0, char::len_utf8)
}

/// Returns a name as SQL takes it.
fn quoted(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let is_bare = name.chars().all(is_plain) && !name.starts_with(|c: char| c.is_ascii_digit());
    if is_bare && !name.is_empty() { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}

impl Completer for Assistant {
    type Candidate = Pair;

    fn complete(&self, line: &str, pos: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        Ok(Assistant::complete(self, &line[..pos]))
    }
}

/// Tells the line editor whether a text is complete.
impl Validator for Assistant {
    fn validate(&self, context: &mut ValidationContext) -> rustyline::Result<ValidationResult> {
        let text = context.input();
        let is_whole = text.trim().is_empty()
            || Meta::is_meta(text)
            || Script::cut(text).is_ok_and(|script| script.rest.is_none());
        Ok(if is_whole { ValidationResult::Valid(None) } else { ValidationResult::Incomplete })
    }
}

impl Highlighter for Assistant {}
impl Hinter for Assistant {
    type Hint = String;
}

#[cfg(test)]
mod tests;
