//! What happened, where, and why: counts by device, operation and format.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::job::Operation;
use crate::metrics::operation_kind::{class, names};

mod table;
#[cfg(test)]
mod tests;

/// A snapshot of a router's counts. Its `Display` is a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counters {
    /// The devices, in the router's order.
    pub devices: Vec<DeviceCounters>,
    /// The most bytes that were ever in flight at once.
    pub peak_bytes_in_flight: usize,
}

/// One device's counts.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceCounters {
    /// The device's name.
    pub device: Arc<str>,
    /// An operation and format each, those that something happened to.
    pub rows: Vec<Counts>,
    /// How often it was set aside because it failed three times in a row.
    pub breaker_opened: u64,
}

/// The counts of one device, operation and format. Of the jobs it was given, `tried` is `done`, `failed`,
/// `fell_back` and `cancelled` together once nothing is in flight.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Counts {
    /// `compress`, `decompress` or `checksum`.
    pub operation: &'static str,
    /// The format's or checksum's name.
    pub format: &'static str,
    /// Jobs that the device was given.
    pub tried: u64,
    /// Jobs that it finished.
    pub done: u64,
    /// Of these, jobs that ran side by side with others of a [`InterleavedJobs`](crate::InterleavedJobs).
    pub interleaved: u64,
    /// Jobs that it failed and no other device took: the job failed.
    pub failed: u64,
    /// Jobs that it was given and that were cancelled before they started.
    pub cancelled: u64,
    /// Jobs that it did not take when asked, by reason.
    pub refused: BTreeMap<&'static str, u64>,
    /// Jobs that it failed and another device took, by reason.
    pub fell_back: BTreeMap<&'static str, u64>,
    /// Input bytes of the jobs that it finished.
    pub bytes_in: u64,
    /// Output bytes of the jobs that it finished, without prefixes.
    pub bytes_out: u64,
    /// Time that the jobs it finished took, summed over its lanes.
    pub time: Duration,
}

impl Counts {
    /// UnsupportedReasons for all reasons.
    pub fn refused_total(&self) -> u64 {
        self.refused.values().sum()
    }

    /// Fall-backs for all reasons.
    pub fn fell_back_total(&self) -> u64 {
        self.fell_back.values().sum()
    }

    /// Whether nothing happened.
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
    /// The counts of one device, summed over operations and formats; all zero if there is no such device.
    pub fn total(&self, device: &str) -> Counts {
        let mut total = Counts::default();
        for row in self.devices.iter().filter(|d| &*d.device == device).flat_map(|d| &d.rows) {
            total.add(row);
        }
        total
    }

    /// The counts of one device for one operation and format; all zero if nothing happened.
    pub fn row(&self, device: &str, operation: Operation) -> Counts {
        let (name, format) = names(class(operation));
        let mut rows = self.devices.iter().filter(|d| &*d.device == device).flat_map(|d| &d.rows);
        rows.find(|row| row.operation == name && row.format == format).cloned().unwrap_or_default()
    }
}
