//! Work descriptor: the request for one operation.

use super::opcode::Opcode;

/// A work descriptor. The device copies it, but the memory at its addresses has to stay allocated
/// until the operation has completed. docs/iaa.md has the layout.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Descriptor([u8; Descriptor::BYTES]);

impl Descriptor {
    /// Size in bytes.
    pub const BYTES: usize = 64;

    /// Returns a descriptor with an opcode and no other field.
    pub fn new(opcode: Opcode) -> Descriptor {
        let mut bytes = [0; Descriptor::BYTES];
        bytes[7] = opcode as u8;
        Descriptor(bytes)
    }

    /// Returns the descriptor of these bytes, which may be arbitrary.
    pub fn from_bytes(bytes: [u8; Descriptor::BYTES]) -> Descriptor {
        Descriptor(bytes)
    }

    /// Returns the bytes.
    pub fn as_bytes(&self) -> &[u8; Descriptor::BYTES] {
        &self.0
    }

    /// Returns the opcode's byte, which may be unknown.
    pub fn opcode_byte(&self) -> u8 {
        self.0[7]
    }

    /// Returns the [flags](super::flags::operation) of every operation.
    pub fn operation_flags(&self) -> u32 {
        u32::from_le_bytes([self.0[4], self.0[5], self.0[6], 0])
    }

    /// Sets the [flags](super::flags::operation) of every operation, the low 24 bits.
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
