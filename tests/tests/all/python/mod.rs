//! The Python package's own tests (`bindings/python/tests`), run on the package that
//! `bindings/python/assemble.sh` assembles from the workspace's build.

mod examples;
mod readme;

use std::path::{Path, PathBuf};
use std::process::Command;

use pelton_tests::python::{interpreter, repository};

use crate::support::Scratch;

/// Returns the interpreter, and a folder with the package; `None`, and a line that says why, where
/// a test can't be run.
pub(crate) fn package() -> Option<(PathBuf, Scratch)> {
    let interpreter = interpreter()?;
    // Test programs are in `deps`; cargo's other programs are a folder above.
    let program = std::env::current_exe().expect("a running program has a path");
    let release = program.parent().and_then(Path::parent).expect("it is in target/release/deps");
    let library = release.join("lib_pelton.so");
    assert!(library.exists(), "{} is missing; `make build` builds it", library.display());
    let place = Scratch::new();
    let script = repository().join("bindings/python/assemble.sh");
    let done = Command::new(script).arg(library).arg(place.path(".")).status().expect("a shell");
    assert!(done.success(), "assemble.sh fails");
    Some((interpreter, place))
}

/// Runs a file of `bindings/python/tests`, and panics with its output if a test fails.
fn run(file: &str) {
    let Some((interpreter, place)) = package() else { return };
    let tests = repository().join("bindings/python/tests");
    let done = Command::new(interpreter)
        .args(["-X", "faulthandler", "-W", "error::ResourceWarning", "-m", "unittest", "-v", file])
        .current_dir(tests)
        .env("PYTHONPATH", place.path("."))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .expect("Python can be started");
    let output =
        [done.stdout, done.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(done.status.success(), "{file}: {}\n{output}", done.status);
    assert!(!output.contains("Ran 0 tests"), "{file} has no tests");
    // Skipped tests say why; the reasons are printed.
    output.lines().filter(|line| line.contains("skipped")).for_each(|line| eprintln!("{line}"));
}

macro_rules! files {
    ($($name:ident),* $(,)?) => {
        $(#[test]
        fn $name() {
            run(concat!("test_", stringify!($name)));
        })*
    };
}

files!(
    arguments,
    codec,
    codec_errors,
    codec_threads,
    command,
    dataset,
    dbapi,
    documents,
    failures,
    file_functions,
    import_,
    parameters,
    process,
    query,
    random_queries,
    relation,
    result,
    rows,
    stubs,
    substrait,
    substrait_functions,
    types,
    write,
    zlib,
    zlib_gzip,
    zlib_standard,
);
