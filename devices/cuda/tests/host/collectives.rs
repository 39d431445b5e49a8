//! Operations of a warp's lanes together, against CUDA's programming guide, computed one lane at a
//! time.

use crate::support::{gpu, gpus, kernel, kernel_with, launch};

/// Returns a value that no other lane has.
fn value(lane: usize) -> u32 {
    lane as u32 * 1000 + 7
}

#[test]
fn shuffles_of_every_width() {
    let gpu = gpu();
    let body = "
        u32 v = lane_id() * 1000 + 7;
        u32* out = (u32*)p.out + threadIdx.x * 4;
        i32 width = (i32)(p.n >> 8), by = (i32)(p.n & 255);
        out[0] = __shfl_sync(FULL_WARP, v, by, width);
        out[1] = __shfl_up_sync(FULL_WARP, v, by, width);
        out[2] = __shfl_down_sync(FULL_WARP, v, by, width);
        out[3] = __shfl_xor_sync(FULL_WARP, v, by, width);";
    let k = kernel(&gpu, body);
    for width in [1usize, 2, 8, 32] {
        for by in [0usize, 1, 3, 7, 8, 16, 31] {
            let n = (width as u64) << 8 | by as u64;
            let out: Vec<u32> = launch(&gpu, &k, (1, 64), 256, n).unwrap();
            for (thread, out) in out.chunks(4).enumerate() {
                let lane = thread % 32;
                let (first, within) = (lane - lane % width, lane % width);
                let up = if within >= by { lane - by } else { lane };
                let down = if within + by < width { lane + by } else { lane };
                // A lane of a later segment can't be read.
                let xor = if (lane ^ by) / width > lane / width { lane } else { lane ^ by };
                let expected = [first + by % width, up, down, xor].map(value);
                assert_eq!(out, expected, "lane {lane}, width {width}, by {by}");
            }
        }
    }
}

#[test]
fn shuffles_of_every_type() {
    let gpu = gpu();
    let body = "
        i64* out = (i64*)p.out + threadIdx.x * 6;
        u32 t = threadIdx.x;
        out[0] = __shfl_sync(FULL_WARP, -(i32)t, 5);
        out[1] = __shfl_sync(FULL_WARP, t, 5);
        out[2] = __shfl_sync(FULL_WARP, -((i64)t << 40), 5);
        out[3] = (i64)__shfl_sync(FULL_WARP, (u64)t << 60, 5);
        out[4] = (i64)(__shfl_sync(FULL_WARP, t * 0.5f, 5) * 2);
        out[5] = (i64)(__shfl_sync(FULL_WARP, t * 0.25, 5) * 4);";
    let k = kernel(&gpu, body);
    let out: Vec<i64> = launch(&gpu, &k, (1, 32), 192, 0).unwrap();
    assert!(out.chunks(6).all(|out| out == [-5, 5, -(5 << 40), 5 << 60, 5, 5]), "{out:?}");
}

#[test]
fn votes_matches_and_reductions() {
    for gpu in gpus() {
        let body = "
        u32 lane = lane_id();
        u32* out = (u32*)p.out + threadIdx.x * 10;
        out[0] = __ballot_sync(FULL_WARP, lane % 3);
        out[1] = __any_sync(FULL_WARP, lane == 31) * 2 + __any_sync(FULL_WARP, lane > 31);
        out[2] = __all_sync(FULL_WARP, lane < 32) * 2 + __all_sync(FULL_WARP, lane);
        out[3] = __match_any_sync(FULL_WARP, (u64)(lane / 5) << 40);
        out[4] = __reduce_add_sync(FULL_WARP, lane + 0xFFFFFFF0u);
        out[5] = __reduce_min_sync(FULL_WARP, lane ^ 9);
        out[6] = __reduce_max_sync(FULL_WARP, lane ^ 9);
        out[7] = __reduce_and_sync(FULL_WARP, lane | 0x60);
        out[8] = __reduce_or_sync(FULL_WARP, lane << 1);
        out[9] = __reduce_xor_sync(FULL_WARP, lane == 3 ? 1 : 0x30);";
        let k = kernel(&gpu, body);
        let out: Vec<u32> = launch(&gpu, &k, (1, 64), 640, 0).unwrap();
        let ballot = (0..32).filter(|lane| lane % 3 != 0).fold(0, |bits, lane| bits | 1u32 << lane);
        let sum = (0..32u32).fold(0, |sum: u32, lane| sum.wrapping_add(lane + 0xFFFF_FFF0));
        for (thread, out) in out.chunks(10).enumerate() {
            let lane = thread as u32 % 32;
            let matched =
                (0..32).filter(|other| other / 5 == lane / 5).fold(0, |bits, other| bits | 1u32 << other);
            assert_eq!(out, [ballot, 2, 2, matched, sum, 0, 31, 0x60, 62, 0x31], "thread {thread}");
        }
    }
}

