//! The model as a processor: functions, faults, counters and the clock.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pelton_device_dfltcc::hw::{AvailableFunctions, ParameterBlock};
use pelton_device_dfltcc::{Answer, Call, Condition, Function, Operands};

use super::config::{Config, Fault};
use super::counters::Counters;
use super::function::{self, fail};
use super::timing::ModelledTime;

/// The functions of the model, which are those of z15.
const FUNCTIONS: [Function; 4] =
    [Function::QueryAvailable, Function::GenerateTable, Function::Compress, Function::Expand];

/// First byte of the state of a call that never makes progress.
const STUCK: u8 = 0xff;

/// A processor with the instruction. Clones are the same processor; calls from several threads run
/// at the same time, each on its own thread.
#[derive(Clone)]
pub struct Model {
    shared: Arc<Shared>,
}

struct Shared {
    config: Config,
    calls: AtomicU64,
    counters: Mutex<Counters>,
    time: Mutex<ModelledTime>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Model {
    /// Returns a model.
    pub fn new(config: Config) -> Model {
        let (counters, time) = (Mutex::default(), Mutex::default());
        Model { shared: Arc::new(Shared { config, calls: AtomicU64::new(0), counters, time }) }
    }

    /// Returns the counters so far.
    pub fn counters(&self) -> Counters {
        lock(&self.shared.counters).clone()
    }

    /// Returns the modelled time so far.
    pub fn modelled_time(&self) -> ModelledTime {
        *lock(&self.shared.time)
    }

    /// Returns the clock, the repeated calls and the faults as a line of text.
    pub fn report(&self, name: &str) -> String {
        let Counters { again, faults, .. } = self.counters();
        format!("{name} {}; {again} calls repeated, {faults} faults injected", self.modelled_time())
    }

    fn run(
        &self,
        index: u64,
        function: Function,
        block: &mut ParameterBlock,
        operands: Operands<'_>,
    ) -> Answer {
        let offsets = [operands.target.as_ptr() as usize, operands.source.as_ptr() as usize];
        function::run(&self.shared.config.plan(index, offsets), function, block, operands)
    }

    /// Returns the answer to a call with a fault.
    fn run_with_fault(
        &self,
        fault: Fault,
        index: u64,
        function: Function,
        block: &mut ParameterBlock,
        operands: Operands<'_>,
    ) -> Answer {
        let (target_len, source_len) = (operands.target.len(), operands.source.len());
        match fault {
            Fault::Ends(code) => fail(block, code),
            Fault::TargetFull => Answer { condition: Condition::TargetFull, written: 0, read: 0 },
            Fault::NoProgress => {
                block.set_continued(true);
                block.state_mut().fill(STUCK);
                stuck()
            }
            Fault::Panics => panic!("injected panic"),
            Fault::ReadsTooMuch => {
                Answer { read: source_len + 1, ..self.run(index, function, block, operands) }
            }
            Fault::WritesTooMuch => {
                Answer { written: target_len + 1, ..self.run(index, function, block, operands) }
            }
            Fault::WrongCheckValue => {
                let answer = self.run(index, function, block, operands);
                // A held state would not go with another value.
                if !block.is_continued() {
                    block.set_stored_check_value(block.stored_check_value() ^ 1);
                }
                answer
            }
        }
    }
}

fn stuck() -> Answer {
    Answer { condition: Condition::Again, written: 0, read: 0 }
}

impl Call for Model {
    fn available(&self) -> AvailableFunctions {
        AvailableFunctions::with(&FUNCTIONS)
    }

    fn call(&self, function: Function, block: &mut ParameterBlock, operands: Operands<'_>) -> Answer {
        let index = self.shared.calls.fetch_add(1, Relaxed);
        let is_first = block.is_new_task();
        let fault = self.shared.config.faults.find(index, function);
        lock(&self.shared.counters).faults += u64::from(fault.is_some());
        let answer = match fault {
            _ if block.is_continued() && block.state().iter().all(|&byte| byte == STUCK) => stuck(),
            Some(fault) => self.run_with_fault(fault, index, function, block, operands),
            None => self.run(index, function, block, operands),
        };
        let is_first = is_first && !block.is_new_task();
        lock(&self.shared.time).add(function, is_first, answer.written, answer.read);
        let (code, is_continued) = (block.ending_code(), block.is_continued());
        lock(&self.shared.counters).count(function, answer.condition, code, is_continued);
        answer
    }
}
