//! Coprocessor request block (CRB): a function, its source and target, and the address of its
//! status.

use std::fmt;

use super::{Dde, Function, be32, be64};

/// A request block. The parameter block follows the status block in memory.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C, align(128))]
pub struct Crb([u8; Crb::BYTES]);

const CONTROL: usize = 3;
const RESERVED: usize = 4;
const CSB: usize = 8;
const SOURCE: usize = 16;
const TARGET: usize = 32;
const COMPLETION_BLOCK: usize = 48;
/// Bytes from here on are ignored when a request is submitted.
const IGNORED: usize = 64;

/// The bit of a function code that selects the low byte limit.
const LOW_LIMIT: u8 = 1;
/// Bits of the function code.
const FUNCTION_BITS: u8 = 0x3f;
/// Bits of the CSB's address that are flags or zero.
const ADDRESS_FLAGS: u64 = 0xf;
/// Flag: the completion block is present.
const HAS_COMPLETION_BLOCK: u64 = 0x8;
/// Reserved among these bits.
const RESERVED_FLAG: u64 = 0x4;
/// The only supported completion method: an interrupt.
const INTERRUPT: u64 = 1;

impl Crb {
    /// Size in bytes, and alignment.
    pub const BYTES: usize = 128;

    /// Returns a request. `csb` is the address of the status block, aligned to 16 bytes.
    pub fn new(function: Function, low_limit: bool, csb: u64, source: Dde, target: Dde) -> Crb {
        let mut bytes = [0; Crb::BYTES];
        bytes[CONTROL] = function.code() | if low_limit { LOW_LIMIT } else { 0 };
        bytes[CSB..SOURCE].copy_from_slice(&csb.to_be_bytes());
        bytes[SOURCE..TARGET].copy_from_slice(source.as_bytes());
        bytes[TARGET..COMPLETION_BLOCK].copy_from_slice(target.as_bytes());
        Crb(bytes)
    }

    /// Returns the request with these bytes.
    pub fn from_bytes(bytes: [u8; Crb::BYTES]) -> Crb {
        Crb(bytes)
    }

    /// Returns the bytes.
    pub fn as_bytes(&self) -> &[u8; Crb::BYTES] {
        &self.0
    }

    /// Returns the function; none if the code is unknown.
    pub fn function(&self) -> Option<Function> {
        Function::from_code(self.0[CONTROL] & FUNCTION_BITS & !LOW_LIMIT)
    }

    /// Returns whether the request asks for the low byte limit.
    pub fn has_low_limit(&self) -> bool {
        self.0[CONTROL] & LOW_LIMIT != 0
    }

    /// Returns the address of the status block.
    pub fn csb(&self) -> u64 {
        be64(&self.0, CSB) & !ADDRESS_FLAGS
    }

    /// Returns the descriptor of the source.
    pub fn source(&self) -> Dde {
        self.dde(SOURCE)
    }

    /// Returns the descriptor of the target.
    pub fn target(&self) -> Dde {
        self.dde(TARGET)
    }

    fn dde(&self, at: usize) -> Dde {
        let mut bytes = [0; Dde::BYTES];
        bytes.copy_from_slice(&self.0[at..at + Dde::BYTES]);
        Dde::from_bytes(bytes)
    }

    /// Returns whether all reserved fields are zero, and the completion block asks for nothing but
    /// an interrupt.
    pub fn has_zero_reserved(&self) -> bool {
        let flags = be64(&self.0, CSB) & ADDRESS_FLAGS;
        let block = [be64(&self.0, COMPLETION_BLOCK), be64(&self.0, COMPLETION_BLOCK + 8)];
        let completion = if flags & HAS_COMPLETION_BLOCK != 0 { [0, INTERRUPT] } else { [0, 0] };
        self.0[..CONTROL].iter().all(|byte| *byte == 0)
            && self.0[CONTROL] & !FUNCTION_BITS == 0
            && be32(&self.0, RESERVED) == 0
            && flags & RESERVED_FLAG == 0
            && block == completion
    }
}

impl fmt::Debug for Crb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Crb")
            .field("function", &self.function())
            .field("low_limit", &self.has_low_limit())
            .field("csb", &format_args!("{:#x}", self.csb()))
            .field("source", &self.source())
            .field("target", &self.target())
            .field("ignored", &self.0[IGNORED..].iter().any(|byte| *byte != 0))
            .finish()
    }
}
