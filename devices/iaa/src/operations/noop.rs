//! Nothing, to measure what it takes to ask for it.

use super::{Landed, Output, Step};
use crate::error::IaaError;
use crate::hw::{Descriptor, Opcode};
use crate::queue::Order;

/// A descriptor that only has a completion record, so many times.
pub(crate) struct Noop {
    pub(crate) times: usize,
}

impl Noop {
    pub(super) fn begin(&mut self) -> Step {
        let descriptor = Descriptor::new(Opcode::Noop);
        Step::Fly(Order { descriptor, source1: None, destination: None, source2: None })
    }

    pub(super) fn resume(&mut self, landed: Landed) -> Result<Step, IaaError> {
        let record = landed.success()?;
        self.times = self.times.saturating_sub(1);
        if self.times > 0 {
            return Ok(self.begin());
        }
        Ok(Step::Done(Output { produced: 0, consumed: 0, checksum: None, record: Some(record) }))
    }
}
