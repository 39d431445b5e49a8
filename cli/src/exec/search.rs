//! Search for a command's file, as in a shell.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use crate::failure::{Failure, io_reason};

/// A shell's exit code for a command that exists but can't be run.
const NOT_EXECUTABLE: u8 = 126;
/// A shell's exit code for a command that is not there.
const NOT_FOUND: u8 = 127;
/// Folders of commands if the environment names none, as in the C library.
const DEFAULT_PATH: &str = "/bin:/usr/bin";

/// Returns the file of the command called `name`.
pub fn program(name: &OsStr) -> Result<PathBuf, Failure> {
    find(name, std::env::var_os("PATH"))
}

/// Returns the file of the command called `name` in the folders of `path`.
pub fn find(name: &OsStr, path: Option<OsString>) -> Result<PathBuf, Failure> {
    let not_found = || Failure::NotRun(NOT_FOUND, format!("there is no command {}", name.display()));
    let not_executable = |error| not_run(NOT_EXECUTABLE, name, &error);
    if name.is_empty() {
        return Err(not_found());
    }
    if name.as_encoded_bytes().contains(&b'/') {
        let file = PathBuf::from(name);
        return match runnable(&file) {
            Ok(()) => Ok(file),
            Err(error) if is_missing(&error) => Err(not_found()),
            Err(error) => Err(not_executable(error)),
        };
    }
    // A file that can't be run doesn't hide one that can, further on.
    let mut reason = None;
    let path = path.unwrap_or_else(|| DEFAULT_PATH.into());
    for folder in std::env::split_paths(&path) {
        // An empty name is the working folder.
        let file = if folder.as_os_str().is_empty() { Path::new(".").join(name) } else { folder.join(name) };
        match runnable(&file) {
            Ok(()) => return Ok(file),
            Err(error) if is_missing(&error) => {}
            Err(error) => reason = reason.or(Some(error)),
        }
    }
    Err(reason.map_or_else(not_found, not_executable))
}

/// Returns the failure of the command called `name`, which the system would not run.
pub fn cannot_run(name: &OsStr, error: &io::Error) -> Failure {
    let code = if is_missing(error) { NOT_FOUND } else { NOT_EXECUTABLE };
    not_run(code, name, error)
}

fn not_run(code: u8, name: &OsStr, error: &io::Error) -> Failure {
    Failure::NotRun(code, format!("{} can't be run: {}", name.display(), io_reason(error)))
}

/// Returns whether this is a file that this process may run.
fn runnable(file: &Path) -> io::Result<()> {
    if file.metadata()?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Ok(access(file, Access::EXEC_OK)?)
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
