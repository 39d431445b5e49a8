//! Aggregate and window functions.

pub(super) mod average;
pub(super) mod collected;
pub(super) mod distinct;
mod finish;
mod lead_lag;
mod min_max;
pub(super) mod percentile;
mod respecting;
mod single_value;
mod sliding;
pub(super) mod sum;

pub(crate) use average::Quotient;
pub(crate) use lead_lag::lead_lag;
pub(crate) use min_max::min_max_of_floats;
pub(crate) use respecting::{RowOrder, respected_order, respecting_nulls};
pub(crate) use single_value::{SINGLE_VALUE, single_value};
pub(crate) use sliding::{SlidingSum, sliding, unfiltered};
pub(crate) use sum::{Limit, Visitor, is_exact, visit};
