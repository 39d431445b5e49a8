//! Rules about the types of operands: common types, casts, overflow.

mod careful;
mod checked_arithmetic;
mod exclusive_or;
pub(super) mod mixed_numbers;
mod null_ifs;
mod rounded_decimals;
mod rounding_casts;

pub(in crate::plan) use careful::CarefulFunctions;
pub(super) use checked_arithmetic::CheckedArithmetic;
pub(in crate::plan) use checked_arithmetic::as_operators;
pub(in crate::plan) use exclusive_or::ExclusiveOr;
pub(super) use mixed_numbers::MixedNumbers;
pub(super) use null_ifs::NullIfs;
pub(in crate::plan) use rounded_decimals::RoundedDecimals;
pub(super) use rounding_casts::RoundingCasts;
