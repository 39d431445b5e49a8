//! Dates beside whole numbers, which have no common type.

use arrow::datatypes::DataType;
use datafusion::common::Result;

use crate::error::{Error, wrap};
use crate::functions::name_of;

/// Refuses dates beside whole numbers, of which DataFusion makes the days since 1970.
///
/// # Errors
/// Some of the types are dates, and others whole numbers.
pub(in crate::plan::rules) fn refuse_dates(types: &[DataType]) -> Result<()> {
    let has_date = types.iter().any(|found| matches!(found, DataType::Date32 | DataType::Date64));
    match types.iter().find(|found| found.is_integer()) {
        Some(number) if has_date => Err(wrap(Error::Query(format!(
            "DATE and {} have no common type: write DATE '2024-01-31' for a day, or CAST(the date AS INTEGER)",
            name_of(number)
        )))),
        _ => Ok(()),
    }
}
