//! The steps for x86-64, with AVX2 and with AVX-512. All unsafe code of the crate is here.

#![allow(unsafe_code)]

mod ahead;
mod avx2;
mod avx512;
mod gather;
mod nibbles;
mod places;

pub(crate) use avx2::Avx2;
pub(crate) use avx512::Avx512;
pub(crate) use gather::gather;
