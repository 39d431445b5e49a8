//! Dictionary codes that are looked up in a set as they come out of their block.

use std::sync::Arc;

use pelton_codec::Format;

use super::super::corpus::codes;
use super::super::{Check, Verdict, ensure};
use super::{alone, balanced, done_or_refused};
use crate::device::Device;
use crate::job::{Job, MembershipTest};

pub(super) const CHECKS: &[Check] = &[
    Check { name: "it finds the codes that are in a set, of every width and format", run: found },
    Check { name: "codes that are damaged, too few or of a wrong size are an error", run: damaged },
];

/// None, one, the edges of a group of eight and of a byte of output, and a page's worth.
const COUNTS: [usize; 7] = [0, 1, 7, 8, 9, 1000, 60_000];

fn found(device: &Arc<dyn Device>) -> Verdict {
    for format in Format::ALL {
        let router = alone(device);
        for width in [0, 1, 2, 3, 7, 8, 9, 12, 15, 16] {
            let samples: Vec<_> = COUNTS.iter().map(|&count| codes(format, width, count)).collect();
            let jobs: Vec<Job> = samples.iter().map(|sample| sample.job.clone()).collect();
            for (outcome, sample) in router.submit(jobs).wait().into_iter().zip(samples) {
                let what = (format, width, sample.bits.len());
                let Some(done) = done_or_refused(outcome, &what)? else { continue };
                ensure!(*done.output == sample.bits, "{what:?}: wrong bits");
                ensure!(&*done.device == device.name(), "{what:?}: done by {}", done.device);
            }
        }
        balanced(&router)?;
    }
    Ok(())
}

fn damaged(device: &Arc<dyn Device>) -> Verdict {
    for format in Format::ALL {
        let Job { input, membership: Some(codes), .. } = codes(format, 5, 1000).job else { continue };
        let wrong = [
            ("more values than there are", MembershipTest { count: 100_000, ..codes.clone() }),
            (
                "a larger block",
                MembershipTest { uncompressed_len: codes.uncompressed_len + 1, ..codes.clone() },
            ),
            (
                "a smaller block",
                MembershipTest { uncompressed_len: codes.uncompressed_len - 1, ..codes.clone() },
            ),
        ];
        for (what, codes) in wrong {
            let job = Job::test_membership(format, input.clone(), codes);
            for outcome in alone(device).submit(job).wait() {
                ensure!(outcome.is_err(), "{format}: {what} is no error");
            }
        }
    }
    Ok(())
}
