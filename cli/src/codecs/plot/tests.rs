use std::fs;

use pelton::codec::{Format, Level};

use super::super::contestant::Contestant;
use super::super::input::Input;
use super::super::measure::{Figures, Speed};
use super::super::report::{Report, Row};
use super::super::sample::Sample;
use super::draw;

fn row(format: Format, device: &str, compressed: u64, speed: f64) -> Row {
    let speed = Speed { gb_per_second: speed, rounds: 5 };
    let figures = Figures { uncompressed: 1_000_000, compressed, compress: speed, decompress: speed };
    let contestant = Contestant { format, level: Level::default_of(format) };
    Row { contestant, device: device.into(), outcome: Ok(figures) }
}

/// Draws rows measured on some file.
fn drawn(rows: &[Row]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a<b.bin");
    fs::write(&path, [7; 1000]).expect("written");
    let inputs = [Input::open(&path).expect("opened")];
    let sample = Sample::take(&inputs, 1 << 20, None).expect("taken");
    draw(&Report { inputs: &inputs, sample: &sample, threads: 2, rounds: 5, rows })
}

#[test]
fn of_many_levels_the_first_and_last_are_labelled() {
    let rows: Vec<Row> = (1..=22)
        .map(|level| (Format::Zstd, level))
        .chain((0..=12).map(|level| (Format::Gzip, level)))
        .map(|(format, level)| {
            let level = Level::new(format, level).expect("a level");
            Row { contestant: Contestant { format, level }, ..row(format, "cpu", 300_000, 2.0) }
        })
        .collect();
    let svg = drawn(&rows);
    assert_eq!(svg.matches("<circle").count(), 35);
    let labels = svg.matches(">zstd ").count() + svg.matches(">gzip ").count();
    assert_eq!(labels, 4);
    for label in ["zstd 1", "zstd 22", "gzip 0", "gzip 12"] {
        assert!(svg.contains(&format!(">{label}<")), "{label}");
    }
}

#[test]
fn every_measured_row_is_a_labelled_point() {
    let refused = Row { outcome: Err("too old".into()), ..row(Format::Brotli, "iaa", 1, 1.0) };
    let rows = [
        row(Format::Zstd, "cpu", 300_000, 2.0),
        row(Format::Lz4, "cpu", 600_000, 9.0),
        row(Format::Gzip, "iaa", 350_000, 18.0),
        refused,
    ];
    let svg = drawn(&rows);
    for label in ["zstd 3 cpu", "lz4 cpu", "gzip 6 iaa"] {
        assert_eq!(svg.matches(&format!(">{label}<")).count(), 1, "{label}");
    }
    assert_eq!((svg.matches("<circle").count(), svg.matches("<polygon").count()), (2, 1), "a shape a device");
    assert!(!svg.contains("brotli") && svg.contains("a&lt;b.bin") && svg.ends_with("</svg>\n"));
}
