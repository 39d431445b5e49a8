//! Tickets: order, awaiting, cancelling.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use bytes::Bytes;

use super::super::corpus::{Shape, decompress_job, formats, shape};
use super::super::{Check, Verdict, block_on, ensure};
use super::{alone, balanced, done_or_unsupported, limited, settle};
use crate::device::Device;
use crate::job::Job;
use crate::job::batch::Batch;
use crate::queue::result::{JobError, JobResult};
use crate::queue::ticket::Ticket;
use crate::router::Router;

pub(super) const CHECKS: &[Check] = &[
    Check { name: "results come in the order of the jobs, whichever way they are taken", run: order },
    Check { name: "cancelled jobs say so, and all jobs are accounted for", run: cancel },
    Check { name: "dropping a ticket frees what has not started at once, and the rest soon", run: dropped },
    Check {
        name: "a batch whose holder does not wait yet does not stop those of others",
        run: without_caller,
    },
];

/// Returns jobs of very different sizes. The first is large, so that others can finish before it.
fn uneven(device: &Arc<dyn Device>) -> Vec<(Job, Vec<u8>)> {
    const SIZES: [usize; 12] = [1 << 20, 10, 200_000, 0, 65_536, 1, 500_000, 7, 70_000, 30, 4096, 2];
    let formats = formats(device);
    let sizes = SIZES.into_iter().enumerate().take(if formats.is_empty() { 0 } else { SIZES.len() });
    sizes
        .map(|(i, len)| {
            let uncompressed = Shape::Text.bytes(len);
            (decompress_job(formats[i % formats.len()], &uncompressed), uncompressed)
        })
        .collect()
}

/// Both kinds of batch: ordinary and caller-runs.
const BATCHES: [fn(Batch) -> Batch; 2] = [|batch| batch, Batch::caller_runs];

/// Returns the maximum number of jobs of [`tracked`] that can run at the same time. The limit
/// admits two; caller-runs jobs do not count, so a device may have started all of them.
fn may_run(batch: fn(Batch) -> Batch) -> usize {
    if batch(Batch::new()).is_caller_runs() { JOBS } else { 2 }
}

/// A function that takes all results.
type Take = fn(Ticket) -> Vec<JobResult>;

fn order(device: &Arc<dyn Device>) -> Verdict {
    let ways: [(&str, Take); 6] = [
        ("wait", Ticket::wait),
        ("await", |ticket| block_on(ticket)),
        ("next", |mut ticket| block_on(async move { drain(&mut ticket).await })),
        ("wait_next", |mut ticket| std::iter::from_fn(|| ticket.wait_next()).collect()),
        ("try_wait", |mut ticket| {
            loop {
                match ticket.try_wait() {
                    Some(results) => return results,
                    None => std::thread::yield_now(),
                }
            }
        }),
        ("wait_next, then next, then wait", |mut ticket| {
            let mut results: Vec<JobResult> = ticket.wait_next().into_iter().collect();
            results.extend(block_on(ticket.next()));
            results.extend(ticket.wait());
            results
        }),
    ];
    let jobs = uneven(device);
    for ((way, take), batch) in ways.into_iter().flat_map(|way| BATCHES.map(|batch| (way, batch))) {
        let router = alone(device);
        let results = take(router.submit(batch(jobs.iter().map(|(job, _)| job.clone()).collect())));
        ensure!(results.len() == jobs.len(), "{way}: {} results for {} jobs", results.len(), jobs.len());
        for (index, (result, (_, uncompressed))) in results.into_iter().zip(&jobs).enumerate() {
            let Some(done) = done_or_unsupported(result, &(way, index))? else { continue };
            ensure!(done.output == *uncompressed, "{way}: result {index} is not job {index}'s");
        }
        balanced(&router)?;
    }
    Ok(())
}

async fn drain(ticket: &mut Ticket) -> Vec<JobResult> {
    let mut results = Vec::new();
    while let Some(result) = ticket.next().await {
        results.push(result);
    }
    results
}

/// An input that records when it is freed.
struct Tracked(Bytes, Arc<AtomicUsize>);

