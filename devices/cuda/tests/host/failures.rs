//! Kernels that can't go on end the launch with a message, and the next launch works.

use pelton_device_cuda::{Error, Gpu, HostOptions, Kernel};

use crate::support::{gpu, kernel, launch};

fn fails(gpu: &Gpu, k: &Kernel, threads: u32) -> String {
    match launch::<u32>(gpu, k, (2, threads), 256, 0) {
        Err(Error::Kernel { message }) => message,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn assert_has(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "no \"{part}\" in: {message}");
    }
}

#[test]
fn a_barrier_at_two_places() {
    let gpu = gpu();
    let k = kernel(&gpu, "if (threadIdx.x < 40)\n__syncthreads();\nelse\n__syncthreads();");
    let message = fails(&gpu, &k, 64);
    assert_has(
        &message,
        &["kernel k, block 0, thread 40 (warp 1, lane 8)", "different places", "test.cu:6", "test.cu:8"],
    );
}

#[test]
fn lanes_that_never_come() {
    let gpu = gpu();
    let k = kernel(&gpu, "if (lane_id() != 5) __shfl_sync(FULL_WARP, 1, 0);\nelse __syncthreads();");
    let message = fails(&gpu, &k, 32);
    assert_has(
        &message,
        &["deadlock", "__shfl_sync", "missing lanes 0x20", "thread 5 waits in __syncthreads"],
    );
}

#[test]
fn a_mask_without_the_lane_itself() {
    let gpu = gpu();
    let k = kernel(&gpu, "__ballot_sync(0xFFFF0000u, 1);");
    assert_has(
        &fails(&gpu, &k, 32),
        &["thread 0 (warp 0, lane 0)", "0xffff0000", "not the one that calls it"],
    );
}

#[test]
fn lanes_at_different_collectives() {
    let gpu = gpu();
    let k =
        kernel(&gpu, "if (lane_id() < 16)\n__ballot_sync(FULL_WARP, 1);\nelse\n__any_sync(FULL_WARP, 1);");
    assert_has(&fails(&gpu, &k, 32), &["thread 16", "different places", "__ballot_sync", "__any_sync"]);
}

#[test]
fn a_lock_that_nobody_gives_back() {
    let gpu = gpu();
    let k = kernel(&gpu, "while (atomicCAS((u32*)p.out, 0, 1) != 0) pelton_relax();");
    assert_has(&fails(&gpu, &k, 32), &["no thread gets anywhere", "test.cu:5"]);
}

#[test]
fn parameters_of_another_length() {
    let gpu = gpu();
    let k = kernel(&gpu, "");
    let stream = gpu.stream("test").unwrap();
    // SAFETY: the kernel does nothing.
    #[allow(unsafe_code)]
    let result = unsafe { stream.launch(&k, 1, 1, &[0; 16], crate::support::label()) };
    let Err(Error::Kernel { message }) = result else { panic!("{result:?}") };
    assert_has(&message, &["kernel k takes parameters of 24 bytes, and got 16"]);
}

#[test]
fn later_launches_work() {
    for threads in [1, 3] {
        let gpu = Gpu::host(HostOptions { threads, ..HostOptions::default() }).unwrap();
        let body = "
            if (p.n == 0 && lane_id() == 3) __syncthreads();
            atomicAdd((u32*)p.out, __popc(__ballot_sync(FULL_WARP, 1)));
            __syncthreads();";
        let k = kernel(&gpu, body);
        for _ in 0..3 {
            fails(&gpu, &k, 256);
            let out: Vec<u32> = launch(&gpu, &k, (4, 64), 1, 1).unwrap();
            assert_eq!(out, [4 * 64 * 32]);
        }
    }
}
