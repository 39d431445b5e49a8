//! Fallback reasons: conditions that were evaluated on decoded rows instead of a dictionary.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Reason why a condition was not evaluated on the dictionary for all rows of a scan range, so that
/// rows were decoded for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Undecided {
    /// The condition has several columns, or none.
    SeveralColumns,
    /// The column is nested, or in a struct.
    Nested,
    /// The column was already decoded for an earlier condition.
    Decoded,
    /// No page of the column has dictionary indices.
    Plain,
    /// Only some pages have dictionary indices. Rows of the other pages were decoded.
    Mixed,
    /// The dictionary has more values than there are undecided rows.
    LargeDictionary,
    /// The dictionary can't be decoded, or the condition fails on one of its values, which may
    /// occur in no row.
    Failed,
    /// The rows of pages without dictionary indices can't be read separately.
    Scattered,
}

impl Undecided {
    /// All reasons.
    pub const ALL: [Self; 8] = [
        Undecided::SeveralColumns,
        Undecided::Nested,
        Undecided::Decoded,
        Undecided::Plain,
        Undecided::Mixed,
        Undecided::LargeDictionary,
        Undecided::Failed,
        Undecided::Scattered,
    ];
}

impl fmt::Display for Undecided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Undecided::SeveralColumns => "several columns",
            Undecided::Nested => "nested column",
            Undecided::Decoded => "decoded before",
            Undecided::Plain => "no dictionary",
            Undecided::Mixed => "pages without dictionary",
            Undecided::LargeDictionary => "large dictionary",
            Undecided::Failed => "failed on dictionary",
            Undecided::Scattered => "scattered pages",
        })
    }
}

/// Number of conditions for each reason.
#[derive(Debug, Default)]
pub(crate) struct Reasons([AtomicU64; Undecided::ALL.len()]);

impl Reasons {
    pub fn note(&self, reason: Undecided) {
        self.0[reason as usize].fetch_add(1, Relaxed);
    }

    /// Returns the counts above zero.
    pub fn totals(&self) -> BTreeMap<Undecided, u64> {
        let counts = Undecided::ALL.into_iter().map(|reason| (reason, self.0[reason as usize].load(Relaxed)));
        counts.filter(|(_, count)| *count > 0).collect()
    }
}
