//! Rules for the comparison of floats, lists and structs.

mod floats;
mod nested_floats;
mod nested_order;
mod signed_zero;

pub(in crate::plan) use floats::{ComputedFloats, FloatKeys};
pub(super) use nested_floats::NestedFloats;
pub(super) use nested_order::NestedOrder;
pub(in crate::plan) use signed_zero::SignedZeros;
