//! Columns that no file has: the value of a partition.

use bytes::Bytes;

/// A value that every row has.
#[derive(Debug, Clone, PartialEq)]
pub enum Constant {
    /// A boolean.
    Bool(bool),
    /// An integer, a date, a timestamp, a decimal: what `i64_at` and `i128_at` give.
    Number(i128),
    /// A float.
    Float32(f32),
    /// A double.
    Float64(f64),
    /// A string or bytes.
    Bytes(Bytes),
}

impl Constant {
    /// `Column::constant`; `None`: bytes, which have to be put into device memory first.
    pub(super) fn words(&self) -> Option<[u64; 2]> {
        Some(match self {
            Constant::Bool(value) => [u64::from(*value), 0],
            Constant::Number(value) => [*value as u64, (*value >> 64) as u64],
            Constant::Float32(value) => [u64::from(value.to_bits()), 0],
            Constant::Float64(value) => [value.to_bits(), 0],
            Constant::Bytes(_) => return None,
        })
    }
}
