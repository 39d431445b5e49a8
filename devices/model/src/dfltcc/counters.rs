//! Counters of a model, with which tests verify that a call or a fault happened.

use std::collections::BTreeMap;

use pelton_device_dfltcc::{Condition, Function};

/// Counts since the model was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Calls of GDHT.
    pub tables: u64,
    /// Calls of CMPR.
    pub compressions: u64,
    /// Calls of XPND.
    pub expansions: u64,
    /// Calls with condition code 3.
    pub again: u64,
    /// Calls with condition code 0 that hold output back.
    pub held_back: u64,
    /// Calls with condition code 2, by ending code; 0 for a source that has ended.
    pub ended: BTreeMap<u8, u64>,
    /// Injected faults.
    pub faults: u64,
}

impl Counters {
    pub(super) fn count(
        &mut self,
        function: Function,
        condition: Condition,
        ending_code: u8,
        is_continued: bool,
    ) {
        match function {
            Function::QueryAvailable => {}
            Function::GenerateTable => self.tables += 1,
            Function::Compress => self.compressions += 1,
            Function::Expand => self.expansions += 1,
        }
        match condition {
            Condition::Done => self.held_back += u64::from(is_continued),
            Condition::TargetFull => {}
            Condition::Ended => *self.ended.entry(ending_code).or_default() += 1,
            Condition::Again => self.again += 1,
        }
    }
}
