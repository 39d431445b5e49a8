//! `pelton repack`.

use std::fs;

use parquet::basic::Compression;
use parquet::file::reader::{FileReader, SerializedFileReader};

use crate::support::{Place, read_parquet};

/// Arguments, and a check of the codec that they ask for.
type Case<'a> = (&'a [&'a str], fn(Compression) -> bool);

fn codec(place: &Place, name: &str) -> Compression {
    let file = fs::File::open(place.path(name)).expect("opened");
    SerializedFileReader::new(file).expect("Parquet").metadata().row_group(0).column(0).compression()
}

#[test]
fn a_file_is_written_with_another_codec() {
    let place = Place::new();
    place.parquet("in.parquet", 3000);
    let cases: [Case; 6] = [
        (&["--codec", "gzip", "--window", "4k"], |codec| matches!(codec, Compression::GZIP(_))),
        (&["--codec", "gzip", "--level", "1"], |codec| matches!(codec, Compression::GZIP(_))),
        (&["--codec", "zstd", "--level", "3"], |codec| matches!(codec, Compression::ZSTD(_))),
        (&["--codec", "snappy"], |codec| codec == Compression::SNAPPY),
        (&["--codec", "lz4_raw"], |codec| codec == Compression::LZ4_RAW),
        (&["--codec", "none"], |codec| codec == Compression::UNCOMPRESSED),
    ];
    for (arguments, is_right) in cases {
        let run = place.run(&[&["repack", "in.parquet", "out.parquet", "--force"], arguments].concat());
        let line = run.ok();
        assert!(line.starts_with("out.parquet: ") && line.contains(" → ") && line.ends_with("s\n"), "{line}");
        assert!(is_right(codec(&place, "out.parquet")), "{arguments:?}");
        // the mark of a small window is among the schema's metadata
        let [found, expected] = ["out.parquet", "in.parquet"].map(|name| read_parquet(&place.path(name)));
        assert_eq!(found.columns(), expected.columns());
    }
    assert_eq!(place.files(), ["in.parquet", "out.parquet"]);
}

#[test]
fn a_file_is_overwritten_only_if_told_to_and_in_place_too() {
    let place = Place::new();
    place.parquet("a.parquet", 500);
    place.parquet("b.parquet", 700);
    let before = fs::read(place.path("b.parquet")).expect("read");
    let run = place.run(&["repack", "a.parquet", "b.parquet", "--codec", "zstd"]);
    assert_eq!(run.error(1), "error: b.parquet: is there already; use --force to overwrite it");
    assert_eq!(fs::read(place.path("b.parquet")).expect("read"), before);
    let rows = read_parquet(&place.path("a.parquet"));
    place.run(&["repack", "a.parquet", "a.parquet", "--codec", "zstd", "--force"]).ok();
    assert_eq!(read_parquet(&place.path("a.parquet")), rows);
    assert!(matches!(codec(&place, "a.parquet"), Compression::ZSTD(_)));
}

#[test]
fn a_folder_becomes_a_folder() {
    let place = Place::new();
    fs::create_dir_all(place.path("in/year=2024")).expect("made");
    place.parquet("in/a.parquet", 100);
    place.parquet("in/year=2024/b.parquet", 200);
    fs::write(place.path("in/notes.txt"), "no Parquet").expect("written");
    let run = place.run(&["repack", "in/", "out", "--codec", "lz4_raw"]);
    let lines: Vec<&str> = run.ok().lines().collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines[0].starts_with("out/a.parquet: ") && lines[2].starts_with("2 files: "), "{lines:?}");
    for name in ["a.parquet", "year=2024/b.parquet"] {
        let [before, after] =
            ["in", "out"].map(|folder| read_parquet(&place.path(&format!("{folder}/{name}"))));
        assert_eq!(before, after);
    }
    assert!(!place.path("out/notes.txt").exists());
    // not one is touched if one would be overwritten
    fs::remove_file(place.path("out/a.parquet")).expect("removed");
    let run = place.run(&["repack", "in", "out", "--codec", "none"]);
    assert!(run.error(1).contains("year=2024/b.parquet: is there already"), "{}", run.err);
    assert!(!place.path("out/a.parquet").exists());
}

#[test]
fn a_damaged_file_leaves_nothing_and_says_where() {
    let place = Place::new();
    place.parquet("in.parquet", 3000);
    let mut bytes = fs::read(place.path("in.parquet")).expect("read");
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes.clone())).expect("Parquet");
    let (start, length) = reader.metadata().row_group(1).column(2).byte_range();
    bytes[(start + length) as usize - 6] ^= 1;
    fs::write(place.path("in.parquet"), bytes).expect("written");
    let run = place.run(&["repack", "in.parquet", "out.parquet", "--codec", "zstd"]);
    let line = run.error(1);
    assert!(line.starts_with("error: in.parquet: row group 1, column price, page "), "{line}");
    assert!(line.ends_with("; out.parquet was not written"), "{line}");
    assert_eq!(place.files(), ["in.parquet"]);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let place = Place::new();
    place.parquet("in.parquet", 10);
    fs::create_dir(place.path("folder")).expect("made");
    for (arguments, code, words) in [
        (
            &["in.parquet", "out.parquet", "--codec", "zstd", "--window", "4k"][..],
            2,
            "only gzip has a window",
        ),
        (&["in.parquet", "out.parquet", "--codec", "gzip", "--window", "5k"], 2, "power of two"),
        (&["in.parquet", "out.parquet", "--codec", "snappy", "--level", "1"], 2, "only gzip and zstd"),
        (&["in.parquet", "out.parquet", "--codec", "gzip", "--level", "13"], 2, "level"),
        (&["in.parquet", "folder", "--codec", "gzip"], 2, "is a folder"),
        (&["folder", "in.parquet", "--codec", "gzip"], 2, "is a file"),
        (&["folder", "out", "--codec", "gzip"], 1, "holds no file"),
        (&["none.parquet", "out.parquet", "--codec", "gzip"], 1, "no such file"),
    ] {
        let run = place.run(&[&["repack"], arguments].concat());
        assert!(run.error(code).contains(words), "{arguments:?}: {}", run.err);
    }
    assert_eq!(place.files(), ["folder", "in.parquet"]);
}
