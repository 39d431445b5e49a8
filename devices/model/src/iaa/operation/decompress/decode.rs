//! A decompression, from the state in the AECS to the state after it.

use pelton_device_iaa::hw::Descriptor;
use pelton_device_iaa::hw::aecs::decompress::HISTORY_BYTES;
use pelton_device_iaa::hw::flags::decompress as own;

use super::bits::{Bits, Piece};
use super::flags::Flags;
use super::inflate::{Event, Inflater, Window};
use super::state::{INPUT_BITS, Position, State, piece};
use super::{Error, Request};
use crate::iaa::operation::checksums::Checksums;

/// Length of a chunk of suppressed output.
const SUPPRESSED_CHUNK: usize = 64 << 10;

/// End of decoding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// At the end-of-block symbol that the flags select.
    Stopped,
    /// At the end of the input.
    NoInput,
    /// The output is full and there is more.
    Full,
}

/// Result of a decompression.
pub(super) struct Decoded {
    pub(super) state: State,
    /// Decompressed bytes, without the dropped ones.
    pub(super) bytes: Vec<u8>,
    /// Bytes of source 1 with a used bit.
    pub(super) consumed: u32,
    pub(super) end: End,
}

struct Decoder<'a, 'i, 'e> {
    descriptor: &'a Descriptor,
    flags: Flags,
    state: State,
    inflater: Inflater<'a>,
    index: Option<&'i mut Index<'e>>,
    /// Number of bits at the start.
    bits: usize,
    /// Offset in the window of the bytes that the checksums don't include yet.
    start: usize,
    /// Whether a selected end-of-block symbol was the last symbol.
    is_behind_end: bool,
}

/// Decompresses up to the number of bytes that `limit` returns for the initial state.
pub(super) fn decode(
    request: &Request<'_>,
    flags: Flags,
    limit: impl FnOnce(&State) -> usize,
    index: Option<&mut Index<'_>>,
) -> Result<Decoded, Error> {
    let mut state = if request.aecs.is_empty() { State::default() } else { State::read(request.aecs)? };
    let limit = if flags.has(own::SUPPRESS_OUTPUT) { SUPPRESSED_CHUNK } else { limit(&state) };
    let turned = flags.has(own::BIG_ENDIAN_16).then(|| turn_words(request.source1));
    let source = Piece { bytes: turned.as_deref().unwrap_or(request.source1), ignored: flags.ignored_bits() };
    let carried = std::mem::take(&mut state.input);
    let bits = Bits::new(piece(&carried), source);
    let position = std::mem::replace(&mut state.position, Position::Header);
    let start = state.history.len();
    let window = Window { bytes: std::mem::take(&mut state.history), limit: start + limit, mini_block: None };
    let is_behind_end = matches!(position, Position::Ended);
    let mut decoder = Decoder {
        descriptor: request.descriptor,
        flags,
        bits: bits.left(),
        inflater: Inflater { bits, position, copy: state.copy, window },
        state,
        index,
        start,
        is_behind_end,
    };
    let in_mini_block = decoder.state.mini_block as usize;
    decoder.limit_mini_block(in_mini_block);
    let end = decoder.run()?;
    decoder.finish(end, source)
}

