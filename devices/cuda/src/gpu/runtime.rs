//! State that all handles to a GPU share: its runtime, and the budget for its memory.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::options::Properties;
use super::profile::Profiler;
use crate::driver::CudaRuntime;
use crate::host::HostRuntime;
use crate::{Error, Result};

pub(crate) struct Inner {
    pub runtime: Runtime,
    pub properties: Properties,
    pub profiler: Profiler,
    pub budget: MemoryBudget,
}

/// Implementation that runs the work.
pub(crate) enum Runtime {
    Host(HostRuntime),
    Cuda(CudaRuntime),
}

/// Bytes of a GPU's memory in use, against a limit of our own.
#[derive(Debug)]
pub(crate) struct MemoryBudget {
    used: AtomicUsize,
    limit: usize,
}

impl MemoryBudget {
    pub fn new(limit: usize) -> MemoryBudget {
        MemoryBudget { used: AtomicUsize::new(0), limit }
    }

    pub fn used(&self) -> usize {
        self.used.load(Relaxed)
    }

    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Counts bytes as used, unless the sum would pass the limit.
    pub fn reserve(&self, bytes: usize) -> Result<()> {
        self.used
            .fetch_update(Relaxed, Relaxed, |used| used.checked_add(bytes).filter(|sum| *sum <= self.limit))
            .map(drop)
            .map_err(|used| Error::OutOfMemory { asked: bytes, used, limit: self.limit })
    }

    pub fn release(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Relaxed);
    }
}

#[cfg(test)]
mod tests;
