//! Compression for Python: whole buffers, batches of them, and the interfaces of the standard
//! library's zlib.
//!
//! | file | contents |
//! |---|---|
//! | `sys/` | the interface to Python's memory and to zlib-rs: the only unsafe code here |
//! | `format.rs`, `size.rs` | names of formats, and sizes that compressed buffers state |
//! | `codecs.rs` | the codecs of a thread |
//! | `one_shot.rs` | compress and decompress |
//! | `batch/` | many buffers at once, on this process's threads or on the router's devices |
//! | `zlib/` | the standard library's zlib |
//! | `gzip/` | the reader behind the standard library's gzip files |
//! | `error.rs` | the mapping of errors to exceptions |
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
