//! Counters of decompressed pages, by format and device.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use pelton_codec::Format;
use pelton_job::JobOutput;

/// Decompression of one format by one device.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Decompression {
    /// Number of pages.
    pub pages: u64,
    /// Pages that the device decompressed interleaved with others.
    pub interleaved: u64,
    /// Compressed bytes taken.
    pub bytes_in: u64,
    /// Bytes produced.
    pub bytes_out: u64,
    /// Time on the device, summed over its threads.
    pub time: Duration,
}

/// Counters by format and device.
pub type ByDevice = BTreeMap<(&'static str, Arc<str>), Decompression>;

/// Adds other counters.
pub(crate) fn add(sum: &mut ByDevice, other: &ByDevice) {
    for (key, entry) in other {
        sum.entry(key.clone()).or_default().add(entry);
    }
}

impl Decompression {
    fn add(&mut self, other: &Self) {
        self.pages += other.pages;
        self.interleaved += other.interleaved;
        self.bytes_in += other.bytes_in;
        self.bytes_out += other.bytes_out;
        self.time += other.time;
    }
}

/// Returns the output of a page with `size` compressed bytes.
///
/// # Errors
/// Bytes follow the compressed data. Such a page is damaged, and other readers reject it too,
/// except in Brotli.
pub(crate) fn whole(format: Format, size: usize, done: JobOutput) -> Result<Bytes, String> {
    match format {
        Format::Brotli => Ok(done.output),
        _ if done.consumed < size => Err("the compressed data goes on after its end".to_owned()),
        _ => Ok(done.output),
    }
}

/// Counters for concurrent use.
#[derive(Debug, Default)]
pub(crate) struct Devices(Mutex<ByDevice>);

impl Devices {
    /// Adds a page.
    pub fn note(&self, format: Format, done: &JobOutput) {
        let page = Decompression {
            pages: 1,
            interleaved: u64::from(done.interleaved),
            bytes_in: done.consumed as u64,
            bytes_out: done.output.len() as u64,
            time: done.time,
        };
        self.all().entry((format.name(), done.device.clone())).or_default().add(&page);
    }

    pub fn totals(&self) -> ByDevice {
        self.all().clone()
    }

    fn all(&self) -> MutexGuard<'_, ByDevice> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
