//! Checks of sorts and of windows' frames, at some of which DataFusion's consumer panics. Others it
//! reads as frames with other rows.

use std::collections::BTreeSet;

use prost_reflect::{DynamicMessage, Value};

use crate::error::{Error, Result};

/// Directions of a sort with an order, as numbers of the enumeration.
const ORDERED: std::ops::RangeInclusive<i32> = 1..=4;

/// Direction that only brings equal values together.
const CLUSTERED: i32 = 5;

/// Units of a frame, as numbers of the enumeration.
const UNSPECIFIED: i32 = 0;
const ROWS: i32 = 1;
const RANGE: i32 = 2;

/// Window functions that have the same value in every frame.
const FRAMELESS: [&str; 8] =
    ["row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile", "lag", "lead"];

/// Checks that a relation sorts by something.
///
/// # Errors
/// It has no keys.
pub(super) fn keys(sort: &DynamicMessage) -> Result<()> {
    let keys = sort.get_field_by_name("sorts");
    match keys.is_some_and(|keys| keys.as_list().is_some_and(|keys| !keys.is_empty())) {
        true => Ok(()),
        false => incomplete("a SortRel has no sorts"),
    }
}

/// Checks the direction of a key.
///
/// # Errors
/// It has none. Directions that Pelton lacks are noted in `others`.
pub(super) fn direction(key: &DynamicMessage, others: &mut BTreeSet<String>) -> Result<()> {
    if key.has_field_by_name("comparison_function_reference") {
        others.insert("sorts by a comparison function".to_owned());
        return Ok(());
    }
    match enumeration(key, "direction") {
        UNSPECIFIED => incomplete("a SortField has no direction"),
        direction if ORDERED.contains(&direction) => Ok(()),
        CLUSTERED => {
            others.insert("sorts with direction CLUSTERED".to_owned());
            Ok(())
        }
        direction => {
            others.insert(format!("sorts with direction {direction}"));
            Ok(())
        }
    }
}

/// Checks the frame of a window function. A RANGE with an offset is a frame of values, which
/// DataFusion's consumer gives all rows of one side.
///
/// # Errors
/// A bound has no kind, or an offset is not positive. Frames that Pelton lacks are noted in
/// `others`.
pub(super) fn frame(window: &DynamicMessage, function: &str, others: &mut BTreeSet<String>) -> Result<()> {
    let units = enumeration(window, "bounds_type");
    let (mut has_offset, mut has_end) = (false, false);
    for end in ["lower_bound", "upper_bound"] {
        if !window.has_field_by_name(end) {
            continue;
        }
        let bound = window.get_field_by_name(end);
        let Some(bound) = bound.as_ref().and_then(|bound| bound.as_message()) else { continue };
        let Some((kind, value)) = bound.fields().next() else {
            return incomplete(&format!("the {end} of {function} has no kind"));
        };
        has_end |= kind.name() != "unbounded";
        if ["preceding", "following"].contains(&kind.name()) {
            has_offset = true;
            let offset = value.as_message().and_then(|value| value.get_field_by_name("offset"));
            let offset = offset.as_deref().and_then(Value::as_i64).unwrap_or_default();
            if offset <= 0 {
                return Err(Error::Query(format!(
                    "this Substrait plan contradicts itself: the {end} of {function} is {offset} rows {}: give \
                     current_row for 0, and the other side for less",
                    kind.name()
                )));
            }
        }
    }
    match units {
        ROWS => {}
        RANGE if has_offset => {
            others.insert(format!("{function} over a RANGE with an offset"));
        }
        RANGE => {}
        UNSPECIFIED if has_end && !FRAMELESS.contains(&function) => {
            others.insert(format!("{function} over a window without a bounds_type"));
        }
        UNSPECIFIED => {}
        other => {
            others.insert(format!("{function} over a window of bounds_type {other}"));
        }
    }
    Ok(())
}

fn enumeration(message: &DynamicMessage, field: &str) -> i32 {
    message.get_field_by_name(field).and_then(|value| value.as_enum_number()).unwrap_or_default()
}

fn incomplete(what: &str) -> Result<()> {
    Err(Error::Query(format!("this Substrait plan is not whole: {what}")))
}
