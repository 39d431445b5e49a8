//! Calls where there is little of something: stack, memory, system calls, and libraries that are
//! loaded again and again.

#[path = "../common/mod.rs"]
mod common;

use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

/// Bytes of the smallest stack of a thread, less those that its guard page and its beginning take.
const SMALL_STACK: f64 = 11_500.0;

/// The ISA levels of the setting.
const INSTRUCTIONS: [&str; 3] = ["avx512", "avx2", "portable"];

/// `caller.c`, compiled.
fn program() -> &'static Path {
    static PROGRAM: OnceLock<std::path::PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/limits/caller.c");
        let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("limits-caller");
        let mut compiler = Command::new("cc");
        compiler.args(["-O1", "-pthread", "-o"]).arg(&program).arg(source).arg("-ldl");
        assert!(compiler.status().expect("a C compiler").success(), "no program: install zlib1g-dev");
        program
    })
}

/// Runs the program with these words, and returns the number that it prints.
fn number(words: &str, instructions: &str) -> f64 {
    with_threads(words, instructions, 1)
}

/// The same with so many threads.
fn with_threads(words: &str, instructions: &str, threads: usize) -> f64 {
    let mut command = Command::new(program());
    command.arg(common::ours()).args(words.split(' ')).env("PELTON_ZLIB_INSTRUCTIONS", instructions);
    command.env("PELTON_ZLIB_THREADS", threads.to_string());
    let output = command.output().expect("the program runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words}, {instructions}: {:?} {errors}", output.status);
    String::from_utf8_lossy(&output.stdout).trim().parse().expect("a number")
}

#[test]
fn a_thread_and_a_fiber_of_16_kb_have_enough_stack_for_every_call() {
    for instructions in INSTRUCTIONS {
        let used = number("stacks", instructions);
        // Less would mean that nothing ran on that stack.
        assert!((2_000.0..SMALL_STACK).contains(&used), "{instructions}: {used} bytes");
    }
}

#[test]
fn streams_on_the_callers_memory_make_no_system_call() {
    // The first call of a stream takes at most two blocks; there are 35 streams.
    for instructions in INSTRUCTIONS {
        let later = number("sandboxes", instructions);
        assert!(later <= 70.0, "{instructions}: {later} allocations of compressors after they had begun");
    }
}

#[test]
fn loading_and_unloading_leaves_nothing() {
    for threads in [1, 4] {
        let grown = number(&format!("loads {threads}"), INSTRUCTIONS[0]);
        assert!(grown < 400.0, "{grown} KB in 40 turns of {threads} threads");
    }
}

#[test]
fn thousands_of_streams_take_little_memory() {
    let sizes = |words: &str| number(words, INSTRUCTIONS[0]);
    for (len, most) in [(100, 60.0), (1_000, 60.0), (20_000, 100.0)] {
        let size = sizes(&format!("streams deflate 10000 {len}"));
        assert!(size <= most, "a compressor after {len} bytes: {size} KB");
    }
    for (len, most) in [(0, 32.0), (1_000, 32.0), (200_000, 60.0)] {
        let size = sizes(&format!("streams inflate 10000 {len}"));
        assert!(size <= most, "a decompressor after {len} bytes: {size} KB");
    }
}

#[test]
fn noise_gives_output_after_64_kb() {
    for instructions in INSTRUCTIONS {
        for threads in [1, 4] {
            let most = with_threads("noise", instructions, threads);
            assert!(most <= 66_000.0, "{instructions}, {threads} threads: none for {most} bytes");
        }
    }
}
