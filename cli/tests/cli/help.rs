//! What can be learnt without a manual.

use serde_json::Value;

use crate::support::Place;

#[test]
fn every_command_has_help_with_examples() {
    let place = Place::new();
    for (command, options) in [
        (
            "sql",
            &[
                "--table",
                "--file",
                "--format",
                "--output",
                "--threads",
                "--memory",
                "--verify-checksums",
                "--stats",
            ][..],
        ),
        ("tpch", &["--sf", "--codec", "--queries", "--compare", "--threads", "--cache"]),
        (
            "codecs",
            &[
                "--codecs",
                "--levels",
                "--block-size",
                "--sample",
                "--rounds",
                "--threads",
                "--json",
                "--plot",
            ],
        ),
        ("repack", &["--codec", "--window", "--level", "--threads", "--force"]),
        ("devices", &["--json"]),
        ("exec", &["--stats", "--threads"]),
    ] {
        let run = place.run(&[command, "--help"]);
        let examples = run.ok().split_once("Examples:").expect("examples").1;
        assert!(examples.contains(&format!("pelton {command}")), "{}", run.out);
        for option in options {
            assert!(run.out.contains(option), "{command} {option}");
        }
    }
}

#[test]
fn the_command_itself_has_help_and_a_version() {
    let place = Place::new();
    let run = place.run(&["--help"]);
    for word in ["sql", "tpch", "codecs", "repack", "devices", "exec", "Examples:"] {
        assert!(run.ok().contains(word), "{word}");
    }
    assert_eq!(place.run(&["--version"]).ok(), format!("pelton {}\n", env!("CARGO_PKG_VERSION")));
    let nothing = place.run(&[]);
    assert_eq!((nothing.code, nothing.out.as_str()), (Some(2), ""));
    assert!(nothing.err.contains("Usage:"), "{}", nothing.err);
}

#[test]
fn devices_are_listed() {
    let place = Place::new();
    let run = place.run(&["devices"]);
    assert!(run.ok().starts_with("device │ available │ detail\n"), "{}", run.out);
    let json: Value = serde_json::from_str(place.run(&["devices", "--json"]).ok()).expect("JSON");
    let cpu =
        json.as_array().and_then(|all| all.iter().find(|device| device["name"] == "cpu")).expect("a CPU");
    assert_eq!(cpu["available"], true);
    assert!(cpu["detail"].as_str().is_some_and(|detail| detail.contains("thread")), "{cpu}");
}
