//! Counters of a model, with which tests verify that a fault happened or that work was done here.

use std::collections::BTreeMap;

use super::fault::Fault;

/// Counts since the model was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Requests that a window accepted.
    pub accepted: u64,
    /// Pastes without a credit, or with a full queue.
    pub busy: u64,
    /// Accepted requests with guaranteed credits, in the queues of high priority.
    pub high_priority: u64,
    /// Rejected pastes of requests with more bytes than the limit.
    pub too_long: u64,
    /// Pastes into suspended or closed windows.
    pub refused: u64,
    /// Written status blocks.
    pub completed: u64,
    /// Requests that were dropped when their window was closed.
    pub dropped_at_close: u64,
    /// Windows that were opened.
    pub windows: u64,
    /// Completed requests by function code, without the low-limit bit.
    pub functions: BTreeMap<u8, u64>,
    /// Status blocks by completion code.
    pub codes: BTreeMap<u8, u64>,
    /// Injected faults by name.
    pub faults: BTreeMap<&'static str, u64>,
}

impl Counters {
    /// Returns the number of injected faults.
    pub fn injected(&self) -> u64 {
        self.faults.values().sum()
    }

    /// Returns the number of status blocks with a completion code.
    pub fn code(&self, code: pelton_device_nx::hw::Completion) -> u64 {
        self.codes.get(&(code as u8)).copied().unwrap_or(0)
    }

    pub(super) fn count_fault(&mut self, fault: Fault) {
        *self.faults.entry(fault.name()).or_default() += 1;
    }
}
