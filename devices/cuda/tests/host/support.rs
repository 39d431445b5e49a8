//! Small kernels: parameters are a few 64-bit numbers, output is a buffer of numbers.
#![allow(unsafe_code)]

use bytes::Bytes;
use pelton_device_cuda::{
    Error, Gpu, HostOptions, Kernel, Label, Order, Pod, Source, SpanKind, bytes_of, from_bytes,
};

pub fn gpu() -> Gpu {
    Gpu::host(HostOptions::default()).unwrap()
}

/// One GPU for each of several orders of threads.
pub fn gpus() -> impl Iterator<Item = Gpu> {
    [Order::Forward, Order::Backward, Order::Random(2), Order::Random(0x5EED)]
        .into_iter()
        .map(|order| Gpu::host(HostOptions { order: Some(order), ..HostOptions::default() }).unwrap())
}

/// A kernel `k` with this body. Parameters `p`: `p.out` and `p.in`, addresses, and `p.n`.
pub fn kernel(gpu: &Gpu, body: &str) -> Kernel {
    kernel_with(gpu, "", body)
}

/// Makes the same kernel with other code in front of it.
pub fn kernel_with(gpu: &Gpu, before: &str, body: &str) -> Kernel {
    let text = format!(
        "#include \"pelton/prelude.cuh\"\n\
         struct Params {{ u64 out; u64 in; u64 n; }};\n\
         {before}\n\
         PELTON_KERNEL(k, Params, p) {{\n{body}\n}}\n"
    );
    gpu.compile(&Source { name: "test.cu".into(), text, headers: vec![] }).unwrap().kernel("k").unwrap()
}

pub fn label() -> Label {
    Label { kind: SpanKind::Kernel, text: "k".into(), bytes: 0 }
}

/// Runs `k` on an output of `len` zeroed values of `T`.
pub fn launch<T: Pod>(
    gpu: &Gpu,
    kernel: &Kernel,
    (blocks, threads): (u32, u32),
    len: usize,
    n: u64,
) -> Result<Vec<T>, Error> {
    launch_on(gpu, kernel, (blocks, threads), len, &[], n)
}

/// Runs it with bytes to read.
pub fn launch_on<T: Pod>(
    gpu: &Gpu,
    kernel: &Kernel,
    (blocks, threads): (u32, u32),
    len: usize,
    input: &[u8],
    n: u64,
) -> Result<Vec<T>, Error> {
    let stream = gpu.stream("test")?;
    let out = gpu.allocate(len * size_of::<T>())?;
    stream.fill(&out, 0..out.len(), 0)?;
    let input_buffer = gpu.allocate(input.len())?;
    stream.upload(&input_buffer, 0, Bytes::copy_from_slice(input))?;
    let params = [out.address(), input_buffer.address(), n];
    // SAFETY: the tests' kernels stay in these buffers, except for those that must be caught.
    unsafe { stream.launch(kernel, blocks, threads, bytes_of(&params), label()) }?;
    let bytes = stream.download(&out, 0..out.len())?;
    Ok(from_bytes(&bytes).unwrap())
}
