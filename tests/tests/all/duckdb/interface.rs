//! Which interface of DuckDB's the extension gets.

use super::{name, run};

#[test]
fn the_second_interface_or_the_first() {
    run("interface.py", |folder| vec![name(folder)]);
}
