//! Debian's Python, with our library preloaded, passes its own tests of everything that compresses,
//! on the CPU and with models of IBM's accelerators.

mod common;

use std::path::Path;
use std::process::Command;

/// Debian's interpreter, which links the system's libz. An interpreter with its own zlib would not
/// use ours.
const PYTHON: &str = "/usr/bin/python3";

/// Runs Python with our library preloaded. Returns whether it succeeded, and its output.
fn python(arguments: &[&str], settings: &[(&str, &Path)]) -> (bool, String) {
    let mut command = Command::new(PYTHON);
    command.args(arguments).env("LD_PRELOAD", common::ours()).current_dir(env!("CARGO_TARGET_TMPDIR"));
    command.envs(settings.iter().copied());
    let output = command.output().expect("Python runs");
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&text).into_owned())
}

/// Returns why the tests can't run here, or `None`.
fn missing() -> Option<String> {
    if !Path::new(PYTHON).exists() {
        return Some(format!("there is no {PYTHON}"));
    }
    let (_, version) = python(&["-c", "import zlib; print(zlib.ZLIB_RUNTIME_VERSION)"], &[]);
    if version.trim() != "1.3.1" {
        return Some(format!("{PYTHON} does not link the system's libz: its zlib is {version}"));
    }
    let (there, _) = python(&["-c", "import test.test_zlib"], &[]);
    (!there).then(|| {
        "Python's own tests are not installed: make deps, or apt-get install libpython3.11-testsuite".into()
    })
}

/// Tests that compare the compressed bytes of two calls. Python skips both where its zlib
/// compresses by an accelerator (`skip_on_s390x` in `test_zlib.py`): a router may give the last
/// block of one stream to the device and the same block of the other to the CPU.
const SAME_BYTES: [&str; 2] = ["test_pair", "test_speech128"];

/// Runs the tests with a device besides the CPU, leaves out the named ones, and returns the
/// library's statistics.
fn pass(device: &str, left_out: &[&str]) -> Option<String> {
    if let Some(reason) = missing() {
        eprintln!("skipped: {reason}");
        return None;
    }
    let statistics = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("python-on-{device}"));
    let _ = std::fs::remove_file(&statistics);
    let settings = [("PELTON_ZLIB_DEVICES", Path::new(device)), ("PELTON_ZLIB_STATS", &statistics)];
    let mut arguments = vec!["-m", "test", "test_zlib", "test_gzip", "test_zipfile", "test_tarfile"];
    for test in left_out {
        eprintln!("{device}: left out: {test}, which compares compressed bytes");
        arguments.extend(["-i", *test]);
    }
    let (passed, text) = python(&arguments, &settings);
    assert!(passed, "{device}: {text}");
    assert!(text.contains("All 4 tests OK"), "{device}: {text}");
    Some(std::fs::read_to_string(statistics).expect("statistics at the end of a program"))
}

#[test]
fn python_passes_its_own_tests() {
    pass("cpu", &[]);
}

#[test]
fn python_passes_its_own_tests_on_the_models_of_nx_and_dfltcc() {
    for device in ["nx-model", "dfltcc-model"] {
        let Some(statistics) = pass(device, &SAME_BYTES) else { return };
        for path in ["device whole", "device blocks"] {
            assert!(statistics.contains(path), "{device}: nothing was done by {path}: {statistics}");
        }
    }
}
