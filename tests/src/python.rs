//! The Python programs under `tests/interop`, which have other engines write and read files.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the top of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ is in the repository").to_owned()
}

/// Returns the interpreter of the repository's virtual environment. `None`, and a line that says
/// so, where there is none; in continuous integration (`CI=true`) that is a failure.
pub fn interpreter() -> Option<PathBuf> {
    let path = repository().join(".venv/bin/python");
    if path.exists() {
        return Some(path);
    }
    let why = format!("{} is missing; `make rivals` makes it", path.display());
    assert!(std::env::var("CI").as_deref() != Ok("true"), "{why}");
    eprintln!("skipped: {why}");
    None
}

/// Runs `tests/interop/<script>` with arguments and returns its output. Panics with its last words
/// if it fails.
pub fn run(interpreter: &Path, script: &str, arguments: &[&str]) -> String {
    let path = repository().join("tests/interop").join(script);
    let done = Command::new(interpreter).arg(path).args(arguments).output().expect("Python can be started");
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{script} {arguments:?} failed:\n{errors}");
    String::from_utf8_lossy(&done.stdout).into_owned()
}
