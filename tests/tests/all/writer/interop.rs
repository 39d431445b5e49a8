//! Written tables, read by other engines as they read those of parquet-rs's own writer.

use parquet::basic::Compression;
use pelton_tests::columns::{Shape, flat, nested};
use pelton_tests::file::{parquet, small_pages};
use pelton_tests::python;

use super::{PACKINGS, options, write};
use crate::interop::{arrow_file, assert_same_values};
use crate::support::{Scratch, engine};

#[test]
fn other_engines_read_them_as_they_read_those_of_other_writers() {
    let Some(interpreter) = python::interpreter() else { return };
    let scratch = Scratch::new();
    let engine = engine();
    let shape = Shape { rows: 700, nulls: 0.2, distinct: 60, seed: 82 };
    // types that not all engines have
    let except = ["f16", "date64", "time32_s", "ts_s", "duration_ms", "interval_ym", "interval_dt", "dec256"];
    let flat = flat(shape);
    let keep: Vec<usize> = (0..flat.num_columns())
        .filter(|&c| !except.contains(&flat.schema().field(c).name().as_str()))
        .collect();
    let batches = [("flat", flat.project(&keep).expect("columns that there are")), ("nested", nested(shape))];
    let mut names = Vec::new();
    for (name, batch) in &batches {
        let original = small_pages(Compression::SNAPPY, 100, 300).build();
        scratch.write(&format!("{name}.parquet"), &parquet(std::slice::from_ref(batch), original));
        for (index, packing) in PACKINGS.into_iter().enumerate() {
            let written = format!("{name}-{index}");
            let file = write(&engine, &batch.schema(), std::slice::from_ref(batch), options(packing, 300, 2));
            scratch.write(&format!("{written}.parquet"), &file);
            names.push((*name, written, packing));
        }
    }
    for reader in ["pyarrow", "duckdb", "polars"] {
        let written = names.iter().map(|(_, written, _)| written.as_str());
        let files = ["flat", "nested"].into_iter().chain(written);
        let files: Vec<_> = files.map(|name| scratch.name(&format!("{name}.parquet"))).collect();
        let arguments: Vec<&str> = [reader].into_iter().chain(files.iter().map(String::as_str)).collect();
        python::run(&interpreter, "read.py", &arguments);
        for (original, written, packing) in &names {
            let read = |name: &str| arrow_file(&scratch.path(&format!("{name}.{reader}.arrow")));
            let context = format!("{reader}: {written}, {packing:?}");
            assert_same_values(&read(written), &read(original), &[], &context);
        }
    }
}
