//! One execution of the instruction: the interface between the driver and the processor or a model.

use crate::hw::{AvailableFunctions, Function, MAX_HISTORY, ParameterBlock};

/// Condition code of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Condition {
    /// Code 0: the source is compressed, or the last block is expanded.
    Done,
    /// Code 1: the target is too short for the rest.
    TargetFull,
    /// Code 2: the source has ended within a stream, or, with an
    /// [ending code](ParameterBlock::ending_code), the call has failed.
    Ended,
    /// Code 3: a part is done, and the same call has to be made again for the rest.
    Again,
}

impl Condition {
    /// Returns the condition of a code; only the lowest two bits count.
    pub fn of_code(code: u8) -> Condition {
        [Condition::Done, Condition::TargetFull, Condition::Ended, Condition::Again][usize::from(code & 3)]
    }
}

/// Result of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The condition code.
    pub condition: Condition,
    /// Bytes by which the target has advanced. After a compression with
    /// [used bits](ParameterBlock::used_bits), the byte behind them has these bits.
    pub written: usize,
    /// Bytes by which the source has advanced. After an expansion with used bits, the byte behind
    /// them is partly read.
    pub read: usize,
}

/// Memory of a call, apart from the parameter block.
pub struct Operands<'a> {
    /// First operand. [`Function::GenerateTable`] does not use it.
    pub target: &'a mut [u8],
    /// Second operand.
    pub source: &'a [u8],
    /// Third operand.
    pub history: &'a mut History,
}

/// Circular history buffer. Offset and length of its contents are in the parameter block.
#[repr(C, align(4096))]
pub struct History {
    bytes: [u8; MAX_HISTORY],
}

impl Default for History {
    fn default() -> History {
        History { bytes: [0; MAX_HISTORY] }
    }
}

impl History {
    /// Returns the buffer's bytes.
    pub fn bytes(&self) -> &[u8; MAX_HISTORY] {
        &self.bytes
    }

    /// Returns the buffer's bytes for the machine.
    pub fn bytes_mut(&mut self) -> &mut [u8; MAX_HISTORY] {
        &mut self.bytes
    }
}

/// Executes the instruction, on the calling thread. Safe to use from many threads at once, each
/// with its own memory.
pub trait Call: Send + Sync {
    /// Executes the function QAF.
    fn available(&self) -> AvailableFunctions;

    /// Executes another function once.
    fn call(&self, function: Function, block: &mut ParameterBlock, operands: Operands<'_>) -> Answer;
}
