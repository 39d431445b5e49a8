//! Statements of DuckDB's that the parser does not read, known by their words: those that have
//! nothing to do, those with another form, and what to write in place of the others.

use std::borrow::Cow;
use std::sync::Arc;

use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};

use super::tokens::{keyword, replaced, slice};
use crate::error::{Error, Result};
use crate::plan::executable::Plan;
use crate::plan::rows::RowsExec;

/// Most words that a statement is known by.
const WORDS: usize = 3;

/// Words that a statement begins with, its name in the error, and what to write in its place.
const REFUSED: [(&[&str], &str, &str); 19] = [
    (&["ATTACH"], "ATTACH", "name the files in FROM, or write CREATE VIEW t AS FROM 'place/*.parquet'"),
    (&["DETACH"], "DETACH", "no database is attached: leave this statement out"),
    (&["EXPORT", "DATABASE"], "EXPORT DATABASE", "write COPY t TO 'place/t.parquet' for each table"),
    (
        &["IMPORT", "DATABASE"],
        "IMPORT DATABASE",
        "write CREATE TABLE t AS FROM 'place/t.parquet' for each table",
    ),
    (&["FORCE", "INSTALL"], "an extension", EXTENSION),
    (&["CALL"], "CALL", "write SELECT * FROM with the function, or SHOW ALL for the settings"),
    (
        &["COMMENT", "ON"],
        "COMMENT",
        "names are all that tables have: write a comment behind -- in the script",
    ),
    (&["SHOW", "DATABASES"], "a list of databases", "a session has one: write SHOW TABLES"),
    (&["SHOW", "SCHEMAS"], "a list of schemas", "a session has one: write SHOW TABLES"),
    (&["RESET", "VARIABLE"], "RESET VARIABLE", "write PREPARE with a parameter $1 or $name"),
    (&["PRAGMA", "TABLE_INFO"], "PRAGMA table_info", "write DESCRIBE and the table's name"),
    (&["PRAGMA", "SHOW_TABLES"], "PRAGMA show_tables", "write SHOW TABLES"),
    (&["PRAGMA", "DATABASE_LIST"], "PRAGMA database_list", "a session has one database: write SHOW TABLES"),
    (&["PRAGMA", "VERSION"], "PRAGMA version", "write SELECT version()"),
    (&["KILL"], "KILL", "a statement ends when its program is interrupted, by Ctrl+C in the command"),
    (&["LOCK"], "LOCK", "each statement takes effect by itself, whole or not at all: leave this one out"),
    (&["GRANT"], "GRANT", ACCESS),
    (&["REVOKE"], "REVOKE", ACCESS),
    (&["CREATE", "ROLE"], "CREATE ROLE", ACCESS),
];

const EXTENSION: &str = "all that there is was built in: leave this statement out";
const ACCESS: &str = "a session has one user: leave this statement out, and set the rights of files";

/// Plans a statement that has nothing to do; `None` for others.
///
/// # Errors
/// The statement is one that is not supported.
pub(super) fn plan(tokens: &[TokenWithSpan]) -> Result<Option<Plan>> {
    let words: Vec<String> = tokens.iter().map_while(|token| keyword(Some(token))).take(WORDS).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    if let ["CHECKPOINT", ..] | ["FORCE", "CHECKPOINT", ..] = words.as_slice() {
        // tables are in memory, and files are whole when their statement ends
        return Ok(Some(Arc::new(RowsExec::effect("CHECKPOINT", || Ok(())))));
    }
    let refused = REFUSED.iter().find(|(start, ..)| words.starts_with(start));
    match refused {
        Some((_, name, instead)) => Err(Error::Query(format!("{name} is not supported: {instead}"))),
        None => Ok(None),
    }
}

/// Returns the text of an INSERT without BY POSITION, which is how rows are inserted.
///
/// # Errors
/// The INSERT is one BY NAME.
pub(super) fn insert<'a>(text: &'a str, tokens: &[TokenWithSpan]) -> Result<Cow<'a, str>> {
    let is = |at: usize, word: &str| keyword(tokens.get(at)).as_deref() == Some(word);
    // outside of names and of the query
    let mut by =
        (1..tokens.len()).take_while(|at| !["SELECT", "FROM", "VALUES"].iter().any(|word| is(*at, word)));
    let Some(by) = by.find(|at| is(*at, "BY") && tokens[*at - 1].token != Token::Comma) else {
        return Ok(Cow::Borrowed(text));
    };
    if is(by + 1, "POSITION") {
        let text = replaced(text, &tokens[by + 1], "");
        return Ok(Cow::Owned(replaced(&text, &tokens[by], "")));
    }
    match is(by + 1, "NAME") {
        true => {
            let table = slice(text, &tokens[..by]);
            Err(Error::Query(format!(
                "BY NAME is not supported: name the columns in the order of the query, {table} (a, b) SELECT a, b ..."
            )))
        }
        false => Ok(Cow::Borrowed(text)),
    }
}

#[cfg(test)]
mod tests;