impl AsRef<[u8]> for Tracked {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Tracked {
    fn drop(&mut self) {
        self.1.fetch_sub(1, SeqCst);
    }
}

const JOBS: usize = 64;
const LEN: usize = 100_000;

/// Submits more jobs than fit in flight, and returns a count of their live inputs.
fn tracked(
    device: &Arc<dyn Device>,
    of: fn(Batch) -> Batch,
) -> Option<(Arc<Router>, Ticket, Arc<AtomicUsize>)> {
    let supported = |format| Some((format, shape(device, format, LEN)?));
    let (format, shape) = formats(device).into_iter().find_map(supported)?;
    let model = decompress_job(format, &shape.bytes(LEN));
    let live = Arc::new(AtomicUsize::new(JOBS));
    let jobs = (0..JOBS).map(|_| {
        let mut job = model.clone();
        job.input = Bytes::from_owner(Tracked(model.input.clone(), Arc::clone(&live)));
        job
    });
    let batch: Batch = jobs.collect();
    let router = limited(device, 2 * model.bytes(), LEN);
    let ticket = router.submit(of(batch));
    Some((router, ticket, live))
}

fn cancel(device: &Arc<dyn Device>) -> Verdict {
    BATCHES.into_iter().try_for_each(|batch| cancel_one(device, batch))
}

fn cancel_one(device: &Arc<dyn Device>, batch: fn(Batch) -> Batch) -> Verdict {
    let Some((router, ticket, live)) = tracked(device, batch) else { return Ok(()) };
    ticket.cancel();
    let (left, may) = (live.load(SeqCst), may_run(batch));
    ensure!(left <= may, "{left} inputs are there after cancelling, where {may} jobs may run");
    let results = ticket.wait();
    ensure!(results.len() == JOBS, "{} results for {JOBS} jobs", results.len());
    let mut ran = 0;
    for result in results {
        match result {
            Err(JobError::Cancelled) => {}
            other => {
                ran += 1;
                if let Some(done) = done_or_unsupported(other, &"a job that ran")? {
                    ensure!(done.output.len() == LEN, "a job that ran has {} bytes", done.output.len());
                }
            }
        }
    }
    let row = router.counters().total(device.name());
    ensure!(row.done + row.failed == ran, "{ran} results say that their job ran: {row:?}");
    settle(&router)?;
    ensure!(live.load(SeqCst) == 0, "{} inputs are never freed", live.load(SeqCst));
    balanced(&router)
}

fn dropped(device: &Arc<dyn Device>) -> Verdict {
    BATCHES.into_iter().try_for_each(|batch| drop_one(device, batch))
}

/// Checks that a caller-runs batch blocks no other batch while its holder does not wait yet.
fn without_caller(device: &Arc<dyn Device>) -> Verdict {
    let Some((router, mut first, _)) = tracked(device, Batch::caller_runs) else { return Ok(()) };
    let format = formats(device)[0];
    let uncompressed = Shape::Text.bytes(LEN);
    for batch in BATCHES {
        for result in router.submit(batch(Batch::from(decompress_job(format, &uncompressed)))).wait() {
            if let Some(done) = done_or_unsupported(result, &format)? {
                ensure!(*done.output == uncompressed, "wrong bytes behind a batch without a waiting caller");
            }
        }
    }
    let results: Vec<_> = std::iter::from_fn(|| first.wait_next()).collect();
    ensure!(results.len() == JOBS, "{} results for {JOBS} jobs", results.len());
    for result in results {
        done_or_unsupported(result, &"a job of the first batch")?;
    }
    balanced(&router)
}

fn drop_one(device: &Arc<dyn Device>, batch: fn(Batch) -> Batch) -> Verdict {
    let Some((router, ticket, live)) = tracked(device, batch) else { return Ok(()) };
    drop(ticket);
    let (left, may) = (live.load(SeqCst), may_run(batch));
    ensure!(left <= may, "{left} inputs are there after dropping the ticket, where {may} jobs may run");
    ensure!(router.jobs_waiting() == 0, "{} cancelled jobs wait", router.jobs_waiting());
    settle(&router)?;
    ensure!(live.load(SeqCst) == 0, "{} inputs are never freed", live.load(SeqCst));
    balanced(&router)?;
    // The router still works.
    let format = formats(device)[0];
    let uncompressed = Shape::Text.bytes(LEN);
    for result in router.submit(decompress_job(format, &uncompressed)).wait() {
        if let Some(done) = done_or_unsupported(result, &format)? {
            ensure!(*done.output == uncompressed, "wrong bytes after a cancelled batch");
        }
    }
    Ok(())
}
