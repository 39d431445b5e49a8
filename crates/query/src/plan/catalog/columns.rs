//! Names of the columns of tables and views.

use std::collections::HashSet;

use crate::error::{Error, Result};

/// Checks that the columns of a table or view can be told apart.
///
/// # Errors
/// Two columns have one name.
pub(in crate::plan) fn refuse_equal_names<'a>(
    table: &str,
    names: impl IntoIterator<Item = &'a String>,
) -> Result<()> {
    let mut seen = HashSet::new();
    match names.into_iter().find(|name| !seen.insert(*name)) {
        Some(name) => Err(Error::Query(format!(
            "{table} would have two columns named {name}: give one of them another name with AS"
        ))),
        None => Ok(()),
    }
}
