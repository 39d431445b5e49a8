//! Threads, blocks, shared memory, atomics, locks.

use pelton_device_cuda::{Gpu, HostOptions, Label, Source, SpanKind, bytes_of, from_bytes};

use crate::support::{gpu, gpus, kernel, kernel_with, launch, launch_on};

#[test]
fn every_thread_of_every_block_runs_once() {
    let gpu = gpu();
    let k =
        kernel(&gpu, "atomicAdd((u32*)p.out + blockIdx.x * blockDim.x + threadIdx.x, 1 + gridDim.x * 100);");
    for (blocks, threads) in [(1, 1), (1, 31), (3, 32), (2, 33), (7, 256)] {
        let counts: Vec<u32> = launch(&gpu, &k, (blocks, threads), 7 * 256, 0).unwrap();
        let used = (blocks * threads) as usize;
        assert!(counts[..used].iter().all(|count| *count == 1 + blocks * 100), "{blocks} of {threads}");
        assert!(counts[used..].iter().all(|count| *count == 0), "{blocks} of {threads}");
    }
}

#[test]
fn shared_memory_and_barriers_in_loops() {
    for gpu in gpus() {
        let body = "
        __shared__ u32 sums[256];
        u32 t = threadIdx.x;
        sums[t] = t + blockIdx.x;
        __syncthreads();
        // An inclusive scan; each round reads values that other threads wrote in the round before.
        for (u32 distance = 1; distance < blockDim.x; distance *= 2) {
          u32 value = t >= distance ? sums[t - distance] : 0;
          __syncthreads();
          sums[t] += value;
          __syncthreads();
        }
        ((u32*)p.out)[blockIdx.x * blockDim.x + t] = sums[t];";
        let k = kernel(&gpu, body);
        for threads in [1u32, 20, 32, 100, 256] {
            let sums: Vec<u32> = launch(&gpu, &k, (3, threads), 3 * threads as usize, 0).unwrap();
            for (block, sums) in sums.chunks(threads as usize).enumerate() {
                let mut expected = 0;
                for (thread, sum) in sums.iter().enumerate() {
                    expected += (thread + block) as u32;
                    assert_eq!(*sum, expected, "thread {thread} of {threads}, block {block}");
                }
            }
        }
    }
}

#[test]
fn barriers_that_count() {
    for gpu in gpus() {
        let body = "
        u32* out = (u32*)p.out + threadIdx.x * 4;
        out[0] = __syncthreads_count(threadIdx.x % 3 == 0);
        out[1] = __syncthreads_or(threadIdx.x == 77);
        out[2] = __syncthreads_and(threadIdx.x != 77);
        out[3] = __syncthreads_and(threadIdx.x < 1000);";
        let k = kernel(&gpu, body);
        let out: Vec<u32> = launch(&gpu, &k, (1, 100), 400, 0).unwrap();
        assert!(out.chunks(4).all(|results| results == [34, 1, 0, 1]), "{out:?}");
    }
}

#[test]
fn threads_that_returned_are_not_waited_for() {
    let gpu = gpu();
    let body = "
        if (threadIdx.x % 2 == 1) return;
        u32 count = __syncthreads_count(1);
        u32 lanes = __ballot_sync(FULL_WARP, 1);
        if (threadIdx.x == 0) return;
        count += __syncthreads_count(1);
        ((u32*)p.out)[threadIdx.x] = count;
        ((u32*)p.out)[threadIdx.x + 1] = lanes;";
    let k = kernel(&gpu, body);
    let out: Vec<u32> = launch(&gpu, &k, (1, 64), 64, 0).unwrap();
    assert_eq!(out[..2], [0, 0]);
    assert!(out[2..].chunks(2).all(|pair| pair == [32 + 31, 0x5555_5555]), "{out:?}");
}

