//! Conformance: each test body runs on our library and on the system's, and its notes are compared.
//!
//! Compressed bytes may differ, and with them the input that a small buffer takes, but decoded
//! bytes may not. So a body notes codes, totals, checksums, messages and decoded bytes, and
//! decompresses only data that the system's library compressed.

// Every call here is a call to C. Its reason for safety is given once, where a body is run.
#![allow(unsafe_op_in_unsafe_fn, clippy::missing_safety_doc)]

#[path = "../common/mod.rs"]
mod common;

mod back;
#[path = "support/data.rs"]
mod data;
mod deflating;
mod files;
mod headers;
mod history;
mod inflating;
mod misuse;
mod one_shot;
mod room;
mod settings;
#[path = "support/stream.rs"]
mod stream;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use common::api::Zlib;

/// A library under test.
pub struct Bench {
    /// The library to call.
    pub zlib: &'static Zlib,
    /// The system's library, which compresses the input of decompression, and decompresses output.
    pub system: &'static Zlib,
    /// The notes.
    notes: std::cell::RefCell<Vec<String>>,
}

impl Bench {
    /// Notes a text that has to be the same for both libraries.
    pub fn note(&self, what: impl Into<String>) {
        self.notes.borrow_mut().push(what.into());
    }
}

/// Notes a text, as `format!` writes it.
#[macro_export]
macro_rules! note {
    ($bench:expr, $($what:tt)*) => { $bench.note(format!($($what)*)) };
}

fn libraries() -> (&'static Zlib, &'static Zlib) {
    static BOTH: OnceLock<(Zlib, Zlib)> = OnceLock::new();
    let (system, ours) = BOTH.get_or_init(|| (Zlib::load(common::system()), Zlib::load(common::ours())));
    (system, ours)
}

/// Runs a body on both libraries, and compares the notes.
fn compare(body: unsafe fn(&Bench)) {
    let (system, ours) = libraries();
    let run = |zlib| {
        let bench = Bench { zlib, system, notes: Default::default() };
        // SAFETY: a body keeps the rules of zlib's manual: streams of its own, buffers of the given
        // length.
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

/// Tests that are not repeated: lengths differ on a device that is named alone, and a device may
/// write to the room behind its output; the other is this test itself.
const SKIPPED: [&str; 4] =
    ["lengths_are_about_zlibs", "long_repetitions_have_zlibs_size", "every_call_on_devices", "room::"];

/// Returns a folder for files of this run, as another one may be at work.
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
    let devices = [
        "iaa-model:windows=try",
        "iaa-model:windows=try:fault-every=5",
        "nx-model",
        "nx-model:fault-every=5",
        "dfltcc-model",
        "dfltcc-model:fault-every=5",
    ];
    for devices in devices {
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
