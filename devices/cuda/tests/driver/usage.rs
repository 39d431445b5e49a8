//! Order of work, lifetime of memory, errors.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

use bytes::Bytes;
use pelton_device_cuda::{CudaOptions, Error, Gpu, SpanKind, StagingPool, StagingStats, bytes_of};

use crate::fake::{self, assert_balanced, count, kernel, label};

fn gpu() -> Gpu {
    Gpu::cuda(CudaOptions::default()).unwrap()
}

/// Host memory that is overwritten when it is dropped, and sets a flag.
struct Watched {
    bytes: Vec<u8>,
    gone: Arc<AtomicBool>,
}

impl AsRef<[u8]> for Watched {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.bytes.fill(0xEE);
        self.gone.store(true, SeqCst);
    }
}

fn watched(bytes: &[u8]) -> (Bytes, Arc<AtomicBool>) {
    let gone = Arc::new(AtomicBool::new(false));
    (Bytes::from_owner(Watched { bytes: bytes.to_vec(), gone: gone.clone() }), gone)
}

fn copies_and_launches() {
    let gpu = gpu();
    let properties = gpu.properties();
    assert_eq!((properties.name.as_str(), properties.architecture), ("Fake GPU", (9, 0)));
    assert_eq!((properties.multiprocessors, properties.memory, properties.is_host), (132, 1 << 20, false));
    let add_one = kernel(&gpu, "add_one");
    let (copy, compute) = (gpu.stream("copy").unwrap(), gpu.stream("compute").unwrap());
    let (a, b) = (gpu.allocate(100).unwrap(), gpu.allocate(50).unwrap());
    assert_eq!(gpu.memory_used(), 150);

    copy.fill(&a, 0..100, 1).unwrap();
    copy.fill(&b, 0..50, 9).unwrap();
    let (data, gone) = watched(b"abc");
    let mut pinned = gpu.pinned(3).unwrap();
    assert_eq!(*pinned, [0; 3]);
    pinned.copy_from_slice(b"xyz");
    let empty = Bytes::new();
    copy.upload_batch(vec![(&a, 10, data), (&b, 47, Bytes::from_owner(pinned)), (&b, 0, empty)]).unwrap();
    assert!(!gone.load(SeqCst), "the copy was not done yet");
    let event = copy.record().unwrap();
    compute.wait(&event).unwrap();
    let params = [a.address(), 20];
    // SAFETY: twenty bytes of `a`.
    unsafe { compute.launch(&add_one, 1, 32, bytes_of(&params), label("add one")) }.unwrap();
    compute.copy(&a, 20, &b, 46, 4).unwrap();
    let mut expected = vec![1; 100];
    expected[..20].fill(2);
    expected[10..13].copy_from_slice(b"bcd");
    expected[20..24].copy_from_slice(b"\x09xyz");
    assert_eq!(compute.download(&a, 0..100).unwrap(), expected);
    assert_eq!(compute.download(&a, 100..100).unwrap(), b"");
    copy.synchronize().unwrap();
    assert!(gone.load(SeqCst), "it was done");

    // SAFETY: it is refused.
    let short = unsafe { compute.launch(&add_one, 1, 32, bytes_of(&a.address()), label("")) };
    assert!(
        matches!(short, Err(Error::BadCall { .. })),
        "the driver says how long parameters are: {short:?}"
    );
    drop((a, b));
    assert_eq!(gpu.memory_used(), 0);
}

#[test]
fn work_is_in_order_and_keeps_what_it_reads() {
    let Some(calls) = fake::calls("usage::work_is_in_order_and_keeps_what_it_reads", &[], &[]) else {
        return copies_and_launches();
    };
    assert_balanced(&calls);
    assert_eq!(count(&calls, "cuMemcpyHtoDAsync_v2"), 2);
}