impl Decoder<'_, '_, '_> {
    fn run(&mut self) -> Result<End, Error> {
        loop {
            if self.inflater.copy.0 == 0 && matches!(self.inflater.position, Position::Ended) {
                return Ok(End::Stopped);
            }
            match self.inflater.step()? {
                Event::Header => {
                    self.is_behind_end = false;
                    self.add_entry(self.inflater.bits.left())?;
                }
                Event::BlockEnd { is_final, left_before } => {
                    self.add_entry(left_before)?;
                    self.add_entry(self.inflater.bits.left())?;
                    self.limit_mini_block(0);
                    self.is_behind_end = self.flags.selects(is_final);
                    if self.flags.stops(is_final) {
                        if is_final {
                            self.inflater.position = Position::Ended;
                        }
                        return Ok(End::Stopped);
                    }
                }
                Event::Full if self.index.is_some() => self.next_mini_block()?,
                Event::Full if self.flags.has(own::SUPPRESS_OUTPUT) => {
                    self.sum();
                    self.forget();
                    self.inflater.window.limit = self.start + SUPPRESSED_CHUNK;
                }
                Event::Full => return Ok(End::Full),
                Event::NoInput if self.flags.has(own::CHECK_FOR_EOB) && !self.is_behind_end => {
                    return Err(Error::EobNotSeen);
                }
                Event::NoInput => return Ok(End::NoInput),
            }
        }
    }

    /// Starts the next mini-block after a full one.
    fn next_mini_block(&mut self) -> Result<(), Error> {
        if self.inflater.copy.0 > 0 {
            return Err(Error::LengthSpansMiniBlocks);
        }
        self.add_entry(self.inflater.bits.left())?;
        self.forget();
        self.limit_mini_block(0);
        Ok(())
    }

    /// Limits matches and output to the mini-block, which has `bytes` bytes already.
    fn limit_mini_block(&mut self, bytes: usize) {
        if let Some(index) = &self.index {
            let window = &mut self.inflater.window;
            window.mini_block = Some(window.bytes.len().saturating_sub(bytes));
            window.limit = window.bytes.len() + index.size.saturating_sub(bytes);
            self.state.mini_block = bytes as u32;
        }
    }

    /// Adds an entry to the index, if there is one, for the position with `left` remaining bits.
    fn add_entry(&mut self, left: usize) -> Result<(), Error> {
        if self.index.is_none() {
            return Ok(());
        }
        self.sum();
        let offset = self.state.index_bits.wrapping_add((self.bits - left) as u32);
        let crc = self.state.crc;
        self.index.as_mut().map_or(Ok(()), |index| index.add(offset, crc))
    }

    /// Adds the decompressed bytes to the checksums and to the offset in the history.
    fn sum(&mut self) {
        let bytes = &self.inflater.window.bytes[self.start..];
        let state = &mut self.state;
        let sums = Checksums { crc: state.crc, xor: 0 }.append(self.descriptor, bytes);
        state.crc = sums.crc;
        // After an odd number of bytes, each word starts with its high half.
        state.xor ^= if state.odd { sums.xor.swap_bytes() } else { sums.xor };
        state.odd ^= bytes.len() % 2 == 1;
        state.write_offset = (state.write_offset + bytes.len()) % HISTORY_BYTES;
        state.mini_block += if self.index.is_some() { bytes.len() as u32 } else { 0 };
        self.start = self.inflater.window.bytes.len();
    }

    /// Drops all bytes outside of the window. The checksums have to include them.
    fn forget(&mut self) {
        let bytes = &mut self.inflater.window.bytes;
        bytes.drain(..bytes.len().saturating_sub(HISTORY_BYTES));
        self.start = bytes.len();
    }

    fn finish(mut self, end: End, source: Piece<'_>) -> Result<Decoded, Error> {
        let mut bytes = match self.flags.has(own::SUPPRESS_OUTPUT) {
            true => Vec::new(),
            false => self.inflater.window.bytes[self.start..].to_vec(),
        };
        self.sum();
        self.forget();
        let Decoder { mut state, inflater: Inflater { bits, position, copy, window }, .. } = self;
        if self.index.is_some() {
            state.index_bits = state.index_bits.wrapping_add((self.bits - bits.left()) as u32);
        }
        let consumed = match end {
            End::NoInput => state.keep_all(bits, source)?,
            End::Stopped if matches!(position, Position::Ended) => state.keep_byte(bits, source, false),
            End::Stopped | End::Full => state.keep_byte(bits, source, true),
        };
        (state.position, state.copy, state.history) = (position, copy, window.bytes);
        let dropped = state.drop.min(bytes.len());
        bytes.drain(..dropped);
        state.drop -= dropped;
        Ok(Decoded { state, bytes, consumed, end })
    }
}

impl State {
    /// Keeps all remaining bits at the end of the input. Returns the number of used bytes of source
    /// 1, which is all.
    fn keep_all(&mut self, bits: Bits<'_>, source: Piece<'_>) -> Result<u32, Error> {
        let left = bits.left();
        if left > INPUT_BITS {
            return Err(Error::HeaderTooLarge);
        }
        self.input = bits.first(left);
        Ok(source.bytes.len() as u32)
    }

    /// Keeps the remaining bits of the last used byte, if decoding continues. Returns the number of
    /// bytes of source 1 with a used bit.
    fn keep_byte(&mut self, bits: Bits<'_>, source: Piece<'_>, goes_on: bool) -> u32 {
        let left = bits.left();
        let untouched = ((left + source.ignored as usize) / 8).min(source.bytes.len());
        let untouched_bits = if untouched == 0 { 0 } else { untouched * 8 - source.ignored as usize };
        if goes_on {
            self.input = bits.first(left - untouched_bits);
        } else {
            self.unused_bits = ((left - untouched_bits) % 8) as u16;
        }
        (source.bytes.len() - untouched) as u32
    }
}

/// Returns a stream of 16-bit words with the highest bit first as one of bytes with the lowest bit
/// first. Omits a last incomplete word.
fn turn_words(bytes: &[u8]) -> Vec<u8> {
    bytes
        .as_chunks::<2>()
        .0
        .iter()
        .flat_map(|word| u16::from_le_bytes(*word).reverse_bits().to_le_bytes())
        .collect()
}

/// Index of mini-blocks: entries of 8 bytes, with a bit offset in the stream in the low half and
/// the CRC of all preceding data in the high half.
///
/// There is an entry after each header, which is the start of the first mini-block, one at each
/// further mini-block, and one before and one after each end-of-block symbol. Software adds one for
/// the first header. The total number agrees with the documentation of Intel's library: one for
/// each mini-block, two for each block, and that one. A stored block, which has no end-of-block
/// symbol, gets both entries too; this is an assumption.
pub(super) struct Index<'a> {
    entries: &'a mut [u8],
    used: usize,
    /// Mini-block size in bytes.
    pub(super) size: usize,
}

impl<'a> Index<'a> {
    /// Returns an index that is written to `entries`. `code` is the mini-block size as the flags
    /// encode it.
    pub(super) fn new(entries: &'a mut [u8], code: u16) -> Index<'a> {
        Index { entries, used: 0, size: 256 << code }
    }

    /// Adds an entry. If it does not fit, the operation cannot be resumed, because the AECS has no
    /// place for entries.
    pub(super) fn add(&mut self, offset: u32, crc: u32) -> Result<(), Error> {
        let entry = u64::from(crc) << 32 | u64::from(offset);
        let to = self.entries.get_mut(self.used..self.used + 8).ok_or(Error::UnrecoverableOverflow)?;
        to.copy_from_slice(&entry.to_le_bytes());
        self.used += 8;
        Ok(())
    }

    /// Returns the number of bytes written.
    pub(super) fn len(&self) -> usize {
        self.used
    }
}

#[cfg(test)]
mod tests;
