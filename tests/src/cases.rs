//! SQL cases in files: `tests/sql/README.md` says how they are written.

use std::path::Path;

/// One statement of a file, and its expected outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// Line of the file, from 1.
    pub line: usize,
    /// The statement.
    pub sql: String,
    /// Expected outcome.
    pub expected: Expected,
}

/// Expected outcome of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expected {
    /// These rows.
    Rows {
        /// In any order: both sides are sorted before they are compared.
        sorted: bool,
        /// Values as text.
        rows: Vec<Vec<String>>,
    },
    /// Rows with each of these in their text.
    Contains(Vec<String>),
    /// An error that contains this.
    Error(String),
}

/// Reads a file of cases.
///
/// # Panics
/// It is not well-formed.
pub fn read(path: &Path) -> Vec<Case> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    parse(&text).unwrap_or_else(|(line, what)| panic!("{}:{line}: {what}", path.display()))
}

/// Reads cases from text; an error has its line.
pub fn parse(text: &str) -> Result<Vec<Case>, (usize, String)> {
    let mut cases = Vec::new();
    let mut lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim_end())).peekable();
    while let Some((line, head)) = lines.next() {
        if head.is_empty() || head.starts_with('#') {
            continue;
        }
        let mut sql = Vec::new();
        let mut body = Vec::new();
        let mut in_body = false;
        while let Some((_, text)) = lines.next_if(|(_, text)| !text.is_empty()) {
            match text {
                "----" => in_body = true,
                text if in_body => body.push(text),
                text => sql.push(text),
            }
        }
        let rows = || body.iter().map(|row| row.split(" | ").map(str::to_owned).collect()).collect();
        let expected = match head {
            "query" => Expected::Rows { sorted: false, rows: rows() },
            "query rowsort" => Expected::Rows { sorted: true, rows: rows() },
            "query contains" => Expected::Contains(body.iter().map(|text| (*text).to_owned()).collect()),
            "statement error" => Expected::Error(body.join(" ")),
            other => {
                return Err((
                    line,
                    format!("{other:?} is none of query, query rowsort, query contains, statement error"),
                ));
            }
        };
        if sql.is_empty() {
            return Err((line, "there is no statement".to_owned()));
        }
        if !in_body {
            return Err((line, "there is no ---- behind the statement".to_owned()));
        }
        if body.is_empty() && matches!(expected, Expected::Contains(_) | Expected::Error(_)) {
            return Err((line, "nothing is expected behind the ----".to_owned()));
        }
        cases.push(Case { line, sql: sql.join("\n"), expected });
    }
    Ok(cases)
}