/// Memory that a copy reads is not handed out again before the copy is done.
#[test]
fn staging_memory_is_kept_for_copies_and_used_again() {
    const PIECE: usize = 64 << 10;
    let test = "usage::staging_memory_is_kept_for_copies_and_used_again";
    let Some(calls) = fake::calls(test, &[], &[]) else {
        let gpu = gpu();
        let pool = StagingPool::new(&gpu, 2 * PIECE);
        let stream = gpu.stream("copy").unwrap();
        let buffer = gpu.allocate(PIECE).unwrap();
        for round in 0..3u8 {
            for value in [round, round + 100] {
                let mut memory = pool.take(PIECE).unwrap();
                memory.as_mut().fill(value);
                stream.upload(&buffer, 0, Bytes::from_owner(memory)).unwrap();
            }
            assert!(pool.take(PIECE).is_none(), "both are being copied");
            stream.synchronize().unwrap();
            assert!(stream.download(&buffer, 0..PIECE).unwrap().iter().all(|&byte| byte == round + 100));
        }
        assert_eq!(pool.stats(), StagingStats { taken: 6, refused: 3 });
        return;
    };
    assert_balanced(&calls);
    assert_eq!(count(&calls, "cuMemHostAlloc"), 2);
}

#[test]
fn memory_is_freed_after_the_work_of_every_stream() {
    let Some(calls) = fake::calls("usage::memory_is_freed_after_the_work_of_every_stream", &[], &[]) else {
        let gpu = gpu();
        let streams = ["a", "b", "c"].map(|name| gpu.stream(name).unwrap());
        let add_one = kernel(&gpu, "add_one");
        let kept = gpu.allocate(1 << 10).unwrap();
        // Each is dropped while work on it is queued. That work touches it if it is freed too
        // early, and the driver ends the process.
        for round in 0..20 {
            let buffer = Arc::new(gpu.allocate(1 << 10).unwrap());
            streams[0].fill(&buffer, 0..1 << 10, round).unwrap();
            streams[1].wait(&streams[0].record().unwrap()).unwrap();
            let params = [buffer.address(), 1 << 10];
            // SAFETY: the buffer's bytes.
            unsafe { streams[1].launch(&add_one, 1, 1, bytes_of(&params), label("")) }.unwrap();
            streams[2].wait(&streams[1].record().unwrap()).unwrap();
            streams[2].copy(&kept, 0, &buffer, 0, 1 << 10).unwrap();
            streams[1].keep(buffer.clone());
        }
        assert_eq!(streams[2].download(&kept, 0..1 << 10).unwrap(), [20; 1 << 10]);
        return;
    };
    assert_balanced(&calls);
    assert_eq!(count(&calls, "cuMemFreeAsync"), 21);
}

#[test]
fn memory_that_is_still_to_be_freed_is_waited_for() {
    let test = "usage::memory_that_is_still_to_be_freed_is_waited_for";
    let Some(calls) = fake::calls(test, &[], &[("FAKE_MEMORY", "1000")]) else {
        let gpu = Gpu::cuda(CudaOptions { memory_limit: Some(5000), ..CudaOptions::default() }).unwrap();
        let stream = gpu.stream("test").unwrap();
        for round in 0..5 {
            // the device has memory for one of them, and queued work uses the one before
            let buffer = gpu.allocate(800).unwrap();
            stream.fill(&buffer, 0..800, round).unwrap();
        }
        let full = gpu.allocate(1001).unwrap_err();
        assert_eq!(full, Error::OutOfMemory { asked: 1001, used: 0, limit: 5000 });
        let full = gpu.allocate(5001).unwrap_err();
        assert!(full.is_out_of_memory());
        assert_eq!(gpu.memory_used(), 0);
        return;
    };
    assert_eq!(count(&calls, "cuMemFreeAsync"), 5);
}

#[test]
fn the_limit_is_part_of_what_is_free() {
    if fake::calls("usage::the_limit_is_part_of_what_is_free", &[], &[("FAKE_MEMORY", "1000")]).is_none() {
        assert_eq!(gpu().memory_limit(), 900);
    }
}

