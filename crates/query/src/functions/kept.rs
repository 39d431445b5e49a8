//! Functions of a session that is made of the parts of another one.
//!
//! DataFusion registers the functions anew, in no order: a function of its own that has the name of
//! one of ours as an alias can take its place.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::execution::{FunctionRegistry, SessionState, SessionStateBuilder};

use crate::error::{Error, wrap};

/// Most rounds of registrations: one for the functions that lost a name, and one for those that
/// their other names were taken from.
const MAX_ROUNDS: usize = 4;

/// Builds a session's state, with the functions under the names that they have in another one.
///
/// # Errors
/// A name has another function in the end.
pub(crate) fn built(builder: SessionStateBuilder, from: &SessionState) -> Result<SessionState> {
    let mut state = builder.build();
    for _ in 0..MAX_ROUNDS {
        if !register_lost(from, &mut state)? {
            return Ok(state);
        }
    }
    Err(wrap(Error::Internal("two functions have one name".to_owned())))
}

/// Registers the functions that lack one of their names. Returns whether there was one.
fn register_lost(from: &SessionState, state: &mut SessionState) -> Result<bool> {
    let mut is_changed = false;
    for (name, function) in from.scalar_functions() {
        if state.scalar_functions().get(name).is_none_or(|other| !Arc::ptr_eq(other, function)) {
            state.register_udf(function.clone())?;
            is_changed = true;
        }
    }
    for (name, function) in from.higher_order_functions() {
        if state.higher_order_functions().get(name).is_none_or(|other| !Arc::ptr_eq(other, function)) {
            state.register_higher_order_function(function.clone())?;
            is_changed = true;
        }
    }
    for (name, function) in from.aggregate_functions() {
        if state.aggregate_functions().get(name).is_none_or(|other| !Arc::ptr_eq(other, function)) {
            state.register_udaf(function.clone())?;
            is_changed = true;
        }
    }
    for (name, function) in from.window_functions() {
        if state.window_functions().get(name).is_none_or(|other| !Arc::ptr_eq(other, function)) {
            state.register_udwf(function.clone())?;
            is_changed = true;
        }
    }
    Ok(is_changed)
}
