//! Aggregate and window functions.

pub(super) mod average;
pub(super) mod distinct;
mod extremes;
mod finish;
mod moving;
pub(super) mod percentile;
mod shift;
mod single_value;
pub(super) mod sum;

pub(crate) use extremes::extreme_of_floats;
pub(crate) use moving::moving;
pub(crate) use shift::shift;
pub(crate) use single_value::{SINGLE_VALUE, single_value};
