//! Blocking runs over borrowed memory.

use std::sync::Arc;

use pelton_codec::{Checksum, Format, checksum, compress_bound};

use super::super::corpus::{Shape, compress, formats};
use super::super::reference::compute;
use super::super::{Check, Verdict, ensure};
use super::{alone, balanced};
use crate::device::Device;
use crate::job::borrowed::BorrowedJob;
use crate::job::{Job, JobView, Operation, OutputSize};
use crate::queue::result::JobError;

pub(super) const CHECKS: &[Check] = &[
    Check { name: "borrowed jobs give the same results as owned ones", run: same },
    Check {
        name: "a borrowed output that is too small is an error, and so is one that should be full",
        run: too_small,
    },
    Check { name: "many threads can run borrowed jobs at once", run: threads },
];

const LEN: usize = 50_000;

fn same(device: &Arc<dyn Device>) -> Verdict {
    let uncompressed = Shape::Text.bytes(LEN);
    let router = alone(device);
    for format in Format::ALL {
        let level = format.default_level();
        let compressed = compress(format, level, &uncompressed);
        let mut back = vec![0; LEN + 1];
        let mut written = vec![0; compress_bound(format, LEN)];
        let mut jobs = [
            BorrowedJob::decompress(format, &compressed, &mut back),
            BorrowedJob::compress(format, level, &uncompressed, &mut written),
        ];
        let taken = [device.supports(&jobs[0].view()).is_ok(), device.supports(&jobs[1].view()).is_ok()];
        let mut results = router.run(&mut jobs).into_iter();
        let (Some(decompressed), Some(written_result), None) =
            (results.next(), results.next(), results.next())
        else {
            return Err("not one result for each job".into());
        };
        match decompressed {
            Ok(done) => {
                ensure!(done.produced == LEN && back[..LEN] == uncompressed, "{format}: wrong bytes");
                ensure!(done.consumed == compressed.len(), "{format}: consumed {}", done.consumed);
            }
            Err(JobError::Unsupported { .. }) => {}
            Err(error) => return Err(format!("{format}: {error}")),
        }
        match written_result {
            Ok(done) => {
                let mut back = vec![0; LEN];
                let compressed = &written[..done.produced];
                let view =
                    JobView::new(Operation::Decompress { format }, compressed, OutputSize::AtMost(LEN));
                compute(&view, &mut back)
                    .map_err(|failure| format!("{format}: what it wrote is no block: {failure:?}"))?;
                ensure!(back == uncompressed, "{format}: comes back different");
            }
            Err(JobError::Unsupported { .. }) => {}
            Err(error) => return Err(format!("{format}: {error}")),
        }
        let row = router.counters().row(device.name(), Operation::Decompress { format });
        ensure!(row.tried == u64::from(taken[0]), "{format}: counted {row:?}");
    }
    for kind in Checksum::ALL {
        match router.run_one(&mut BorrowedJob::checksum(kind, &uncompressed)) {
            Ok(done) => {
                ensure!(done.checksum == Some(checksum(kind, &uncompressed)), "{kind}: {:x?}", done.checksum)
            }
            Err(JobError::Unsupported { .. }) => {}
            Err(error) => return Err(format!("{kind}: {error}")),
        }
    }
    ensure!(router.run(&mut []).is_empty(), "no jobs, and a result");
    balanced(&router)
}

fn too_small(device: &Arc<dyn Device>) -> Verdict {
    let uncompressed = Shape::Text.bytes(LEN);
    let router = alone(device);
    for format in formats(device) {
        let compressed = compress(format, format.default_level(), &uncompressed);
        let mut output = vec![0; LEN + 1];
        let result =
            router.run_one(&mut BorrowedJob::decompress(format, &compressed, &mut output[..LEN - 1]));
        ensure!(result.is_err(), "{format}: {LEN} bytes fit in one fewer");
        match router.run_one(&mut BorrowedJob::decompress(format, &compressed, &mut output).exact()) {
            Err(JobError::WrongSize { expected, produced, .. }) => {
                ensure!((expected, produced) == (LEN + 1, LEN), "{format}: says {produced} of {expected}");
            }
            Err(JobError::Unsupported { .. } | JobError::Codec { .. }) => {}
            other => return Err(format!("{format}: {LEN} bytes for exactly one more: {other:?}")),
        }
        match router.run_one(&mut BorrowedJob::decompress(format, &compressed, &mut output[..LEN]).exact()) {
            Ok(_) => ensure!(output[..LEN] == uncompressed, "{format}: wrong bytes"),
            Err(JobError::Unsupported { .. }) => {}
            Err(error) => return Err(format!("{format}: {error}")),
        }
    }
    balanced(&router)
}

fn threads(device: &Arc<dyn Device>) -> Verdict {
    const THREADS: usize = 8;
    const ROUNDS: usize = 20;
    let uncompressed = Shape::Integers.bytes(LEN);
    let jobs: Vec<Job> =
        formats(device).into_iter().map(|f| super::super::corpus::decompress_job(f, &uncompressed)).collect();
    let router = alone(device);
    let work = || -> Verdict {
        for job in (0..ROUNDS).flat_map(|_| &jobs) {
            let Operation::Decompress { format } = job.operation else { continue };
            let mut output = vec![0; LEN];
            match router.run_one(&mut BorrowedJob::decompress(format, &job.input, &mut output)) {
                Ok(_) => ensure!(output == uncompressed, "{format}: wrong bytes"),
                Err(JobError::Unsupported { .. }) => {}
                Err(error) => return Err(format!("{format}: {error}")),
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().unwrap_or(Err("a caller's thread panicked".into())))
    })?;
    balanced(&router)
}
