//! `pelton codecs`.

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

fn json(place: &Place, arguments: &[&str]) -> Value {
    let run = place.run(&[&["codecs", "--json", "--rounds", "1"], arguments].concat());
    serde_json::from_str(run.ok()).expect("JSON")
}

#[test]
fn every_codec_is_measured_on_any_file() {
    let value = json(&place(), &["text", "--threads", "2"]);
    let results = value["results"].as_array().expect("results");
    for codec in ["deflate", "zlib", "gzip", "lz4", "snappy", "zstd", "brotli"] {
        let result = results.iter().find(|result| result["codec"] == codec).expect(codec);
        assert_eq!(result["device"], "cpu");
        assert!(result["ratio"].as_f64().is_some_and(|ratio| ratio > 2.0), "{result}");
        for speed in ["compress_gb_per_second", "decompress_gb_per_second"] {
            assert!(result[speed].as_f64().is_some_and(|speed| speed > 0.0), "{result}");
        }
        let (plain, packed) = (result["uncompressed_bytes"].as_u64(), result["compressed_bytes"].as_u64());
        assert_eq!(plain, value["sample"]["bytes"].as_u64());
        assert!(packed < plain);
    }
    let size = fs::metadata(place().path("text")).expect("a file").len();
    assert_eq!(value["sample"]["bytes"], size);
    assert_eq!(value["sample"]["block_size"], 65_536);
    assert_eq!((&value["threads"], &value["inputs"][0]["bytes"]), (&2.into(), &size.into()));
}

#[test]
fn the_pages_of_a_parquet_file_are_decompressed_first() {
    let value = json(&place(), &["t.parquet", "--codecs", "gzip,lz4", "--levels", "6"]);
    let own = &value["inputs"][0]["parquet_codecs"][0];
    assert_eq!((own["codec"].as_str(), own["column_chunks"].as_u64()), (Some("gzip"), Some(25)));
    let ratio = own["ratio"].as_f64().expect("a ratio");
    assert!(ratio > 1.0, "{own}");
    assert_eq!(value["sample"]["block_size"], Value::Null);
    // The same bytes but for the pages' headers, by the same codec.
    let gzip = &value["results"][0];
    assert_eq!((gzip["codec"].as_str(), gzip["level"].as_u64()), (Some("gzip"), Some(6)));
    let (plain, all) = (gzip["uncompressed_bytes"].as_u64(), own["uncompressed_bytes"].as_u64());
    assert!(plain <= all && plain > all.map(|all| all / 2), "{plain:?} of {all:?}");
    assert_eq!(value["results"].as_array().map(Vec::len), Some(2), "lz4 has no levels to choose");
}

#[test]
fn a_sample_is_as_large_as_was_asked_for() {
    let place = place();
    let value =
        json(&place, &["text", "t.parquet", "--sample", "100KB", "--block-size", "1KiB", "--codecs", "lz4"]);
    let bytes = value["sample"]["bytes"].as_u64().expect("bytes");
    assert!((80_000..120_000).contains(&bytes), "{bytes}");
    assert!(value["sample"]["of_bytes"].as_u64() > Some(500_000));
}

#[test]
fn a_table_and_a_plot() {
    let place = place();
    let run =
        place.run(&["codecs", "t.parquet", "text", "--rounds", "1", "--plot", "p.svg", "--threads", "1"]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), "plot: p.svg\n"));
    assert!(run.out.contains("t.parquet: Parquet, "), "{}", run.out);
    assert!(run.out.contains("5 row groups, 5 columns; its own codec: gzip, ratio "), "{}", run.out);
    assert!(run.out.contains("\nmeasured on this machine ("), "{}", run.out);
    assert!(
        run.out.contains("\ncodec   │ level │ device │ ratio │ compress GB/s │ decompress GB/s\n"),
        "{}",
        run.out
    );
    let svg = fs::read_to_string(place.path("p.svg")).expect("a plot");
    assert!(svg.starts_with("<svg ") && svg.contains(">zstd 3<"), "{svg}");
}

#[test]
fn what_cannot_be_measured_is_an_error() {
    let place = place();
    fs::write(place.path("empty"), "").expect("written");
    fs::create_dir(place.path("folder")).expect("a folder");
    place.parquet("no-rows.parquet", 0);
    let mut bytes = fs::read(place.path("t.parquet")).expect("read");
    bytes[200..260].fill(0x55);
    fs::write(place.path("broken.parquet"), bytes).expect("written");
    for (file, named) in [
        ("missing", "missing: No such file"),
        ("empty", "no bytes"),
        ("folder", "folder: is a folder"),
        ("no-rows.parquet", "no bytes"),
        ("broken.parquet", "broken.parquet: row group 0, column id"),
    ] {
        let run = place.run(&["codecs", file]);
        assert!(run.error(1).contains(named), "{}", run.err);
    }
    let run = place.run(&["codecs", "text", "--codecs", "gzip", "--levels", "22"]);
    assert!(run.error(2).contains("levels"), "{}", run.err);
}
