//! What a descriptor asks for.

/// The operations, with the device's own numbers. The encryption and zero-compression operations of
/// later devices are not listed: nothing here uses them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Opcode {
    /// Nothing but a completion record.
    Noop = 0x00,
    /// Completes when everything that was submitted before it to the same queue has.
    Drain = 0x02,
    /// Decompress, and filter what comes out if the filter flags ask for it.
    Decompress = 0x42,
    /// Compress with the codes in the AECS, or count symbols (statistics mode).
    Compress = 0x43,
    /// A CRC of up to 64 bits with any polynomial.
    Crc64 = 0x44,
    /// A bit for each element that meets a condition.
    Scan = 0x50,
    /// A bit for each element that is in a set, given as a bit vector.
    SetMembership = 0x51,
    /// The elements of a range of positions.
    Extract = 0x52,
    /// The elements whose bit in a mask is set.
    Select = 0x53,
    /// Repeat each element of the second input as often as the first one says: by counts of 8 or 16
    /// bits, or by sums of 32 bits, one more than there are elements, each the number of elements
    /// in the output so far.
    RleBurst = 0x54,
    /// The set of the values that occur, as a bit vector.
    FindUnique = 0x55,
    /// Elements where a mask's bit is set, zeros where it is not.
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

    /// The operation with this number.
    pub fn from_byte(byte: u8) -> Option<Opcode> {
        Opcode::ALL.into_iter().find(|opcode| *opcode as u8 == byte)
    }
}
