//! A complete zlib: the functions of zlib 1.3.1 under the names, versions and rules that programs
//! expect of `libz.so.1`.
//!
//! A program calls what it always called. Its `z_stream` holds a state of ours ([`stream`]), and
//! behind that a stream of zlib-rs, which is opened when a call first needs it. Whatever a faster
//! way can do is done before zlib-rs is asked, in [`deflate`] and [`inflate`]; everything else is
//! zlib-rs's.
//!
//! # Layout
//! | file | what |
//! |---|---|
//! | `stream.rs`, `memory.rs` | how a `z_stream` finds its state, and with whose allocator |
//! | `buffer.rs` | bytes that a stream keeps, by the same allocator |
//! | `deflate/`, `inflate/` | the streams, a folder each: `state.rs` is what they share, the other files are the calls |
//! | `pool.rs`, `threads.rs` | the coders that streams share; threads in a program that knows nothing of them |
//! | `device/` | accelerators, if the settings name any |
//! | `oneshot.rs` | compress, uncompress |
//! | `checksum.rs` | crc32, adler32 |
//! | `gz/` | files: gzopen to gzclose |
//! | `settings/`, `complain.rs` | what users set, and how they learn that it can't be |
//! | `stats/` | what the calls did, printed at the end if wanted |
//! | `version.rs` | what the library says about itself |
//! | `symbols.txt`, `link.sh` | what is exported, and how the shared library is linked |
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
mod oneshot;
mod pool;
mod process;
mod settings;
mod stats;
mod stream;
mod version;
mod warn;
