//! Bits on their way to the destination.

use pelton_device_iaa::hw::aecs::compress as layout;

use super::codes::Code;
use crate::iaa::operation::image::{read_u32, write_u32};

/// Bytes that are written at once where the output is not flushed.
const GROUP: usize = 8;

/// The output, from the bits that the AECS brought.
pub(super) struct Writer {
    bytes: Vec<u8>,
    /// Bits that are not yet a whole byte, the first one lowest.
    pending: u64,
    pending_bits: u32,
    /// More bytes than that are an error anyway.
    limit: usize,
}

/// The output did not fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Overflow;

/// What was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Written {
    /// Bytes in the destination.
    pub bytes: usize,
    /// Bits that are valid in the last of them, or in the last 16-bit word; 0 for all.
    pub bits: u8,
}

impl Writer {
    /// A writer that begins with what is in the accumulator of an AECS image; none if that says
    /// what can't be.
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

    /// Writes `count` bits, at most 32, of `bits`, the lowest first. Bits above them are 0.
    pub(super) fn put(&mut self, bits: u32, count: u32) -> Result<(), Overflow> {
        self.pending |= u64::from(bits) << self.pending_bits;
        self.pending_bits += count;
        while self.pending_bits >= 8 {
            self.bytes.push(self.pending as u8);
            self.pending >>= 8;
            self.pending_bits -= 8;
        }
        // What is not flushed stays in the AECS, so that there may be one group more than the
        // destination holds.
        if self.bytes.len() > self.limit.saturating_add(GROUP) { Err(Overflow) } else { Ok(()) }
    }

    /// Zeros up to the next byte.
    pub(super) fn align(&mut self) -> Result<(), Overflow> {
        self.put(0, (8 - self.pending_bits) % 8)
    }

    /// Writes everything to the destination if `flush`, else whole groups of 8 bytes, and says what
    /// is left.
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

/// What stays in the accumulator for the next descriptor.
pub(super) struct Rest {
    bits: u32,
    bytes: Vec<u8>,
}

impl Rest {
    /// Puts it into an AECS image.
    pub(super) fn store(&self, image: &mut [u8]) {
        write_u32(image, layout::OUTPUT_BITS, self.bits);
        let accumulator = image.get_mut(layout::OUTPUT_ACCUMULATOR..).unwrap_or_default();
        accumulator.iter_mut().take(layout::ACCUMULATOR_BYTES).for_each(|byte| *byte = 0);
        accumulator.iter_mut().zip(&self.bytes).for_each(|(to, byte)| *to = *byte);
    }
}

/// Copies finished bytes to the destination. In big-endian words the first bit is a word's highest,
/// so each word's 16 bits are turned round.
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
