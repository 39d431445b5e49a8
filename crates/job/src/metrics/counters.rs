//! Snapshots of the counters, by device, operation and format.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::operation_kind::OperationKind;
use crate::job::Operation;

/// A snapshot of a router's counters. Its `Display` is a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counters {
    /// The devices, in the router's order.
    pub devices: Vec<DeviceCounters>,
    /// Maximum bytes that were in flight at once.
    pub peak_bytes_in_flight: usize,
}

/// One device's counts.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceCounters {
    /// The device's name.
    pub device: Arc<str>,
    /// Rows of the operations and formats that occurred.
    pub rows: Vec<Counts>,
    /// Openings of the circuit breaker after consecutive failures.
    pub breaker_opened: u64,
}

/// The counts of one device, operation and format. Once nothing is in flight, `tried` is the sum of
/// `done`, `failed`, `fell_back` and `cancelled`.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Counts {
    /// Name of the operation: `compress`, `compress part`, `decompress`, `members` (a membership
    /// test) or `checksum`.
    pub operation: &'static str,
    /// The format's or checksum's name.
    pub format: &'static str,
    /// Jobs that the device received.
    pub tried: u64,
    /// Jobs that it completed.
    pub done: u64,
    /// Completed jobs that ran interleaved with others of their
    /// [`InterleavedJobs`](crate::InterleavedJobs).
    pub interleaved: u64,
    /// Jobs that it failed and that no other device received: the job failed.
    pub failed: u64,
    /// Jobs that it received and that were cancelled.
    pub cancelled: u64,
    /// Jobs that it does not support, or that it did not receive while its circuit breaker was
    /// open, by reason.
    pub refused: BTreeMap<&'static str, u64>,
    /// Jobs that it failed and that another device received, by reason.
    pub fell_back: BTreeMap<&'static str, u64>,
    /// Input bytes of the completed jobs.
    pub bytes_in: u64,
    /// Output bytes of the completed jobs, without prefixes.
    pub bytes_out: u64,
    /// Time of the completed jobs, summed over its workers.
    pub time: Duration,
}

impl Counts {
    /// Returns the refused jobs for all reasons.
    pub fn refused_total(&self) -> u64 {
        self.refused.values().sum()
    }

    /// Returns the jobs that fell back for all reasons.
    pub fn fell_back_total(&self) -> u64 {
        self.fell_back.values().sum()
    }

    /// Returns whether no job was tried or refused.
    pub(crate) fn is_empty(&self) -> bool {
        self.tried == 0 && self.refused.is_empty()
    }

    fn add(&mut self, other: &Counts) {
        self.tried += other.tried;
        self.done += other.done;
        self.interleaved += other.interleaved;
        self.failed += other.failed;
        self.cancelled += other.cancelled;
        self.bytes_in += other.bytes_in;
        self.bytes_out += other.bytes_out;
        self.time += other.time;
        for (reason, count) in &other.refused {
            *self.refused.entry(reason).or_default() += count;
        }
        for (reason, count) in &other.fell_back {
            *self.fell_back.entry(reason).or_default() += count;
        }
    }
}

impl Counters {
    /// Returns the counts of one device, summed over operations and formats; all zero for an
    /// unknown device.
    pub fn total(&self, device: &str) -> Counts {
        let mut total = Counts::default();
        for row in self.devices.iter().filter(|d| &*d.device == device).flat_map(|d| &d.rows) {
            total.add(row);
        }
        total
    }

    /// Returns the counts of one device for one operation and format; all zero if it did not occur.
    pub fn row(&self, device: &str, operation: Operation) -> Counts {
        let (name, format) = OperationKind::of(operation).names();
        let mut rows = self.devices.iter().filter(|d| &*d.device == device).flat_map(|d| &d.rows);
        rows.find(|row| row.operation == name && row.format == format).cloned().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
