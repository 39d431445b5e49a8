//! What each operation does: functions over the memory that a descriptor names, without queues,
//! threads or addresses.

use pelton_device_iaa::hw::{AnalyticsError, Descriptor, Opcode, RecordView, Status};

mod checksums;
pub mod compress;
pub(crate) mod decompress;
pub mod filter;
mod image;
#[cfg(test)]
pub(crate) mod random;

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

/// Data that the operation can't do anything with.
pub(crate) fn analytics(error: AnalyticsError) -> RecordView {
    RecordView::new(Status::AnalyticsError).with_error_byte(error as u8)
}

/// A descriptor that the device does not take.
pub(crate) fn refused(status: Status) -> RecordView {
    RecordView::new(status)
}

/// The operation of an opcode; none for those that touch no memory, and for those that the model
/// does not have.
pub(crate) fn of_opcode(opcode: Opcode) -> Option<Operation> {
    match opcode {
        Opcode::Decompress => Some(decompress::run),
        Opcode::Compress => Some(compress::compress),
        Opcode::Crc64 => Some(checksums::crc64),
        other => filter::filter(other),
    }
}

/// The bits of all opcodes that the model has, for a queue's [`Capabilities::opcodes`].
///
/// [`Capabilities::opcodes`]: pelton_device_iaa::Capabilities::opcodes
pub(crate) fn opcodes() -> [u64; 4] {
    let touches_nothing = |opcode: &Opcode| matches!(opcode, Opcode::Noop | Opcode::Drain);
    let mut bits = [0; 4];
    for opcode in
        Opcode::ALL.into_iter().filter(|opcode| touches_nothing(opcode) || of_opcode(*opcode).is_some())
    {
        let number = opcode as usize;
        bits[number / 64] |= 1 << (number % 64);
    }
    bits
}
