//! Real programs, unchanged, with our library preloaded: what they write under it is read under the
//! system's zlib, and the other way round.
//!
//! Every program says by `LD_DEBUG` or by its map of memory that it called ours. Where one is
//! missing, its test says which of Debian's packages has it, and ends; `make deps` installs them
//! all.

#[path = "../common/mod.rs"]
mod common;
#[allow(dead_code)] // the text and noise of it are enough here
#[path = "../conformance/data.rs"]
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

/// Who writes and who reads, in all ways.
const PAIRS: [(Zlib, Zlib); 4] = [
    (Zlib::Ours, Zlib::System),
    (Zlib::System, Zlib::Ours),
    (Zlib::Ours, Zlib::Ours),
    (Zlib::System, Zlib::System),
];

/// Whether this is root, whom some servers treat otherwise.
fn is_root() -> bool {
    std::fs::metadata("/proc/self").expect("/proc is there").uid() == 0
}

/// Whether all of what a test needs is there: files, each with the package that has it. Says what
/// is not.
fn installed(test: &str, needed: &[(&str, &str)]) -> bool {
    let missing = needed.iter().find(|(file, _)| !Path::new(file).exists());
    if let Some((file, package)) = missing {
        skip(test, &format!("{file} is missing: install Debian's package {package}"));
    }
    missing.is_none()
}

/// Says why a test is not run, past the harness, which keeps what a passing test prints.
fn skip(test: &str, why: &str) {
    use std::io::Write;
    writeln!(std::io::stderr(), "skipped: {test}: {why}").expect("stderr is open");
}
