//! Folders: those of lakes, and those of many files.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::support::{Engine, parquet};

/// Writes a file, with the folders above it.
pub fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a new folder");
    fs::write(path, bytes).expect("a new file");
}

#[test]
fn folders_of_lakes_are_refused_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name).to_str().expect("a plain name").to_owned();
    write(&folder.path().join("ice/data/a.parquet"), &parquet(0, 10));
    write(&folder.path().join("ice/metadata/00000-x.metadata.json"), b"{}");
    write(&folder.path().join("plain/metadata/a.parquet"), &parquet(0, 10));
    write(&folder.path().join("deep/delta/year=1/part.parquet"), &parquet(0, 10));
    write(&folder.path().join("deep/delta/_delta_log/00000000000000000000.json"), b"{}");
    let engine = Engine::new();
    for (name, table, kind) in [
        ("ice", "ice", "an Iceberg table"),
        ("ice/data", "ice", "an Iceberg table"),
        ("ice/*/*.parquet", "ice", "an Iceberg table"),
        ("deep", "deep/delta", "a Delta table"),
        ("deep/delta/year=1", "deep/delta", "a Delta table"),
        ("deep/delta/*/*.parquet", "deep/delta", "a Delta table"),
    ] {
        let error = engine.error(&format!("SELECT count(*) FROM '{}'", place(name)));
        let table = fs::canonicalize(place(table)).expect("it is there");
        let table =
            if name == "ice" { place("ice") } else { table.to_str().expect("a plain name").to_owned() };
        assert!(error.starts_with(&format!("{table} is {kind}")), "{name}: {error}");
    }
    for name in ["plain", "deep/delta/year=1/part.parquet"] {
        assert_eq!(engine.text(&format!("SELECT count(*) FROM '{}'", place(name))), ["10"], "{name}");
    }
}

const PARTITIONS: i64 = 50;
const FILES_EACH: i64 = 200;

/// Writes 10,000 small files of 50 partitions, which last changed some time ago.
fn many(folder: &Path) {
    let before = SystemTime::now() - Duration::from_secs(60);
    for part in 0..PARTITIONS {
        for number in 0..FILES_EACH {
            let path = folder.join(format!("part={part}/{number:03}.parquet"));
            write(&path, &parquet(part * FILES_EACH + number, 1));
            let file = fs::File::options().append(true).open(&path).expect("it was written");
            file.set_modified(before).expect("a file's time can be set");
        }
    }
}

#[test]
fn partitions_are_pruned_before_footers_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    many(folder.path());
    let place = folder.path().to_str().expect("a plain name");
    let engine = Engine::new();
    let sql = format!("SELECT sum(x), count(*) FROM '{place}' WHERE part = 7");
    let counts =
        |sql: &str| ["footers_read", "footers_cached", "files_pruned"].map(|name| engine.metric(sql, name));

    // the files of the partition, and the first one for the columns
    let first = engine.text(&format!("EXPLAIN ANALYZE {sql}")).join("\n");
    for part in ["footers_read=201", "footers_cached=0", "files_pruned=9.80 K", "(200 of 10000 files)"] {
        assert!(first.contains(part), "{part}: {first}");
    }
    assert_eq!(engine.metric(&sql, "footers_read"), 0, "the second query reads no footer");
    assert_eq!(engine.text(&sql), ["299900|200"]);
    let none = engine.text(&format!("SELECT count(*) FROM '{place}' WHERE part = 77"));
    assert_eq!(none, ["0"]);

    // a new file is seen, and a replaced one read again
    write(&folder.path().join("part=7/new.parquet"), &parquet(1_000_000, 1));
    write(&folder.path().join("part=7/000.parquet"), &parquet(0, 2));
    assert_eq!(engine.text(&sql), ["1298501|202"]);
    assert_eq!(counts(&sql)[0], 2, "both changed just now, and are read again");

    // conditions on parts of paths and on rows, and those that can't be evaluated here
    for (condition, expected) in [
        ("part < 2 AND x % 2 = 0", "200"),
        ("part = 3 OR x = 5", "201"),
        ("part IN (SELECT 48 + x FROM range(2) AS r(x))", "400"),
        ("part IS NULL", "0"),
        ("CASE WHEN part > 0 THEN 10 / part > 9 ELSE false END", "200"),
        ("part::VARCHAR LIKE '4_'", "2000"),
    ] {
        let sql = format!("SELECT count(*) FROM '{place}' WHERE {condition}");
        assert_eq!(engine.text(&sql), [expected], "{condition}");
    }
    let grouped = engine
        .text(&format!("SELECT part, count(*) FROM '{place}' GROUP BY part ORDER BY part DESC LIMIT 2"));
    assert_eq!(grouped, ["49|200", "48|200"]);
}

#[test]
fn files_of_other_columns_are_refused_when_they_are_needed() {
    let folder = tempfile::tempdir().expect("a folder");
    for number in 0..20 {
        write(&folder.path().join(format!("part={number}/a.parquet")), &parquet(number, 1));
    }
    let number: arrow::array::ArrayRef = std::sync::Arc::new(arrow::array::StringArray::from(vec!["text"]));
    let other =
        arrow::array::RecordBatch::try_from_iter([("x", number.clone()), ("s", number)]).expect("a row");
    let path = folder.path().join("part=9/b.parquet");
    let file = fs::File::create(&path).expect("a new file");
    let mut writer = parquet::arrow::ArrowWriter::try_new(file, other.schema(), None).expect("a writer");
    writer.write(&other).expect("it is written");
    writer.close().expect("it is written");
    let place = folder.path().to_str().expect("a plain name");
    let engine = Engine::new();
    assert_eq!(engine.text(&format!("SELECT sum(x) FROM '{place}' WHERE part = 8")), ["8"]);
    let error = engine.error(&format!("SELECT sum(x) FROM '{place}' WHERE part = 9"));
    assert!(error.contains("part=9/b.parquet") && error.contains("column x"), "{error}");
}
