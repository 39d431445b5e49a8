//! Operations as functions over the memory of a descriptor, without queues, threads or addresses.

use pelton_device_iaa::hw::{AnalyticsError, Descriptor, Opcode, RecordView, Status};

mod checksums;
pub mod compress;
pub(crate) mod decompress;
pub mod filter;
mod image;
#[cfg(test)]
pub(crate) mod random;

/// Inputs of an operation.
pub struct Request<'a> {
    /// The descriptor, for its flags and sizes; its addresses are not used.
    pub descriptor: &'a Descriptor,
    /// Source 1.
    pub source1: &'a [u8],
    /// Source 2, if it is the filter's second input; otherwise empty.
    pub source2: &'a [u8],
    /// The AECS image to read, if source 2 is one; otherwise empty.
    pub aecs: &'a [u8],
}

/// Outputs of an operation.
pub struct Reply<'a> {
    /// The destination.
    pub destination: &'a mut [u8],
    /// The AECS image to write, if the descriptor may request that.
    pub aecs: Option<&'a mut [u8]>,
}

/// Runs one operation and returns its completion record.
pub type Operation = fn(&Request<'_>, Reply<'_>) -> RecordView;

/// Returns the record for bad data.
pub(crate) fn analytics(error: AnalyticsError) -> RecordView {
    RecordView::new(Status::AnalyticsError).with_error_byte(error as u8)
}

/// Returns the record for a rejected descriptor.
pub(crate) fn refused(status: Status) -> RecordView {
    RecordView::new(status)
}

/// Returns the operation of an opcode; none for those without memory, and for those that the model
/// lacks.
pub(crate) fn of_opcode(opcode: Opcode) -> Option<Operation> {
    match opcode {
        Opcode::Decompress => Some(decompress::run),
        Opcode::Compress => Some(compress::compress),
        Opcode::Crc64 => Some(checksums::crc64),
        other => filter::filter(other),
    }
}

/// Returns a bit for each opcode of the model, for a queue's [`Capabilities::opcodes`].
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
