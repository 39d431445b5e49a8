//! Frames that slide over the rows of a partition.
//!
//! Rows are numbered through all partitions. A frame neither starts nor ends before the one of the
//! row before it, so that each border is found by going on from the last one, and functions see
//! rows come and leave in order. Months before and after times are the exception: at the end of a
//! month a border may go back by less than a day, and functions begin anew.

mod keys;

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::datatypes::Schema;
use datafusion::common::{ScalarValue, plan_err};
use datafusion::error::Result;
use datafusion::logical_expr::{WindowFrame, WindowFrameBound, WindowFrameUnits};
use datafusion::physical_expr::window::WindowExpr;
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;

use super::groups::Starts;
use keys::{Distance, Distances, Keys};

/// A border of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bound {
    /// With the partition.
    Partition,
    /// So many rows or groups of peers after the current one; before it if negative.
    Steps(i64),
}

/// The frame of a window.
#[derive(Debug, Clone)]
pub(super) struct Frame(Shape);

#[derive(Debug, Clone)]
enum Shape {
    Rows {
        start: Bound,
        end: Bound,
    },
    Groups {
        start: Bound,
        end: Bound,
    },
    /// Rows with keys near to that of the current row.
    Range {
        key: Arc<dyn PhysicalExpr>,
        distances: Distances,
        /// Places by which a border may go back from one row to the next.
        steps_back: i128,
        /// The keys are compared in another type than their own.
        is_cast: bool,
    },
}

impl Frame {
    /// All rows of the partition.
    const PARTITION: Self = Self(Shape::Rows { start: Bound::Partition, end: Bound::Partition });

    /// Returns the frame of one row, `rows` after the current one.
    pub const fn row(rows: i64) -> Self {
        Self(Shape::Rows { start: Bound::Steps(rows), end: Bound::Steps(rows) })
    }

    /// Returns the frame of a window over rows of a schema; `None` if its borders can't be found
    /// here.
    ///
    /// # Errors
    /// The order key has no type.
    pub fn new(window: &Arc<dyn WindowExpr>, input: &Schema) -> Result<Option<Self>> {
        let WindowFrame { units, start_bound, end_bound, .. } = window.get_window_frame().as_ref();
        let steps = bound(start_bound).zip(bound(end_bound));
        let has_order = !window.order_by().is_empty();
        Ok(match (units, steps) {
            (WindowFrameUnits::Rows, Some((start, end))) => Some(Self(Shape::Rows { start, end })),
            (WindowFrameUnits::Groups, Some((start, end))) if has_order => {
                Some(Self(Shape::Groups { start, end }))
            }
            (WindowFrameUnits::Range, _) => Self::range(window, input)?,
            _ => None,
        })
    }

    fn range(window: &Arc<dyn WindowExpr>, input: &Schema) -> Result<Option<Self>> {
        let frame = window.get_window_frame();
        let relative = |bound: &WindowFrameBound| match bound {
            WindowFrameBound::CurrentRow => Some(Bound::Steps(0)),
            WindowFrameBound::Preceding(distance) | WindowFrameBound::Following(distance) => {
                distance.is_null().then_some(Bound::Partition)
            }
        };
        if let Some((start, end)) = relative(&frame.start_bound).zip(relative(&frame.end_bound)) {
            // without an order, all rows are peers
            let is_whole = window.order_by().is_empty();
            return Ok(Some(if is_whole { Self::PARTITION } else { Self(Shape::Groups { start, end }) }));
        }
        let [order] = window.order_by() else { return Ok(None) };
        let distance = |bound: &WindowFrameBound| match bound {
            WindowFrameBound::CurrentRow => Distance::Peers,
            WindowFrameBound::Preceding(by) | WindowFrameBound::Following(by) if by.is_null() => {
                Distance::Partition
            }
            WindowFrameBound::Preceding(by) => Distance::Before(by.clone()),
            WindowFrameBound::Following(by) => Distance::After(by.clone()),
        };
        let (start, end) = (distance(&frame.start_bound), distance(&frame.end_bound));
        let distances = Distances { start, end, options: order.options };
        let data_type = order.expr.data_type(input)?;
        let compared = distances.compared_type(&data_type);
        let (can_compare, is_cast) = (distances.can_compare(&data_type), compared != data_type);
        if is_cast && distances.are_finer() {
            return plan_err!("less than a millisecond before or after a date is not supported in a frame");
        }
        let (key, steps_back) = (order.expr.clone(), distances.steps_back(&compared));
        Ok(can_compare.then_some(Self(Shape::Range { key, distances, steps_back, is_cast })))
    }

