//! Interactive prompt with a history.

use std::fs;
use std::path::PathBuf;

use pelton::may_hold_secret;
use rustyline::completion::Completer;
use rustyline::config::Config;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Editor, Helper};

use super::meta::Meta;
use super::runner::Runner;
use super::statements::Script;
use crate::failure::{Failure, note, print_error};

const PROMPT: &str = "pelton> ";

/// Statements that the history keeps.
const HISTORY_LENGTH: usize = 10_000;

/// Reads and runs statements until Ctrl-D. Failures are reported and end nothing.
pub fn run(mut runner: Runner) -> Result<(), Failure> {
    let failed = |error| Failure::Error(format!("cannot read from the terminal: {error}"));
    let config = Config::builder().max_history_size(HISTORY_LENGTH).map_err(failed)?.build();
    let mut editor: Editor<Sql, DefaultHistory> = Editor::with_config(config).map_err(failed)?;
    editor.set_helper(Some(Sql));
    let history = history_file();
    if let Some(file) = &history {
        // The first time there is none, and a prompt without its history is still a prompt.
        let _ = editor.load_history(file);
    }
    note(&format!("Pelton {}; .help lists commands", env!("CARGO_PKG_VERSION")));
    runner.at_prompt();
    loop {
        match editor.readline(PROMPT) {
            Ok(text) => {
                if !text.trim().is_empty() && !may_hold_secret(&text) {
                    // The history is a convenience, and a text that it does not take still runs.
                    let _ = editor.add_history_entry(&text);
                    if let Some(file) = &history {
                        let _ = editor.append_history(file);
                    }
                }
                match answer(&runner, &text) {
                    Ok(true) => {}
                    Ok(false) => return Ok(()),
                    Err(Failure::Cancelled) => note("cancelled"),
                    Err(Failure::Error(what)) => print_error(&what),
                    Err(other) => return Err(other),
                }
            }
            Err(ReadlineError::Interrupted) => {}
            Err(ReadlineError::Eof) => return Ok(()),
            Err(error) => return Err(failed(error)),
        }
    }
}

/// Runs the typed text; returns false if it asks to leave.
fn answer(runner: &Runner, text: &str) -> Result<bool, Failure> {
    if !Meta::is_meta(text) {
        Script::cut(text)?.statements().try_for_each(|statement| runner.statement(statement))?;
        return Ok(true);
    }
    let meta = Meta::parse(text)?;
    runner.meta(&meta)?;
    Ok(meta != Meta::Quit)
}

/// `$XDG_STATE_HOME/pelton/history`, else `~/.local/state/pelton/history`; None where there is no
/// home.
fn history_file() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = variable("XDG_STATE_HOME").or_else(|| Some(variable("HOME")?.join(".local/state")))?;
    let folder = state.join("pelton");
    fs::create_dir_all(&folder).ok()?;
    Some(folder.join("history"))
}

/// Tells the line editor whether a text is complete.
struct Sql;

impl Validator for Sql {
    fn validate(&self, context: &mut ValidationContext) -> rustyline::Result<ValidationResult> {
        let text = context.input();
        let is_whole = text.trim().is_empty()
            || Meta::is_meta(text)
            || Script::cut(text).is_ok_and(|script| script.rest.is_none());
        Ok(if is_whole { ValidationResult::Valid(None) } else { ValidationResult::Incomplete })
    }
}

impl Helper for Sql {}
impl Highlighter for Sql {}
impl Hinter for Sql {
    type Hint = String;
}
impl Completer for Sql {
    type Candidate = String;
}
