//! Pager: a program that shows a long text screen by screen.

use std::io::Write;
use std::process::{Command, Stdio};

/// Variables that name the pager, the first one that is set.
const VARIABLES: [&str; 2] = ["PELTON_PAGER", "PAGER"];

/// The pager, if no variable names one: keeps colours, and leaves the text on the screen.
const DEFAULT: &str = "less -RX";

/// Returns the pager of the environment.
pub fn default_command() -> String {
    let named = VARIABLES.iter().find_map(|name| std::env::var(name).ok());
    named.filter(|command| !command.trim().is_empty()).unwrap_or_else(|| DEFAULT.to_owned())
}

/// Shows a text in a pager. Returns false if the pager does not start.
pub fn show(command: &str, text: &str) -> bool {
    let program = command.split_whitespace().next().unwrap_or_default();
    if !is_there(program) {
        return false;
    }
    let started = Command::new("sh").args(["-c", command]).stdin(Stdio::piped()).spawn();
    let Ok(mut pager) = started else { return false };
    if let Some(mut input) = pager.stdin.take() {
        // the reader may leave early
        let _ = input.write_all(text.as_bytes());
    }
    pager.wait().is_ok()
}

/// Returns whether a program is in the folders of PATH, or named by a path.
fn is_there(program: &str) -> bool {
    if program.contains('/') {
        return std::path::Path::new(program).is_file();
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    !program.is_empty() && std::env::split_paths(&folders).any(|folder| folder.join(program).is_file())
}
