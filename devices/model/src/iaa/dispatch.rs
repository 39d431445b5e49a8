//! Which function runs which opcode.

use pelton_device_iaa::hw::Opcode;

use super::operation::{Operation, compress, crc64, decompress, filter};

/// The operation of an opcode; none for those that touch no memory, and for those that the model
/// does not have.
pub(super) fn operation(opcode: Opcode) -> Option<Operation> {
    match opcode {
        Opcode::Decompress => Some(decompress::run),
        Opcode::Compress => Some(compress::compress),
        Opcode::Crc64 => Some(crc64),
        other => filter::filter(other),
    }
}

/// The bits of all opcodes that the model has, for a queue's [`Capabilities::opcodes`].
///
/// [`Capabilities::opcodes`]: pelton_device_iaa::Capabilities::opcodes
pub(super) fn opcodes() -> [u64; 4] {
    let touches_nothing = |opcode: &Opcode| matches!(opcode, Opcode::Noop | Opcode::Drain);
    let mut bits = [0; 4];
    for opcode in
        Opcode::ALL.into_iter().filter(|opcode| touches_nothing(opcode) || operation(*opcode).is_some())
    {
        let number = opcode as usize;
        bits[number / 64] |= 1 << (number % 64);
    }
    bits
}
