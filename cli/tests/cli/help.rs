//! Help texts.

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
        ("substrait", &["--from-sql", "--explain", "--over", "--table", "--format", "--output", "--threads"]),
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
    for word in ["sql", "substrait", "tpch", "codecs", "repack", "devices", "exec", "Examples:"] {
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
    let titles: Vec<&str> = run.ok().lines().next().expect("titles").split('│').map(str::trim).collect();
    assert_eq!(titles, ["device", "available", "detail"]);
    let json: Value = serde_json::from_str(place.run(&["devices", "--json"]).ok()).expect("JSON");
    let cpu =
        json.as_array().and_then(|all| all.iter().find(|device| device["name"] == "cpu")).expect("a CPU");
    assert_eq!(cpu["available"], true);
    assert!(cpu["detail"].as_str().is_some_and(|detail| detail.contains("thread")), "{cpu}");
}

#[test]
fn a_machine_without_an_iaa_is_told_why() {
    let place = Place::new();
    let run = place.run(&["devices", "--json"]);
    let json: Value = serde_json::from_str(run.ok()).expect("JSON");
    let rows = json.as_array().expect("an array");
    assert!(rows.iter().all(|row| row["enable"].is_array()), "{json:#}");
    let Some(iaa) = rows.iter().find(|row| row["name"] == "iaa") else {
        // Then its devices are listed one by one.
        assert!(
            rows.iter().any(|row| row["name"].as_str().is_some_and(|name| name.starts_with("iax"))),
            "{json:#}"
        );
        return;
    };
    assert_eq!(iaa["available"], false, "{json:#}");
    let detail = iaa["detail"].as_str().expect("words");
    let reasons =
        ["no Intel IAA on the PCI bus", "there is an Intel IAA at", "no portal instructions", "Linux only"];
    assert!(reasons.iter().any(|reason| detail.contains(reason)), "{detail}");
    let has_none = |entry: std::fs::DirEntry| {
        let id = |file: &str| std::fs::read_to_string(entry.path().join(file)).unwrap_or_default();
        id("vendor").trim() != "0x8086"
            || !["0x0cfe", "0x1216", "0xb02d", "0xfd2d"].contains(&id("device").trim())
    };
    let mut bus = std::fs::read_dir("/sys/bus/pci/devices").into_iter().flatten().flatten();
    if cfg!(all(target_os = "linux", target_arch = "x86_64")) && bus.all(has_none) {
        assert!(detail.contains("8086:0cfe") && detail.contains("Sapphire Rapids"), "{detail}");
    }
    let table = place.run(&["devices"]);
    let row = table.ok().lines().find(|line| line.starts_with("iaa ")).expect("its row");
    assert!(row.contains("│ no ") && row.contains(detail), "{row}");
}
