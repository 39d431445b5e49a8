//! The C program in `examples/c`, compiled once and run on the system's zlib and on ours.

mod common;

use std::path::Path;
use std::process::Command;

/// Runs the compiled program with the folder of a library in front of the search path.
fn run(program: &Path, library: Option<&Path>, output: &Path) -> String {
    let input = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
    let mut command = Command::new(program);
    command.arg(input).arg(output);
    if let Some(library) = library {
        command.env("LD_PRELOAD", library);
    }
    let done = command.output().expect("the program can be started");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).expect("the program prints UTF-8")
}

/// Returns the compressed size that the program prints last.
fn compressed_size(printed: &str) -> usize {
    let number = printed.trim_end().rsplit(' ').next().expect("a word");
    number.parse().unwrap_or_else(|_| panic!("no size at the end of {printed:?}"))
}

#[test]
fn the_example_runs_on_both_libraries() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let program = folder.join("compress_file");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/c/compress_file.c");
    let mut compiler = Command::new("cc");
    compiler
        .args(["-O2", "-Wall", "-Wextra", "-Werror", "-o"])
        .arg(&program)
        .arg(source)
        .arg(common::system());
    let done = compiler.output().expect("cc can be started");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));

    let ours = run(&program, Some(common::ours()), &folder.join("ours.gz"));
    let theirs = run(&program, None, &folder.join("theirs.gz"));
    assert!(ours.starts_with("zlib 1.") && theirs.starts_with("zlib 1."), "{ours}{theirs}");
    // The files differ in their bytes, and hold the same: each has read its own back.
    let (ours, theirs) = (compressed_size(&ours), compressed_size(&theirs));
    assert!(ours < theirs * 21 / 20, "{ours} bytes on ours, {theirs} on the system's");
}
