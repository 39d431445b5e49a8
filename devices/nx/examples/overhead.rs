//! Measures the driver's own time for a job, on an engine that answers at once and does nothing.
//!
//! `cargo run --release -p pelton-device-nx --example overhead`

#![allow(unsafe_code)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use pelton_codec::Format;
use pelton_device_nx::hw::{Completion, Cpb, Crb, Csb, Function, Status, StreamState};
use pelton_device_nx::{Limits, NxDevice, Opener, Options, Pasted, Window};
use pelton_job::{Batch, BorrowedJob, Device, Job, OutputSize, Router};

/// An engine that claims to have decompressed each source to fill its target.
struct Immediate;

impl Window for Immediate {
    fn limits(&self) -> Limits {
        Limits { credits: 1024, max_bytes: None }
    }

    unsafe fn paste(&self, request: &Crb) -> Pasted {
        let csb = request.csb() as usize as *mut Csb;
        // SAFETY: by the promise of `paste`, status and parameters are allocated and not in use.
        let (csb, cpb) = unsafe { (&*csb, &mut *csb.add(1).cast::<Cpb>()) };
        cpb.output_mut().set_state(StreamState::Ended);
        cpb.output_mut().set_unused_bits(0);
        let function = request.function().unwrap_or(Function::Wrap);
        cpb.set_source_bytes(function, request.source().len());
        csb.write(&Status {
            code: Completion::Done as u8,
            extension: Status::HAS_COUNT,
            target_bytes: request.target().len(),
            address: 0,
        });
        Pasted::Accepted
    }

    fn close(&self) {}
}

/// Jobs of each measurement, and its repetitions, of which the best counts.
const JOBS: u32 = 20_000;
const ROUNDS: usize = 9;
/// Bytes of a job's output, so that pages to touch are few.
const LEN: usize = 4096;

fn best(mut run: impl FnMut()) -> Duration {
    let time = |_| {
        let start = Instant::now();
        run();
        start.elapsed() / JOBS
    };
    (0..ROUNDS).map(time).min().unwrap_or_default()
}

fn main() {
    let opener: Opener = Arc::new(|_| Ok(Arc::new(Immediate) as Arc<dyn Window>));
    let device = NxDevice::open(opener, Options::default()).expect("a window");
    let (input, mut output) = ([0; 1000], [0; LEN]);
    let one = best(|| {
        for _ in 0..JOBS {
            let mut job = BorrowedJob::decompress(Format::Deflate, &input, &mut output).exact();
            assert_eq!(device.run_borrowed(&mut job).map(|done| done.produced).ok(), Some(LEN));
        }
    });
    println!("one job at a time, on the caller's thread: {one:?} a job");
    let router = Router::builder().device(device).build();
    let job = Job::decompress(Format::Deflate, vec![0; 1000], OutputSize::Exact(LEN));
    let batches = best(|| {
        for _ in 0..JOBS / 16 {
            let batch: Batch = std::iter::repeat_n(job.clone(), 16).collect();
            let done = router.submit(batch).wait();
            assert!(done.iter().all(Result::is_ok));
        }
    });
    println!("16 in flight, with the router's time: {batches:?} a job");
}
