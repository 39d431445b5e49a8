//! The best keys of one partition.

use std::collections::{BTreeSet, BinaryHeap};

/// A function that numbers the rows of a partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::plan::rules::aggregates) enum Ranking {
    /// Equal rows have different numbers.
    RowNumber,
    /// Equal rows have the number of the first of them.
    Rank,
    /// As `Rank`, and each number follows the one before.
    DenseRank,
}

impl Ranking {
    /// Returns the ranking of an SQL function.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "row_number" => Some(Self::RowNumber),
            "rank" => Some(Self::Rank),
            "dense_rank" => Some(Self::DenseRank),
            _ => None,
        }
    }

    /// Returns the name of the SQL function.
    pub fn name(self) -> &'static str {
        match self {
            Self::RowNumber => "row_number",
            Self::Rank => "rank",
            Self::DenseRank => "dense_rank",
        }
    }

    /// Returns an empty partition.
    pub(super) fn partition(self) -> Best {
        match self {
            Self::RowNumber => Best::Rows { keys: BinaryHeap::new(), keeps_ties: false },
            Self::Rank => Best::Rows { keys: BinaryHeap::new(), keeps_ties: true },
            Self::DenseRank => Best::Different(BTreeSet::new()),
        }
    }
}

/// The least keys of a partition. Keys are in the row format: their bytes have their order.
#[derive(Debug)]
pub(super) enum Best {
    /// Keys of rows, also equal ones.
    Rows {
        keys: BinaryHeap<Vec<u8>>,
        /// True if rows equal to the greatest key have its rank.
        keeps_ties: bool,
    },
    /// Different keys.
    Different(BTreeSet<Vec<u8>>),
}

impl Best {
    /// Takes the key of the next row. Returns the bytes by which the partition grew; `None` if the
    /// row has a rank above `most`.
    pub fn admit(&mut self, key: &[u8], most: usize) -> Option<usize> {
        match self {
            Self::Rows { keys, .. } if keys.len() < most => {
                keys.push(key.to_vec());
                Some(bytes_of(key))
            }
            Self::Rows { keys, keeps_ties } => {
                let mut greatest = keys.peek_mut()?;
                if key < greatest.as_slice() {
                    let before = greatest.capacity();
                    greatest.clear();
                    greatest.extend_from_slice(key);
                    return Some(greatest.capacity() - before);
                }
                (*keeps_ties && key == greatest.as_slice()).then_some(0)
            }
            Self::Different(keys) if keys.contains(key) => Some(0),
            Self::Different(keys) => {
                let mut freed = 0;
                if keys.len() >= most {
                    if keys.last().is_none_or(|greatest| key > greatest.as_slice()) {
                        return None;
                    }
                    freed = keys.pop_last().map_or(0, |greatest| bytes_of(&greatest));
                }
                keys.insert(key.to_vec());
                Some(bytes_of(key).saturating_sub(freed))
            }
        }
    }

    /// Returns whether a row that was admitted may still have a rank of at most `most`.
    pub fn holds(&self, key: &[u8], most: usize) -> bool {
        let (count, greatest) = match self {
            Self::Rows { keys, .. } => (keys.len(), keys.peek()),
            Self::Different(keys) => (keys.len(), keys.last()),
        };
        count < most || greatest.is_some_and(|greatest| key <= greatest.as_slice())
    }
}

/// Returns about the bytes that a key takes.
fn bytes_of(key: &[u8]) -> usize {
    size_of::<Vec<u8>>() + key.len()
}
