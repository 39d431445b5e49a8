//! Checks and counters of buffers, streams and modules.

use bytes::Bytes;
use pelton_device_cuda::{Error, Gpu, HostOptions, Source, SpanKind, StagingPool, StagingStats};

use crate::support::{gpu, kernel, label, launch};

#[test]
fn copies_reach_what_they_name_and_nothing_else() {
    let gpu = gpu();
    let stream = gpu.stream("test").unwrap();
    let (a, b) = (gpu.allocate(100).unwrap(), gpu.allocate(50).unwrap());
    assert!(a.address().is_multiple_of(256) && b.address().is_multiple_of(256));
    stream.fill(&a, 0..100, 1).unwrap();
    stream.fill(&b, 0..50, 2).unwrap();
    stream
        .upload_batch(vec![(&a, 10, Bytes::from_static(b"abc")), (&b, 47, Bytes::from_static(b"xyz"))])
        .unwrap();
    stream.copy(&a, 20, &b, 46, 4).unwrap();
    stream.copy(&a, 13, &a, 10, 3).unwrap();
    assert!(matches!(stream.copy(&a, 12, &a, 10, 3), Err(Error::BadCall { .. })), "it overlaps");
    let mut expected = vec![1; 100];
    expected[10..16].copy_from_slice(b"abcabc");
    expected[20..24].copy_from_slice(b"\x02xyz");
    assert_eq!(stream.download(&a, 0..100).unwrap(), expected);
    assert_eq!(stream.download(&a, 21..23).unwrap(), b"xy");
    assert_eq!(stream.download(&a, 100..100).unwrap(), b"");
}

#[test]
fn what_is_outside_is_refused_before_anything_is_copied() {
    let gpu = gpu();
    let stream = gpu.stream("test").unwrap();
    let a = gpu.allocate(10).unwrap();
    stream.fill(&a, 0..10, 0).unwrap();
    let batch = vec![(&a, 0, Bytes::from_static(b"abc")), (&a, 9, Bytes::from_static(b"xy"))];
    for refused in [
        stream.upload_batch(batch),
        stream.upload(&a, usize::MAX, Bytes::from_static(b"a")),
        stream.copy(&a, 5, &a, 0, 6),
        stream.copy(&a, 0, &a, usize::MAX, 2),
        stream.fill(&a, 0..11, 1),
        stream.download(&a, 10..11).map(drop),
    ] {
        assert!(matches!(refused, Err(Error::OutOfBounds { len: 10, .. })), "{refused:?}");
    }
    assert_eq!(stream.download(&a, 0..10).unwrap(), [0; 10]);
}

#[test]
fn another_gpus_things_are_refused() {
    let (gpu, other) = (gpu(), gpu());
    let stream = gpu.stream("test").unwrap();
    let buffer = other.allocate(1).unwrap();
    let bad_call = |result| assert!(matches!(result, Err(Error::BadCall { .. })), "{result:?}");
    bad_call(stream.fill(&buffer, 0..1, 0));
    bad_call(stream.wait(&other.stream("other").unwrap().record().unwrap()));
    let k = kernel(&other, "");
    // SAFETY: nothing runs.
    #[allow(unsafe_code)]
    bad_call(unsafe { stream.launch(&k, 1, 1, &[0; 24], label()) });
    let k = kernel(&gpu, "");
    for threads in [0, 257] {
        // SAFETY: nothing runs.
        #[allow(unsafe_code)]
        bad_call(unsafe { stream.launch(&k, 1, threads, &[0; 24], label()) });
    }
    assert!(launch::<u32>(&gpu, &k, (0, 1), 1, 0).is_ok(), "no blocks are nothing to do");
}

#[test]
fn memory_is_counted_and_limited() {
    let gpu = Gpu::host(HostOptions { memory_limit: Some(1000), ..HostOptions::default() }).unwrap();
    assert_eq!((gpu.memory_used(), gpu.memory_limit()), (0, 1000));
    let a = gpu.allocate(600).unwrap();
    let refused = gpu.allocate(401).unwrap_err();
    assert_eq!(refused, Error::OutOfMemory { asked: 401, used: 600, limit: 1000 });
    assert!(refused.is_out_of_memory());
    let b = gpu.allocate(400).unwrap();
    let none = gpu.allocate(0).unwrap();
    assert!(none.is_empty() && gpu.memory_used() == 1000);
    drop((a, b));
    assert_eq!(gpu.memory_used(), 0);
    // a size beyond any machine's memory is no panic
    let gpu = Gpu::host(HostOptions { memory_limit: Some(usize::MAX), ..HostOptions::default() }).unwrap();
    assert!(gpu.allocate(usize::MAX / 2 + 1).unwrap_err().is_out_of_memory());
    assert_eq!(gpu.memory_used(), 0);
}

