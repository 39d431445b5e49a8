//! The source with everything that a kernel may use, which NVRTC compiles too, run under the
//! sanitizers.

use bytes::Bytes;
use pelton_device_cuda::{Gpu, HostOptions, Pod, Source, Status, bytes_of, from_bytes, sanitizer};

use crate::support::label;

#[repr(C)]
#[derive(Clone, Copy)]
struct Everything {
    words: u64,
    doubles: u64,
    status: u64,
    padding: u64,
    wide: i128,
    text: [u64; 2],
}

// SAFETY: the gap before the 128-bit value is a field.
#[allow(unsafe_code)]
unsafe impl Pod for Everything {}

#[test]
fn everything_runs() {
    if !sanitizer::enter("everything::everything_runs") {
        return;
    }
    let gpu = Gpu::host(HostOptions { sanitize: true, ..HostOptions::default() }).unwrap();
    let text = format!("#include \"pelton/prelude.cuh\"\n{}", include_str!("../everything.cu"));
    let source = Source { name: "everything.cu".into(), text, headers: vec![] };
    let kernel = gpu.compile(&source).unwrap().kernel("everything").unwrap();
    let stream = gpu.stream("test").unwrap();
    let [words, doubles] = [8 << 10, 4 << 10].map(|bytes| gpu.allocate(bytes).unwrap());
    let status = gpu.allocate(size_of::<Status>()).unwrap();
    for buffer in [&words, &doubles, &status] {
        stream.upload(buffer, 0, Bytes::from(vec![0; buffer.len()])).unwrap();
    }
    let params = Everything {
        words: words.address(),
        doubles: doubles.address(),
        status: status.address(),
        padding: 0,
        wide: 1 << 90,
        text: [0, 5],
    };
    // SAFETY: the kernel stays in the three buffers, as the sanitizers check.
    #[allow(unsafe_code)]
    unsafe { stream.launch(&kernel, 2, 256, bytes_of(&params), label()) }.unwrap();
    let status: Vec<Status> = from_bytes(&stream.download(&status, 0..size_of::<Status>()).unwrap()).unwrap();
    assert_eq!(status, [Status { code: 1, column: 1, page: 2, detail: 3 }]);
}
