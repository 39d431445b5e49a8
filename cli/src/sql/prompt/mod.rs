//! Interactive prompt with a history, completion, and a file of statements that it starts with.

mod completion;

use std::fs;
use std::path::PathBuf;

use pelton::settings::may_hold_secret;
use rustyline::config::{CompletionType, Config};
use rustyline::error::ReadlineError;
use rustyline::history::DefaultHistory;
use rustyline::{Editor, Helper};

use super::meta::Meta;
use super::runner::Runner;
use super::statements::Script;
use crate::failure::{Failure, note, print_error};
use completion::Assistant;

const PROMPT: &str = "pelton> ";

/// Statements that the history keeps.
const HISTORY_LENGTH: usize = 10_000;

/// Reads and runs statements until Ctrl-D. Failures are reported and end nothing.
pub fn run(mut runner: Runner, has_init: bool) -> Result<(), Failure> {
    let failed = |error| Failure::Error(format!("cannot read from the terminal: {error}"));
    let config = Config::builder().max_history_size(HISTORY_LENGTH).map_err(failed)?;
    let config = config.auto_add_history(false).completion_type(CompletionType::List).build();
    let mut editor: Editor<Assistant, DefaultHistory> = Editor::with_config(config).map_err(failed)?;
    editor.set_helper(Some(Assistant::new(runner.engine())));
    let history = history_file();
    if let Some(file) = &history {
        // The first time there is none, and a prompt without its history is still a prompt.
        let _ = editor.load_history(file);
    }
    note(&format!("Pelton {}; .help lists commands", env!("CARGO_PKG_VERSION")));
    runner.at_prompt();
    if !has_init {
        start(&runner)?;
    }
    loop {
        match editor.readline(PROMPT) {
            Ok(text) => {
                if !may_hold_secret(&text) {
                    let _ = editor.add_history_entry(text.as_str());
                }
                if let Some(file) = &history {
                    let _ = editor.append_history(file);
                }
                if let Some(false) = reported(answer(&runner, &text))? {
                    break;
                }
            }
            Err(ReadlineError::Interrupted) => {}
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(failed(error)),
        }
    }
    runner.redirect(None)
}

/// Runs the user's own file of statements, if there is one.
fn start(runner: &Runner) -> Result<(), Failure> {
    match init_file().filter(|file| file.is_file()) {
        Some(file) => reported(runner.file(&file)).map(drop),
        None => Ok(()),
    }
}

/// Reports an error that does not end the prompt; returns `None` for one.
fn reported<T>(result: Result<T, Failure>) -> Result<Option<T>, Failure> {
    match result {
        Ok(value) => return Ok(Some(value)),
        Err(Failure::Cancelled) => note("cancelled"),
        Err(Failure::Error(what)) => print_error(&what),
        Err(other) => return Err(other),
    }
    Ok(None)
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
    let folder = user_folder("XDG_STATE_HOME", ".local/state")?;
    fs::create_dir_all(&folder).ok()?;
    Some(folder.join("history"))
}

/// `$XDG_CONFIG_HOME/pelton/init.sql`, else `~/.config/pelton/init.sql`.
fn init_file() -> Option<PathBuf> {
    Some(user_folder("XDG_CONFIG_HOME", ".config")?.join("init.sql"))
}

/// Returns Pelton's folder in the one that a variable names, or in one below the home.
fn user_folder(variable: &str, below_home: &str) -> Option<PathBuf> {
    let named = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let parent = named(variable).or_else(|| Some(named("HOME")?.join(below_home)))?;
    Some(parent.join("pelton"))
}

impl Helper for Assistant {}
