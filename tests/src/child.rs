//! Runner of a part of a test in a process of its own: the part may crash, and its memory can be
//! measured.

use std::process::Command;

/// Names the part that a child runs, and its argument.
const VARIABLE: &str = "PELTON_TEST_CHILD";

/// End of a child.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// It ended by itself, without a panic.
    pub well: bool,
    /// The most memory that it had resident at once, in bytes.
    pub peak_memory: u64,
    /// Its output on both streams.
    pub output: String,
}

/// Runs the test `name` of this test program in a process of its own, where [`argument`] returns
/// `argument`.
pub fn run(name: &str, argument: &str) -> Ended {
    let program = std::env::current_exe().expect("a running program has a path");
    let mut command = Command::new(program);
    command.args(["--exact", name, "--nocapture", "--test-threads=1"]).env(VARIABLE, argument);
    // a backtrace takes memory, which a child that tests a limit does not have
    command.env("RUST_BACKTRACE", "0");
    let done = command.output().expect("this program can be started again");
    let output =
        [done.stdout, done.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    let peak = output.lines().filter_map(|line| line.strip_prefix(PEAK)?.parse().ok()).next_back();
    let well = done.status.success() && output.contains("1 passed");
    assert!(!well || peak.is_some(), "the test {name} does not report: {output}");
    Ended { well, peak_memory: peak.unwrap_or(0), output }
}

/// Returns the argument for a child; `None` in the test program itself.
pub fn argument() -> Option<String> {
    std::env::var(VARIABLE).ok()
}

const PEAK: &str = "peak memory: ";

/// Prints measurements for the parent at a child's end.
pub fn report() {
    println!("\n{PEAK}{}", peak_memory());
}

/// Returns the most memory that this process has had resident so far, in bytes.
pub fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("every process has a peak");
    let kib: u64 = line.trim().trim_end_matches("kB").trim().parse().expect("a number of KiB");
    kib << 10
}
