//! `NAME=PATH`: a table given on the command line.

use std::str::FromStr;

/// A name, as the engine has it, and a place of files.
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

#[cfg(test)]
#[path = "name_tests.rs"]
mod tests;