    /// Returns the order key that a frame's borders are computed from, if there is one.
    pub fn key(&self) -> Option<&Arc<dyn PhysicalExpr>> {
        match &self.0 {
            Shape::Range { key, .. } => Some(key),
            Shape::Rows { .. } | Shape::Groups { .. } => None,
        }
    }

    /// Returns whether DataFusion's operators would give wrong rows: they do not expect a border
    /// that goes back from one row to the next, and cut the hours off a date.
    pub fn is_beyond_datafusion(&self) -> bool {
        matches!(self.0, Shape::Range { steps_back: 1.., .. } | Shape::Range { is_cast: true, .. })
    }

    /// Returns whether the order keys decide the borders.
    pub fn has_peers(&self) -> bool {
        matches!(self.0, Shape::Groups { .. })
    }

    /// Returns whether all frames of a partition start with it.
    pub fn starts_with_partition(&self) -> bool {
        match &self.0 {
            Shape::Rows { start, .. } | Shape::Groups { start, .. } => *start == Bound::Partition,
            Shape::Range { distances, .. } => matches!(distances.start, Distance::Partition),
        }
    }
}

/// Returns a border that is some rows or groups away; `None` for a distance of keys.
fn bound(bound: &WindowFrameBound) -> Option<Bound> {
    let (distance, sign) = match bound {
        WindowFrameBound::CurrentRow => return Some(Bound::Steps(0)),
        WindowFrameBound::Preceding(distance) => (distance, -1),
        WindowFrameBound::Following(distance) => (distance, 1),
    };
    match distance {
        ScalarValue::UInt64(None) => Some(Bound::Partition),
        ScalarValue::UInt64(Some(steps)) => {
            Some(Bound::Steps(sign * i64::try_from(*steps).unwrap_or(i64::MAX)))
        }
        _ => None,
    }
}

/// Rows that later frames may need.
#[derive(Debug, Clone, Copy)]
pub(super) struct Needed {
    /// The first row that they may have.
    pub first: u64,
    /// The first row that a function may not have seen, or may see once more.
    pub unseen: u64,
    /// First row of the next row's partition.
    pub partition: u64,
}

/// Finds the frames of rows, batch by batch.
pub(super) struct Frames {
    frame: Frame,
    /// Rows until now.
    rows: u64,
    /// First row without a known frame.
    next: u64,
    /// First row of its partition.
    partition: u64,
    /// First rows of later partitions.
    partitions: VecDeque<u64>,
    /// First rows of groups of peers, from one of the partition on.
    peers: VecDeque<u64>,
    /// Position in `peers` of the group of the next row.
    group: usize,
    keys: Keys,
    /// Borders of the last frame.
    last: Range<u64>,
}

impl Frames {
    /// Returns a finder before the first row.
    pub fn new(frame: Frame) -> Self {
        let steps_back = match &frame.0 {
            Shape::Range { steps_back, .. } => *steps_back,
            Shape::Rows { .. } | Shape::Groups { .. } => 0,
        };
        Self {
            frame,
            rows: 0,
            next: 0,
            partition: 0,
            partitions: VecDeque::new(),
            peers: VecDeque::new(),
            group: 0,
            keys: Keys::new(steps_back),
            last: 0..0,
        }
    }

