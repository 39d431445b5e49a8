//! The holder's side: order, awaiting, cancelling.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use bytes::Bytes;

use super::super::corpus::{Shape, formats, shape, unpack_job};
use super::super::{Check, Verdict, block_on, ensure};
use super::{alone, balanced, done_or_refused, limited, settle};
use crate::device::Device;
use crate::job::Job;
use crate::job::batch::Batch;
use crate::queue::result::{JobError, JobResult};
use crate::queue::ticket::Ticket;
use crate::router::Router;

pub(super) const CHECKS: &[Check] = &[
    Check { name: "outcomes come in the order of the jobs, whichever way they are taken", run: order },
    Check { name: "cancelled jobs say so, and all jobs are accounted for", run: cancel },
    Check { name: "dropping a ticket frees what has not started at once, and the rest soon", run: dropped },
    Check { name: "a batch whose holder does not wait yet does not stop those of others", run: unattended },
];

/// A large job first, so that the others are done before it if they can be.
fn uneven(device: &Arc<dyn Device>) -> Vec<(Job, Vec<u8>)> {
    const SIZES: [usize; 12] = [1 << 20, 10, 200_000, 0, 65_536, 1, 500_000, 7, 70_000, 30, 4096, 2];
    let formats = formats(device);
    let sizes = SIZES.into_iter().enumerate().take(if formats.is_empty() { 0 } else { SIZES.len() });
    sizes
        .map(|(i, len)| {
            let plain = Shape::Text.bytes(len);
            (unpack_job(formats[i % formats.len()], &plain), plain)
        })
        .collect()
}

/// Batches of both kinds: those that devices run by themselves, and those that are attended.
const BATCHES: [fn(Batch) -> Batch; 2] = [|batch| batch, Batch::caller_runs];

/// Jobs of [`tracked`] that may run at the same time: there is room for two in flight, where attended ones don't count, so that a device
/// may have begun them all.
fn may_run(batch: fn(Batch) -> Batch) -> usize {
    if batch(Batch::new()).is_caller_runs() { JOBS } else { 2 }
}

/// A way to take all outcomes.
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
                    Some(outcomes) => return outcomes,
                    None => std::thread::yield_now(),
                }
            }
        }),
        ("wait_next, then next, then wait", |mut ticket| {
            let mut outcomes: Vec<JobResult> = ticket.wait_next().into_iter().collect();
            outcomes.extend(block_on(ticket.next()));
            outcomes.extend(ticket.wait());
            outcomes
        }),
    ];
    let jobs = uneven(device);
    for ((way, take), batch) in ways.into_iter().flat_map(|way| BATCHES.map(|batch| (way, batch))) {
        let router = alone(device);
        let outcomes = take(router.submit(batch(jobs.iter().map(|(job, _)| job.clone()).collect())));
        ensure!(outcomes.len() == jobs.len(), "{way}: {} outcomes for {} jobs", outcomes.len(), jobs.len());
        for (index, (outcome, (_, plain))) in outcomes.into_iter().zip(&jobs).enumerate() {
            let Some(done) = done_or_refused(outcome, &(way, index))? else { continue };
            ensure!(done.output == *plain, "{way}: outcome {index} is not job {index}'s");
        }
        balanced(&router)?;
    }
    Ok(())
}

async fn drain(ticket: &mut Ticket) -> Vec<JobResult> {
    let mut outcomes = Vec::new();
    while let Some(outcome) = ticket.next().await {
        outcomes.push(outcome);
    }
    outcomes
}

/// An input that tells when it is freed.
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

/// Jobs of which only a few are in flight at once, and how many of their inputs there are.
fn tracked(
    device: &Arc<dyn Device>,
    of: fn(Batch) -> Batch,
) -> Option<(Arc<Router>, Ticket, Arc<AtomicUsize>)> {
    let taken = |format| Some((format, shape(device, format, LEN)?));
    let (format, shape) = formats(device).into_iter().find_map(taken)?;
    let model = unpack_job(format, &shape.bytes(LEN));
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
    let outcomes = ticket.wait();
    ensure!(outcomes.len() == JOBS, "{} outcomes for {JOBS} jobs", outcomes.len());
    let mut ran = 0;
    for outcome in outcomes {
        match outcome {
            Err(JobError::Cancelled) => {}
            other => {
                ran += 1;
                if let Some(done) = done_or_refused(other, &"a job that ran")? {
                    ensure!(done.output.len() == LEN, "a job that ran has {} bytes", done.output.len());
                }
            }
        }
    }
    let row = router.counters().total(device.name());
    ensure!(row.done + row.failed == ran, "{ran} outcomes say that their job ran: {row:?}");
    settle(&router)?;
    ensure!(live.load(SeqCst) == 0, "{} inputs are never freed", live.load(SeqCst));
    balanced(&router)
}

fn dropped(device: &Arc<dyn Device>) -> Verdict {
    BATCHES.into_iter().try_for_each(|batch| drop_one(device, batch))
}

/// A holder that has not come to wait yet must not stop others, though what its batch has in flight leaves no room for theirs.
fn unattended(device: &Arc<dyn Device>) -> Verdict {
    let Some((router, mut first, _)) = tracked(device, Batch::caller_runs) else { return Ok(()) };
    let format = formats(device)[0];
    let plain = Shape::Text.bytes(LEN);
    for batch in BATCHES {
        for outcome in router.submit(batch(Batch::from(unpack_job(format, &plain)))).wait() {
            if let Some(done) = done_or_refused(outcome, &format)? {
                ensure!(*done.output == plain, "wrong bytes behind a batch that nobody waits for");
            }
        }
    }
    let outcomes: Vec<_> = std::iter::from_fn(|| first.wait_next()).collect();
    ensure!(outcomes.len() == JOBS, "{} outcomes for {JOBS} jobs", outcomes.len());
    for outcome in outcomes {
        done_or_refused(outcome, &"a job of the first batch")?;
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
    let plain = Shape::Text.bytes(LEN);
    for outcome in router.submit(unpack_job(format, &plain)).wait() {
        if let Some(done) = done_or_refused(outcome, &format)? {
            ensure!(*done.output == plain, "wrong bytes after a cancelled batch");
        }
    }
    Ok(())
}
