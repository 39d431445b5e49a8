//! The sanitizers find accesses beyond a buffer, and report no sound ones.
//!
//! A finding ends the process, so each such test runs itself again in another one. Tests that must
//! fail there are ignored here, and run by tests that check their failure.

use pelton_device_cuda::{Gpu, HostOptions, sanitizer};

use crate::support::{kernel, launch};

fn sanitized() -> Gpu {
    Gpu::host(HostOptions { sanitize: true, ..HostOptions::default() }).unwrap()
}

#[test]
fn nothing_is_found_in_what_is_right() {
    if !sanitizer::enter("sanitized::nothing_is_found_in_what_is_right") {
        return;
    }
    let gpu = sanitized();
    let body = "
        __shared__ u32 shared[128];
        u32 local[4] = {threadIdx.x, 1, 2, 3};
        for (u32 round = 0; round < 20; round++) {
          shared[threadIdx.x] = local[round % 4];
          __syncthreads();
          local[round % 4] += shared[blockDim.x - 1 - threadIdx.x] + __reduce_add_sync(FULL_WARP, local[0]);
          __syncthreads();
        }
        if (p.n == 0 && threadIdx.x == 7) __syncthreads();
        ((u32*)p.out)[threadIdx.x] = local[0];";
    let k = kernel(&gpu, body);
    let right: Vec<u32> = launch(&gpu, &k, (3, 128), 128, 1).unwrap();
    // Also after a launch that was given up in the middle: its stacks are forgotten.
    for _ in 0..3 {
        let deadlock = launch::<u32>(
            &gpu,
            &kernel(&gpu, "if (threadIdx.x % 2) __syncwarp(FULL_WARP); else __syncthreads();"),
            (1, 128),
            1,
            0,
        );
        assert!(deadlock.is_err());
        assert_eq!(launch::<u32>(&gpu, &k, (3, 128), 128, 1).unwrap(), right);
    }
}

#[track_caller]
fn assert_found(test: &str, parts: &[&str]) {
    let output = sanitizer::run(test).unwrap();
    let report =
        String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    assert!(!output.status.success(), "it was not found: {report}");
    for part in parts {
        assert!(report.contains(part), "no \"{part}\" in {report}");
    }
}

#[test]
fn a_byte_beyond_a_buffer_is_found() {
    assert_found(
        "sanitized::writes_beyond_a_buffer",
        &["heap-buffer-overflow", "WRITE of size 1", "test.cu:6"],
    );
}

#[test]
#[ignore = "fails on purpose, in a process of its own"]
fn writes_beyond_a_buffer() {
    let gpu = sanitized();
    let k = kernel(&gpu, "__syncthreads();\n((u8*)p.out)[threadIdx.x] = 1;");
    // the last of the threads writes beyond the buffer
    launch::<u8>(&gpu, &k, (1, 32), 31, 0).unwrap();
}

#[test]
fn an_index_beyond_shared_memory_is_found() {
    assert_found("sanitized::reads_beyond_shared_memory", &["test.cu:10"]);
}

#[test]
#[ignore = "fails on purpose, in a process of its own"]
fn reads_beyond_shared_memory() {
    let gpu = sanitized();
    let body = "
        __shared__ u32 shared[32];
        shared[threadIdx.x] = 1;
        __syncthreads();
        u32* at = shared + threadIdx.x + p.n;
        ((u32*)p.out)[threadIdx.x] = *at;";
    launch::<u32>(&gpu, &kernel(&gpu, body), (1, 32), 32, 1).unwrap();
}

#[test]
fn undefined_arithmetic_is_found() {
    assert_found("sanitized::shifts_too_far", &["shift exponent 32 is too large", "test.cu:5"]);
}

#[test]
#[ignore = "fails on purpose, in a process of its own"]
fn shifts_too_far() {
    let gpu = sanitized();
    launch::<u32>(&gpu, &kernel(&gpu, "((u32*)p.out)[0] = 1u << p.n;"), (1, 1), 1, 32).unwrap();
}

#[test]
fn without_the_sanitizers_loaded_it_is_refused() {
    if sanitizer::is_loaded() {
        return;
    }
    let refused = Gpu::host(HostOptions { sanitize: true, ..HostOptions::default() }).unwrap_err();
    assert!(refused.to_string().contains("LD_PRELOAD="), "{refused}");
}
