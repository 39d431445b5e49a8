//! Borders of partitions and of peers in sorted batches.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::compute::partition;
use datafusion::common::ScalarValue;
use datafusion::common::utils::get_row_at_idx;
use datafusion::error::Result;
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;

/// Rows that have one value of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// Each row.
    Row,
    /// Rows of a partition with equal order keys.
    Peers,
    /// All rows of a partition.
    Partition,
    /// Each row, once the end of its frame is known.
    Frame,
}

/// The first rows of the partitions and of the peers of a batch, ascending. A batch that goes on
/// with the last partition of the one before starts without a border.
#[derive(Debug, Default)]
pub(super) struct Starts {
    pub rows: usize,
    pub partitions: Vec<usize>,
    /// These include the first rows of the partitions.
    pub peers: Vec<usize>,
    /// There were rows before, so that the first border also ends a group.
    pub follows: bool,
}

impl Starts {
    /// Returns the border behind the last row.
    pub fn end() -> Self {
        Self { rows: 0, partitions: vec![0], peers: vec![0], follows: true }
    }

    /// Returns the first rows of the groups of a scope. Rows have no groups.
    pub fn groups(&self, scope: Scope) -> &[usize] {
        match scope {
            Scope::Row | Scope::Frame => &[],
            Scope::Peers => &self.peers,
            Scope::Partition => &self.partitions,
        }
    }
}

/// Finds borders, batch by batch.
pub(super) struct Borders {
    partition: Vec<Arc<dyn PhysicalExpr>>,
    order: Vec<Arc<dyn PhysicalExpr>>,
    /// Keys of the last row.
    last: Option<[Vec<ScalarValue>; 2]>,
}

impl Borders {
    /// Returns a finder before the first row, for rows that are sorted by these keys.
    pub fn new(partition: Vec<Arc<dyn PhysicalExpr>>, order: Vec<Arc<dyn PhysicalExpr>>) -> Self {
        Self { partition, order, last: None }
    }

    /// Returns whether there were rows.
    pub fn has_rows(&self) -> bool {
        self.last.is_some()
    }

    /// Returns the borders of the next batch, which has rows.
    ///
    /// # Errors
    /// A key can't be computed or compared.
    pub fn next(&mut self, batch: &RecordBatch) -> Result<Starts> {
        let rows = batch.num_rows();
        let values = |keys: &[Arc<dyn PhysicalExpr>]| {
            keys.iter().map(|key| key.evaluate(batch)?.into_array(rows)).collect::<Result<Vec<ArrayRef>>>()
        };
        let keys = [values(&self.partition)?, values(&self.order)?];
        let [mut partitions, changes] = [changes(&keys[0])?, changes(&keys[1])?];
        let row = |at: usize| -> Result<[Vec<ScalarValue>; 2]> {
            Ok([get_row_at_idx(&keys[0], at)?, get_row_at_idx(&keys[1], at)?])
        };
        let first = row(0)?;
        let is_new = self.last.as_ref().is_none_or(|last| last[0] != first[0]);
        let has_new_order = self.last.as_ref().is_none_or(|last| last[1] != first[1]);
        if is_new {
            partitions.insert(0, 0);
        }
        let mut peers = merged(&partitions, &changes);
        if !is_new && has_new_order {
            peers.insert(0, 0);
        }
        let follows = self.last.replace(row(rows - 1)?).is_some();
        Ok(Starts { rows, partitions, peers, follows })
    }
}

/// Returns the rows that differ from the ones before.
fn changes(keys: &[ArrayRef]) -> Result<Vec<usize>> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    Ok(partition(keys)?.ranges().into_iter().skip(1).map(|range| range.start).collect())
}

/// Returns the rows of two ascending lists, each once.
fn merged(left: &[usize], right: &[usize]) -> Vec<usize> {
    let mut rows = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    loop {
        let next = match (left.peek(), right.peek()) {
            (Some(a), Some(b)) => **a.min(b),
            (Some(row), None) | (None, Some(row)) => **row,
            (None, None) => return rows,
        };
        left.next_if(|row| **row == next);
        right.next_if(|row| **row == next);
        rows.push(next);
    }
}
