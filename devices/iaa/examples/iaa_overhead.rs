//! Measures the time that the driver adds to a job, from submission to result. The model's engines
//! do nothing here except answer.
//!
//! Prints medians in nanoseconds a job, with 16 in flight. Most of the time that goes through the
//! model is its own, because its threads wake and sleep. So the model is measured alone too, and
//! the driver with a portal that answers within the call, where all of the time is the driver's.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pelton_codec::Checksum;
use pelton_device_iaa::hw::{CompletionRecord, Descriptor, Opcode, RecordView, Status, flags};
use pelton_device_iaa::{Capabilities, IaaDevice, Mode, Options, Portal, SubmitError};
use pelton_device_model::iaa::{Model, QueueConfig};
use pelton_job::{Batch, Job, Router};

const IN_FLIGHT: usize = 16;
/// A run within one time slice is not interrupted by other programs.
const JOBS: usize = 2000;
const RUNS: usize = 101;

fn model() -> Model {
    let queue = QueueConfig { depth: 2 * IN_FLIGHT, ..QueueConfig::new(Mode::Shared) };
    Model::builder().engines(IN_FLIGHT / 2).threads(1).queues([queue]).build()
}

fn median(mut run: impl FnMut() -> Duration) -> f64 {
    let mut times: Vec<Duration> = (0..RUNS).map(|_| run()).collect();
    times.sort_unstable();
    times[RUNS / 2].as_secs_f64() * 1e9 / JOBS as f64
}

/// Returns the model's own time: submits batches of descriptors and polls their records, without a
/// driver.
#[allow(unsafe_code)]
fn model_alone(portal: &Arc<dyn Portal>) -> Duration {
    let records: Vec<CompletionRecord> = (0..IN_FLIGHT).map(|_| CompletionRecord::new()).collect();
    let started = Instant::now();
    for _ in 0..JOBS / IN_FLIGHT {
        let descriptors: Vec<Descriptor> = records
            .iter()
            .map(|record| {
                record.reset();
                let flags = flags::operation::COMPLETION_ADDRESS_VALID | flags::operation::REQUEST_COMPLETION;
                Descriptor::new(Opcode::Noop).with_operation_flags(flags).with_completion(record.address())
            })
            .collect();
        let mut done = 0;
        while done < descriptors.len() {
            // SAFETY: the records live until all of them have a status, and the descriptors name no
            // other memory.
            done += unsafe { portal.submit(&descriptors[done..]) }.expect("an open queue");
        }
        for record in &records {
            while record.status_byte() == 0 {
                std::thread::yield_now();
            }
        }
    }
    started.elapsed()
}

/// A queue that answers before the call returns.
struct AtOnce(Capabilities);

impl Portal for AtOnce {
    fn capabilities(&self) -> &Capabilities {
        &self.0
    }

    #[allow(unsafe_code)]
    unsafe fn submit(&self, descriptors: &[Descriptor]) -> Result<usize, SubmitError> {
        for descriptor in descriptors {
            let record =
                std::ptr::with_exposed_provenance::<CompletionRecord>(descriptor.completion() as usize);
            // SAFETY: by the contract of `submit`, a completion record is there.
            unsafe {
                (*record).write(&RecordView::new(Status::Success).with_consumed(descriptor.source1_bytes()))
            };
        }
        Ok(descriptors.len())
    }

    fn close(&self) {}
}

fn device(portals: Vec<Arc<dyn Portal>>) -> Arc<IaaDevice> {
    let options = Options { name: "iaa-model".into(), engines: IN_FLIGHT / 2, ..Options::default() };
    IaaDevice::new(portals, options).expect("a queue")
}

/// Returns the time through a router and the driver's worker thread.
fn routed(device: &Arc<IaaDevice>) -> Duration {
    let router = Router::builder().device(Arc::clone(device) as _).build();
    let jobs = (0..JOBS).map(|_| Job::checksum(Checksum::Crc64, &b"12345678"[..]));
    let batch: Batch = jobs.collect();
    let started = Instant::now();
    let outcomes = router.submit(batch).wait();
    let time = started.elapsed();
    assert!(outcomes.iter().all(Result::is_ok));
    time
}

fn main() {
    let model = model();
    let portal = model.open_queue(0).expect("a queue");
    let at_once = device(vec![Arc::new(AtOnce(portal.capabilities().clone()))]);
    let own = median(|| at_once.round_trips(JOBS, IN_FLIGHT).expect("no faults"));
    let alone = median(|| model_alone(&portal));
    let device = device(model.open());
    // In batches of 16, like the model alone.
    let driven = median(|| {
        (0..JOBS / IN_FLIGHT).map(|_| device.round_trips(IN_FLIGHT, IN_FLIGHT).expect("no faults")).sum()
    });
    let own_routed = median(|| routed(&at_once));
    let driven_routed = median(|| routed(&device));
    println!("{IN_FLIGHT} in flight, {JOBS} jobs, median of {RUNS}, real time in nanoseconds a job:");
    println!("  the driver, answered at once {own:4.0}");
    println!("  the model alone          {alone:8.0}");
    println!("  with the driver          {driven:8.0}   {:+.0}", driven - alone);
    println!("CRC-64 of 8 bytes, as jobs of a router:");
    println!("  answered at once         {own_routed:8.0}");
    println!("  by the model             {driven_routed:8.0}");
}
