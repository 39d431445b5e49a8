//! Checksums: the CRC64 operation, and the CRC and XOR that other operations keep of data.

use pelton_codec::{Checksum, checksum_append};
use pelton_device_iaa::hw::flags::{self, crc64 as own};
use pelton_device_iaa::hw::{Descriptor, RecordView, Status};

use super::{Reply, Request, refused};

/// The CRC and the XOR that decompression and compression keep of uncompressed data.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Checksums {
    /// CRC-32 or CRC-32C, by the descriptor's flag; 0 before the first byte.
    pub crc: u32,
    /// XOR of the data's little-endian 16-bit words, padded with a zero byte.
    pub xor: u16,
}

impl Checksums {
    /// Returns the checksums after `data`.
    pub(super) fn append(self, descriptor: &Descriptor, data: &[u8]) -> Checksums {
        let kind = if descriptor.operation_flags() & flags::operation::CRC32C != 0 {
            Checksum::Crc32c
        } else {
            Checksum::Crc32
        };
        let crc = checksum_append(kind, self.crc.into(), data).map_or(self.crc, |crc| crc as u32);
        let xor = data.chunks(2).fold(self.xor, |xor, word| {
            xor ^ u16::from_le_bytes([word[0], word.get(1).copied().unwrap_or(0)])
        });
        Checksums { crc, xor }
    }
}

/// Runs a CRC64: a CRC of up to 64 bits with the polynomial in the descriptor.
///
/// Intel's library documents two flags without their combination. The model computes the results
/// that the library has for polynomials in use:
/// - Big-endian bits: the most significant bit of a byte comes first, in the result too. A shorter
///   polynomial is in the highest bits, as is its result.
/// - Otherwise the least significant bit comes first, and the lowest bit of the result belongs to
///   the highest power. The descriptor has the polynomial unreflected in both cases.
/// - Invert: all bits are set at the start, and the result is inverted. This gives no CRC in use
///   for shorter polynomials, because the unused bits are set too.
pub(super) fn crc64(request: &Request<'_>, _: Reply<'_>) -> RecordView {
    let flags = request.descriptor.own_flags();
    if flags & !(own::INVERT | own::BIG_ENDIAN_BITS) != 0 {
        return refused(Status::InvalidOwnFlags);
    }
    let inverted = if flags & own::INVERT != 0 { u64::MAX } else { 0 };
    let polynomial = request.descriptor.polynomial();
    let register = if flags & own::BIG_ENDIAN_BITS != 0 {
        highest_first(polynomial, inverted, request.source1)
    } else {
        lowest_first(polynomial.reverse_bits(), inverted, request.source1)
    };
    RecordView::new(Status::Success)
        .with_consumed(request.source1.len() as u32)
        .with_crc64(register ^ inverted)
}

fn highest_first(polynomial: u64, start: u64, bytes: &[u8]) -> u64 {
    let step = |crc: u64| (crc << 1) ^ if crc >> 63 == 1 { polynomial } else { 0 };
    let table: [u64; 256] = std::array::from_fn(|byte| (0..8).fold((byte as u64) << 56, |crc, _| step(crc)));
    bytes.iter().fold(start, |crc, byte| (crc << 8) ^ table[usize::from((crc >> 56) as u8 ^ byte)])
}

fn lowest_first(reflected: u64, start: u64, bytes: &[u8]) -> u64 {
    let step = |crc: u64| (crc >> 1) ^ if crc & 1 == 1 { reflected } else { 0 };
    let table: [u64; 256] = std::array::from_fn(|byte| (0..8).fold(byte as u64, |crc, _| step(crc)));
    bytes.iter().fold(start, |crc, byte| (crc >> 8) ^ table[usize::from(crc as u8 ^ byte)])
}

#[cfg(test)]
mod tests;
