//! The place of a row among those of its partition: `ntile`, `percent_rank` and `cume_dist`.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, UInt64Array};
use datafusion::error::Result;

use super::Running;
use crate::plan::rules::aggregates::running_windows::frames::{Frame, Frames};
use crate::plan::rules::aggregates::running_windows::groups::{Scope, Starts};

/// A function of the place of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// The number of the row's part, if there are so many parts, of which the first ones have a row
    /// more.
    Tile(u64),
    /// The share of the rows before the row's peers, of all rows but one.
    PercentRank,
    /// The share of the rows up to the row's last peer.
    CumulativeDistribution,
}

/// The places of rows.
pub(crate) struct Places {
    place: Place,
    partitions: Frames,
    peers: Frames,
    /// The groups of peers whose partition has not ended.
    waiting: VecDeque<Range<u64>>,
    /// First row of that partition.
    next: u64,
}

impl Places {
    /// Returns a function that has seen no rows.
    pub fn new(place: Place) -> Self {
        let [partitions, peers] = [Frame::PARTITION, Frame::PEERS].map(Frames::new);
        Self { place, partitions, peers, waiting: VecDeque::new(), next: 0 }
    }

    fn share(&self, partition: &Range<u64>, peers: &Range<u64>) -> f64 {
        let rows = partition.end - partition.start;
        match self.place {
            Place::CumulativeDistribution => (peers.end - partition.start) as f64 / rows as f64,
            _ if rows <= 1 => 0.0,
            _ => (peers.start - partition.start) as f64 / (rows - 1) as f64,
        }
    }
}

/// Returns the number of the part that a row, counted from 0, of some rows is in, from 1 on.
fn tile(row: u64, rows: u64, parts: u64) -> u64 {
    let (least, larger) = (rows / parts, rows % parts);
    let in_larger = larger * (least + 1);
    if row < in_larger { row / (least + 1) + 1 } else { larger + (row - in_larger) / least + 1 }
}

impl Running for Places {
    fn add(&mut self, _: &[ArrayRef], starts: &Starts, _: Scope) -> Result<ArrayRef> {
        let partitions = self.partitions.add(starts, None)?;
        let rows = self.next..;
        self.next += partitions.len() as u64;
        if let Place::Tile(parts) = self.place {
            let tiles = partitions
                .iter()
                .zip(rows)
                .map(|(partition, row)| tile(row - partition.start, partition.end - partition.start, parts));
            return Ok(Arc::new(tiles.collect::<UInt64Array>()));
        }
        for peers in self.peers.add(starts, None)? {
            if self.waiting.back() != Some(&peers) {
                self.waiting.push_back(peers);
            }
        }
        let mut shares = Vec::with_capacity(partitions.len());
        for (partition, row) in partitions.iter().zip(rows) {
            self.waiting.pop_front_if(|peers| peers.end <= row);
            shares.extend(self.waiting.front().map(|peers| self.share(partition, peers)));
        }
        Ok(Arc::new(Float64Array::from(shares)))
    }

    fn size(&self) -> usize {
        let waiting = self.waiting.capacity() * size_of::<Range<u64>>();
        self.partitions.size() + self.peers.size() + waiting
    }
}
