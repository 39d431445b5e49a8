//! Repacked files, read by other engines.

use parquet::basic::Compression;
use parquet::file::properties::WriterVersion;
use pelton_tests::columns::{Shape, flat, nested};
use pelton_tests::file::{parquet, small_pages};
use pelton_tests::python;

use super::{PACKINGS, repack};
use crate::interop::{arrow_file, assert_same_values};
use crate::support::{Scratch, engine};

#[test]
fn other_engines_read_them_as_they_read_the_originals() {
    let Some(interpreter) = python::interpreter() else { return };
    let scratch = Scratch::new();
    let engine = engine();
    let shape = Shape { rows: 700, nulls: 0.2, distinct: 60, seed: 81 };
    // types that not all engines have
    let except = ["f16", "date64", "time32_s", "ts_s", "duration_ms", "interval_ym", "interval_dt", "dec256"];
    let flat = flat(shape);
    let keep: Vec<usize> = (0..flat.num_columns())
        .filter(|&c| !except.contains(&flat.schema().field(c).name().as_str()))
        .collect();
    let batches = [("flat", flat.project(&keep).expect("columns that there are")), ("nested", nested(shape))];
    let mut names = Vec::new();
    for (name, batch) in &batches {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            let properties = small_pages(Compression::SNAPPY, 100, 300)
                .set_writer_version(version)
                .set_bloom_filter_enabled(true);
            let original = format!("{name}-{}", version.as_num());
            let path = scratch.write(
                &format!("{original}.parquet"),
                &parquet(std::slice::from_ref(batch), properties.build()),
            );
            for (index, (packing, _)) in PACKINGS.into_iter().enumerate() {
                let packed = format!("{original}-{index}");
                let file = repack(&engine, &path, packing).expect("a good file");
                scratch.write(&format!("{packed}.parquet"), &file);
                names.push((original.clone(), packed, packing));
            }
        }
    }
    for reader in ["pyarrow", "duckdb", "polars"] {
        let files = names.iter().flat_map(|(original, packed, _)| [original, packed]);
        let mut files: Vec<_> = files.map(|name| scratch.name(&format!("{name}.parquet"))).collect();
        files.sort();
        files.dedup();
        let arguments: Vec<&str> = [reader].into_iter().chain(files.iter().map(String::as_str)).collect();
        python::run(&interpreter, "read.py", &arguments);
        for (original, packed, packing) in &names {
            let read = |name: &str| arrow_file(&scratch.path(&format!("{name}.{reader}.arrow")));
            assert_same_values(
                &read(packed),
                &read(original),
                &[],
                &format!("{reader}: {packed}, {packing:?}"),
            );
        }
    }
}
