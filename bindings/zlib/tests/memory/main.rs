//! Lack of memory: calls report it, and succeed when they are repeated with more.

#[path = "../common/mod.rs"]
mod common;

mod allocator;

use std::path::Path;
use std::process::Command;

/// `caller.c`, compiled against the system's zlib.
fn program() -> std::path::PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/memory/caller.c");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("memory-caller");
    let mut compiler = Command::new("cc");
    compiler.args(["-O1", "-o"]).arg(&program).arg(source).arg("-lz");
    assert!(compiler.status().expect("a C compiler").success(), "no program: install zlib1g-dev");
    program
}

#[test]
fn a_process_without_memory_goes_on_when_it_has_some() {
    let program = program();
    for level in [1, 6, 9] {
        let mut most = 0;
        for kilobytes in (0..3000).step_by(100) {
            let mut command = Command::new(&program);
            command.args([kilobytes.to_string(), level.to_string()]).env("LD_PRELOAD", common::ours());
            let output = command.output().expect("the program runs");
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "level {level}, {kilobytes} KB: {:?} {errors}", output.status);
            let times: u32 = String::from_utf8_lossy(&output.stdout).trim().parse().expect("a number");
            most = most.max(times);
        }
        // A limit that is never met would test nothing.
        assert!(most > 2, "level {level}: memory ended {most} times at most");
    }
}
