//! Values of options that several commands have, and `NAME=PATH` for a table.

use std::num::NonZeroUsize;
use std::str::FromStr;

/// A table given on the command line: a name, folded as in SQL, and the location of files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    pub name: String,
    pub location: String,
}

impl FromStr for Table {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || "give a name and a path, such as trips=data/trips.parquet".to_owned();
        let (name, location) = text.split_once('=').ok_or_else(bad)?;
        let quoted = name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        // SQL takes names that are not quoted as lower case, so one given here as Trips is found as
        // Trips.
        let name = quoted.map_or_else(|| name.to_lowercase(), str::to_owned);
        if name.is_empty() || location.is_empty() {
            return Err(bad());
        }
        Ok(Table { name, location: location.to_owned() })
    }
}

/// Returns the number of threads that the user named, else the number of cores.
pub fn threads(named: Option<NonZeroUsize>) -> usize {
    named.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get)
}

#[cfg(test)]
mod tests;
