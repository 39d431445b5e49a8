//! Version of DuckDB's interface that the extension gets.

use super::{name, run};

#[test]
fn the_second_interface_or_the_first() {
    run("interface.py", |folder| vec![name(folder)]);
}
