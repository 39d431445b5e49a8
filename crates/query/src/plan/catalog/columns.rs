//! Names of the columns of tables and views.

use std::collections::HashSet;

use crate::error::{Error, Result};

/// Checks that columns which a statement names can be told apart.
///
/// # Errors
/// Two have one name.
pub(in crate::plan) fn refuse_equal_names<'a>(
    table: &str,
    names: impl IntoIterator<Item = &'a String>,
) -> Result<()> {
    let mut seen = HashSet::new();
    match names.into_iter().find(|name| !seen.insert(*name)) {
        Some(name) => {
            Err(Error::Query(format!("{table} has two columns named {name}: give each its own name")))
        }
        None => Ok(()),
    }
}

/// Numbers equal names of a query's columns as DuckDB does: the second `x` becomes `x_1`.
pub(in crate::plan) fn numbered(names: impl IntoIterator<Item = String>) -> Vec<String> {
    let names: Vec<String> = names.into_iter().collect();
    let mut taken: HashSet<String> = names.iter().cloned().collect();
    let mut seen = HashSet::new();
    let number = |name: String| {
        if seen.insert(name.clone()) {
            return name;
        }
        let mut free = (1usize..).map(|number| format!("{name}_{number}"));
        free.find(|name| taken.insert(name.clone())).unwrap_or_default()
    };
    names.into_iter().map(number).collect()
}