#[test]
fn a_second_compilation_is_none() {
    // with a cache of its own, which the environment names, in a process of its own
    if std::env::var_os("OWN_CACHE").is_none() {
        let folder = tempfile::tempdir().unwrap();
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["api::a_second_compilation_is_none", "--exact", "--nocapture"])
            .env("OWN_CACHE", "1")
            .env("PELTON_KERNEL_CACHE", folder.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        assert_eq!(
            std::fs::read_dir(folder.path()).unwrap().count(),
            1,
            "one module was kept, and nothing else"
        );
        return;
    }
    let gpu = gpu();
    let text = "#include \"pelton/prelude.cuh\"\n#include \"mine.cuh\"\nPELTON_KERNEL(k, P, p) {}";
    let source = Source {
        name: "twice.cu".into(),
        text: text.into(),
        headers: vec![("mine.cuh", "struct P { u64 a; };")],
    };
    assert!(!gpu.compile(&source).unwrap().from_cache());
    let again = gpu.compile(&source).unwrap();
    assert!(again.from_cache());
    again.kernel("k").unwrap();
    let missing = again.kernel("absent").unwrap_err();
    assert_eq!(missing, Error::NoKernel { module: "twice.cu".into(), kernel: "absent".into() });
    drop(again);
    // A damaged module is built again.
    let folder = std::env::var_os("PELTON_KERNEL_CACHE").unwrap();
    let kept = std::fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    std::fs::write(&kept, &std::fs::read(&kept).unwrap()[..5000]).unwrap();
    let rebuilt = gpu.compile(&source).unwrap();
    assert!(!rebuilt.from_cache());
    rebuilt.kernel("k").unwrap();
}

#[test]
fn a_source_that_does_not_compile() {
    let text = "#include \"pelton/prelude.cuh\"\nPELTON_KERNEL(k, Absent, p) {}";
    let source = Source { name: "wrong.cu".into(), text: text.into(), headers: vec![] };
    let Err(Error::Compile { compiler, name, log }) = gpu().compile(&source) else { panic!("it compiles") };
    assert_eq!((compiler, name.as_str()), ("g++", "wrong.cu"));
    assert!(log.contains("wrong.cu:2"), "{log}");
}

#[test]
fn the_profile_has_what_ran() {
    let gpu = gpu();
    let k = kernel(&gpu, "((u32*)p.out)[0] = 1;");
    launch::<u32>(&gpu, &k, (1, 1), 4, 0).unwrap();
    assert!(gpu.profiler().take().is_empty(), "it was not on");
    gpu.profiler().start();
    launch::<u32>(&gpu, &k, (1, 1), 4, 0).unwrap();
    let spans = gpu.profiler().take();
    let seen: Vec<_> = spans.iter().map(|span| (span.kind, span.label.as_str(), span.bytes)).collect();
    let copy = SpanKind::Copy;
    assert_eq!(
        seen,
        [(copy, "fill", 16), (copy, "upload", 0), (SpanKind::Kernel, "k", 0), (copy, "download", 16)]
    );
    assert!(spans.iter().all(|span| span.stream == "test" && span.start <= span.end));
    assert!(spans.windows(2).all(|pair| pair[0].end <= pair[1].start));
    assert!(gpu.profiler().take().is_empty(), "it was taken");
}

#[test]
fn pinned_memory_is_memory() {
    let gpu = gpu();
    let mut pinned = gpu.pinned(5).unwrap();
    assert_eq!(*pinned, [0; 5]);
    pinned.copy_from_slice(b"hello");
    let stream = gpu.stream("test").unwrap();
    let buffer = gpu.allocate(5).unwrap();
    stream.upload(&buffer, 0, Bytes::from_owner(pinned)).unwrap();
    assert_eq!(stream.download(&buffer, 0..5).unwrap(), b"hello");
}

#[test]
fn staging_memory_is_used_again() {
    const PIECE: usize = 64 << 10;
    let gpu = gpu();
    let pool = StagingPool::new(&gpu, 4 * PIECE);
    assert!(pool.take(PIECE - 1).is_none(), "so few bytes are not pinned");
    let mut first = pool.take(PIECE + 1).unwrap();
    assert_eq!(first.as_ref().len(), 2 * PIECE);
    first.as_mut()[0] = 7;
    let second = pool.take(2 * PIECE).unwrap();
    assert_eq!(pool.pinned(), 4 * PIECE);
    assert!(pool.take(PIECE).is_none(), "the limit is reached");
    drop(first);
    assert_eq!(pool.take(2 * PIECE).unwrap().as_ref()[0], 7, "it is the same memory");
    assert_eq!(pool.pinned(), 4 * PIECE);
    assert!(pool.take(5 * PIECE).is_none(), "more than the limit");
    assert_eq!(pool.pinned(), 4 * PIECE, "nothing was freed in vain");
    let smaller = pool.take(PIECE).unwrap();
    assert_eq!(pool.pinned(), 3 * PIECE, "a free piece made room");
    assert_eq!(pool.stats(), StagingStats { taken: 4, refused: 2 });
    drop(pool);
    drop((second, smaller));
}
