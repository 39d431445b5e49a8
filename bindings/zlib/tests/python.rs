//! Debian's Python, with our library preloaded, passes its own tests of everything that compresses.

mod common;

use std::path::Path;
use std::process::Command;

/// Debian's interpreter, which links the system's libz. An interpreter with its own zlib would not
/// use ours.
const PYTHON: &str = "/usr/bin/python3";

/// Runs Python with our library preloaded. Returns whether it succeeded, and its output.
fn python(arguments: &[&str]) -> (bool, String) {
    let mut command = Command::new(PYTHON);
    command.args(arguments).env("LD_PRELOAD", common::ours()).current_dir(env!("CARGO_TARGET_TMPDIR"));
    let output = command.output().expect("Python runs");
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&text).into_owned())
}

/// Returns why the tests can't run here, or `None`.
fn missing() -> Option<String> {
    if !Path::new(PYTHON).exists() {
        return Some(format!("there is no {PYTHON}"));
    }
    let (_, version) = python(&["-c", "import zlib; print(zlib.ZLIB_RUNTIME_VERSION)"]);
    if version.trim() != "1.3.1" {
        return Some(format!("{PYTHON} does not link the system's libz: its zlib is {version}"));
    }
    let (there, _) = python(&["-c", "import test.test_zlib"]);
    (!there).then(|| {
        "Python's own tests are not installed: make deps, or apt-get install libpython3.11-testsuite".into()
    })
}

#[test]
fn python_passes_its_own_tests() {
    if let Some(reason) = missing() {
        eprintln!("skipped: {reason}");
        return;
    }
    let (passed, text) = python(&["-m", "test", "test_zlib", "test_gzip", "test_zipfile", "test_tarfile"]);
    assert!(passed, "{text}");
    assert!(text.contains("All 4 tests OK"), "{text}");
}
