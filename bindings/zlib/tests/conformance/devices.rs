//! All of these calls again, with a device that has a part in them: the model of an IAA, with and
//! without faults.

use std::path::{Path, PathBuf};
use std::process::Command;

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
