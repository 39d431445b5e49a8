//! Failures of a command: the messages and exit codes.

use std::any::Any;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;

/// Reason for which a command failed or stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The user stopped it.
    Cancelled,
    /// The reader closed the output, as `head` does: not an error.
    OutputClosed,
    /// The message has been printed already.
    Printed,
    /// The arguments parse, but don't go together.
    Usage(String),
    /// The command that was to run can't be: a shell's exit code for that, and why.
    #[cfg(target_os = "linux")]
    NotRun(u8, String),
    /// Anything else, in words.
    Error(String),
}

/// Exit code of errors.
const FAILED: u8 = 1;

/// Exit code for arguments that make no sense; clap's own.
const USAGE: u8 = 2;

impl Failure {
    /// Makes a failure with a message.
    pub fn error(what: impl Display) -> Self {
        Failure::Error(what.to_string())
    }

    /// Makes the failure of an input or output error on a file.
    pub fn file(path: &Path, error: &io::Error) -> Self {
        Failure::Error(format!("{}: {}", path.display(), io_reason(error)))
    }

    /// Makes the failure of writing to standard output or to a file, called `name`.
    pub fn writing(name: &str, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::OutputClosed,
            _ => Failure::Error(format!("cannot write {name}: {}", io_reason(error))),
        }
    }

    /// Makes the failure of a panic that reached the top: a bug.
    pub fn from_panic(panic: &(dyn Any + Send)) -> Self {
        let text = panic.downcast_ref::<&str>().copied();
        let what = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic");
        Failure::Error(format!(
            "internal error, please report it: {what} (RUST_BACKTRACE=1 in the environment shows where)"
        ))
    }

    /// Prints the failure, if there is something to say, and returns the exit code; `cancelled` is
    /// that of a stopped command.
    pub fn report(&self, cancelled: u8) -> u8 {
        match self {
            Failure::Cancelled => {
                note("cancelled");
                cancelled
            }
            Failure::OutputClosed => 0,
            Failure::Printed => FAILED,
            Failure::Usage(what) => {
                print_error(what);
                USAGE
            }
            #[cfg(target_os = "linux")]
            Failure::NotRun(code, what) => {
                print_error(what);
                *code
            }
            Failure::Error(what) => {
                print_error(what);
                FAILED
            }
        }
    }
}

impl From<pelton::Error> for Failure {
    fn from(error: pelton::Error) -> Self {
        match error {
            pelton::Error::Cancelled => Failure::Cancelled,
            // a COPY to a pipe that is closed
            pelton::Error::Pages(error) if is_closed_pipe(&error) => Failure::OutputClosed,
            other => Failure::error(other),
        }
    }
}

/// Returns whether a file could not be written since its reader closed it.
fn is_closed_pipe(error: &impl Display) -> bool {
    error.to_string().contains("cannot write: Broken pipe")
}

/// Prints `error: …` on standard error, as one line, also if the message has several.
pub fn print_error(what: &str) {
    note(&format!("error: {}", what.split_whitespace().collect::<Vec<_>>().join(" ")));
}

/// Prints a line on standard error. A closed one is no reason to fail.
pub fn note(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Suppresses Rust's report of panics, unless `RUST_BACKTRACE` asks for it: [`Failure::from_panic`]
/// reports them, or they become errors of a query.
pub fn silence_panics() {
    if std::env::var_os("RUST_BACKTRACE").is_none() {
        std::panic::set_hook(Box::new(|_| {}));
    }
}

/// Returns the system's message without its number.
pub fn io_reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((words, _)) => words.to_owned(),
        None => text,
    }
}
