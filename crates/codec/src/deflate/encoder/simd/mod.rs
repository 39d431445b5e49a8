//! Encoder for x86-64, with AVX2 and with AVX-512. All `unsafe` of the encoder is here.

#![allow(unsafe_code)]
#![cfg(target_arch = "x86_64")]

mod avx2;
mod avx512;
mod buckets;
mod lanes;
mod tokens;

pub(crate) use avx2::Avx2;
pub(crate) use avx512::Avx512;
