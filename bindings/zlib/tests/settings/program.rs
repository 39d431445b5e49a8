//! `caller.c`, compiled against the system's zlib and run with ours preloaded.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::common;

/// The program.
fn path() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/settings/caller.c");
        let program = scratch("caller");
        let mut compiler = Command::new("cc");
        compiler.args(["-O1", "-pthread", "-o"]).arg(&program).arg(source).args(["-lz", "-ldl"]);
        assert!(compiler.status().expect("a C compiler").success(), "no program: install zlib1g-dev");
        program
    })
}

/// Returns the path of a missing file.
pub fn scratch(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("settings-{name}"));
    let _ = std::fs::remove_file(&path);
    path
}

/// Returns a run of the program with no settings but the test's, whatever `/etc` has.
pub fn caller(calls: &str) -> Command {
    let mut command = uncompressed(calls);
    command.env("LD_PRELOAD", common::ours());
    command
}

/// Returns a run of the program on the system's zlib.
pub fn uncompressed(calls: &str) -> Command {
    let mut command = Command::new(path());
    let config = Path::new(env!("CARGO_TARGET_TMPDIR")).join("empty.toml");
    std::fs::write(&config, "").expect("a file without settings");
    command.args(calls.split_whitespace()).env_clear().env("PELTON_ZLIB_CONFIG", config);
    command
}

/// Returns the standard error of a successful run.
pub fn errors(command: &mut Command) -> String {
    let output = command.output().expect("the program runs");
    let text = String::from_utf8(output.stderr).expect("messages are text");
    assert!(output.status.success(), "{:?}: {text}", output.status);
    text
}
