//! Coprocessor status block (CSB): the answer to a request.

use std::sync::atomic::{AtomicU64, Ordering};

use super::Completion;

/// A status block in memory that the engine writes. The valid bit is written last.
#[derive(Debug, Default)]
#[repr(C, align(16))]
pub struct Csb {
    /// Flags, completion code, extension and byte count, big-endian.
    status: AtomicU64,
    /// Big-endian.
    address: AtomicU64,
}

/// The fields of a valid status block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Completion code.
    pub code: u8,
    /// Completion extension, of the bits [`PARTIAL`](Status::PARTIAL),
    /// [`TERMINATED`](Status::TERMINATED) and [`HAS_COUNT`](Status::HAS_COUNT).
    pub extension: u8,
    /// Bytes written to the target (TPBC).
    pub target_bytes: u32,
    /// Address of a failed access, for the codes that have one.
    pub address: u64,
}

const VALID: u8 = 0x80;

impl Status {
    /// Extension: a part of the request is done.
    pub const PARTIAL: u8 = 0x80;
    /// Extension: the request was terminated, and outputs and counts are not valid.
    pub const TERMINATED: u8 = 0x40;
    /// Extension: the byte count is TPBC. Always set.
    pub const HAS_COUNT: u8 = 0x20;

    /// Returns the completion code; none if it has no known meaning.
    pub fn completion(&self) -> Option<Completion> {
        Completion::from_byte(self.code)
    }

    /// Returns whether outputs and counts are not valid.
    pub fn is_terminated(&self) -> bool {
        self.extension & Status::TERMINATED != 0
    }
}

impl Csb {
    /// Size in bytes, and alignment. The parameter block follows.
    pub const BYTES: usize = 16;

    /// Clears the block before a request.
    pub fn reset(&self) {
        self.address.store(0, Ordering::Relaxed);
        self.status.store(0, Ordering::Relaxed);
    }

    /// Returns whether the engine has answered.
    pub fn is_valid(&self) -> bool {
        self.status.load(Ordering::Acquire).to_ne_bytes()[0] & VALID != 0
    }

    /// Returns the answer; none before there is one.
    pub fn status(&self) -> Option<Status> {
        let [flags, _, code, extension, count @ ..] = self.status.load(Ordering::Acquire).to_ne_bytes();
        (flags & VALID != 0).then(|| Status {
            code,
            extension,
            target_bytes: u32::from_be_bytes(count),
            address: u64::from_be(self.address.load(Ordering::Relaxed)),
        })
    }

    /// Writes an answer, as the engine does.
    pub fn write(&self, status: &Status) {
        self.address.store(status.address.to_be(), Ordering::Relaxed);
        let [a, b, c, d] = status.target_bytes.to_be_bytes();
        let bytes = [VALID, 0, status.code, status.extension, a, b, c, d];
        self.status.store(u64::from_ne_bytes(bytes), Ordering::Release);
    }
}
