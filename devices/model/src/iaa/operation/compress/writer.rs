//! Bit writer to the destination and the accumulator.

use pelton_device_iaa::hw::aecs::compress as layout;

use super::codes::Code;
use crate::iaa::operation::image::{read_u32, write_u32};

/// Group of bytes that is written without a flush.
const GROUP: usize = 8;

/// A bit writer that starts with the accumulator's bits.
pub(super) struct Writer {
    bytes: Vec<u8>,
    /// Bits of an incomplete byte, the first one lowest.
    pending: u64,
    pending_bits: u32,
    /// Maximum number of bytes before the output is rejected.
    limit: usize,
}

/// The output did not fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Overflow;

/// Lengths of the output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Written {
    /// Bytes in the destination.
    pub bytes: usize,
    /// Valid bits in the last byte, or in the last 16-bit word; 0 means all.
    pub bits: u8,
}

impl Writer {
    /// Returns a writer that starts with the accumulator of an AECS image; none if the image is
    /// invalid.
    pub(super) fn new(aecs: &[u8], limit: usize) -> Option<Writer> {
        let bits = read_u32(aecs, layout::OUTPUT_BITS)? as usize;
        let accumulator = aecs.get(layout::OUTPUT_ACCUMULATOR..)?.get(..layout::ACCUMULATOR_BYTES)?;
        let whole = accumulator.get(..bits.div_ceil(8))?;
        let mut writer =
            Writer { bytes: whole[..bits / 8].to_vec(), pending: 0, pending_bits: (bits % 8) as u32, limit };
        if let Some(last) = whole.get(bits / 8) {
            writer.pending = u64::from(*last) & ((1 << writer.pending_bits) - 1);
        }
        Some(writer)
    }

    /// Writes a code.
    pub(super) fn code(&mut self, code: Code) -> Result<(), Overflow> {
        self.put(code.bits, code.length)
    }

    /// Writes the lowest `count` bits, at most 32, of `bits`. Higher bits have to be zero.
    pub(super) fn put(&mut self, bits: u32, count: u32) -> Result<(), Overflow> {
        self.pending |= u64::from(bits) << self.pending_bits;
        self.pending_bits += count;
        while self.pending_bits >= 8 {
            self.bytes.push(self.pending as u8);
            self.pending >>= 8;
            self.pending_bits -= 8;
        }
        // Without a flush an incomplete group stays in the AECS, so there may be one group more
        // than the destination holds.
        if self.bytes.len() > self.limit.saturating_add(GROUP) { Err(Overflow) } else { Ok(()) }
    }

    /// Pads with zeros to the next byte.
    pub(super) fn align(&mut self) -> Result<(), Overflow> {
        self.put(0, (8 - self.pending_bits) % 8)
    }

    /// Writes all bits to the destination if `flush`, otherwise complete groups of 8 bytes, and
    /// returns the rest.
    pub(super) fn finish(
        mut self,
        destination: &mut [u8],
        big_endian_16: bool,
        flush: bool,
    ) -> Result<(Written, Rest), Overflow> {
        if !flush {
            let mut bytes = self.bytes.split_off(self.bytes.len() / GROUP * GROUP);
            let bits = bytes.len() as u32 * 8 + self.pending_bits;
            bytes.push(self.pending as u8);
            let written = deliver(&mut self.bytes, destination, big_endian_16)?;
            return Ok((Written { bytes: written, bits: 0 }, Rest { bits, bytes }));
        }
        let unit = if big_endian_16 { 16 } else { 8 };
        let bits = self.bytes.len() * 8 + self.pending_bits as usize;
        self.align()?;
        self.bytes.resize(bits.div_ceil(unit) * unit / 8, 0);
        let written = deliver(&mut self.bytes, destination, big_endian_16)?;
        Ok((Written { bytes: written, bits: (bits % unit) as u8 }, Rest { bits: 0, bytes: Vec::new() }))
    }
}

/// Bits that stay in the accumulator for the next descriptor.
pub(super) struct Rest {
    bits: u32,
    bytes: Vec<u8>,
}

impl Rest {
    /// Writes the bits to an AECS image.
    pub(super) fn store(&self, image: &mut [u8]) {
        write_u32(image, layout::OUTPUT_BITS, self.bits);
        let accumulator = image.get_mut(layout::OUTPUT_ACCUMULATOR..).unwrap_or_default();
        accumulator.iter_mut().take(layout::ACCUMULATOR_BYTES).for_each(|byte| *byte = 0);
        accumulator.iter_mut().zip(&self.bytes).for_each(|(to, byte)| *to = *byte);
    }
}

/// Copies complete bytes to the destination. In big-endian words the first bit is a word's highest,
/// so the bits of each word are reversed.
fn deliver(bytes: &mut [u8], destination: &mut [u8], big_endian_16: bool) -> Result<usize, Overflow> {
    if big_endian_16 {
        for word in bytes.chunks_exact_mut(2) {
            word.swap(0, 1);
            word.iter_mut().for_each(|byte| *byte = byte.reverse_bits());
        }
    }
    destination.get_mut(..bytes.len()).ok_or(Overflow)?.copy_from_slice(bytes);
    Ok(bytes.len())
}

#[cfg(test)]
mod tests;
