//! Files: `gzopen` to `gzclose`, over the streams of [`crate::deflate`] and [`crate::inflate`].
//!
//! | file | what |
//! |---|---|
//! | `file.rs` | what a `gzFile` is, and its errors |
//! | `open.rs`, `close.rs` | how it begins and ends |
//! | `source.rs`, `reading.rs`, `read.rs` | how bytes come from the file and reach the program, and the calls that ask for them |
//! | `writing.rs`, `write.rs` | how bytes get to the file, and the calls that bring them |
//! | `seek.rs`, `status.rs` | where it is, and how it is |
//! | `printf.c` | `gzprintf` |

mod close;
mod file;
mod open;
mod read;
mod seek;
mod source;
mod status;
mod write;
