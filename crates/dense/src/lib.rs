//! Kernels of aggregation: codes of keys, numbers of groups and runs, and totals.
//!
//! A key's values get codes from 0 on ([`ViewCodes`], [`IntegerCodes`]). The codes of several keys
//! are one index of a table of group numbers ([`GroupNumbers`]), so that a row is not hashed. Rows
//! beside each other with equal keys are runs ([`number_runs`]).
//! [`Totals`] adds up values of at most 64 bits in 64-bit lanes. [`decimals`] has the arithmetic on
//! such values that an aggregate's arguments consist of. The crate knows slices only: it is built
//! for speed, and the query engine above it for size.

#![forbid(unsafe_code)]

mod codes;
pub mod decimals;
mod numbers;
mod runs;
mod totals;

pub use codes::{IntegerCodes, ViewCodes};
pub use numbers::GroupNumbers;
pub use runs::number_runs;
pub use totals::{Summand, Totals, add_counts};

/// A code or number that no value has.
const NONE: u32 = u32::MAX;
