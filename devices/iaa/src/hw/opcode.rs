//! Opcodes of descriptors.

/// The operations, with the device's numbers. Pelton does not use the encryption and
/// zero-compression operations of later devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Opcode {
    /// Write a completion record only.
    Noop = 0x00,
    /// Complete after all earlier descriptors in the queue.
    Drain = 0x02,
    /// Decompress, and filter the output if the filter flags request that.
    Decompress = 0x42,
    /// Compress with the codes in the AECS, or count symbols (statistics mode).
    Compress = 0x43,
    /// Compute a CRC of up to 64 bits with any polynomial.
    Crc64 = 0x44,
    /// Return a bit for each element: whether it meets a condition.
    Scan = 0x50,
    /// Return a bit for each element: whether a bit vector has it as a member.
    SetMembership = 0x51,
    /// Return the elements in a range of positions.
    Extract = 0x52,
    /// Return the elements at the set bits of a mask.
    Select = 0x53,
    /// Repeat each element of the second input. The first input has a count for each, or offsets
    /// into the output, one more than there are elements.
    RleBurst = 0x54,
    /// Return the set of values as a bit vector.
    FindUnique = 0x55,
    /// Return elements at the set bits of a mask, and zeros at the others.
    Expand = 0x56,
}

impl Opcode {
    /// All of them, by number.
    pub const ALL: [Opcode; 12] = [
        Opcode::Noop,
        Opcode::Drain,
        Opcode::Decompress,
        Opcode::Compress,
        Opcode::Crc64,
        Opcode::Scan,
        Opcode::SetMembership,
        Opcode::Extract,
        Opcode::Select,
        Opcode::RleBurst,
        Opcode::FindUnique,
        Opcode::Expand,
    ];

    /// Returns the operation with a number.
    pub fn from_byte(byte: u8) -> Option<Opcode> {
        Opcode::ALL.into_iter().find(|opcode| *opcode as u8 == byte)
    }
}
