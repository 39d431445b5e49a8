//! What each operation does: functions over the memory that a descriptor names, without queues,
//! threads or addresses.

use pelton_device_iaa::hw::{Descriptor, RecordView};

mod checksums;
pub mod compress;
mod crc64;
pub(crate) mod decompress;
pub mod filter;
mod image;
#[cfg(test)]
pub(crate) mod random;
mod record;

pub(crate) use crc64::crc64;
pub(crate) use record::{analytics, refused};

/// What an operation reads.
pub struct Request<'a> {
    /// The descriptor, for its flags and sizes; its addresses mean nothing here.
    pub descriptor: &'a Descriptor,
    /// Source 1.
    pub source1: &'a [u8],
    /// Source 2 where it is the filter's second input, else empty.
    pub source2: &'a [u8],
    /// The AECS image to start from where source 2 is one, else empty.
    pub aecs: &'a [u8],
}

/// What an operation writes.
pub struct Reply<'a> {
    /// The destination.
    pub destination: &'a mut [u8],
    /// The AECS image to write, if the descriptor may ask for it.
    pub aecs: Option<&'a mut [u8]>,
}

/// Runs one operation and returns its completion record.
pub type Operation = fn(&Request<'_>, Reply<'_>) -> RecordView;
