//! Structs that the kernels read and write, as in `kernels/decompress/batch.cuh`.
#![allow(unsafe_code)]

use crate::Pod;

/// `struct Page`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct Page {
    pub source: u64,
    pub target: u64,
    pub source_len: u32,
    pub target_len: u32,
    pub index: u32,
    pub container: u32,
}

/// `enum Container` of `containers.cuh`.
pub(super) const RAW: u32 = 0;
pub(super) const ZLIB: u32 = 1;
pub(super) const GZIP: u32 = 2;

/// `struct PageResult`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct PageResult {
    pub code: u32,
    pub produced: u32,
    pub consumed: u32,
    pub unused: u32,
}

/// `struct BatchParams`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct BatchParams {
    pub pages: u64,
    pub results: u64,
    pub status: u64,
    pub next: u64,
    pub count: u32,
    pub unused: u32,
}

/// `struct NvcompParams` of `nvcomp.cu`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct NvcompParams {
    pub pages: u64,
    pub produced: u64,
    pub statuses: u64,
    pub results: u64,
    pub status: u64,
    pub count: u32,
    pub unused: u32,
}

// SAFETY: numbers without a gap between them; any bytes make one.
unsafe impl Pod for Page {}
// SAFETY: as above.
unsafe impl Pod for PageResult {}
// SAFETY: as above.
unsafe impl Pod for BatchParams {}
// SAFETY: as above.
unsafe impl Pod for NvcompParams {}
