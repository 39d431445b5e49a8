//! `pelton advise`.

use std::fs;

use serde_json::Value;

use crate::support::Place;

fn place() -> Place {
    let place = Place::new();
    place.parquet("t.parquet", 5000);
    let text: String = (0..20_000).map(|i| format!("line {i} of a file of text\n")).collect();
    fs::write(place.path("text"), text).expect("written");
    place
}

#[test]
fn a_table_says_what_is_measured_and_what_is_modelled() {
    let place = place();
    let run = place.run(&["advise", "t.parquet", "--rounds", "1", "--threads", "2", "--plot", "p.svg"]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), "plot: p.svg\n"));
    let line = |start: &str| {
        let line = run.out.lines().find(|line| line.starts_with(start));
        line.unwrap_or_else(|| panic!("no {start:?} in {}", run.out)).to_owned()
    };
    assert!(line("cpu, 1 thread").contains("│ measured"), "{}", run.out);
    assert!(line("cpu, 2 threads").contains("│ measured"), "{}", run.out);
    for devices in ["1 device", "2 devices", "4 devices"] {
        assert!(line(&format!("iaa, {devices}")).contains("│ published"), "{}", run.out);
    }
    for device in ["nx, POWER9", "nx, POWER10", "dfltcc, z15"] {
        assert!(line(device).contains("│ modelled"), "{}", run.out);
    }
    assert!(line("published: Intel IAA").contains("4 KB of history"), "{}", run.out);
    assert!(line("modelled: IBM NX").contains("published: their setup"), "{}", run.out);
    assert!(line("scan: every column").contains("decompressing"), "{}", run.out);
    let svg = fs::read_to_string(place.path("p.svg")).expect("a plot");
    assert!(svg.starts_with("<svg ") && svg.contains(">iaa, 4 devices (published)<"), "{svg}");
    assert!(svg.contains("Ratio and speed") && svg.contains(">dfltcc, z15 (modelled)<"), "{svg}");
}

#[test]
fn json_has_every_estimate() {
    let run = place().run(&["advise", "text", "--json", "--rounds", "1", "--threads", "1", "--devices", "3"]);
    let value: Value = serde_json::from_str(run.ok()).expect("JSON");
    let estimates = value["estimates"].as_array().expect("estimates");
    let devices: Vec<&str> = estimates.iter().filter_map(|estimate| estimate["device"].as_str()).collect();
    assert_eq!(devices, ["cpu, 1 thread", "iaa, 3 devices", "nx, POWER9", "nx, POWER10", "dfltcc, z15"]);
    for estimate in estimates {
        assert!(estimate["ratio"].as_f64().is_some_and(|ratio| ratio > 2.0), "{estimate}");
        for work in ["compress", "decompress"] {
            let speed = &estimate[work]["gb_per_second"];
            assert!(speed.as_f64().is_some_and(|speed| speed > 0.0), "{estimate}");
        }
        assert_eq!(estimate["scan_seconds"], Value::Null, "the file is no Parquet");
    }
    let origins: Vec<_> = estimates.iter().map(|estimate| &estimate["speeds_are"]).collect();
    assert_eq!(origins, ["measured", "published", "modelled", "modelled", "modelled"]);
    // Half of the peak is at setup times bandwidth, and only POWER9's watts are published.
    let power9 = &estimates[2];
    // Two passes of at most 8 bytes a cycle, at 2 GHz.
    assert!(
        power9["compress"]["half_peak_bytes"]
            .as_f64()
            .is_some_and(|bytes| (8_000.0..17_600.0).contains(&bytes)),
        "{power9}"
    );
    assert!(power9["joules_per_gb"].is_array() && estimates[3]["joules_per_gb"].is_null(), "{estimates:?}");
}

#[test]
fn what_cannot_be_advised_on_is_an_error() {
    let place = place();
    fs::write(place.path("empty"), "").expect("written");
    for (file, named) in [("missing", "missing: No such file"), ("empty", "no bytes")] {
        let run = place.run(&["advise", file]);
        assert!(run.error(1).contains(named), "{}", run.err);
    }
    for number in ["0", "1025"] {
        let run = place.run(&["advise", "text", "--devices", number]);
        assert!(run.code == Some(2) && run.err.contains("a number of devices is 1 to 1024"), "{}", run.err);
    }
}

#[test]
fn a_plot_does_not_replace_an_input() {
    let place = place();
    let before = fs::read(place.path("text")).expect("read");
    std::os::unix::fs::symlink(place.path("text"), place.path("link")).expect("a link");
    for (command, plot) in [("advise", "text"), ("codecs", "./text"), ("advise", "link")] {
        let run = place.run(&[command, "t.parquet", "text", "--plot", plot]);
        assert!(run.error(1).contains("it is an input, which the plot would replace"), "{}", run.err);
    }
    assert_eq!(fs::read(place.path("text")).expect("read"), before);
}

#[test]
fn a_file_that_is_cut_short_is_no_raw_file() {
    let place = place();
    let whole = fs::read(place.path("t.parquet")).expect("read");
    for len in [4, 7, whole.len() / 2, whole.len() - 1] {
        fs::write(place.path("cut.parquet"), &whole[..len]).expect("written");
        let run = place.run(&["advise", "cut.parquet", "--rounds", "1"]);
        let expected = "error: cut.parquet: begins as a Parquet file and does not end as one: it is cut short or still being \
                        written; copy or write it again";
        assert_eq!(run.error(1), expected);
    }
}
