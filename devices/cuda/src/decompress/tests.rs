//! Code that otherwise only a machine with nvCOMP would run.

use bytes::Bytes;

use super::batch::Batch;
use super::{Format, PageOutcome, PageTask, Statuses};
use crate::{Decompressor, Gpu, HostOptions, bytes_of_slice};

/// Results of pages that nvCOMP decoded, wrote too few bytes of, claims too many of, and rejected.
#[test]
fn what_nvcomp_says_becomes_our_results() {
    let gpu = Gpu::host(HostOptions::default()).unwrap();
    let stream = gpu.stream("test").unwrap();
    let decompressor = Decompressor::new(&gpu).unwrap();
    let page =
        |target_len| PageTask { format: Format::Snappy, source: 0, source_len: 5, target: 0, target_len };
    // In the table the longest come first, so this is its order, too.
    let batch = Batch::stage(&gpu, &stream, &[40, 30, 20, 10].map(page)).unwrap();
    let theirs = gpu.allocate(48).unwrap();
    let upload = |at, bytes: &[u8]| stream.upload(&theirs, at, Bytes::copy_from_slice(bytes)).unwrap();
    upload(0, bytes_of_slice(&[40u64, 29, 21, 10]));
    upload(32, bytes_of_slice(&[0i32, 0, 0, 12]));
    decompressor.adopt(&batch, 0..4, theirs.address(), theirs.address() + 32).unwrap();
    let statuses = Statuses::new(batch.buffer.clone(), batch.results, 4);
    let outcome = |(code, produced)| PageOutcome { code, produced, consumed: 5 };
    let expected = [(0, 40), (7, 29), (10, 0), (10, 0)].map(outcome);
    assert_eq!(statuses.outcomes(&stream).unwrap(), expected);
    assert_eq!(statuses.check(&stream).unwrap().unwrap_err().index, 1);
}
