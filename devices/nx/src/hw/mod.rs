//! Layouts and codes of the hardware. All integers are big-endian, on little-endian Linux too.
//!
//! Sources: the NX GZIP user's manual, version 0.91 (IBM), and the definitions in Linux and libnxz
//! where the manual is silent. Bits are numbered from the most significant one.

mod codes;
mod cpb;
mod crb;
mod csb;
mod dde;

pub use codes::{Completion, Function};
pub use cpb::{Checksums, Cpb, Fields, FieldsMut, StreamState, SymbolCounts};
pub use crb::Crb;
pub use csb::{Csb, Status};
pub use dde::Dde;

/// Bytes of the sliding window, and the maximum length of a history.
pub const WINDOW_BYTES: usize = 32 << 10;

/// Bytes that a request usually processes before the engine suspends it, with its history: of
/// source when compressing, of output when decompressing. The value that the manual proposes.
pub const BYTE_LIMIT: usize = 1 << 20;

/// Unit of a history's length in bytes.
pub const HISTORY_UNIT: usize = 16;

/// Reads a big-endian integer at an offset that the layout guarantees.
fn be32(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// Reads a big-endian integer at an offset that the layout guarantees.
fn be64(bytes: &[u8], at: usize) -> u64 {
    u64::from(be32(bytes, at)) << 32 | u64::from(be32(bytes, at + 4))
}

#[cfg(test)]
mod tests;
