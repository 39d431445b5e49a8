//! One body of calls, run against our library and the system's: what they return and leave in their
//! streams is compared.
//!
//! Compressed bytes may differ, and with them how much of a stream a small buffer takes; what they
//! decode to may not. So a body notes codes, totals, checksums, messages and decoded bytes, and
//! what it decompresses was compressed by the system's.

// Every call here is one to C. What makes them right is said once, where a body is run.
#![allow(unsafe_op_in_unsafe_fn, clippy::missing_safety_doc)]

#[path = "../common/mod.rs"]
mod common;

mod back;
mod data;
mod deflating;
mod files;
mod headers;
mod history;
mod inflating;
mod misuse;
mod one_shot;
mod settings;
mod stream;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use common::api::Zlib;

/// A library under test.
pub struct Bench {
    /// Whose functions are called.
    pub zlib: &'static Zlib,
    /// The system's, which makes what is decompressed, and decompresses what was made.
    pub system: &'static Zlib,
    /// What was seen.
    notes: std::cell::RefCell<Vec<String>>,
}

impl Bench {
    /// Notes what has to be the same for both libraries.
    pub fn note(&self, what: impl Into<String>) {
        self.notes.borrow_mut().push(what.into());
    }
}

/// Notes something, as `format!` writes it.
#[macro_export]
macro_rules! note {
    ($bench:expr, $($what:tt)*) => { $bench.note(format!($($what)*)) };
}

fn libraries() -> (&'static Zlib, &'static Zlib) {
    static BOTH: OnceLock<(Zlib, Zlib)> = OnceLock::new();
    let (system, ours) = BOTH.get_or_init(|| (Zlib::load(common::system()), Zlib::load(common::ours())));
    (system, ours)
}

/// Runs a body against both, and compares.
fn compare(body: unsafe fn(&Bench)) {
    let (system, ours) = libraries();
    let run = |zlib| {
        let bench = Bench { zlib, system, notes: Default::default() };
        // SAFETY: a body gives the functions what zlib's manual asks: streams of its own, buffers
        // as long as it says.
        unsafe { body(&bench) };
        bench.notes.into_inner()
    };
    let (expected, got) = (run(system), run(ours));
    let wrong = expected.iter().zip(&got).position(|(expected, got)| expected != got);
    if let Some(at) = wrong {
        let before = &expected[at.saturating_sub(3)..at];
        panic!("note {at}, after {before:#?}\n  zlib: {}\n  ours: {}", expected[at], got[at]);
    }
    assert_eq!(expected.len(), got.len(), "notes");
    assert!(!got.is_empty(), "a body notes something");
}

const VARIABLE: &str = "PELTON_ZLIB_DEVICES";

/// What says how long compressed data is, which is another length on a device that was named alone;
/// and this.
const SKIPPED: [&str; 2] = ["lengths_are_about_zlibs", "every_call_on_devices"];

/// Where files go that are not another run's, which may be at its own at the same time.
pub fn folder() -> PathBuf {
    let run = if std::env::var_os(VARIABLE).is_some() { "on-devices" } else { "here" };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("conformance").join(run);
    std::fs::create_dir_all(&folder).expect("a folder for files");
    folder
}

#[test]
fn every_call_on_devices() {
    if std::env::var_os(VARIABLE).is_some() {
        eprintln!("skipped: {VARIABLE} is set already");
        return;
    }
    let these = std::env::current_exe().expect("the test has a path");
    for devices in ["iaa-model:windows=try", "iaa-model:windows=try:fault-every=5"] {
        let said = folder().join("statistics");
        let _ = std::fs::remove_file(&said);
        let mut command = Command::new(&these);
        command.args(SKIPPED.map(|name| ["--skip", name]).as_flattened()).env(VARIABLE, devices);
        let output = command.env("PELTON_ZLIB_STATS", &said).output().expect("the tests run again");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{devices}: {text}{}", String::from_utf8_lossy(&output.stderr));
        assert!(text.contains("test result: ok"), "{devices}: {text}");
        let said = std::fs::read_to_string(&said).expect("statistics at the end");
        for path in ["device whole", "device blocks"] {
            assert!(said.contains(path), "{devices}: nothing was done by {path}: {said}");
        }
    }
}
