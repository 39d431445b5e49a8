//! Files: `gzopen` to `gzclose`, over the streams of [`crate::deflate`] and [`crate::inflate`].
//!
//! | file | contents |
//! |---|---|
//! | `file.rs` | the structure behind a `gzFile`, and its errors |
//! | `open.rs`, `close.rs` | begin and end |
//! | `source.rs` | input: bytes from the file, copied or decompressed |
//! | `read.rs`, `write.rs` | `gzread`, `gzwrite` and their variants |
//! | `seek.rs`, `status.rs` | position; error, end, buffers |
//! | `printf.c` | `gzprintf` |
//!
//! `docs/decisions/0024-libz-own-gz-functions.md` says why zlib-rs's `gz` module is not used.

mod close;
mod file;
mod open;
mod read;
mod seek;
mod source;
mod status;
mod write;