#[test]
fn atomics_of_every_type() {
    let gpu = gpu();
    let body = "
        u32* w = (u32*)p.out;
        u64* d = (u64*)(p.out + 64);
        u32 t = threadIdx.x;
        atomicAdd(w + 0, t);
        atomicAdd((i32*)w + 1, -(i32)t);
        atomicMax(w + 2, t ^ 0x55);
        atomicMin((i32*)w + 3, -(i32)(t ^ 0x55));
        atomicOr(w + 4, 1u << t % 32);
        atomicAnd(w + 5, 0);
        atomicXor(w + 6, t);
        atomicAdd((f32*)w + 7, 0.5f);
        atomicSub(w + 8, 2);
        atomicAdd(d + 0, (u64)t << 32);
        atomicMax((i64*)d + 1, (i64)t << 33);
        atomicAdd((f64*)d + 2, 0.25);
        atomicMin((i64*)d + 3, -((i64)t << 33));
        if (atomicCAS(w + 9, 0, t + 1) == 0) atomicExch(d + 4, t);
        if (atomicCAS(d + 5, 0, t + 1) == 0) atomicExch(w + 10, t);";
    let k = kernel(&gpu, body);
    let out: Vec<u32> = launch(&gpu, &k, (1, 256), 32, 0).unwrap();
    let sum: u32 = 255 * 256 / 2;
    assert_eq!(out[..4], [sum, sum.wrapping_neg(), 255, 255u32.wrapping_neg()]);
    assert_eq!(out[4..8], [u32::MAX, 0, 0, 128f32.to_bits()]);
    assert_eq!(out[8], 512u32.wrapping_neg());
    assert_eq!((out[9], out[10]), (1, 0), "the first thread comes first");
    let wide: Vec<u64> =
        out[16..].chunks(2).map(|pair| u64::from(pair[1]) << 32 | u64::from(pair[0])).collect();
    let least = (-(255i64 << 33)) as u64;
    assert_eq!(wide[..6], [u64::from(sum) << 32, 255 << 33, 64f64.to_bits(), least, 0, 1]);
}

#[test]
fn a_lock_that_threads_spin_on() {
    for gpu in gpus() {
        let body = "
        u32* lock = (u32*)p.out;
        u32* count = lock + 1;
        for (u32 i = 0; i < 10; i++) {
          while (atomicCAS(lock, 0, 1) != 0) pelton_relax();
          u32 before = *(volatile u32*)count;
          // other threads ask for the lock meanwhile
          pelton_relax();
          *(volatile u32*)count = before + 1;
          __threadfence();
          atomicExch(lock, 0);
        }";
        let k = kernel(&gpu, body);
        let out: Vec<u32> = launch(&gpu, &k, (2, 200), 2, 0).unwrap();
        assert_eq!(out, [0, 4000]);
    }
}

#[test]
fn a_missing_barrier_shows_in_another_order() {
    let body = "
        __shared__ u32 shared[64];
        shared[threadIdx.x] = threadIdx.x;
        // Here __syncthreads() is missing.
        ((u32*)p.out)[threadIdx.x] = threadIdx.x == 0 ? 0 : shared[threadIdx.x - 1] + 1;";
    let right: Vec<u32> = (0..64).collect();
    let seen: Vec<bool> = gpus()
        .map(|gpu| launch::<u32>(&gpu, &kernel(&gpu, body), (1, 64), 64, 0).unwrap() == right)
        .collect();
    assert_eq!(seen, [true, false, false, false]);
}

#[test]
fn parameters_of_128_bits() {
    #[repr(C)]
    #[derive(Clone, Copy)]
    struct Params {
        out: u64,
        unused: u64,
        value: i128,
    }
    // SAFETY: no gaps: two u64 before a value with an alignment of 16.
    #[allow(unsafe_code)]
    unsafe impl pelton_device_cuda::Pod for Params {}

    let gpu = gpu();
    let text = "#include \"pelton/prelude.cuh\"
        struct Params { u64 out; u64 unused; i128 value; };
        PELTON_KERNEL(wide, Params, p) {
          __shared__ i128 shared;
          if (threadIdx.x == 0) shared = p.value;
          __syncthreads();
          store_unaligned<i128>((u8*)p.out + 1 + threadIdx.x * 16, shared * (i128)(i32)(threadIdx.x - 3));
        }";
    let source = Source { name: "wide.cu".into(), text: text.into(), headers: vec![] };
    let k = gpu.compile(&source).unwrap().kernel("wide").unwrap();
    let stream = gpu.stream("test").unwrap();
    let out = gpu.allocate(1 + 16 * 8).unwrap();
    let value = -(1i128 << 100) + 12345;
    // also from an address that is not aligned
    let mut params = vec![0];
    params.extend_from_slice(bytes_of(&Params { out: out.address(), unused: 0, value }));
    let label = Label { kind: SpanKind::Kernel, text: String::new(), bytes: 0 };
    // SAFETY: the kernel writes 16 bytes a thread, from the second byte on.
    #[allow(unsafe_code)]
    unsafe { stream.launch(&k, 1, 8, &params[1..], label) }.unwrap();
    let out: Vec<i128> = from_bytes(&stream.download(&out, 1..129).unwrap()).unwrap();
    let expected: Vec<i128> = (-3..5).map(|factor| value * factor).collect();
    assert_eq!(out, expected);
}

