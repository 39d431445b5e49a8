//! A complete zlib: the functions of zlib 1.3.1 under the names, versions and rules that programs
//! expect of `libz.so.1`.
//!
//! The `z_stream` of a program refers to a state of ours ([`stream`]), and that to a stream of
//! zlib-rs, which is opened when a call first needs it. [`deflate`] and [`inflate`] use Pelton's
//! codec where it is faster, and zlib-rs for everything else.
//!
//! # Layout
//! | file | contents |
//! |---|---|
//! | `stream.rs`, `memory.rs` | the state behind a `z_stream`, from the caller's allocator |
//! | `buffer.rs` | a vector of bytes in the same memory |
//! | `deflate/`, `inflate/` | the streams; `deflate/policy.rs` chooses the encoder |
//! | `pool/` | tables that calls borrow; which streams keep theirs |
//! | `process/` | threads and `errno` in a foreign program; loading and unloading |
//! | `offload/`, `backoff.rs` | accelerators, if the settings name any; retry backoff |
//! | `one_shot.rs` | `compress`, `uncompress` |
//! | `checksum.rs` | `crc32`, `adler32` |
//! | `gz/` | files: `gzopen` to `gzclose` |
//! | `settings/`, `warn.rs` | settings from file and environment; warnings about them |
//! | `stats/` | counters of calls, printed at the end if wanted |
//! | `version.rs` | version, error texts, compile flags |
//! | `symbols.txt`, `link.sh` | list of exported symbols; linking of the shared library |
//!
//! # Panics
//! No panic is expected. A panic ends the process where it would reach C code.

// Conditions of the C functions are those of zlib's manual.
#![allow(clippy::missing_safety_doc)]

/// Streams as Rust functions, for a binding that links this crate instead of loading a `libz.so.1`.
/// zlib's manual says what each function asks of its caller.
pub mod api {
    pub use libz_rs_sys::z_stream;

    pub use crate::deflate::{
        deflate, deflateEnd, deflateInit2_, deflateParams, deflatePending, deflateReset, deflateSetDictionary,
    };
    pub use crate::inflate::{inflate, inflateEnd, inflateInit2_, inflateReset, inflateSetDictionary};
    pub use crate::offload::{MIN_LEVEL as MIN_DEVICE_LEVEL, run_batch, takes_batches};
    pub use crate::pool::Pool;
    pub use crate::settings::configure;
    pub use crate::stats::statistics;
    pub use crate::version::VERSION;
}

mod backoff;
mod buffer;
mod checksum;
mod deflate;
mod gz;
mod inflate;
mod memory;
mod offload;
mod one_shot;
mod pool;
mod process;
mod settings;
mod stats;
mod stream;
mod version;
mod warn;
