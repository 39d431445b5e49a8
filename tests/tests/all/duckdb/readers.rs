//! DuckDB's own reader as the oracle: files of every writer, type, codec and encoding, random
//! queries, TPC-H.

use std::path::Path;

use pelton_tests::python;
use pelton_tests::python::repository;

use super::{name, run};
use crate::support::Scratch;

/// Seed of the random queries and the damages.
const SEED: u64 = 20_260_207;

/// Has the engines of `tests/interop/write.py` write their files into folders of their names.
/// `None`: there is no Python.
fn written(folder: &Path, writers: &[&str]) -> Option<()> {
    let interpreter = python::interpreter()?;
    for writer in writers {
        let of_writer = folder.join(writer);
        std::fs::create_dir(&of_writer).expect("a folder can be made");
        python::run(&interpreter, "write.py", &[writer, &name(&of_writer)]);
    }
    Some(())
}

#[test]
fn lists_of_files_and_their_options() {
    run("multi_file.py", |folder| vec![name(folder)]);
}

#[test]
fn files_of_all_writers() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    if written(folder.path(), &["pyarrow", "duckdb", "duckdb_intervals", "polars"]).is_some() {
        run("files.py", |_| vec![name(folder.path())]);
    }
}

#[test]
fn random_queries() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    if written(folder.path(), &["pyarrow", "duckdb", "polars"]).is_some() {
        run("random_queries.py", |_| vec![name(folder.path()), SEED.to_string(), "100".to_owned()]);
    }
}

#[test]
fn damaged_files() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    if written(folder.path(), &["duckdb"]).is_some() {
        let files = name(&folder.path().join("duckdb"));
        run("damaged.py", |_| vec![files.clone(), SEED.to_string(), "20".to_owned()]);
    }
}

/// Returns the folder of TPC-H's tables at scale factor 0.01.
pub fn tables(codec: &str, scratch: &Scratch) -> String {
    let tables = crate::tpch::tables(codec, scratch);
    let (_, path) = tables.first().expect("TPC-H has tables");
    name(Path::new(path).parent().expect("a file is in a folder"))
}

#[test]
fn tpch() {
    let scratch = Scratch::new();
    let data = tables("gzip", &scratch);
    let queries = name(&repository().join("crates/tpch/src/queries"));
    run("tpch.py", |_| vec![data.clone(), queries.clone()]);
}

/// TPC-DS's 99 queries over tables of scale factor 0.01, derived from TPC-DS.
#[test]
fn tpcds() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    if crate::tpcds::generate(folder.path()).is_some() {
        run("tpcds.py", |_| vec![name(folder.path())]);
    }
}

#[test]
fn the_readme() {
    let scratch = Scratch::new();
    let data = tables("gzip", &scratch);
    let documents = ["README.md", "docs/duckdb.md"].map(|document| name(&repository().join(document)));
    run("readme.py", |folder| [name(folder), data.clone()].into_iter().chain(documents.clone()).collect());
}
