//! Timestamps in a named zone beside values without a zone, which are read in the session's.

use arrow::datatypes::{DataType, TimeUnit};

use crate::plan::sql::ZONE;

/// Returns the type of values without a zone that stand beside timestamps in a zone; `None` if
/// there are not both. DataFusion reads such values in the zone of the column, and dates without
/// any.
pub(super) fn common_instant(types: &[DataType]) -> Option<DataType> {
    let is_in_zone = |found: &&DataType| matches!(found, DataType::Timestamp(_, Some(_)));
    let is_elsewhere = types.iter().filter(is_in_zone).any(|found| !is_of_session(found));
    let has_local = types.iter().any(|found| match found {
        DataType::Timestamp(_, None) => is_elsewhere,
        other => is_date(other),
    });
    if !has_local || !types.iter().any(|found| is_in_zone(&found)) {
        return None;
    }
    let finest = types.iter().filter_map(unit).max()?;
    Some(DataType::Timestamp(finest, Some(ZONE.into())))
}

/// Returns the type of texts that are compared with timestamps in a zone other than the session's.
pub(super) fn of_text(types: &[DataType]) -> Option<DataType> {
    let found = types.iter().find(|found| match found {
        DataType::Timestamp(_, Some(_)) => !is_of_session(found),
        _ => false,
    });
    unit(found?).map(|unit| DataType::Timestamp(unit, Some(ZONE.into())))
}

/// Returns whether a value has no zone, and is cast to a type that has.
pub(super) fn is_local(found: &DataType) -> bool {
    matches!(found, DataType::Timestamp(_, None)) || is_date(found)
}

fn is_date(found: &DataType) -> bool {
    matches!(found, DataType::Date32 | DataType::Date64)
}

fn is_of_session(found: &DataType) -> bool {
    matches!(found, DataType::Timestamp(_, Some(zone)) if zone.as_ref() == ZONE)
}

fn unit(found: &DataType) -> Option<TimeUnit> {
    match found {
        DataType::Timestamp(unit, _) => Some(*unit),
        _ => None,
    }
}
