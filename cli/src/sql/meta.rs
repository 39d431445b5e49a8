//! Meta-commands of the prompt, lines that are no SQL: `.tables`, `\d trips`.

use std::path::PathBuf;

use clap::ValueEnum;
use pelton::settings::did_you_mean;

use crate::failure::Failure;
use crate::output::Format;

/// Something that the prompt itself does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meta {
    /// The tables that have names.
    Tables,
    /// A table's columns; a name as SQL has it, or a quoted path.
    Describe(String),
    /// The settings.
    Settings,
    /// Show the format of rows, or change it.
    Mode(Option<Format>),
    /// Number of rows that a table shows; 0 for all.
    MaxRows(usize),
    /// Write the following results to a file, or to standard output again.
    Output(Option<PathBuf>),
    /// Write the next result to a file.
    Once(PathBuf),
    /// Run the statements of a file.
    Read(PathBuf),
    /// Make a table of a file's rows: file, table.
    Import(String, String),
    /// Times on, off, or the other way.
    Timer(Option<bool>),
    /// Pager on, off, or another program.
    Pager(Option<String>),
    /// Explain one command, or list all.
    Help(Option<&'static Command>),
    /// Leave.
    Quit,
}

/// A meta-command.
#[derive(Debug, PartialEq, Eq)]
pub struct Command {
    /// Its names, the usual one first.
    pub names: &'static [&'static str],
    /// Its arguments, as `.help` shows them.
    pub arguments: &'static str,
    /// The kind of its first argument, for completion.
    pub takes: Takes,
    /// Its effect.
    pub help: &'static str,
}

/// Kind of a command's argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Nothing to complete.
    Nothing,
    /// A file.
    File,
    /// A table, or a file in quotes.
    Table,
    /// The name of a format.
    Mode,
    /// `on` or `off`.
    Switch,
    /// A meta-command.
    Command,
}

const fn command(
    names: &'static [&'static str],
    arguments: &'static str,
    takes: Takes,
    help: &'static str,
) -> Command {
    Command { names, arguments, takes, help }
}

/// All meta-commands, in the order of `.help`.
pub static COMMANDS: [Command; 13] = [
    command(&[".tables", "\\d", "\\dt"], "", Takes::Nothing, "the tables and views that have names"),
    command(
        &[".schema", "\\d"],
        "T",
        Takes::Table,
        "the columns of a table, or of a file: \\d 'trips.parquet'",
    ),
    command(&[".settings"], "", Takes::Nothing, "the settings; SET name = value changes one"),
    command(
        &[".mode"],
        "[FORMAT]",
        Takes::Mode,
        "format of the rows: table, box, csv, json, ndjson, markdown, line, parquet",
    ),
    command(&[".maxrows"], "N", Takes::Nothing, "rows that a table shows; 0 for all"),
    command(
        &[".output", "\\o"],
        "[FILE]",
        Takes::File,
        "write the following results to a file, which appears when .output is next used; without a name to the screen",
    ),
    command(
        &[".once"],
        "FILE",
        Takes::File,
        "write the next result to a file, in the format of its extension",
    ),
    command(&[".read", "\\i"], "FILE", Takes::File, "run the statements of a file"),
    command(&[".import"], "FILE TABLE", Takes::File, "make a table of a file's rows, by CREATE TABLE ... AS"),
    command(&[".timer", "\\timing"], "[on|off]", Takes::Switch, "time of each statement"),
    command(
        &[".pager"],
        "[on|off|PROGRAM]",
        Takes::Switch,
        "show tables that are longer than the screen in a program: PELTON_PAGER, PAGER, else less",
    ),
    command(&[".help", "\\?"], "[COMMAND]", Takes::Command, "this, or more about one command"),
    command(&[".quit", ".exit", "\\q"], "", Takes::Nothing, "leave; Ctrl-D does too"),
];

impl Meta {
    /// Returns the text of `.help`.
    pub fn help() -> String {
        let mut text = "SQL ends with ; and may span lines. A file in quotes is a table: SELECT * FROM \
                        'trips.parquet';\nTab completes names and files.\n\n"
            .to_owned();
        let usages: Vec<String> = COMMANDS.iter().map(Command::usage).collect();
        let width = usages.iter().map(String::len).max().unwrap_or(0);
        for (command, usage) in COMMANDS.iter().zip(usages) {
            text += &format!("  {usage:width$}  {}\n", command.help);
        }
        text + "\nCtrl-C stops a query that runs, or forgets what was typed."
    }

