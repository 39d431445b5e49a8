//! The 64 bytes that ask for one operation.

use super::opcode::Opcode;

/// A work descriptor. It is copied to the device whole, so it has no life of its own; but the
/// memory that its addresses name has to live until the operation has completed.
///
/// | offset | bytes | field |
/// |---|---|---|
/// | 0 | 4 | process address space (0 here: the system fills it in), bit 31 privileged |
/// | 4 | 3 | flags of every operation |
/// | 7 | 1 | opcode |
/// | 8 | 8 | address of the completion record, aligned to 64 |
/// | 16 | 8 | address of source 1 |
/// | 24 | 8 | address of the destination |
/// | 32 | 4 | bytes of source 1 |
/// | 36 | 2 | interrupt handle |
/// | 38 | 2 | flags of the operation |
/// | 40 | 8 | address of source 2: an AECS, aligned to 32, or the filter's second input |
/// | 48 | 4 | most bytes of the destination |
/// | 52 | 4 | bytes of source 2 |
/// | 56 | 4 | filter flags; second compression flags; CRC64: low half of the polynomial |
/// | 60 | 4 | elements of source 1; CRC64: high half of the polynomial |
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Descriptor([u8; Descriptor::BYTES]);

impl Descriptor {
    /// Size in bytes.
    pub const BYTES: usize = 64;

    /// A descriptor with an opcode and nothing else.
    pub fn new(opcode: Opcode) -> Descriptor {
        let mut bytes = [0; Descriptor::BYTES];
        bytes[7] = opcode as u8;
        Descriptor(bytes)
    }

    /// The descriptor of these bytes, whatever they are.
    pub fn from_bytes(bytes: [u8; Descriptor::BYTES]) -> Descriptor {
        Descriptor(bytes)
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8; Descriptor::BYTES] {
        &self.0
    }

    /// The opcode's byte, which may be none that is known.
    pub fn opcode_byte(&self) -> u8 {
        self.0[7]
    }

    /// The 24 [flags](super::flags::operation) that every operation has.
    pub fn operation_flags(&self) -> u32 {
        u32::from_le_bytes([self.0[4], self.0[5], self.0[6], 0])
    }

    /// Sets the 24 [flags](super::flags::operation) that every operation has; higher bits are left
    /// out.
    pub fn with_operation_flags(mut self, flags: u32) -> Descriptor {
        self.0[4..7].copy_from_slice(&flags.to_le_bytes()[..3]);
        self
    }

    field!(/// Address space and privilege: 0, the system fills it in.
        address_space, with_address_space, u32, 0);
    field!(/// Address of the completion record.
        completion, with_completion, u64, 8);
    field!(/// Address of source 1.
        source1, with_source1, u64, 16);
    field!(/// Address of the destination.
        destination, with_destination, u64, 24);
    field!(/// Bytes of source 1.
        source1_bytes, with_source1_bytes, u32, 32);
    field!(/// Interrupt handle; 0 without the flag that asks for an interrupt.
        interrupt_handle, with_interrupt_handle, u16, 36);
    field!(/// Flags that the operation has of its own: [`decompress`](super::flags::decompress),
        /// [`compress`](super::flags::compress) or [`crc64`](super::flags::crc64).
        own_flags, with_own_flags, u16, 38);
    field!(/// Address of source 2.
        source2, with_source2, u64, 40);
    field!(/// Most bytes of the destination.
        destination_bytes, with_destination_bytes, u32, 48);
    field!(/// Bytes of source 2.
        source2_bytes, with_source2_bytes, u32, 52);
    field!(/// [Filter flags](super::flags::filter), or a compression's second flags.
        filter_flags, with_filter_flags, u32, 56);
    field!(/// Elements of source 1.
        elements, with_elements, u32, 60);
    field!(/// The polynomial of a CRC64.
        polynomial, with_polynomial, u64, 56);
}

impl std::fmt::Debug for Descriptor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Descriptor")
            .field("opcode", &format_args!("{:#04x}", self.opcode_byte()))
            .field("operation_flags", &format_args!("{:#08x}", self.operation_flags()))
            .field("completion", &format_args!("{:#x}", self.completion()))
            .field("source1", &format_args!("{:#x}+{}", self.source1(), self.source1_bytes()))
            .field("destination", &format_args!("{:#x}+{}", self.destination(), self.destination_bytes()))
            .field("source2", &format_args!("{:#x}+{}", self.source2(), self.source2_bytes()))
            .field("own_flags", &format_args!("{:#06x}", self.own_flags()))
            .field("filter_flags", &format_args!("{:#010x}", self.filter_flags()))
            .field("elements", &self.elements())
            .finish()
    }
}
