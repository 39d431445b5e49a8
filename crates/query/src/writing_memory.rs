//! Memory of the files that a statement writes, under the session's limit.

use std::sync::Arc;

use datafusion::execution::memory_pool::{MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation};
use pelton_pages::{RowFormat, WriteOptions};

/// Divisor of the memory limit for the files that one statement writes.
const WRITING_SHARE: usize = 8;

/// Memory of the files that a statement writes, which counts towards the limit while this lives.
#[derive(Debug)]
pub struct WritingMemory {
    bytes: Option<usize>,
    _reservation: MemoryReservation,
}

impl WritingMemory {
    /// Reserves the part of a pool's limit that is for files. It is taken even if nothing is left:
    /// a writer can't do with less.
    pub(crate) fn reserve(pool: &Arc<dyn MemoryPool>) -> Self {
        let reservation = MemoryConsumer::new("the writer").register(pool);
        let bytes = match pool.memory_limit() {
            MemoryLimit::Finite(limit) => Some(limit / WRITING_SHARE),
            MemoryLimit::Infinite | MemoryLimit::Unknown => None,
        };
        reservation.grow(bytes.unwrap_or_default());
        Self { bytes, _reservation: reservation }
    }

    /// Returns the bytes; `None`: there is no limit.
    pub fn bytes(&self) -> Option<usize> {
        self.bytes
    }

    /// Returns options of Parquet files with which `files` files keep to the memory.
    pub fn bounded_options(&self, options: WriteOptions, files: usize) -> WriteOptions {
        let share = self.bytes.map_or(usize::MAX, |bytes| bytes / files.max(1));
        WriteOptions { held_bytes: options.held_bytes.min(share), ..options }
    }

    /// Returns a format with which `files` files keep to the memory. Formats other than Parquet
    /// hold a batch or less.
    pub fn bounded(&self, format: RowFormat, files: usize) -> RowFormat {
        match format {
            RowFormat::Parquet(options) => RowFormat::Parquet(self.bounded_options(options, files)),
            other => other,
        }
    }
}

#[cfg(test)]
mod tests;
