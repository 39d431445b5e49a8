//! Functions that give values the order and the equality of SQL.

mod floats;
mod nested_extremes;
mod nested_order;
mod unordered;

pub(crate) use floats::{CANONICAL_FLOAT, CANONICAL_NAN, canonical_float, canonical_nan};
pub(crate) use nested_extremes::{nested_extreme, nested_greatest};
pub(crate) use nested_order::nested_order;
pub(crate) use unordered::unordered;
