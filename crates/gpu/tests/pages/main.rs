//! Pages on the GPU's host build: what kernels read of a file is what parquet-rs reads.

mod copy_out;
mod craft;
mod crafted;
mod damage;
mod decimals;
mod encodings;
mod expected;
mod files;
mod made_up;
mod nvrtc;
mod ranges;
