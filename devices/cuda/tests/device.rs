//! The GPU as a device for jobs, on the host build or, with `PELTON_TEST_GPU=cuda`, a real one.

use std::sync::Arc;

use pelton_codec::{Encoder, Format, compress_bound};
use pelton_device_cpu::CpuDevice;
use pelton_device_cuda::{CudaDevice, Gpu, HostOptions, under_test};
use pelton_job::conformance::{self, Fault, Faulty};
use pelton_job::{Batch, Device, Job, Operation, OutputSize, Router};

fn gpu(memory_limit: Option<usize>) -> Gpu {
    under_test::gpu(HostOptions { memory_limit, threads: 2, ..HostOptions::default() })
}

#[test]
fn conformance() {
    conformance::run(CudaDevice::new(&gpu(None)).unwrap());
}

fn pack(format: Format, plain: &[u8]) -> Vec<u8> {
    let mut packed = vec![0; compress_bound(format, plain.len())];
    let done = Encoder::new().compress(format, format.default_level(), plain, &mut packed).unwrap();
    packed.truncate(done.produced);
    packed
}

const FORMATS: [Format; 6] =
    [Format::Lz4, Format::Snappy, Format::Gzip, Format::Zlib, Format::Deflate, Format::Zstd];

fn jobs(count: usize) -> (Vec<Job>, Vec<Vec<u8>>) {
    let plain: Vec<Vec<u8>> =
        (0..count).map(|i| (0..2000 + i).map(|at| ((at * at) >> (i % 9)) as u8).collect()).collect();
    let job = |(i, plain): (usize, &Vec<u8>)| {
        let format = FORMATS[i % FORMATS.len()];
        Job::decompress(format, pack(format, plain), OutputSize::Exact(plain.len()))
    };
    (plain.iter().enumerate().map(job).collect(), plain)
}

#[test]
fn a_batch_runs_on_the_gpu_and_nowhere_else() {
    let device = CudaDevice::new(&gpu(None)).unwrap();
    let router = Router::builder().device(device).build();
    let (jobs, plain) = jobs(60);
    for (outcome, plain) in router.submit(Batch::from(jobs)).wait().into_iter().zip(plain) {
        let done = outcome.unwrap();
        assert!(*done.output == plain && &*done.device == under_test::name());
    }
    for format in FORMATS {
        let row = router.counters().row(under_test::name(), Operation::Decompress { format });
        assert_eq!((row.done, row.fell_back_total()), (10, 0), "{format}");
    }
}

/// A batch that does not fit is split; a job that does not fit is unsupported, and goes to another
/// device.
#[test]
fn little_memory_is_enough_for_what_is_small() {
    let device = CudaDevice::new(&gpu(Some(40_000))).unwrap();
    let large = vec![7; 20_000];
    let job = Job::decompress(Format::Snappy, pack(Format::Snappy, &large), OutputSize::Exact(large.len()));
    let refusal = device.supports(&job.view()).unwrap_err();
    assert_eq!(refusal.reason(), "too large for the GPU's memory");
    let router = Router::builder().device(device).build();
    let (jobs, plain) = jobs(60);
    for (outcome, plain) in router.submit(Batch::from(jobs)).wait().into_iter().zip(plain) {
        assert!(*outcome.unwrap().output == plain);
    }
    assert_eq!(router.counters().total(under_test::name()).done, 60);
}

/// Other buffers of the GPU take the memory that batches counted on.
#[test]
fn a_gpu_without_memory_leaves_its_jobs_to_the_cpu() {
    let gpu = gpu(Some(1 << 20));
    let device = CudaDevice::new(&gpu).unwrap();
    let router = Router::builder().device(device).device(CpuDevice::builder().threads(1).build()).build();
    let taken = gpu.allocate((1 << 20) - 1000).unwrap();
    let (jobs, plain) = jobs(12);
    for (outcome, plain) in router.submit(Batch::from(jobs)).wait().into_iter().zip(plain) {
        assert!(*outcome.unwrap().output == plain);
    }
    drop(taken);
    let total = router.counters().total("cpu").done + router.counters().total(under_test::name()).done;
    assert_eq!(total, 12);
}

#[test]
fn a_gpu_that_fails_falls_back() {
    let device: Arc<dyn Device> = CudaDevice::new(&gpu(None)).unwrap();
    for fault in [Fault::Fails, Fault::Loses, Fault::LosesStarted] {
        let faulty = Faulty::new(Arc::clone(&device), fault, 5);
        let reference = Arc::new(conformance::Reference);
        let router =
            Router::builder().device(Arc::clone(&faulty) as Arc<dyn Device>).device(reference).build();
        let (jobs, plain) = jobs(30);
        for (outcome, plain) in router.submit(Batch::from(jobs)).wait().into_iter().zip(plain) {
            assert!(*outcome.unwrap().output == plain, "{fault:?}");
        }
        assert_eq!(router.counters().total(faulty.name()).fell_back_total(), 6, "{fault:?}");
    }
}
