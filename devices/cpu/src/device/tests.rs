use pelton_codec::Checksum;
use pelton_job::{BorrowedJob, Router};

use super::*;

#[test]
fn no_number_of_threads_is_one_for_each_core() {
    let cores = available_parallelism().map_or(1, NonZero::get);
    assert_eq!(CpuDevice::builder().build().worker_count(), cores);
    assert_eq!(CpuDevice::builder().threads(0).build().worker_count(), cores);
    assert_eq!(CpuDevice::builder().threads(3).build().worker_count(), 3);
}

#[test]
fn the_description_says_how_many() {
    let description = |threads| CpuDevice::builder().threads(threads).build().description();
    assert!(description(1).starts_with("1 thread, "), "{}", description(1));
    assert!(description(5).starts_with("5 threads, "), "{}", description(5));
}

#[test]
fn borrowed_jobs_start_no_threads() {
    let device = CpuDevice::builder().threads(2).build();
    let router = Router::builder().device(device.clone()).build();
    let done = router.run_one(&mut BorrowedJob::checksum(Checksum::Crc32, b"123456789")).unwrap();
    assert_eq!(done.checksum, Some(0xcbf4_3926));
    assert_eq!(device.pool.started(), 0);
}
