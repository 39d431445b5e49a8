//! Pages on the GPU's host build: what kernels read of a file is what parquet-rs reads.

mod copy_out;
mod encodings;
mod expected;
mod files;
mod ranges;
