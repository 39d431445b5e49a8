//! Names of a file's columns.
//!
//! DuckDB's first interface gives a COPY function the types of the columns without their names. The
//! type of a whole row includes them: `COPY (SELECT t FROM t) …` has one column, a struct of the
//! table's columns, which DuckDB makes without copying values. Such a column is treated alike in
//! the second interface. Otherwise the user names the columns: made-up names would only mislead.

use std::collections::HashSet;

use crate::sys::{Kind, Values};

/// Ways to give the names.
const INSTEAD: &str = "This DuckDB does not tell the formats of extensions what columns are called. Copy whole rows, whose type says it, as in \
     COPY (SELECT t FROM my_table AS t) TO 'x.parquet' (FORMAT pelton), or name them with columns ['a', 'b', ...]";

/// A column that may have no name yet.
type Unnamed = (Option<String>, Kind);

/// Returns the columns with their names, and whether the rows come as one struct.
///
/// # Errors
/// Names are missing, too few or too many, or not unique.
pub fn named(
    columns: Vec<Unnamed>,
    names: Option<Vec<String>>,
) -> Result<(Vec<(String, Kind)>, bool), String> {
    let count = columns.len();
    let (columns, is_struct) = match (names, <[Unnamed; 1]>::try_from(columns)) {
        (None, Ok([(_, Kind::Struct(fields))])) => (fields, true),
        (None, columns) => {
            let columns = columns.map_or_else(|columns| columns, Vec::from);
            let named = |(name, of): Unnamed| Some((name?, of));
            let named: Option<Vec<_>> = columns.into_iter().map(named).collect();
            (named.ok_or(INSTEAD)?, false)
        }
        (Some(names), columns) => {
            if names.len() != count {
                return Err(format!(
                    "option columns has {} names, and there are {count} columns",
                    names.len()
                ));
            }
            let columns = columns.map_or_else(|columns| columns, Vec::from);
            (names.into_iter().zip(columns.into_iter().map(|(_, of)| of)).collect(), false)
        }
    };
    let mut seen = HashSet::new();
    match columns.iter().find(|(name, _)| name.is_empty() || !seen.insert(name)) {
        Some((name, _)) if name.is_empty() => Err(format!("a column has no name. {INSTEAD}")),
        Some((name, _)) => Err(format!("two columns are called {name}; give one another name")),
        None => Ok((columns, is_struct)),
    }
}

/// Fails if a row is NULL as a whole. In a file all of its columns would be NULL, and the
/// difference would be lost.
///
/// # Errors
/// A row is NULL.
pub fn check_rows(rows: &Values) -> Result<(), String> {
    match rows.validity().is_some_and(|valid| (0..rows.len()).any(|row| !valid.is_valid(row))) {
        true => {
            Err("a row is NULL as a whole; leave such rows out, or name the column with columns [...]"
                .to_owned())
        }
        false => Ok(()),
    }
}
