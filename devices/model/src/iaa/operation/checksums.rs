//! The two checksums that the device keeps of plain data.

use pelton_codec::{Checksum, checksum_append};
use pelton_device_iaa::hw::{Descriptor, flags};

/// A CRC and an XOR, to go on from or as a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Checksums {
    /// CRC-32 or CRC-32C, by the descriptor's flag. 0 before the first byte, as zlib's `crc32` has
    /// it.
    pub crc: u32,
    /// XOR of the data's little-endian 16-bit words; a last odd byte counts as a word whose high
    /// byte is 0.
    pub xor: u16,
}

impl Checksums {
    /// The checksums of what these are of, followed by `data`.
    pub(super) fn append(self, descriptor: &Descriptor, data: &[u8]) -> Checksums {
        let kind = if descriptor.operation_flags() & flags::operation::CRC32C != 0 {
            Checksum::Crc32c
        } else {
            Checksum::Crc32
        };
        // Only XXH64, which is neither, has no continuation.
        let crc = checksum_append(kind, self.crc.into(), data).map_or(self.crc, |crc| crc as u32);
        let xor = data.chunks(2).fold(self.xor, |xor, word| {
            xor ^ u16::from_le_bytes([word[0], word.get(1).copied().unwrap_or(0)])
        });
        Checksums { crc, xor }
    }
}

#[cfg(test)]
mod tests {
    use pelton_device_iaa::hw::{Descriptor, Opcode, flags};

    use super::Checksums;

    /// The check values of both CRCs are published for "123456789" (CRC RevEng's catalogue:
    /// 0xCBF43926, 0xE3069283). The XOR by hand: 0x3231 ^ 0x3433 ^ 0x3635 ^ 0x3837 ^ 0x0039 =
    /// 0x0839.
    #[test]
    fn known_values() {
        let plain = Descriptor::new(Opcode::Compress);
        let castagnoli = plain.with_operation_flags(flags::operation::CRC32C);
        let whole = Checksums::default().append(&plain, b"123456789");
        assert_eq!(whole, Checksums { crc: 0xCBF4_3926, xor: 0x0839 });
        assert_eq!(Checksums::default().append(&castagnoli, b"123456789").crc, 0xE306_9283);
        let halves = Checksums::default().append(&plain, b"1234").append(&plain, b"56789");
        assert_eq!(halves, whole);
    }
}
