//! Memory that a thread gives to the instruction, and the loop that repeats an unfinished call.

use crate::call::{Answer, Call, Condition, History, Operands};
use crate::counters::CallCounters;
use crate::error::DfltccError;
use crate::hw::{Function, ParameterBlock};

/// Maximum number of calls in a row without progress. The machine may return at any time, so a few
/// are normal; more would mean that it never ends.
pub(crate) const MAX_IDLE_CALLS: u32 = 1000;

/// Length of the target that shows whether a stream has more data than its output: longer than the
/// longest match.
const SPILL_BYTES: usize = 512;

/// Parameter block, history and spill of one thread, 34 KB, reused from page to page.
pub(crate) struct Session {
    pub(crate) block: Box<ParameterBlock>,
    history: Box<History>,
    spill: [u8; SPILL_BYTES],
}

impl Default for Session {
    fn default() -> Session {
        Session { block: Box::default(), history: Box::default(), spill: [0; SPILL_BYTES] }
    }
}

/// Executes calls and counts them.
#[derive(Clone, Copy)]
pub(crate) struct Machine<'a> {
    pub(crate) call: &'a dyn Call,
    pub(crate) counters: &'a CallCounters,
}

impl Session {
    /// Clears the parameter block for a new stream whose container has an Adler-32, or a CRC-32.
    pub(crate) fn begin(&mut self, is_adler: bool) {
        *self.block = ParameterBlock::default();
        self.block.set_new_task(true);
        self.block.set_adler(is_adler);
    }

    /// Executes a function until its condition code is not 3, and returns the sum of its answers.
    ///
    /// # Errors
    /// The machine reports more bytes than the operands have, or makes no progress.
    pub(crate) fn run(
        &mut self,
        machine: Machine<'_>,
        function: Function,
        target: &mut [u8],
        source: &[u8],
    ) -> Result<Answer, DfltccError> {
        run(machine, function, &mut self.block, &mut self.history, target, source)
    }

    /// Executes a function as [`run`](Session::run) does, with a target of its own.
    ///
    /// # Errors
    /// As for [`run`](Session::run).
    pub(crate) fn run_into_spill(
        &mut self,
        machine: Machine<'_>,
        function: Function,
        source: &[u8],
    ) -> Result<Answer, DfltccError> {
        run(machine, function, &mut self.block, &mut self.history, &mut self.spill, source)
    }
}

fn run(
    machine: Machine<'_>,
    function: Function,
    block: &mut ParameterBlock,
    history: &mut History,
    target: &mut [u8],
    source: &[u8],
) -> Result<Answer, DfltccError> {
    let (mut written, mut read, mut idle) = (0, 0, 0);
    loop {
        let operands =
            Operands { target: &mut target[written..], source: &source[read..], history: &mut *history };
        let answer = machine.call.call(function, block, operands);
        machine.counters.count(function, answer.condition);
        if answer.written > target.len() - written || answer.read > source.len() - read {
            return Err(DfltccError::Inconsistent("more bytes than it was given"));
        }
        written += answer.written;
        read += answer.read;
        if answer.condition != Condition::Again {
            return Ok(Answer { condition: answer.condition, written, read });
        }
        idle = if answer.written + answer.read == 0 { idle + 1 } else { 0 };
        if idle == MAX_IDLE_CALLS {
            return Err(DfltccError::Inconsistent("unfinished calls without progress"));
        }
    }
}
