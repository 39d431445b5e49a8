//! How many rows to expect. It decides on sides of joins and on first sizes of tables, never on
//! results.

use pelton_query::PeltonTable;

use crate::ir::{Comparison, Expr, Kind};

/// Shares of rows that conditions leave where nothing is known of the values: the guesses of System
/// R (Selinger and others, Access path selection in a relational database management system, 1979)
/// for equality, ranges and the rest.
const EQUAL_SHARE: f64 = 0.1;
const RANGE_SHARE: f64 = 0.33;
const OTHER_SHARE: f64 = 0.25;

/// Rows of a group, where nothing is known: most keys repeat a little.
const ROWS_PER_GROUP: f64 = 2.0;

/// Rows of a table's files.
pub(super) fn table_rows(table: &PeltonTable) -> f64 {
    let rows = |file: &pelton_pages::ParquetFile| file.metadata().file_metadata().num_rows().max(0) as f64;
    table.files().files.iter().map(|file| rows(&file.file)).sum()
}

/// The part of the rows for which a condition holds.
pub(super) fn share(condition: &Expr) -> f64 {
    match &condition.kind {
        Kind::And(a, b) => share(a) * share(b),
        Kind::Or(a, b) => (share(a) + share(b)).min(1.0),
        Kind::Not(a) => 1.0 - share(a),
        Kind::Compare(Comparison::Equal | Comparison::NotDistinct, ..) => EQUAL_SHARE,
        Kind::Compare(Comparison::NotEqual | Comparison::Distinct, ..) => 1.0 - EQUAL_SHARE,
        Kind::Compare(..) => RANGE_SHARE,
        Kind::InList { list, .. } => (EQUAL_SHARE * list.len() as f64).min(0.5),
        Kind::Like(..) | Kind::StartsWith(..) | Kind::EndsWith(..) | Kind::Contains(..) => EQUAL_SHARE,
        _ => OTHER_SHARE,
    }
}

/// Groups among so many rows.
pub(super) fn groups(rows: f64, keys: usize) -> f64 {
    if keys == 0 { 1.0 } else { (rows / ROWS_PER_GROUP).max(1.0) }
}