    /// Adds the borders and, for a frame with a [`Frame::key`], the keys of a batch. Returns the
    /// frames of the following rows as far as they are known.
    ///
    /// # Errors
    /// A key can't be compared.
    pub fn add(&mut self, starts: &Starts, keys: Option<&ArrayRef>) -> Result<Vec<Range<u64>>> {
        let numbered = |row: &usize| self.rows + *row as u64;
        // the first row of all is where the first partition is
        self.partitions.extend(starts.partitions.iter().map(numbered).filter(|row| *row > 0));
        if self.frame.has_peers() {
            self.peers.extend(starts.peers.iter().map(numbered));
        }
        if let (Shape::Range { distances, .. }, Some(keys)) = (&self.frame.0, keys) {
            self.keys.add(keys, distances)?;
        }
        self.rows += starts.rows as u64;
        let mut found = Vec::with_capacity((self.rows - self.next) as usize);
        loop {
            let end = self.partitions.front().copied();
            let last = end.unwrap_or(self.rows);
            while self.next < last
                && let Some(frame) = self.frame(end)
            {
                // an empty frame is where it would end
                self.last = match self.keys.needed() {
                    Some(_) => frame.start.min(frame.end)..frame.end,
                    None => {
                        let stop = frame.end.max(self.last.end);
                        frame.start.max(self.last.start).min(stop)..stop
                    }
                };
                found.push(self.last.clone());
                self.next += 1;
            }
            if end != Some(self.next) {
                break;
            }
            self.partitions.pop_front();
            self.enter_partition();
        }
        self.keys.forget(self.next);
        Ok(found)
    }

    /// Begins the partition of the next row.
    fn enter_partition(&mut self) {
        self.partition = self.next;
        self.last = self.next..self.next;
        while self.peers.front().is_some_and(|first| *first < self.partition) {
            self.peers.pop_front();
        }
        self.group = 0;
        self.keys.enter_partition(self.partition);
    }

    /// Returns the rows that later frames may need.
    pub fn needed(&self) -> Needed {
        let is_whole = self.frame.starts_with_partition();
        let (first, unseen) = match self.keys.needed() {
            Some(_) if is_whole => (self.partition, self.partition),
            // a function takes the rows of the last frame out, too
            Some(first) => (first.min(self.last.start), first.min(self.last.start)),
            None if is_whole => (self.last.end, self.last.end),
            None => (self.last.start, self.last.end),
        };
        Needed { first, unseen, partition: self.partition }
    }

    /// Returns the bytes of the borders and keys that are held.
    pub fn size(&self) -> usize {
        (self.partitions.capacity() + self.peers.capacity()) * size_of::<u64>() + self.keys.size()
    }

    /// Returns the frame of the next row, in a partition that ends at `end` or goes on; `None` if
    /// that depends on further rows.
    fn frame(&mut self, end: Option<u64>) -> Option<Range<u64>> {
        let (partition, next, known) = (self.partition, self.next, end.unwrap_or(self.rows));
        let range = match &self.frame.0 {
            Shape::Rows { start, end: stop } => {
                let place = |steps: i64| {
                    let row = (next as i64).saturating_add(steps);
                    u64::try_from(row).unwrap_or_default().max(partition)
                };
                let stop = match stop {
                    Bound::Partition => end?,
                    Bound::Steps(steps) => place(steps.saturating_add(1)),
                };
                if stop > known && end.is_none() {
                    return None;
                }
                let start = match start {
                    Bound::Partition => partition,
                    Bound::Steps(steps) => place(*steps),
                };
                start..stop
            }
            Shape::Groups { start, end: stop } => {
                while self.peers.get(self.group + 1).is_some_and(|first| *first <= next) {
                    self.group += 1;
                }
                let before = [start, stop].map(|bound| match bound {
                    Bound::Partition => 0,
                    Bound::Steps(steps) => steps.min(&0).unsigned_abs(),
                });
                let before = before[0].max(before[1]);
                while self.group as u64 > before {
                    self.peers.pop_front();
                    self.group -= 1;
                }
                let (peers, group) = (&self.peers, self.group as i64);
                // first row of the group that is so many groups away
                let place = |steps: i64| match usize::try_from(group.saturating_add(steps)) {
                    Err(_) => Some(partition),
                    Ok(group) => peers.get(group).copied().or(end),
                };
                let stop = match stop {
                    Bound::Partition => end?,
                    Bound::Steps(steps) => place(steps.saturating_add(1))?,
                };
                let start = match start {
                    Bound::Partition => partition,
                    // an end that is known is not before a start, unless the frame is empty
                    Bound::Steps(steps) => place(*steps).unwrap_or(stop),
                };
                start..stop
            }
            Shape::Range { .. } => self.keys.frame(next, partition, end)?,
        };
        Some(range.start.min(known)..range.end.min(known))
    }
}

#[cfg(test)]
mod tests;
