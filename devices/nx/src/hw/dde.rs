//! Data descriptor (DDE): an address with a length, or the address of a list of such descriptors.

use std::fmt;

use super::{be32, be64};

/// A data descriptor. A direct one has an address; an indirect one has the address of a list.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
#[repr(C, align(16))]
pub struct Dde([u8; Dde::BYTES]);

const COUNT: usize = 2;
const LENGTH: usize = 4;
const ADDRESS: usize = 8;

impl Dde {
    /// Size in bytes, and alignment of a list.
    pub const BYTES: usize = 16;

    /// Returns a direct descriptor of `len` bytes.
    pub fn direct(address: u64, len: u32) -> Dde {
        Dde::list(address, 0, len)
    }

    /// Returns a descriptor of the list at `address`, which has `count` direct ones and `len` bytes
    /// in all.
    pub fn list(address: u64, count: u8, len: u32) -> Dde {
        let mut bytes = [0; Dde::BYTES];
        bytes[COUNT] = count;
        bytes[LENGTH..ADDRESS].copy_from_slice(&len.to_be_bytes());
        bytes[ADDRESS..].copy_from_slice(&address.to_be_bytes());
        Dde(bytes)
    }

    /// Returns the descriptor with these bytes.
    pub fn from_bytes(bytes: [u8; Dde::BYTES]) -> Dde {
        Dde(bytes)
    }

    /// Returns the bytes.
    pub fn as_bytes(&self) -> &[u8; Dde::BYTES] {
        &self.0
    }

    /// Returns the number of descriptors in its list; zero for a direct one.
    pub fn count(&self) -> u8 {
        self.0[COUNT]
    }

    /// Returns the length in bytes.
    pub fn len(&self) -> u32 {
        be32(&self.0, LENGTH)
    }

    /// Returns whether the length is zero.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the address of the data, or of the list.
    pub fn address(&self) -> u64 {
        be64(&self.0, ADDRESS)
    }

    /// Returns whether all reserved bytes are zero.
    pub fn has_zero_reserved(&self) -> bool {
        self.0[0] == 0 && self.0[1] == 0 && self.0[3] == 0
    }
}

impl fmt::Debug for Dde {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count() {
            0 => write!(f, "{} bytes at {:#x}", self.len(), self.address()),
            count => write!(f, "{} bytes in {count} parts, list at {:#x}", self.len(), self.address()),
        }
    }
}
