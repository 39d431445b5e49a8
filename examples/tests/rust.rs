//! The Rust examples, run as programs, and the example device in the conformance suite.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

#[allow(dead_code, unreachable_pub)] // its `main` and the parts that only it uses
#[path = "../rust/write_device.rs"]
mod write_device;

/// Runs an example that Cargo has built for this test, and returns its output.
fn run(example: &str) -> String {
    let test = std::env::current_exe().expect("a running program has a path");
    let release = test.parent().and_then(Path::parent).expect("a test is in target/release/deps");
    let program = release.join("examples").join(example);
    assert!(
        program.exists(),
        "{} is missing: cargo build --release --workspace --examples",
        program.display()
    );
    let done = Command::new(program).output().expect("an example can be started");
    assert!(done.status.success(), "{example}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).expect("examples print UTF-8")
}

#[test]
fn embed_engine_prints_a_row_for_each_city() {
    let output = run("embed_engine");
    assert!(
        output.starts_with("wrote 30000 rows\ncity 0: 9934 trips\ncity 1: 9933 trips\ncity 2: 9933 trips\n")
    );
    // prices from 14,000 to 15,000 in steps of a half, by turns for three cities
    assert!(output.contains("\ncity 0: 667 expensive trips\ncity 1: 667 expensive trips\n"), "{output}");
    assert!(output.contains("decompress"), "{output}");
}

#[test]
fn compress_pages_gets_every_page_back() {
    let output = run("compress_pages");
    assert!(output.starts_with("64 of 64 pages came back equal, from "), "{output}");
    assert!(output.contains("cpu"), "{output}");
}

#[test]
fn write_device_gets_the_checksum_and_the_cpu_the_rest() {
    let output = run("write_device");
    // The checksum that RFC 1950's algorithm gives for this word is widely published.
    assert!(output.starts_with("11e60398 by adler\n"), "{output}");
    assert!(output.ends_with(" bytes by cpu\n"), "{output}");
}

#[test]
fn the_example_device_passes_the_conformance_suite() {
    pelton::job::conformance::run(Arc::new(write_device::Adler::open()));
}
