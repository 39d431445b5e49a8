//! The place of a row among those of its partition: `ntile`, `percent_rank` and `cume_dist`.

use std::iter::repeat_n;
use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, UInt64Array};
use datafusion::error::Result;

use super::Running;
use crate::plan::rules::aggregates::running_windows::groups::{Scope, Starts};

/// A function of the place of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// The number of the row's part, if there are so many parts, of which the first ones have a row
    /// more.
    Tile(u64),
    /// The share of the rows before the row's peers, of all rows but one.
    PercentRank,
    /// The share of the rows up to the row's last peer.
    CumulativeDistribution,
}

/// The places of rows. Those of a partition are known at its end, group by group.
pub(super) struct Places {
    place: Place,
    /// Rows until now.
    rows: u64,
    /// First row of the partition that has not ended.
    partition: u64,
    /// First rows of its groups of peers.
    peers: Vec<u64>,
}

impl Places {
    /// Returns a function that has seen no rows.
    pub fn new(place: Place) -> Self {
        Self { place, rows: 0, partition: 0, peers: Vec::new() }
    }

    /// Ends partitions at the borders of a batch, and calls `emit` with the rows of each and the
    /// first rows of its groups.
    fn end_partitions(&mut self, starts: &Starts, mut emit: impl FnMut(u64, &[u64])) {
        let first = self.rows;
        let mut peers = starts.peers.iter().map(|row| first + *row as u64).peekable();
        for end in starts.partitions.iter().map(|row| first + *row as u64) {
            while let Some(row) = peers.next_if(|row| *row < end) {
                self.peers.push(row);
            }
            if end > self.partition {
                emit(end - self.partition, &self.peers);
            }
            self.peers.clear();
            self.partition = end;
        }
        self.peers.extend(peers);
        self.rows += starts.rows as u64;
    }
}

/// Appends the numbers of the parts of some rows: if there are so many parts, the first ones have a
/// row more.
fn tiles(rows: u64, parts: u64, tiles: &mut Vec<u64>) {
    let (least, larger) = (rows / parts, rows % parts);
    for part in 1..=parts.min(rows) {
        tiles.extend(repeat_n(part, (least + u64::from(part <= larger)) as usize));
    }
}

/// Appends the shares of the rows of a partition with groups that start at `peers`.
fn shares(place: Place, rows: u64, peers: &[u64], shares: &mut Vec<f64>) {
    let Some(first) = peers.first() else { return };
    let ends = peers[1..].iter().copied().chain([first + rows]);
    for (start, end) in peers.iter().zip(ends) {
        let share = match place {
            Place::CumulativeDistribution => (end - first) as f64 / rows as f64,
            _ if rows == 1 => 0.0,
            _ => (start - first) as f64 / (rows - 1) as f64,
        };
        shares.extend(repeat_n(share, (end - start) as usize));
    }
}

impl Running for Places {
    fn add(&mut self, _: &[ArrayRef], starts: &Starts, _: Scope) -> Result<ArrayRef> {
        let place = self.place;
        if let Place::Tile(parts) = place {
            let mut values = Vec::new();
            self.end_partitions(starts, |rows, _| tiles(rows, parts, &mut values));
            return Ok(Arc::new(UInt64Array::from(values)));
        }
        let mut values = Vec::new();
        self.end_partitions(starts, |rows, peers| shares(place, rows, peers, &mut values));
        Ok(Arc::new(Float64Array::from(values)))
    }

    fn size(&self) -> usize {
        self.peers.capacity() * size_of::<u64>()
    }
}
