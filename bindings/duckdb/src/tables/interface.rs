//! `pelton_interface()`: which of DuckDB's interfaces is used.

use super::{Cell, Listing};
use crate::interface::without_second;
use crate::sys::{Bind, Type};

/// The interface that the extension was last loaded by, and, if it is the first, why.
pub struct Interface;

impl Listing for Interface {
    const NAME: &'static str = "pelton_interface";
    const COLUMNS: &'static [(&'static str, Type)] =
        &[("interface", Type::Varchar), ("reason", Type::Varchar)];

    fn rows(_: &dyn Bind) -> Result<Vec<Vec<Cell>>, String> {
        let cells = match without_second() {
            None => vec![Cell::Text("second".to_owned()), Cell::Null],
            Some(reason) => vec![Cell::Text("first".to_owned()), Cell::Text(reason)],
        };
        Ok(vec![cells])
    }
}
