//! A complete zlib: the functions of zlib 1.3.1 under the names, versions and rules that programs
//! expect of `libz.so.1`.
//!
//! A program calls what it always called. Its `z_stream` holds a state of ours ([`stream`]), and
//! behind that a stream of zlib-rs, which is opened when a call first needs it. Whatever a faster
//! way can do is done before zlib-rs is asked, in [`deflate`] and [`inflate`]; everything else is
//! zlib-rs's.
//!
//! # Layout
//! | file | contents |
//! |---|---|
//! | `stream.rs`, `memory.rs` | the state behind a `z_stream`, from the caller's allocator |
//! | `buffer.rs` | a vector of bytes in the same memory |
//! | `deflate/`, `inflate/` | the streams; `deflate/policy.rs` chooses the encoder |
//! | `pool.rs`, `process.rs` | shared encoders; threads and `errno` in a foreign program |
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
//! None is expected. One that happens ends the process at the edge to C, where it can't go on.

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
