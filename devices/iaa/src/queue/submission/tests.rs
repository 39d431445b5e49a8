//! Tries every order of steps of a driver and a device, up to a length: each job ends once, and no
//! memory is freed while the device may still write it. One thread owns all operations, so nothing
//! can happen within a step, and the orders of steps are complete.

#![allow(unsafe_code)]

use std::sync::{Mutex, MutexGuard};

use super::*;
use crate::hw::{CompletionRecord, Descriptor, RecordView, Status};
use crate::operations::{Crc64, DeviceOperation};
use crate::portal::{Capabilities, Mode, Portal, SubmitError};
use crate::queue::memory::Buffers;

/// Descriptors of the device: the source, the address of the record, and whether that was written.
#[derive(Default)]
struct Device {
    taken: Vec<(u64, u64, bool)>,
    is_closed: bool,
}

impl Device {
    fn has(&self, source: u64) -> bool {
        !self.is_closed && self.taken.iter().any(|(taken, _, is_done)| *taken == source && !is_done)
    }

    fn waiting(&self) -> Vec<usize> {
        (0..self.taken.len()).filter(|index| !self.is_closed && !self.taken[*index].2).collect()
    }

    fn answer(&mut self, index: usize, answer: RecordView) {
        let (_, record, is_done) = &mut self.taken[index];
        let record = std::ptr::with_exposed_provenance::<CompletionRecord>(*record as usize);
        // SAFETY: the record is allocated until it is written; the test is about that, and the
        // guard in `Job` panics first.
        unsafe { (*record).write(&answer) };
        *is_done = true;
    }
}

struct Queue(Capabilities, Mutex<Device>);

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Device> {
        self.1.lock().unwrap()
    }
}

impl Portal for Queue {
    fn capabilities(&self) -> &Capabilities {
        &self.0
    }

    unsafe fn submit(&self, descriptors: &[Descriptor]) -> Result<usize, SubmitError> {
        let mut device = self.lock();
        if device.is_closed {
            return Err(SubmitError::Closed);
        }
        let capacity = self.0.depth - device.waiting().len();
        let taken = descriptors.iter().take(capacity).map(|made| (made.source1(), made.completion(), false));
        device.taken.extend(taken);
        Ok(capacity.min(descriptors.len()))
    }

    fn close(&self) {
        self.lock().is_closed = true;
    }
}

/// A job's memory, which panics if it is dropped too early.
struct Job {
    input: Vec<u8>,
    queue: Arc<Queue>,
}

// SAFETY: a move of a vector does not move its bytes.
unsafe impl Buffers for Job {
    fn input(&self) -> &[u8] {
        &self.input
    }

    fn split(&mut self) -> (&[u8], &mut [u8]) {
        (&self.input, &mut [])
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        let source = self.input.as_ptr().addr() as u64;
        assert!(!self.queue.lock().has(source), "memory that the device has goes away");
    }
}

const JOBS: usize = 3;
const DEPTH: usize = 2;
const STEPS: usize = 6;
/// Longer than the test.
const LIMIT: Duration = Duration::from_secs(1 << 20);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    Advance,
    /// All deadlines pass.
    Expire,
    /// The queue is closed by another thread.
    Close,
    /// The device answers its oldest or its newest descriptor.
    Succeed {
        newest: bool,
    },
    Fault {
        newest: bool,
    },
    Fail,
}

const ALL: [Step; 8] = [
    Step::Advance,
    Step::Expire,
    Step::Close,
    Step::Succeed { newest: false },
    Step::Succeed { newest: true },
    Step::Fault { newest: false },
    Step::Fault { newest: true },
    Step::Fail,
];

/// Runs the steps. Returns false if a step has no effect, such as an answer of a device without a
/// descriptor: then another order covers this one.
fn run(steps: &[Step], ends_well: bool) -> bool {
    let capabilities = Capabilities {
        mode: Mode::Shared,
        depth: DEPTH,
        max_transfer_bytes: 1 << 20,
        block_on_fault: false,
        opcodes: [u64::MAX; 4],
        node: None,
    };
    let queue = Arc::new(Queue(capabilities, Mutex::default()));
    let work_queue = WorkQueue::new(Arc::clone(&queue) as Arc<dyn Portal>, DEPTH + 1);
    let mut submissions = SubmissionLoop::new(vec![Arc::clone(&work_queue)], None);
    let now = Instant::now();
    let far = now + 2 * LIMIT;
    for _ in 0..JOBS {
        let job = Job { input: vec![1; 9], queue: Arc::clone(&queue) };
        submissions.admit(InFlightOperation::new(
            job,
            DeviceOperation::Crc64(Crc64 { verify: false }),
            LIMIT,
            Duration::ZERO,
        ));
    }
    let mut ended = 0;
    for step in steps {
        let answered = |newest: bool, answer: RecordView| {
            let mut device = queue.lock();
            let waiting = device.waiting();
            let index = if newest { waiting.last() } else { waiting.first() };
            // A single descriptor is both the oldest and the newest.
            match index {
                Some(index) if !newest || waiting.len() > 1 => device.answer(*index, answer),
                _ => return false,
            }
            true
        };
        let is_new = match *step {
            Step::Advance => submissions.advance(),
            Step::Expire => {
                submissions.expire(far);
                true
            }
            Step::Close if work_queue.is_open() => {
                work_queue.close();
                true
            }
            Step::Close => false,
            Step::Succeed { newest } => answered(newest, RecordView::new(Status::Success).with_consumed(9)),
            Step::Fault { newest } => {
                let source = {
                    let device = queue.lock();
                    let waiting = device.waiting();
                    let index = if newest { waiting.last() } else { waiting.first() };
                    index.map_or(0, |index| device.taken[*index].0)
                };
                answered(newest, RecordView::new(Status::PageFault).with_fault_address(source))
            }
            Step::Fail => answered(false, RecordView::new(Status::HardwareError)),
        };
        ended += submissions.completed.drain(..).count();
        if !is_new {
            return false;
        }
    }
    if ends_well {
        for _ in 0..4 * JOBS {
            submissions.advance();
            let mut device = queue.lock();
            for index in device.waiting() {
                device.answer(index, RecordView::new(Status::Success).with_consumed(9));
            }
            drop(device);
            submissions.expire(now);
            ended += submissions.completed.drain(..).count();
        }
        assert_eq!((ended, submissions.len()), (JOBS, 0), "{steps:?}");
        assert!(!work_queue.is_open() || work_queue.free() == work_queue.max_in_flight(), "{steps:?}");
    }
    // Drops the operations in flight, which closes their queue first.
    drop(submissions);
    true
}

#[test]
fn every_order_of_steps() {
    let mut orders = vec![Vec::new()];
    let mut tried = 0;
    for _ in 0..STEPS {
        let mut longer = Vec::new();
        for order in &orders {
            for step in ALL {
                let steps: Vec<Step> = order.iter().copied().chain([step]).collect();
                tried += 1;
                if run(&steps, true) && run(&steps, false) {
                    longer.push(steps);
                }
            }
        }
        orders = longer;
    }
    println!("{tried} orders of up to {STEPS} steps");
    assert!(
        orders
            .iter()
            .any(|order| order.contains(&Step::Expire) && order.contains(&Step::Fault { newest: true }))
    );
}
