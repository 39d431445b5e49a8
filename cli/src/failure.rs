//! How a command ends when it does not end well: what is printed, and the exit code.

use std::any::Any;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;

use crate::interrupt;

/// Why a command did not do what was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The user stopped it.
    Cancelled,
    /// Who read the output has had enough of it, as `head` does: not an error.
    OutputClosed,
    /// What is wrong has been printed already.
    Printed,
    /// The arguments parse, but don't go together.
    Usage(String),
    /// The command that was to run can't be: a shell's exit code for that, and why.
    #[cfg(target_os = "linux")]
    NotRun(u8, String),
    /// Anything else, in words.
    Error(String),
}

/// Exit code for what went wrong.
const FAILED: u8 = 1;

/// Exit code for arguments that make no sense; clap's own.
const USAGE: u8 = 2;

impl Failure {
    /// An error in words.
    pub fn error(what: impl Display) -> Self {
        Failure::Error(what.to_string())
    }

    /// An input or output error on a file.
    pub fn file(path: &Path, error: &io::Error) -> Self {
        Failure::Error(format!("{}: {}", path.display(), io_reason(error)))
    }

    /// An error of writing to standard output or to a file, called `name`.
    pub fn writing(name: &str, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::OutputClosed,
            _ => Failure::Error(format!("cannot write {name}: {}", io_reason(error))),
        }
    }

    /// A panic that reached the top: a bug.
    pub fn from_panic(panic: &(dyn Any + Send)) -> Self {
        let text = panic.downcast_ref::<&str>().copied();
        let what = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic");
        Failure::Error(format!(
            "internal error, please report it: {what} (RUST_BACKTRACE=1 in the environment shows where)"
        ))
    }

    /// Prints it, unless there is nothing to say, and gives the exit code.
    pub fn report(&self) -> u8 {
        match self {
            Failure::Cancelled => {
                note("cancelled");
                interrupt::exit_code()
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
            other => Failure::error(other),
        }
    }
}

/// Prints `error: …` on standard error, as one line whatever the message has in it.
pub fn print_error(what: &str) {
    note(&format!("error: {}", what.split_whitespace().collect::<Vec<_>>().join(" ")));
}

/// Prints a line on standard error. That nobody can read it is no reason to fail.
pub fn note(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Panics are reported by [`Failure::from_panic`], or become errors of the query that they happen
/// in. Those who want Rust's own report ask for it in the usual way.
pub fn silence_panics() {
    if std::env::var_os("RUST_BACKTRACE").is_none() {
        std::panic::set_hook(Box::new(|_| {}));
    }
}

/// The system's words without its number.
pub fn io_reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((words, _)) => words.to_owned(),
        None => text,
    }
}
