//! Rules about the types of operands: common types, casts, overflow.

mod checked_arithmetic;
mod functions;
pub(super) mod mixed_numbers;
mod rounding_casts;

pub(super) use checked_arithmetic::CheckedArithmetic;
pub(in crate::plan) use checked_arithmetic::as_operators;
pub(in crate::plan) use functions::{CorrectedFunctions, ExclusiveOr, RoundedDecimals};
pub(super) use functions::{NullIfs, RewrittenTypes};
pub(super) use mixed_numbers::MixedNumbers;
pub(super) use rounding_casts::RoundingCasts;
