//! Operation kinds, the rows of the counters: an operation with its format, or a checksum.

use pelton_codec::{Checksum, Format};

use crate::job::Operation;

const FORMATS: usize = Format::ALL.len();

/// Index of the kind for parts of streams, which only DEFLATE has. Three kinds for each format come
/// before it, one for each checksum after it.
const PART: usize = 3 * FORMATS;

/// An operation with its format, or a checksum. Levels share a kind.
#[derive(Clone, Copy)]
pub(super) struct OperationKind(usize);

impl OperationKind {
    /// Number of kinds.
    pub(super) const COUNT: usize = PART + 1 + Checksum::ALL.len();

    /// Returns the kind of an operation.
    pub(super) fn of(operation: Operation) -> OperationKind {
        OperationKind(match operation {
            Operation::Compress { format, .. } => format as usize,
            Operation::Decompress { format } => FORMATS + format as usize,
            Operation::TestMembership { format } => 2 * FORMATS + format as usize,
            Operation::CompressPart { .. } => PART,
            Operation::Checksum { kind } => PART + 1 + kind as usize,
        })
    }

    /// Returns every kind, in the order of [`index`](Self::index).
    pub(super) fn all() -> impl Iterator<Item = OperationKind> {
        (0..Self::COUNT).map(OperationKind)
    }

    /// Returns the row of the kind in a table of [`COUNT`](Self::COUNT) rows.
    pub(super) fn index(self) -> usize {
        self.0
    }

    /// Returns the operation and its format or checksum, as counters print them.
    pub(super) fn names(self) -> (&'static str, &'static str) {
        let index = self.0;
        if index < FORMATS {
            ("compress", Format::ALL[index].name())
        } else if index < 2 * FORMATS {
            ("decompress", Format::ALL[index - FORMATS].name())
        } else if index < PART {
            ("members", Format::ALL[index - 2 * FORMATS].name())
        } else if index == PART {
            ("compress part", Format::Deflate.name())
        } else {
            ("checksum", Checksum::ALL[index - PART - 1].name())
        }
    }
}

#[cfg(test)]
mod tests;
