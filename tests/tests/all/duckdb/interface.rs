//! Version of DuckDB's interface that the extension gets.

use pelton_tests::python::repository;

use super::{OLDER, name, run};

#[test]
fn two_versions_in_one_process() {
    let older = repository().join(OLDER);
    run("two_versions.py", |folder| vec![name(folder), name(&older)]);
}

#[test]
fn the_best_interface() {
    run("interface.py", |folder| vec![name(folder)]);
}
