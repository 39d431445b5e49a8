//! Pages on the GPU's host build: kernels read the same values as parquet-rs.

mod constants;
mod copy_out;
mod craft;
mod crafted;
mod damage;
mod decimals;
mod encodings;
mod expected;
mod files;
mod nvrtc;
mod ranges;
