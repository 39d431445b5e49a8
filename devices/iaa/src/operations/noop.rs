//! Nothing, to measure what it takes to ask for it.

use super::{Landed, Output, Step};
use crate::error::IaaError;
use crate::hw::{Descriptor, Opcode};
use crate::queue::Order;

/// A descriptor that only has a completion record.
pub(crate) struct Noop;

impl Noop {
    pub(super) fn begin(&self) -> Step {
        let descriptor = Descriptor::new(Opcode::Noop);
        Step::Fly(Order { descriptor, source1: None, destination: None, source2: None })
    }

    pub(super) fn resume(&self, landed: Landed) -> Result<Step, IaaError> {
        let record = landed.success()?;
        Ok(Step::Done(Output { produced: 0, consumed: 0, checksum: None, record: Some(record) }))
    }
}
