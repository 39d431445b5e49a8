//! One job between its first descriptor and its result.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::lane::Lane;
use super::memory::{Buffers, Memory, Order};
use super::touch::touch;
use crate::error::IaaError;
use crate::hw::{CompletionRecord, Descriptor, Opcode, RecordView, Status, flags};
use crate::operations::{Landed, Output, Step, Work};

/// Faults of one descriptor that are answered by touching a page: the first by touching that page,
/// the others by touching all that follow, too. Another process may take a page away again, but not
/// each time.
const TOUCHES: u32 = 4;
/// Halvings after which a job that still faults goes to the CPU: a descriptor over a 16th of a
/// transfer has few pages.
const SHRINKS: u32 = 4;

/// The smallest page there is.
const PAGE: u64 = 4096;

/// A job, its memory, and the record that its descriptor ends with. Neither goes away while the
/// device may touch it: a flight that is dropped in the air has its queue closed first.
pub(crate) struct Flight<B> {
    // Before the memory, as fields are dropped in this order.
    air: Air,
    memory: Memory<B>,
    work: Work,
    order: Option<Order>,
    faults: u32,
    shrinks: u32,
    /// How long a descriptor may take, with its time in the queue.
    limit: Duration,
    /// When the device has to have answered.
    pub(crate) deadline: Instant,
    /// The time that it is expected to take.
    pub(crate) expected: Duration,
}

/// Where the device writes its answer, and the lane that has the descriptor until it did.
struct Air {
    record: Box<CompletionRecord>,
    lane: Option<Arc<Lane>>,
}

impl Air {
    /// Waits until the device touches the memory no more, and forgets the lane.
    fn leave(&mut self) {
        if let Some(lane) = self.lane.take() {
            if self.record.status_byte() == 0 {
                lane.set_aside();
            }
            lane.release(1);
        }
    }
}

impl Drop for Air {
    fn drop(&mut self) {
        self.leave();
    }
}

/// What follows a landing.
pub(crate) enum Next {
    /// Another descriptor.
    Again,
    /// The result.
    Done(Result<Output, IaaError>),
}

impl<B: Buffers> Flight<B> {
    /// A flight that has not begun.
    pub(crate) fn new(buffers: B, work: Work, limit: Duration, expected: Duration) -> Flight<B> {
        let memory = Memory { buffers, scratch: Default::default() };
        let air = Air { record: Box::default(), lane: None };
        let deadline = after(limit);
        Flight { air, memory, work, order: None, faults: 0, shrinks: 0, limit, deadline, expected }
    }

    /// Makes the first descriptor.
    pub(crate) fn begin(&mut self) -> Next {
        let step = self.work.begin(self.memory.parts());
        self.take(step)
    }

    fn take(&mut self, step: Result<Step, IaaError>) -> Next {
        match step {
            Ok(Step::Fly(order)) => {
                (self.faults, self.shrinks) = (0, 0);
                self.deadline = after(self.limit);
                self.order = Some(order);
                Next::Again
            }
            Ok(Step::Done(output)) => Next::Done(Ok(output)),
            Err(error) => Next::Done(Err(error)),
        }
    }

    /// The descriptor to hand in next, complete but for what the lane adds.
    pub(super) fn descriptor(&mut self) -> Option<Descriptor> {
        let order = self.order.as_ref()?;
        let descriptor = self.memory.descriptor(order)?;
        self.air.record.reset();
        let flags = descriptor.operation_flags()
            | flags::operation::COMPLETION_ADDRESS_VALID
            | flags::operation::REQUEST_COMPLETION;
        Some(descriptor.with_operation_flags(flags).with_completion(self.air.record.address()))
    }

    /// The device has the descriptor now.
    pub(super) fn took_off(&mut self, lane: &Arc<Lane>) {
        self.air.lane = Some(Arc::clone(lane));
    }

    /// The lane that has the descriptor.
    pub(crate) fn lane(&self) -> Option<&Arc<Lane>> {
        self.air.lane.as_ref()
    }

    /// The byte that the device writes last.
    pub(crate) fn record(&self) -> &CompletionRecord {
        &self.air.record
    }

    /// Whether the device has answered.
    pub(crate) fn has_landed(&self) -> bool {
        self.air.record.status_byte() != 0
    }

    /// What the device's answer leads to. `None` while there is none.
    pub(crate) fn land(&mut self) -> Option<Next> {
        let record = self.air.record.view()?;
        if let Some(lane) = self.air.lane.take() {
            lane.release(1);
        }
        let landed = match record.status() {
            Some(Status::Success) => Landed::Success(record),
            Some(Status::OutputOverflow) => Landed::Overflow(record),
            Some(Status::PageFault) => match self.answer_fault(&record) {
                Ok(()) => return Some(Next::Again),
                Err(error) => Landed::Failed(error),
            },
            _ => Landed::Failed(IaaError::of_record(&record).of(self.opcode())),
        };
        let step = self.work.resume(self.memory.parts(), landed);
        Some(self.take(step))
    }

    fn opcode(&self) -> Opcode {
        let byte = self.order.as_ref().map(|order| order.descriptor.opcode_byte());
        byte.and_then(Opcode::from_byte).unwrap_or(Opcode::Noop)
    }

    /// Touches what was missing, or makes the order smaller.
    fn answer_fault(&mut self, record: &RecordView) -> Result<(), IaaError> {
        let order = self.order.as_ref().ok_or(IaaError::Lied("a fault of nothing"))?;
        let address = record.fault_address();
        // The record's page was written when the record was emptied, and will be again.
        let is_record = (address / PAGE) == (self.air.record.address() / PAGE);
        if !touch(&mut self.memory, order, address, self.faults > 0) && !is_record {
            return Err(IaaError::ForeignAddress { address });
        }
        self.faults += 1;
        if self.faults <= TOUCHES {
            return Ok(());
        }
        let smaller = if self.shrinks < SHRINKS { self.work.shrink(self.memory.parts()) } else { None };
        self.order = Some(smaller.ok_or_else(|| IaaError::of_record(record))?);
        self.faults = 0;
        self.shrinks += 1;
        Ok(())
    }

    /// The lane that had the descriptor is closed: what it last said counts, and if that is
    /// nothing, the job is lost.
    pub(crate) fn give_up(&mut self, error: IaaError) -> Next {
        self.land().unwrap_or_else(|| {
            self.air.leave();
            Next::Done(Err(error))
        })
    }

    /// The buffers, now that it is over.
    pub(crate) fn into_buffers(self) -> B {
        drop(self.air);
        self.memory.buffers
    }
}

/// The time when a limit is over that begins now.
fn after(limit: Duration) -> Instant {
    /// What is longer is no limit, and would be beyond the clock's end.
    const LONGEST: Duration = Duration::from_secs(1 << 30);
    Instant::now() + limit.min(LONGEST)
}
