//! Membership tests on dictionary indices.

use std::sync::Arc;

use pelton_codec::Format;

use super::super::corpus::membership_test;
use super::super::{Check, Verdict, ensure};
use super::{alone, balanced, done_or_unsupported};
use crate::device::Device;
use crate::job::{Job, MembershipTest};

pub(super) const CHECKS: &[Check] = &[
    Check { name: "its membership tests are right for every width and format", run: found },
    Check { name: "indices that are damaged, too few or of a wrong size are an error", run: damaged },
];

/// Counts at the edges of a packed group and of an output byte, and a page's worth.
const COUNTS: [usize; 7] = [0, 1, 7, 8, 9, 1000, 60_000];

fn found(device: &Arc<dyn Device>) -> Verdict {
    for format in Format::ALL {
        let router = alone(device);
        for width in [0, 1, 2, 3, 7, 8, 9, 12, 15, 16] {
            let samples: Vec<_> = COUNTS.iter().map(|&count| membership_test(format, width, count)).collect();
            let jobs: Vec<Job> = samples.iter().map(|sample| sample.job.clone()).collect();
            for (result, sample) in router.submit(jobs).wait().into_iter().zip(samples) {
                let what = (format, width, sample.bits.len());
                let Some(done) = done_or_unsupported(result, &what)? else { continue };
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
        let Job { input, membership: Some(test), .. } = membership_test(format, 5, 1000).job else {
            continue;
        };
        let wrong = [
            ("more values than there are", MembershipTest { count: 100_000, ..test.clone() }),
            (
                "a larger block",
                MembershipTest { uncompressed_len: test.uncompressed_len + 1, ..test.clone() },
            ),
            (
                "a smaller block",
                MembershipTest { uncompressed_len: test.uncompressed_len - 1, ..test.clone() },
            ),
        ];
        for (what, test) in wrong {
            let job = Job::test_membership(format, input.clone(), test);
            for result in alone(device).submit(job).wait() {
                ensure!(result.is_err(), "{format}: {what} is no error");
            }
        }
    }
    Ok(())
}