#[test]
fn local_state_survives_switches() {
    for gpu in gpus() {
        // Integers and floating-point numbers in registers, memory on the stack, over many waits.
        let before = "__device__ __noinline__ u64 mix(u64* local, u32 round) {
        for (u32 i = 0; i < 16; i++) local[i] = local[i] * 31 + i + round;
        __syncwarp(FULL_WARP);
        return local[round % 16];
    }";
        let body = "
        u64 local[16];
        for (u32 i = 0; i < 16; i++) local[i] = threadIdx.x;
        f64 real = threadIdx.x;
        u64 sum = 0;
        for (u32 round = 0; round < 50; round++) {
          sum += mix(local, round);
          real = real * 1.25 + 1;
          __syncthreads();
        }
        ((u64*)p.out)[2 * threadIdx.x] = sum;
        ((f64*)p.out)[2 * threadIdx.x + 1] = real;";
        let k = kernel_with(&gpu, before, body);
        let out: Vec<u64> = launch(&gpu, &k, (1, 64), 128, 0).unwrap();
        for thread in 0..64u64 {
            let (mut local, mut real, mut sum) = ([thread; 16], thread as f64, 0u64);
            for round in 0..50 {
                for (i, value) in local.iter_mut().enumerate() {
                    *value = value.wrapping_mul(31).wrapping_add(i as u64 + round);
                }
                sum = sum.wrapping_add(local[round as usize % 16]);
                real = real * 1.25 + 1.0;
            }
            assert_eq!(out[2 * thread as usize..][..2], [sum, real.to_bits()], "thread {thread}");
        }
    }
}

#[test]
fn blocks_on_several_threads() {
    let gpu = Gpu::host(HostOptions { threads: 4, ..HostOptions::default() }).unwrap();
    let body = "
        __shared__ u32 shared[64];
        shared[threadIdx.x] = blockIdx.x;
        __syncthreads();
        atomicAdd((u64*)p.out + blockIdx.x, (u64)shared[63 - threadIdx.x] + 1);
        atomicAdd((u64*)p.out + p.n, 1);";
    let k = kernel(&gpu, body);
    let out: Vec<u64> = launch(&gpu, &k, (500, 64), 501, 500).unwrap();
    assert!(out[..500].iter().enumerate().all(|(block, sum)| *sum == 64 * (block as u64 + 1)));
    assert_eq!(out[500], 500 * 64);
}

#[test]
fn memory_at_any_address() {
    let gpu = gpu();
    let body = "
        const u8* from = (const u8*)p.in + threadIdx.x;
        u64* out = (u64*)p.out + threadIdx.x * 3;
        out[0] = load_unaligned<u16>(from);
        out[1] = load_unaligned<u32>(from);
        out[2] = load_unaligned<u64>(from);";
    let k = kernel(&gpu, body);
    let input: Vec<u8> = (0..40u8).map(|i| i.wrapping_mul(37)).collect();
    let out: Vec<u64> = launch_on(&gpu, &k, (1, 32), 96, &input, 0).unwrap();
    for (at, loaded) in out.chunks(3).enumerate() {
        let bytes: [u8; 8] = input[at..at + 8].try_into().unwrap();
        let value = u64::from_le_bytes(bytes);
        assert_eq!(loaded, [value & 0xFFFF, value & 0xFFFF_FFFF, value], "at {at}");
    }
}
