//! The extension in two versions of stock DuckDB from PyPI. The programs are in `tests/duckdb`;
//! each runs in both versions by each of their interfaces.

mod cases;
mod copying;
mod interface;
mod narrowing;
mod readers;
mod running;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use pelton_tests::python::{interpreter, repository};
use tempfile::TempDir;

/// Folder in which `make rivals` puts the older version of DuckDB, below the virtual environment.
const OLDER: &str = ".venv/duckdb-1.5";

/// The extension, packaged of the library that this build made.
static EXTENSION: LazyLock<(TempDir, PathBuf)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let extension = folder.path().join("pelton.duckdb_extension");
    let script = repository().join("bindings/duckdb/package.sh");
    let done =
        Command::new(script).arg(library()).arg(&extension).output().expect("package.sh can be started");
    assert!(done.status.success(), "package.sh failed:\n{}", String::from_utf8_lossy(&done.stderr));
    (folder, extension)
});

/// Returns the extension's path.
pub(crate) fn extension() -> &'static str {
    EXTENSION.1.to_str().expect("temporary folders have plain names")
}

/// Returns the newer of the libraries that cargo may have left beside this program and above it.
fn library() -> PathBuf {
    let program = std::env::current_exe().expect("a program has a path");
    let folder = program.parent().expect("a program is in a folder");
    let places = [folder.to_owned(), folder.join("..")].map(|place| place.join("libpelton_duckdb.so"));
    let age = |path: &PathBuf| path.metadata().and_then(|found| found.modified()).ok();
    let newest = places.iter().filter(|path| age(path).is_some()).max_by_key(|path| age(path));
    newest
        .unwrap_or_else(|| panic!("there is no {}: `cargo build -p pelton-duckdb`", places[1].display()))
        .clone()
}

/// Runs `tests/duckdb/<script>` with the extension and more arguments, in both versions of DuckDB
/// by each interface that they have; `arguments` is told a folder that is empty for each. Says so
/// where there is no Python.
fn run(script: &str, arguments: impl Fn(&Path) -> Vec<String>) {
    let Some(python) = interpreter() else { return };
    let older = repository().join(OLDER);
    assert!(older.exists(), "{} is missing; `make rivals` makes it", older.display());
    let older = older.to_str().expect("the repository has a plain name").to_owned();
    let interface = |name: &str| ("PELTON_DUCKDB_INTERFACE", name.to_owned());
    let older = || ("PYTHONPATH", older.clone());
    let versions = [
        ("DuckDB 2.0", vec![interface("native")]),
        ("DuckDB 2.0 by its second interface", vec![interface("second")]),
        ("DuckDB 2.0 by its first interface", vec![interface("first")]),
        ("DuckDB 1.5", vec![older(), interface("native")]),
        ("DuckDB 1.5 by its first interface", vec![older(), interface("first")]),
    ];
    for (version, variables) in versions {
        let folder = tempfile::tempdir().expect("a folder for temporary files");
        let mut command = Command::new(&python);
        // no files of Python's in the repository
        command.arg("-B").arg(repository().join("tests/duckdb").join(script)).arg(&EXTENSION.1);
        command.args(arguments(folder.path())).env_remove("PELTON_DEVICES");
        command.env_remove("PELTON_DUCKDB_INTERFACE").envs(variables);
        let done = command.output().expect("Python can be started");
        let (printed, errors) =
            (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
        assert!(done.status.success(), "{script} in {version}: {}\n{printed}\n{errors}", done.status);
        println!("{script} in {version}: {printed}");
    }
}

/// Returns a path as an argument.
fn name(path: &Path) -> String {
    path.to_str().expect("temporary folders have plain names").to_owned()
}
