//! Functions for the order and equality of SQL.

mod floats;
mod nested_min_max;
mod nested_order;
mod unordered;

pub(crate) use floats::{CANONICAL_FLOAT, CANONICAL_NAN, canonical_float, canonical_nan};
pub(crate) use nested_min_max::{nested_greatest, nested_min_max};
pub(crate) use nested_order::nested_order;
pub(crate) use unordered::{UNORDERED, unordered};
