//! Compression for Python: whole buffers, batches of them, and the interfaces of the standard
//! library's zlib.
//!
//! | file | what |
//! |---|---|
//! | `sys/` | the edge to Python's memory and to zlib-rs: the only unsafe code here |
//! | `format.rs`, `size.rs` | names of formats, and sizes that compressed buffers state |
//! | `codecs.rs` | the coders that a thread keeps |
//! | `single/` | compress and decompress |
//! | `batch/` | many buffers at once, on this process's threads or on the router's devices |
//! | `zlib/` | the standard library's zlib |
//! | `gzip/` | what reads the standard library's gzip files |
//! | `error.rs` | how errors become exceptions |
//!
//! # Memory that Python owns
//! Input is read in place if it is immutable, and otherwise copied before the interpreter's lock is
//! released (see `sys/buffer.rs`). Output of known size is decompressed straight into the `bytes`
//! object that is returned.

mod batch;
mod codecs;
mod error;
mod format;
mod gzip;
pub mod modules;
mod one_shot;
mod size;
mod sys;
mod zlib;
