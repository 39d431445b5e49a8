//! `pelton-bench gpu`: with the host build of the kernels, and without a GPU.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pelton-bench"));
    command.arg("gpu").args(arguments).current_dir(folder);
    command.args(["--no-rival", "--records", "records", "--cache", "data", "--threads", "2"]);
    command.env("PELTON_KERNEL_CACHE", folder.join("kernels"));
    command.output().expect("it starts")
}

/// Returns the only file with this ending below a folder of records.
fn record(folder: &Path, ending: &str) -> String {
    let days = fs::read_dir(folder.join("records")).expect("records");
    let files = days.flat_map(|day| fs::read_dir(day.expect("a day").path()).expect("a folder"));
    let paths: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    let mut with_ending = paths.iter().filter(|path| path.to_string_lossy().ends_with(ending));
    let (Some(path), None) = (with_ending.next(), with_ending.next()) else { panic!("{paths:?}") };
    fs::read_to_string(path).expect("text")
}

#[test]
fn the_host_build_runs_everything_and_says_what_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["--device", "cuda-host", "--sf", "0.01", "--queries", "1,6", "--runs", "1"];
    let output = run(folder.path(), &arguments);
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let text = record(folder.path(), "gpu-host-build.md");
    assert!(text.contains("figures of the host build and of no GPU"), "{text}\n{err}");
    assert!(text.contains("None of these figures is a GPU's"), "{text}");
    for part in
        ["| host to device, pinned |", "| lz4", "| zstd", "| Q6 |", "Bytes over bandwidth", "First runs"]
    {
        assert!(text.contains(part) && out.contains(part), "{part}: {text}\n{out}");
    }
    let json: Value = serde_json::from_str(&record(folder.path(), "gpu-host-build.json")).expect("JSON");
    let results = &json["results"];
    assert_eq!(results["is_host_build"], true);
    assert_eq!(results["formats"].as_array().map(Vec::len), Some(8));
    let one = &results["scale_factors"][0];
    assert_eq!(one["phases"].as_array().map(Vec::len), Some(3));
    assert_eq!(one["first_runs"][1]["query"], 6);
    let bound = &one["bounds"][0];
    assert!(bound["bytes_read"].as_u64() > Some(0) && bound["copy_ms"].as_f64() > Some(0.0), "{bound}");
    for query in one["phases"][0]["queries"].as_array().expect("queries") {
        assert_eq!((&query["fault"], &query["on_gpu"]), (&Value::Null, &"all".into()), "{query}");
    }
}

#[test]
fn without_a_gpu_one_line_says_what_is_missing() {
    let folder = tempfile::tempdir().expect("a folder");
    // the 1,000th of a machine is nowhere
    let output = run(folder.path(), &["--device", "cuda:ordinal=1000"]);
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert_eq!(err.lines().count(), 1, "{err}");
    assert!(err.starts_with("pelton-bench: ") && err.len() > 40, "{err}");
    assert!(!folder.path().join("records").exists());
}
