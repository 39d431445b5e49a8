//! Admission control: concurrent batches and bytes in flight.

use std::sync::Arc;

use pelton_random::Random;

use super::super::corpus::{SIZES, Shape, compress, decompress_job, formats};
use super::super::{Check, Verdict, ensure};
use super::{alone, balanced, done_or_unsupported, limited};
use crate::device::Device;
use crate::job::batch::Batch;
use crate::job::{Job, OutputSize};
use crate::queue::admission::Limits;
use crate::router::Router;

pub(super) const CHECKS: &[Check] = &[
    Check { name: "many threads can submit at once", run: threads },
    Check { name: "bytes in flight stay within the limit, and everything is done", run: within_limit },
    Check { name: "jobs larger than the limit run, one at a time", run: oversize },
    Check { name: "a batch without jobs is done at once", run: empty },
    Check { name: "a router may be dropped while its jobs run", run: dropped_router },
];

/// Returns blocks in all of the device's formats and many sizes, with their uncompressed bytes.
fn mixed(device: &Arc<dyn Device>, seed: u64, jobs: usize) -> Vec<(Job, Vec<u8>)> {
    let formats = formats(device);
    let mut random = Random::new(seed);
    let mut made = Vec::with_capacity(jobs);
    while made.len() < jobs && !formats.is_empty() {
        let format = formats[random.below(formats.len())];
        let shape = Shape::ALL[random.below(Shape::ALL.len())];
        // Without the largest size, which would take most of the time.
        let max = SIZES[random.below(SIZES.len() - 1)];
        let len = random.below(max + 1);
        let uncompressed = shape.bytes(len);
        let compressed = compress(format, format.default_level(), &uncompressed);
        made.push((Job::decompress(format, compressed, OutputSize::Exact(len)), uncompressed));
    }
    made
}

fn submit_and_compare(router: &Arc<Router>, jobs: Vec<(Job, Vec<u8>)>) -> Verdict {
    let ticket = router.submit(jobs.iter().map(|(job, _)| job.clone()).collect::<Batch>());
    ensure!(ticket.len() == jobs.len(), "the ticket is for {} of {} jobs", ticket.len(), jobs.len());
    let results = ticket.wait();
    ensure!(results.len() == jobs.len(), "{} results for {} jobs", results.len(), jobs.len());
    for (index, (result, (job, uncompressed))) in results.into_iter().zip(jobs).enumerate() {
        let what = (index, job.operation);
        let Some(done) = done_or_unsupported(result, &what)? else { continue };
        ensure!(*done.output == uncompressed, "{what:?}: wrong bytes, or another job's");
    }
    Ok(())
}

fn threads(device: &Arc<dyn Device>) -> Verdict {
    const THREADS: u64 = 8;
    const BATCHES: u64 = 10;
    const JOBS: usize = 20;
    let router = limited(device, 1 << 20, 1 << 20);
    let work = |thread: u64| -> Verdict {
        (0..BATCHES)
            .try_for_each(|batch| submit_and_compare(&router, mixed(device, thread * BATCHES + batch, JOBS)))
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|thread| scope.spawn(move || work(thread))).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().unwrap_or(Err("a submitter's thread panicked".into())))
    })?;
    balanced(&router)
}

fn within_limit(device: &Arc<dyn Device>) -> Verdict {
    const LIMIT: usize = 300_000;
    let router = limited(device, LIMIT, LIMIT);
    let jobs = mixed(device, 99, 200);
    if jobs.is_empty() {
        println!("  the device decompresses no format: its bytes in flight are not checked");
        return Ok(());
    }
    let (largest, all) =
        jobs.iter().fold((0, 0), |(max, all), (job, _)| (max.max(job.bytes()), all + job.bytes()));
    ensure!(largest <= LIMIT && all > LIMIT, "the check is wrong: {largest} and {all} for {LIMIT}");
    submit_and_compare(&router, jobs)?;
    let peak = router.counters().peak_bytes_in_flight;
    ensure!(peak <= LIMIT, "{peak} bytes were in flight where {LIMIT} may be");
    ensure!(peak >= largest, "only {peak} bytes were ever in flight, and one job has {largest}");
    balanced(&router)
}

fn oversize(device: &Arc<dyn Device>) -> Verdict {
    let router = limited(device, 1, usize::MAX);
    let jobs = mixed(device, 7, 50);
    let largest = jobs.iter().map(|(job, _)| job.bytes()).max().unwrap_or(0);
    submit_and_compare(&router, jobs)?;
    let peak = router.counters().peak_bytes_in_flight;
    // A job of one byte can run beside another of zero.
    ensure!(peak <= largest + 1, "{peak} bytes were in flight at once; the largest job has {largest}");
    balanced(&router)
}

fn empty(device: &Arc<dyn Device>) -> Verdict {
    let router = alone(device);
    let mut ticket = router.submit(Batch::new());
    ensure!(ticket.is_empty() && ticket.remaining() == 0, "a ticket for nothing has something");
    ensure!(ticket.wait_next().is_none(), "a batch without jobs has a result");
    ensure!(ticket.wait().is_empty(), "a batch without jobs has results");
    balanced(&router)
}

fn dropped_router(device: &Arc<dyn Device>) -> Verdict {
    let uncompressed = Shape::Text.bytes(4096);
    for format in formats(device) {
        let limits = Limits { bytes_in_flight: 20_000, output_per_job: 1 << 20, ..Limits::default() };
        let router = Router::builder().device(Arc::clone(device)).limits(limits).build();
        let ticket = router.submit((0..50).map(|_| decompress_job(format, &uncompressed)).collect::<Batch>());
        drop(router);
        for result in ticket.wait() {
            let Some(done) = done_or_unsupported(result, &format)? else { continue };
            ensure!(*done.output == uncompressed, "{format}: wrong bytes");
        }
    }
    Ok(())
}