    /// Returns whether a line is meant for the prompt and not for SQL.
    pub fn is_meta(line: &str) -> bool {
        let line = line.trim_start();
        // .5 is a number
        line.starts_with('\\')
            || line.strip_prefix('.').is_some_and(|rest| !rest.starts_with(char::is_numeric))
    }

    /// Reads such a line.
    ///
    /// # Errors
    /// There is no such command, or it has other arguments; the error says which.
    pub fn parse(line: &str) -> Result<Meta, Failure> {
        let line = line.trim().trim_end_matches(';').trim_end();
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match (name, rest) {
            (".tables" | "\\d" | "\\dt", "") => Ok(Meta::Tables),
            (".schema" | "\\d", table) if !table.is_empty() => Ok(Meta::Describe(table.to_owned())),
            (".settings", "") => Ok(Meta::Settings),
            (".mode", "") => Ok(Meta::Mode(None)),
            (".mode", format) => mode(format).map(|format| Meta::Mode(Some(format))),
            (".maxrows", number) if number.parse::<usize>().is_ok() => {
                Ok(Meta::MaxRows(number.parse().unwrap_or_default()))
            }
            (".output" | "\\o", "") => Ok(Meta::Output(None)),
            (".output" | "\\o", path) => Ok(Meta::Output(Some(unquoted(path).into()))),
            (".once", path) if !path.is_empty() => Ok(Meta::Once(unquoted(path).into())),
            (".read" | "\\i", path) if !path.is_empty() => Ok(Meta::Read(unquoted(path).into())),
            (".import", rest) => match rest.rsplit_once(char::is_whitespace) {
                Some((file, table)) => Ok(Meta::Import(unquoted(file.trim()), table.to_owned())),
                None => Err(usage(name)),
            },
            (".timer" | "\\timing", "") => Ok(Meta::Timer(None)),
            (".timer" | "\\timing", "on") => Ok(Meta::Timer(Some(true))),
            (".timer" | "\\timing", "off") => Ok(Meta::Timer(Some(false))),
            (".pager", "") => Ok(Meta::Pager(Some("on".to_owned()))),
            (".pager", "off") => Ok(Meta::Pager(None)),
            (".pager", program) => Ok(Meta::Pager(Some(unquoted(program)))),
            (".help" | "\\?", "") => Ok(Meta::Help(None)),
            (".help" | "\\?", command) => find(command).map(|command| Meta::Help(Some(command))),
            (".quit" | ".exit" | "\\q", "") => Ok(Meta::Quit),
            _ => match find(name) {
                Ok(_) => Err(usage(name)),
                Err(error) => Err(error),
            },
        }
    }
}

impl Command {
    /// Returns the command with its other names and its arguments.
    pub fn usage(&self) -> String {
        let (names, arguments) = (self.names.join(" or "), self.arguments);
        format!("{names} {arguments}").trim_end().to_owned()
    }
}

/// Returns the command of a name, with its dot or without.
///
/// # Errors
/// There is none; the error says which is nearest.
pub fn find(name: &str) -> Result<&'static Command, Failure> {
    let is_named = |command: &&Command| {
        command.names.iter().any(|known| *known == name || known.trim_start_matches(['.', '\\']) == name)
    };
    COMMANDS.iter().find(is_named).ok_or_else(|| {
        let names = COMMANDS.iter().flat_map(|command| command.names.iter().copied());
        let hint = did_you_mean(name, names).unwrap_or_else(|| ".help lists the commands".to_owned());
        Failure::Error(format!("there is no command {name}: {hint}"))
    })
}

/// Returns the error for a command with wrong arguments.
fn usage(name: &str) -> Failure {
    match find(name) {
        Ok(command) => Failure::Error(format!("write {}: {}", command.usage(), command.help)),
        Err(error) => error,
    }
}

fn mode(name: &str) -> Result<Format, Failure> {
    Format::from_str(name, true).map_err(|_| {
        let names = modes();
        let hint = did_you_mean(name, names.iter().map(String::as_str));
        let hint = hint.unwrap_or_else(|| format!("there are {}", names.join(", ")));
        Failure::Error(format!("there is no format {name}: {hint}"))
    })
}

/// Returns the names of all formats.
pub fn modes() -> Vec<String> {
    let values = Format::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    values.map(|value| value.get_name().to_owned()).collect()
}

/// Returns a text without quotes around it.
fn unquoted(text: &str) -> String {
    let inner = |quote| text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    inner('\'').or_else(|| inner('"')).unwrap_or(text).to_owned()
}

#[cfg(test)]
mod tests;
