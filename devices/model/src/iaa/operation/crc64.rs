//! CRC64: a CRC of up to 64 bits with the polynomial in the descriptor.
//!
//! Intel's library has two flags and no text on how they go together; what is done here is what its
//! results are for the polynomials in use:
//! - Big-endian bits: the most significant bit of a byte comes first, and of the result, too. A
//!   polynomial of fewer than 64 bits stands in the highest bits, and so does the result.
//! - Else the least significant bit comes first; the polynomial's and the result's highest power is
//!   the lowest bit. The descriptor has the polynomial unreflected either way.
//! - Invert: start with all 64 bits set, and invert the result. For a polynomial of fewer bits that
//!   is no CRC in use, as the bits that it does not have are set, too.

use pelton_device_iaa::hw::flags::crc64 as own;
use pelton_device_iaa::hw::{RecordView, Status};

use super::{Reply, Request, refused};

/// Run a CRC64.
pub(crate) fn crc64(request: &Request<'_>, _: Reply<'_>) -> RecordView {
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
