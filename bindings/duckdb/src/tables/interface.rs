//! `pelton_interface()`: what is used of DuckDB beyond its stable interface.

use super::{Cell, Listing};
use crate::interface::without_second;
use crate::sys::{Bind, Type, without_names};

/// The interface that the extension was last loaded by, and, if it is the first, why; whether
/// dictionaries have names, or why they have none.
pub struct Interface;

impl Listing for Interface {
    const NAME: &'static str = "pelton_interface";
    const COLUMNS: &'static [(&'static str, Type)] =
        &[("interface", Type::Varchar), ("reason", Type::Varchar), ("dictionaries", Type::Varchar)];

    fn rows(_: &dyn Bind) -> Result<Vec<Vec<Cell>>, String> {
        let (interface, reason) = match without_second() {
            None => ("second", Cell::Null),
            Some(reason) => ("first", Cell::Text(reason)),
        };
        let dictionaries = match without_names() {
            None => "named".to_owned(),
            Some(reason) => format!("unnamed: {reason}"),
        };
        Ok(vec![vec![Cell::Text(interface.to_owned()), reason, Cell::Text(dictionaries)]])
    }
}