#[test]
fn a_second_compilation_is_none() {
    if fake::calls("usage::a_second_compilation_is_none", &[], &[]).is_some() {
        return;
    }
    let text = "#include \"pelton/prelude.cuh\"\nstruct P { u64 a; };\nPELTON_KERNEL(add_one, P, p) {}";
    let source = pelton_device_cuda::Source { name: "twice.cu".into(), text: text.into(), headers: vec![] };
    let gpu = gpu();
    assert!(!gpu.compile(&source).unwrap().from_cache());
    let module = gpu.compile(&source).unwrap();
    assert!(module.from_cache());
    assert!(matches!(module.kernel("absent"), Err(Error::NoKernel { .. })));
}

#[test]
fn the_profile_has_the_devices_times() {
    if let Some(calls) = fake::calls("usage::the_profile_has_the_devices_times", &[], &[]) {
        assert_balanced(&calls);
        return;
    }
    let gpu = gpu();
    let stream = gpu.stream("copy").unwrap();
    let buffer = gpu.allocate(16).unwrap();
    let add_one = kernel(&gpu, "add_one");
    gpu.profiler().start();
    stream.upload(&buffer, 0, Bytes::from_static(b"0123456789abcdef")).unwrap();
    // SAFETY: the buffer's bytes.
    unsafe { stream.launch(&add_one, 1, 32, bytes_of(&[buffer.address(), 16]), label("add one")) }.unwrap();
    let spans = gpu.profiler().take();
    let seen: Vec<_> =
        spans.iter().map(|span| (span.stream.as_str(), span.kind, span.label.as_str(), span.bytes)).collect();
    assert_eq!(seen, [("copy", SpanKind::Copy, "upload", 16), ("copy", SpanKind::Kernel, "add one", 0)]);
    // each of the fake driver's operations takes a quarter of a millisecond
    assert!(spans.iter().all(|span| span.end - span.start >= Duration::from_micros(250)), "{spans:?}");
    assert!(spans[0].end <= spans[1].start);
    assert_eq!(stream.download(&buffer, 0..16).unwrap(), b"123456789:bcdefg");
}

#[test]
fn a_lost_device_is_an_error_everywhere_and_no_panic() {
    if fake::calls("usage::a_lost_device_is_an_error_everywhere_and_no_panic", &[], &[]).is_some() {
        return;
    }
    let gpu = gpu();
    let stream = gpu.stream("test").unwrap();
    let buffer = gpu.allocate(16).unwrap();
    let crash = kernel(&gpu, "crash");
    // SAFETY: the driver's own kernel, which touches nothing.
    unsafe { stream.launch(&crash, 1, 32, bytes_of(&[buffer.address(), 16]), label("")) }.unwrap();
    let (data, gone) = watched(b"abc");
    stream.upload(&buffer, 0, data).unwrap();
    let lost = stream.synchronize().unwrap_err();
    assert!(lost.is_device_lost() && lost.to_string().contains("restart"), "{lost}");
    for error in [
        stream.upload(&buffer, 0, Bytes::from_static(b"a")).unwrap_err(),
        stream.download(&buffer, 0..1).unwrap_err(),
        stream.fill(&buffer, 0..1, 0).unwrap_err(),
        stream.copy(&buffer, 0, &buffer, 8, 1).unwrap_err(),
        stream.record().map(drop).unwrap_err(),
        gpu.allocate(1).unwrap_err(),
        gpu.stream("other").unwrap_err(),
        gpu.pinned(1).map(drop).unwrap_err(),
    ] {
        assert!(error.is_device_lost(), "{error}");
    }
    gpu.profiler().start();
    assert!(gpu.profiler().take().is_empty());
    drop(buffer);
    drop(stream);
    assert!(gone.load(SeqCst), "host memory is let go");
    assert_eq!(gpu.memory_used(), 0);
}
