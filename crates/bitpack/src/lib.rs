//! Filters on values that are still encoded: bit-packed, or in Parquet's hybrid of runs and
//! bit-packed values.
//!
//! The operations are those of Intel's IAA, on the CPU: [`Kernels::scan`] decides a [`Predicate`]
//! for every value, [`Kernels::members`] looks values up in a set, [`Kernels::unpack`],
//! [`Kernels::extract`], [`Kernels::select`] and [`Kernels::expand`] decode values, all, a range,
//! or those that a [`Bitmap`] marks, [`Kernels::read`] from where it stopped before,
//! [`Kernels::find_unique`] collects the distinct values, [`Kernels::burst`] repeats values, and
//! [`Kernels::aggregate`] sums them up. [`output`] writes results in the forms of the IAA.
//!
//! ```
//! use pelton_bitpack::{Bitmap, Hybrid, Kernels, Predicate};
//!
//! // A run of ten times 7, then the eight values of three bits, packed.
//! let bytes = [20, 7, 3, 0b1000_1000, 0b1100_0110, 0b1111_1010];
//! let codes = Hybrid::new(&bytes, 3, 18).into();
//! let kernels = Kernels::detect();
//! let (mut found, mut values) = (Bitmap::new(), vec![]);
//! kernels.scan(&codes, Predicate::Greater(5), &mut found)?;
//! assert_eq!(found.count_ones(), 12);
//! kernels.select(&codes, &found, &mut values)?;
//! assert_eq!(values, [7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 6, 7]);
//! # Ok::<(), pelton_bitpack::Error>(())
//! ```
//!
//! # How it is built
//! A source is split into runs and stretches of packed values (`hybrid.rs`). `operations` handles
//! each: a run of any length is decided once, and a stretch goes to an implementation of the steps
//! (`steps.rs`): `portable`, or AVX2 or AVX-512 in `arch`, which has all unsafe code. `naive.rs`
//! does everything bit by bit: it is the reference of the other implementations in tests.
//! `docs/filter.md` has their speed and its reasons.

#![deny(unsafe_code)]

mod aggregates;
#[cfg(target_arch = "x86_64")]
mod arch;
mod bitmap;
mod error;
mod hybrid;
mod kernels;
mod naive;
mod operations;
pub mod output;
mod packed;
mod portable;
mod position;
mod predicate;
mod source;
mod steps;

pub use aggregates::Aggregates;
pub use bitmap::Bitmap;
pub use error::Error;
pub use hybrid::Hybrid;
pub use kernels::{Kernels, UNIQUE_WIDTH};
pub use packed::{Order, Packed};
pub use position::Position;
pub use predicate::Predicate;
pub use source::Source;
