//! The cases under `tests/duckdb/cases`.

use pelton_tests::python::repository;

use super::{name, run};

#[test]
fn cases_in_both_versions() {
    let folder = repository().join("tests/duckdb/cases");
    let entries = std::fs::read_dir(&folder).expect("the folder is in the repository");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "slt"));
    files.sort();
    assert!(files.len() >= 5, "{files:?}");
    for file in files {
        run("cases.py", |folder| vec![name(folder), name(&file)]);
    }
}