#[test]
fn parts_of_warps_on_their_own() {
    for gpu in gpus() {
        // even and odd lanes diverge, with different counts, and the last warp is not full
        let body = "
        u32 lane = lane_id();
        u32 sum = 0;
        u32 here = __ballot_sync(FULL_WARP, 1);
        if (lane % 2) {
          for (u32 i = 0; i < lane / 2 % 2 + 3; i++) sum += 0;
          for (u32 i = 0; i < 5; i++) sum += __reduce_add_sync(0xAAAAAAAAu & here, lane);
        } else {
          for (u32 i = 0; i < 3; i++) sum += __popc(__ballot_sync(0x55555555u & here, lane < 16));
        }
        __syncwarp(here);
        ((u32*)p.out)[threadIdx.x] = sum + __popc(here) * 10000;";
        let k = kernel(&gpu, body);
        let out: Vec<u32> = launch(&gpu, &k, (1, 72), 72, 0).unwrap();
        for (thread, sum) in out.iter().enumerate() {
            let lanes = if thread < 64 { 32 } else { 8 };
            let odd: u32 = (0..lanes).filter(|lane| lane % 2 == 1).sum();
            let expected = if thread % 2 == 1 { 5 * odd } else { 3 * lanes.min(16) / 2 };
            assert_eq!(*sum, expected + lanes * 10000, "thread {thread}");
        }
    }
}

#[test]
fn a_scan_with_partial_masks() {
    for gpu in gpus() {
        let before = "__device__ u32 scan(u32 mask, u32 value) {
        for (u32 by = 1; by < 32; by *= 2) {
          u32 other = __shfl_up_sync(mask, value, by);
          if (lane_id() >= by) value += other;
        }
        return value;
    }";
        // Only the first p.n lanes of each warp take part.
        let body = "
        if (lane_id() < p.n) {
          u32 mask = p.n == 32 ? FULL_WARP : (1u << p.n) - 1;
          ((u32*)p.out)[threadIdx.x] = scan(mask, lane_id() + 1);
        }";
        let k = kernel_with(&gpu, before, body);
        for lanes in [1u64, 2, 13, 31, 32] {
            let out: Vec<u32> = launch(&gpu, &k, (1, 64), 64, lanes).unwrap();
            for (thread, sum) in out.iter().enumerate() {
                let lane = thread as u64 % 32;
                let expected = if lane < lanes { (lane + 1) * (lane + 2) / 2 } else { 0 };
                assert_eq!(u64::from(*sum), expected, "thread {thread} of {lanes}");
            }
        }
    }
}

#[test]
fn intrinsics() {
    let gpu = gpu();
    let body = "
        i64* out = (i64*)p.out;
        out[0] = __popc(0xF0F0F0F0u) * 100 + __popcll(~0ull);
        out[1] = __clz(0) * 100 + __clz(1);
        out[2] = __clzll(0) * 100 + __clzll(1);
        out[3] = __ffs(0) * 100 + __ffs(8);
        out[4] = __ffsll(0) * 100 + __ffsll(1ll << 40);
        out[5] = __brev(0x12345678u);
        out[6] = (i64)__umul64hi(~0ull, ~0ull);
        out[7] = __mul64hi(-1, 1);
        out[8] = min(-1, 5) * 100 + (i32)max(3u, 7u);
        out[9] = __funnelshift_r(0x89ABCDEFu, 0x01234567u, 8);
        out[10] = __funnelshift_l(0x89ABCDEFu, 0x01234567u, 8);
        out[11] = __byte_perm(0x44332211u, 0x88776655u, 0x8F70u);
        out[12] = (i64)__brevll(1);
        out[13] = __umulhi(0x80000000u, 6);
        out[14] = __ldg((const i64*)out + 13);
        out[15] = __double_as_longlong(__longlong_as_double(1234));";
    let k = kernel(&gpu, body);
    let out: Vec<i64> = launch(&gpu, &k, (1, 1), 16, 0).unwrap();
    assert_eq!(out[..5], [1664, 3231, 6463, 4, 41]);
    assert_eq!(out[5], 0x1E6A_2C48);
    assert_eq!(out[6..9], [-2, -1, -93]);
    assert_eq!(out[9..11], [0x6789_ABCD, 0x2345_6789]);
    // the first of these bytes has its sign bit
    assert_eq!(out[11..], [0x00FF_8811, i64::MIN, 3, 3, 1234]);
}
