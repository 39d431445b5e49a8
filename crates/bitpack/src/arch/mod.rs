//! The steps for x86-64, with AVX2 and with AVX-512. All unsafe code of the crate is here.

#![allow(unsafe_code)]

mod avx2;
mod avx512;
mod gather;
mod nibbles;
mod places;
mod prefetch;

pub(crate) use avx2::Avx2;
pub(crate) use avx512::Avx512;
pub(crate) use gather::gather;

/// Returns whether the processor has the instructions that the AVX2 steps use.
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
}

/// Returns whether the processor has the instructions that the AVX-512 steps use.
fn has_avx512() -> bool {
    is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
        && is_x86_feature_detected!("gfni")
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vbmi")
}
