//! Why conditions are not decided on encoded data.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Why a condition was not decided on a window's encoded data, in part or whole, so that rows were
/// decoded for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Undecided {
    /// It is on several columns, or on none.
    SeveralColumns,
    /// Its column is nested, or in a struct.
    Nested,
    /// An earlier condition has had its column decoded.
    Decoded,
    /// No page of the column holds codes into a dictionary.
    Plain,
    /// Some pages hold codes, others do not: only the rows of the others were decoded.
    Mixed,
    /// The dictionary has more values than there are rows left to decide.
    LargeDictionary,
    /// The dictionary does not decode, or the condition fails on a value of it, which may be one
    /// that no row has.
    Failed,
    /// The rows of pages without codes can't be read apart from the others.
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

/// How often each reason was met.
#[derive(Debug, Default)]
pub(crate) struct Reasons([AtomicU64; Undecided::ALL.len()]);

impl Reasons {
    pub fn note(&self, reason: Undecided) {
        self.0[reason as usize].fetch_add(1, Relaxed);
    }

    /// Those that were met.
    pub fn totals(&self) -> BTreeMap<Undecided, u64> {
        let counts = Undecided::ALL.into_iter().map(|reason| (reason, self.0[reason as usize].load(Relaxed)));
        counts.filter(|(_, count)| *count > 0).collect()
    }
}
