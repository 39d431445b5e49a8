use super::*;

#[test]
fn a_scan_is_over_when_threads_and_device_are() {
    let scan = Scan {
        wall: Duration::from_secs(10),
        decompression: Duration::from_secs(8),
        bytes: 4_000_000_000,
        threads: 2,
    };
    let device = |all| Batch { speeds: Speeds { setup: 0.0, job: 0.0, one: all, all }, block: 1e6 };
    assert_eq!(scan_with(&scan, &device(4e9)), Duration::from_secs(6));
    assert_eq!(scan_with(&scan, &device(0.5e9)), Duration::from_secs(8));
}

fn batch(micros: u32, one: f64, lanes: f64) -> Batch {
    let speeds = Speeds { setup: f64::from(micros) * 1e-6, job: 0.0, one, all: one * lanes };
    Batch { speeds, block: 10_000.0 }
}

fn near(found: Option<f64>, expected: f64) -> bool {
    found.is_some_and(|found| (found / expected - 1.0).abs() < 0.02)
}

#[test]
fn it_is_overtaken_where_both_take_as_long() {
    let cpu = batch(0, 1e9, 1.0);
    // Setup and transfer of the faster device equal the transfer of the slower one; in one lane the
    // number of blocks does not matter.
    assert!(near(batch(10, 4e9, 1.0).overtakes(&cpu), 13_333.0));
    // A slow lane needs 10 + 20 µs for a block, while the CPU does three of them.
    assert!(near(batch(10, 0.5e9, 8.0).overtakes(&cpu), 30_000.0));
    assert_eq!(batch(10, 1e9, 1.0).overtakes(&cpu), None);
    assert_eq!(batch(10, 0.5e9, 1.0).overtakes(&cpu), None);
    assert_eq!(batch(0, 2e9, 1.0).overtakes(&cpu), Some(0.0));
}

#[test]
fn setup_counts_once_and_a_job_s_time_for_each_block() {
    let speeds = Speeds { setup: 2e-6, job: 1e-6, one: 1e9, all: 1e9 };
    let batch = Batch { speeds, block: 4000.0 };
    let micros = |bytes| (batch.seconds(bytes) * 1e9).round() / 1e3;
    assert_eq!([1000.0, 4000.0, 8000.0].map(micros), [4.0, 7.0, 12.0]);
    // At half of the peak, a job takes twice its setup.
    assert_eq!(batch.half_peak().map(f64::round), Some(3000.0));
    assert_eq!(micros(3000.0), 6.0);
    assert_eq!((batch.throughput() / 1e6).round(), 800.0);
    let cpu = Batch { speeds: Speeds { setup: 0.0, job: 0.0, ..speeds }, ..batch };
    assert_eq!(cpu.half_peak(), None);
}
