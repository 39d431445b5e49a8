//! `row_number`, `rank` and `dense_rank`.

use std::sync::Arc;

use arrow::array::{ArrayRef, UInt64Array};
use datafusion::error::Result;

use super::Running;
use crate::plan::rules::aggregates::running_windows::groups::{Scope, Starts};
use crate::plan::rules::aggregates::window_top_k::Ranking;

/// Position in a partition.
pub(super) struct Ranks {
    ranking: Ranking,
    /// Rows until now.
    rows: u64,
    /// Rank of the last row.
    rank: u64,
    /// Count of different keys until now.
    dense_rank: u64,
}

impl Ranks {
    /// Returns the position before the first row.
    pub fn new(ranking: Ranking) -> Self {
        Self { ranking, rows: 0, rank: 0, dense_rank: 0 }
    }

    /// Emits the ranks of further rows with the last one's keys.
    fn rank(&mut self, count: usize, ranks: &mut Vec<u64>) {
        let first = self.rows + 1;
        self.rows += count as u64;
        match self.ranking {
            Ranking::RowNumber => ranks.extend(first..=self.rows),
            Ranking::Rank => ranks.resize(ranks.len() + count, self.rank),
            Ranking::DenseRank => ranks.resize(ranks.len() + count, self.dense_rank),
        }
    }
}

impl Running for Ranks {
    fn add(&mut self, _: &[ArrayRef], starts: &Starts, _: Scope) -> Result<ArrayRef> {
        let mut ranks = Vec::with_capacity(starts.rows);
        let (mut partitions, mut from) = (starts.partitions.iter().peekable(), 0);
        for border in &starts.peers {
            self.rank(border - from, &mut ranks);
            if partitions.next_if_eq(&border).is_some() {
                *self = Self::new(self.ranking);
            }
            self.rank = self.rows + 1;
            self.dense_rank += 1;
            from = *border;
        }
        self.rank(starts.rows - from, &mut ranks);
        Ok(Arc::new(UInt64Array::from(ranks)))
    }
}
