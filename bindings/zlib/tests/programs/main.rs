//! Real programs, unchanged, with our library preloaded: the system's zlib reads their output, and
//! the other way round.
//!
//! `LD_DEBUG`, or the map of a process's memory, proves that a program called ours. If a program is
//! missing, its test names the Debian package and ends; `make deps` installs them all.

#[path = "../common/mod.rs"]
mod common;
#[allow(dead_code)] // the text and noise of it are enough here
#[path = "../conformance/support/data.rs"]
mod data;

mod folder;
mod git;
mod gzfiles;
mod java;
mod nginx;
mod postgres;
mod program;
mod python;
mod rocksdb;
mod rsync;
mod server;
mod ssh;

use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The zlib that a program runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Zlib {
    Ours,
    System,
}

const BOTH: [Zlib; 2] = [Zlib::Ours, Zlib::System];

/// Writer and reader, in all combinations.
const PAIRS: [(Zlib, Zlib); 4] = [
    (Zlib::Ours, Zlib::System),
    (Zlib::System, Zlib::Ours),
    (Zlib::Ours, Zlib::Ours),
    (Zlib::System, Zlib::System),
];

/// Returns whether this process is root's, which some servers treat differently.
fn is_root() -> bool {
    std::fs::metadata("/proc/self").expect("/proc is there").uid() == 0
}

/// Returns whether all files that a test needs are installed, each given with its package. Prints
/// the missing ones.
fn installed(test: &str, needed: &[(&str, &str)]) -> bool {
    let missing = needed.iter().find(|(file, _)| !Path::new(file).exists());
    if let Some((file, package)) = missing {
        skip(test, &format!("{file} is missing: install Debian's package {package}"));
    }
    missing.is_none()
}

/// Prints the reason for skipping a test past the harness, which hides the output of passing tests.
fn skip(test: &str, why: &str) {
    use std::io::Write;
    writeln!(std::io::stderr(), "skipped: {test}: {why}").expect("stderr is open");
}
