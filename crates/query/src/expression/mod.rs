//! Expressions that are evaluated in a way of our own.

mod decimal;
mod narrow;

pub(crate) use decimal::DecimalArithmetic;
