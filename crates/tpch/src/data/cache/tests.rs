use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use parquet::basic::Type;
use parquet::file::reader::{FileReader, SerializedFileReader};

use super::{Dataset, ensure};
use crate::data::codec::Codec;
use crate::data::table::Table;

/// Small enough for a test, large enough that every table but the two fixed ones grows with it.
const SCALE_FACTOR: f64 = 0.01;

fn make(cache: &Path, codec: &str, threads: usize) -> Dataset {
    ensure(cache, SCALE_FACTOR, codec.parse().unwrap(), threads, &|_| {}).unwrap()
}

#[test]
fn a_data_set_is_made_once_and_found_again() {
    let cache = tempfile::tempdir().unwrap();
    let rows_seen = AtomicU64::new(0);
    let codec: Codec = "snappy".parse().unwrap();
    let made = ensure(cache.path(), SCALE_FACTOR, codec, 2, &|progress| {
        assert!(progress.rows_done <= progress.rows_total);
        rows_seen.fetch_max(progress.rows_done, Ordering::Relaxed);
    })
    .unwrap();
    let rows: Vec<u64> = made.files.iter().map(|f| f.rows).collect();
    // Lineitem's count is that of the TPC's own dbgen at this scale factor.
    assert_eq!(rows, [60_175, 15_000, 8_000, 2_000, 1_500, 100, 25, 5]);
    assert_eq!(rows_seen.into_inner(), rows.iter().sum::<u64>());

    let again = ensure(cache.path(), SCALE_FACTOR, codec, 2, &|_| panic!("it is there already")).unwrap();
    assert_eq!(again.files, made.files);
    assert!(!cache.path().join("tpch-sf0.01-snappy.partial").exists());
}

#[test]
fn files_do_not_depend_on_the_number_of_threads() {
    let (one, three) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (one, three) = (make(one.path(), "zstd", 1), make(three.path(), "zstd", 3));
    for (a, b) in one.files.iter().zip(&three.files) {
        assert!(fs::read(&a.path).unwrap() == fs::read(&b.path).unwrap(), "{}", a.table.name());
    }
}

#[test]
fn damaged_caches_and_leftovers_are_made_anew() {
    let cache = tempfile::tempdir().unwrap();
    let made = make(cache.path(), "none", 2);
    let region = made.folder.join("region.parquet");
    let manifest = made.folder.join("manifest.json");
    let whole = fs::read(&region).unwrap();

    fs::write(&region, &whole[..whole.len() / 2]).unwrap();
    make(cache.path(), "none", 2);
    assert_eq!(fs::read(&region).unwrap(), whole, "a truncated file");

    let other_version = fs::read_to_string(&manifest).unwrap().replace("\"version\": 1", "\"version\": 0");
    fs::write(&manifest, other_version).unwrap();
    make(cache.path(), "none", 2);
    assert!(fs::read_to_string(&manifest).unwrap().contains("\"version\": 1"), "an older version");

    fs::remove_file(&manifest).unwrap();
    let partial = cache.path().join("tpch-sf0.01-none.partial");
    fs::create_dir(&partial).unwrap();
    fs::write(partial.join("lineitem.parquet"), "left by a process that was stopped").unwrap();
    make(cache.path(), "none", 2);
    assert!(manifest.exists() && !partial.exists(), "no manifest, and a half-made folder");
}

#[test]
fn files_are_what_other_writers_make() {
    let cache = tempfile::tempdir().unwrap();
    let made = make(cache.path(), "gzip", 2);
    let file = fs::File::open(made.folder.join("lineitem.parquet")).unwrap();
    let reader = SerializedFileReader::new(file).unwrap();
    let row_group = reader.metadata().row_group(0);
    for column in row_group.columns() {
        let name = column.column_path().string();
        assert_eq!(column.compression(), Codec::Gzip(Default::default()).compression(), "{name}");
        assert!(column.statistics().is_some() && column.offset_index_offset().is_some(), "{name}");
        assert!(column.column_index_offset().is_some(), "{name}");
    }
    let stored = |name: &str| {
        let columns = row_group.columns().iter();
        columns.map(|c| c.column_descr()).find(|c| c.name() == name).unwrap().physical_type()
    };
    assert_eq!(stored("l_orderkey"), Type::INT64);
    assert_eq!(stored("l_linenumber"), Type::INT32);
    assert_eq!(stored("l_extendedprice"), Type::INT64, "a decimal of 15 digits fits 64 bits");
    assert_eq!(stored("l_shipdate"), Type::INT32);
    assert_eq!(stored("l_comment"), Type::BYTE_ARRAY);
}

#[test]
fn tables_have_the_row_groups_they_should() {
    assert_eq!(Table::Lineitem.row_groups(1.0), 6);
    assert_eq!(Table::Orders.row_groups(1.0), 2);
    assert_eq!(Table::Lineitem.row_groups(0.01), 1);
    assert_eq!(Table::Region.row_groups(100.0), 1);
}

#[test]
fn senseless_scale_factors_are_refused() {
    let cache = tempfile::tempdir().unwrap();
    for scale_factor in [0.0, -1.0, f64::NAN, f64::INFINITY, 0.0001] {
        let error = ensure(cache.path(), scale_factor, "none".parse().unwrap(), 1, &|_| {}).unwrap_err();
        assert!(error.to_string().starts_with("scale factor"), "{error}");
    }
    assert_eq!(fs::read_dir(cache.path()).unwrap().count(), 0, "nothing is left behind");
}
