//! Counters of a model, with which tests verify that a fault happened or that work was done here.

use std::collections::BTreeMap;

use super::fault::Fault;

/// Counts since the model was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Descriptors that a queue accepted.
    pub accepted: u64,
    /// Descriptors that a full shared queue, or `write()`, refused.
    pub refused_full: u64,
    /// Descriptors that a full dedicated queue lost, by a mistake of the submitter.
    pub lost_full: u64,
    /// Written completion records.
    pub completed: u64,
    /// Operations without a completion record, because the descriptor requested none or had no
    /// address for it.
    pub unrecorded: u64,
    /// Descriptors and completion records that were dropped when their portal was closed.
    pub dropped_at_close: u64,
    /// Operations by opcode.
    pub operations: BTreeMap<u8, u64>,
    /// Completion records by status byte.
    pub statuses: BTreeMap<u8, u64>,
    /// Page faults that the device waited for.
    pub page_faults_waited: u64,
    /// Used bytes of source 1.
    pub bytes_in: u64,
    /// Bytes written to destinations.
    pub bytes_out: u64,
    /// Injected faults.
    pub faults: Injected,
}

/// Number of injections of each [`Fault`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Injected {
    /// [`Fault::QueueFull`]
    pub queue_full: u64,
    /// [`Fault::ReadFault`]
    pub read_fault: u64,
    /// [`Fault::WriteFault`]
    pub write_fault: u64,
    /// [`Fault::UnresolvedReadFault`] and [`Fault::UnresolvedWriteFault`]
    pub unresolved_fault: u64,
    /// [`Fault::OutputOverflow`]
    pub output_overflow: u64,
    /// [`Fault::Analytics`]
    pub analytics: u64,
    /// [`Fault::Status`]
    pub status: u64,
    /// [`Fault::NoAnswer`]
    pub no_answer: u64,
    /// [`Fault::DeviceStops`]
    pub device_stops: u64,
    /// [`Fault::Overtaken`]
    pub overtaken: u64,
    /// [`Fault::Late`]
    pub late: u64,
    /// [`Fault::WrongSize`]
    pub wrong_size: u64,
    /// [`Fault::WrongCrc`]
    pub wrong_crc: u64,
    /// [`Fault::WrongBits`]
    pub wrong_bits: u64,
}

impl Injected {
    /// Returns the sum of all counts.
    pub fn total(&self) -> u64 {
        let Injected { queue_full, read_fault, write_fault, unresolved_fault, output_overflow, .. } = self;
        let Injected { analytics, status, no_answer, device_stops, overtaken, late, .. } = self;
        let first = queue_full + read_fault + write_fault + unresolved_fault + output_overflow;
        first
            + analytics
            + status
            + no_answer
            + device_stops
            + overtaken
            + late
            + self.wrong_size
            + self.wrong_crc
            + self.wrong_bits
    }

    pub(super) fn count(&mut self, fault: Fault) {
        *match fault {
            Fault::QueueFull => &mut self.queue_full,
            Fault::ReadFault => &mut self.read_fault,
            Fault::WriteFault => &mut self.write_fault,
            Fault::UnresolvedReadFault | Fault::UnresolvedWriteFault => &mut self.unresolved_fault,
            Fault::OutputOverflow => &mut self.output_overflow,
            Fault::Analytics(_) => &mut self.analytics,
            Fault::Status(_) => &mut self.status,
            Fault::NoAnswer => &mut self.no_answer,
            Fault::DeviceStops => &mut self.device_stops,
            Fault::Overtaken(_) => &mut self.overtaken,
            Fault::Late(_) => &mut self.late,
            Fault::WrongSize(_) => &mut self.wrong_size,
            Fault::WrongCrc => &mut self.wrong_crc,
            Fault::WrongBits(_) => &mut self.wrong_bits,
        } += 1;
    }
}
