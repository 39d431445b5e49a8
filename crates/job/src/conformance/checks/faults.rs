//! Injected faults with the reference as fallback: results stay correct, and the counters have the
//! reasons.

use std::sync::Arc;
use std::time::Duration;

use super::super::corpus::{Shape, decompress_job, formats, shape};
use super::super::{Check, Fault, Faulty, Reference, Verdict, ensure};
use super::{balanced, done};
use crate::device::Device;
use crate::job::batch::Batch;
use crate::job::borrowed::BorrowedJob;
use crate::job::{Job, Operation};
use crate::router::Router;

pub(super) const CHECKS: &[Check] = &[
    Check {
        name: "whatever goes wrong with a device, its jobs are done elsewhere and counted",
        run: every_fault,
    },
    Check { name: "the same for borrowed jobs", run: borrowed },
    Check { name: "jobs that it does not support by size go elsewhere and are counted", run: by_size },
    Check { name: "a slow device is waited for", run: slow },
];

const EVERY: usize = 7;
const JOBS: usize = 100;
const LEN: usize = 20_000;

/// Faults and the reasons that are counted for them.
const FAULTS: [(Fault, &str); 9] = [
    (Fault::Fails, "device fault"),
    (Fault::Loses, "device lost"),
    (Fault::LosesStarted, "device lost"),
    (Fault::UnsupportedLate, "injected refusal"),
    (Fault::BlamesData, "bad data"),
    (Fault::Panics, "panic"),
    (Fault::ReturnsFewer, "bad data"),
    (Fault::ReturnsMore, "device fault"),
    (Fault::SpoilsPrefix, "device fault"),
];

fn with_reference(faulty: &Arc<Faulty>) -> Arc<Router> {
    Router::builder().device(Arc::clone(faulty) as Arc<dyn Device>).device(Arc::new(Reference)).build()
}

/// Returns jobs that this device supports and completes.
fn jobs(device: &Arc<dyn Device>) -> Vec<(Job, Vec<u8>)> {
    let supported = |format| Some((format, shape(device, format, LEN)?));
    let Some((format, shape)) = formats(device).into_iter().find_map(supported) else { return Vec::new() };
    let uncompressed = shape.bytes(LEN);
    (0..JOBS)
        .map(|_| (decompress_job(format, &uncompressed).with_prefix(&b"levels"[..]), uncompressed.clone()))
        .collect()
}

fn compare(router: &Arc<Router>, jobs: &[(Job, Vec<u8>)]) -> Verdict {
    let results = router.submit(jobs.iter().map(|(job, _)| job.clone()).collect::<Batch>()).wait();
    for (index, (result, (job, uncompressed))) in results.into_iter().zip(jobs).enumerate() {
        let done = done(result, &(index, job.operation))?;
        let right = done.output.starts_with(&job.prefix) && done.output[job.prefix.len()..] == **uncompressed;
        ensure!(right, "job {index}: wrong bytes from {}", done.device);
    }
    balanced(router)
}

fn every_fault(device: &Arc<dyn Device>) -> Verdict {
    let jobs = jobs(device);
    for (fault, reason) in FAULTS {
        let faulty = Faulty::new(Arc::clone(device), fault, EVERY);
        let router = with_reference(&faulty);
        compare(&router, &jobs).map_err(|found| format!("{fault:?}: {found}"))?;
        let row = router.counters().total(faulty.name());
        let expected = (jobs.len() / EVERY) as u64;
        let counted = row.fell_back.get(reason).copied().unwrap_or(0);
        ensure!(
            counted == expected,
            "{fault:?}: {counted} counted as {reason:?}, {expected} injected: {row:?}"
        );
        let elsewhere = router.counters().total(Reference.name()).done;
        ensure!(elsewhere == row.fell_back_total(), "{fault:?}: {elsewhere} done elsewhere: {row:?}");
        ensure!(row.done + elsewhere == jobs.len() as u64, "{fault:?}: jobs are missing: {row:?}");
    }
    let faulty = Faulty::new(Arc::clone(device), Fault::PanicsInSubmit, 1);
    let router = with_reference(&faulty);
    compare(&router, &jobs).map_err(|found| format!("a panic in submit: {found}"))?;
    let row = router.counters().total(faulty.name());
    ensure!(row.fell_back_total() == jobs.len() as u64, "a panic in submit: {row:?}");
    Ok(())
}

fn borrowed(device: &Arc<dyn Device>) -> Verdict {
    let jobs = jobs(device);
    for fault in [
        Fault::Fails,
        Fault::Loses,
        Fault::UnsupportedLate,
        Fault::BlamesData,
        Fault::ReturnsMore,
        Fault::Panics,
    ] {
        let faulty = Faulty::new(Arc::clone(device), fault, EVERY);
        let router = with_reference(&faulty);
        for (job, uncompressed) in &jobs {
            let Operation::Decompress { format } = job.operation else { continue };
            let mut output = vec![0; LEN];
            router
                .run_one(&mut BorrowedJob::decompress(format, &job.input, &mut output).exact())
                .map_err(|error| format!("{fault:?}: {error}"))?;
            ensure!(output == *uncompressed, "{fault:?}: wrong bytes");
        }
        let row = router.counters().total(faulty.name());
        let expected = (jobs.len() / EVERY) as u64;
        ensure!(row.fell_back_total() == expected, "{fault:?}: {expected} injected: {row:?}");
        balanced(&router)?;
    }
    Ok(())
}

fn by_size(device: &Arc<dyn Device>) -> Verdict {
    let Some(&format) = formats(device).first() else { return Ok(()) };
    let small = Shape::Random.bytes(1000);
    let large = Shape::Random.bytes(LEN);
    let jobs: Vec<_> = (0..JOBS).map(|i| if i % 2 == 0 { &small } else { &large }).collect();
    let jobs: Vec<_> = jobs
        .into_iter()
        .map(|uncompressed| (decompress_job(format, uncompressed), uncompressed.clone()))
        .collect();
    let faulty = Faulty::new(Arc::clone(device), Fault::UnsupportedOver(LEN / 2), 1);
    let router = with_reference(&faulty);
    compare(&router, &jobs)?;
    let row = router.counters().total(faulty.name());
    let refused = row.refused.get("input over the limit").copied();
    ensure!(refused == Some(JOBS as u64 / 2), "half of {JOBS} jobs are too large: {row:?}");
    ensure!(row.tried == JOBS as u64 / 2, "half of {JOBS} jobs are small enough: {row:?}");
    Ok(())
}

fn slow(device: &Arc<dyn Device>) -> Verdict {
    let faulty = Faulty::new(Arc::clone(device), Fault::IsSlow(Duration::from_millis(20)), 1);
    let router = with_reference(&faulty);
    let jobs = jobs(device);
    compare(&router, &jobs)?;
    let row = router.counters().total(faulty.name());
    ensure!(row.done == jobs.len() as u64, "a slow device's jobs were given to another: {row:?}");
    Ok(())
}
