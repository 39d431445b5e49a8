//! Filters on values that are still encoded: bit-packed, or in Parquet's hybrid of runs and
//! bit-packed values.
//!
//! The operations are those of Intel's IAA, on the CPU: [`Kernels::scan`] decides a [`Predicate`]
//! for every value, [`Kernels::members`] looks values up in a set, [`Kernels::unpack`],
//! [`Kernels::extract`], [`Kernels::select`] and [`Kernels::expand`] decode values, all, a range,
//! or those that a [`Bitmap`] marks, and [`Kernels::read`] from where it stopped before. [`output`]
//! writes both encodings. The IAA's other operations, which no reader of pages has use for, are in
//! the device's model only (`devices/model/src/iaa/operation/filter`).
//!
//! ```
//! use pelton_bitpack::{Bitmap, Hybrid, Kernels, Predicate, output};
//!
//! let letters: Vec<u32> = b"abracadabra".iter().map(|&letter| letter.into()).collect();
//! let mut bytes = vec![];
//! output::hybrid(&letters, 7, &mut bytes)?;
//!
//! let source = Hybrid::new(&bytes, 7, letters.len()).into();
//! let kernels = Kernels::detect();
//! let (mut found, mut values) = (Bitmap::new(), vec![]);
//! kernels.scan(&source, Predicate::Greater(u32::from(b'c')), &mut found)?;
//! kernels.select(&source, &found, &mut values)?;
//! assert_eq!(values, b"rdr".map(u32::from));
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
mod words;

pub use bitmap::Bitmap;
pub use error::Error;
pub use hybrid::Hybrid;
pub use kernels::Kernels;
pub use packed::{Order, Packed};
pub use position::Position;
pub use predicate::Predicate;
pub use source::Source;
