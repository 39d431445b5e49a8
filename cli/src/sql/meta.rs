//! Meta-commands of the prompt, lines that are no SQL: `.tables`, `\d trips`.

use crate::failure::Failure;

/// Something that the prompt itself does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meta {
    /// The tables that have names.
    Tables,
    /// A table's columns; a name as SQL has it, or a quoted path.
    Describe(String),
    /// Times on, off, or the other way.
    Timer(Option<bool>),
    /// List the commands.
    Help,
    /// Leave.
    Quit,
}

impl Meta {
    /// Text of `.help`.
    pub const HELP: &str = "\
SQL ends with ; and may span lines. A Parquet file in quotes is a table: SELECT * FROM 'trips.parquet';

  .tables or \\d       the tables given with --table
  .schema T or \\d T   the columns of a table, or of a file: \\d 'trips.parquet'
  .timer [on|off]     time of each statement
  .help or \\?         this
  .quit or \\q         leave; Ctrl-D does too

Ctrl-C stops a query that runs, or forgets what was typed.";

    /// Returns whether a line is meant for the prompt and not for SQL.
    pub fn is_meta(line: &str) -> bool {
        line.trim_start().starts_with(['.', '\\'])
    }

    /// Reads such a line.
    pub fn parse(line: &str) -> Result<Meta, Failure> {
        let line = line.trim().trim_end_matches(';').trim_end();
        let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match (command, rest.trim()) {
            (".tables" | "\\d" | "\\dt", "") => Ok(Meta::Tables),
            (".schema" | "\\d", table) if !table.is_empty() => Ok(Meta::Describe(table.to_owned())),
            (".timer" | "\\timing", "") => Ok(Meta::Timer(None)),
            (".timer" | "\\timing", "on") => Ok(Meta::Timer(Some(true))),
            (".timer" | "\\timing", "off") => Ok(Meta::Timer(Some(false))),
            (".help" | "\\?", "") => Ok(Meta::Help),
            (".quit" | ".exit" | "\\q", "") => Ok(Meta::Quit),
            _ => Err(Failure::Error(format!("{line}: no such command; .help lists what there is"))),
        }
    }
}

#[cfg(test)]
mod tests;
