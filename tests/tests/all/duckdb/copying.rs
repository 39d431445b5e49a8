//! `COPY … TO` with every type and codec, and the state after a failure.

use super::{name, run};

#[test]
fn copies_are_what_duckdb_writes() {
    run("copying.py", |folder| vec![name(folder)]);
}

#[test]
fn killed_copies_leave_the_old_file_or_the_new_one() {
    run("killed.py", |folder| vec![name(folder)]);
}
