//! One decompression, from the state in the AECS to the state after it.

use pelton_device_iaa::hw::Descriptor;
use pelton_device_iaa::hw::aecs::decompress::HISTORY_BYTES;
use pelton_device_iaa::hw::flags::decompress as own;

use super::bits::{Bits, Piece};
use super::flags::Flags;
use super::inflate::{Event, Inflater, Window};
use super::state::{INPUT_BITS, Position, State, piece};
use super::{Error, Request};
use crate::iaa::operation::checksums::Checksums;

/// Bytes that are decompressed at once where nobody gets them.
const SUPPRESSED_CHUNK: usize = 64 << 10;

/// How decoding ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// At the end-of-block symbol that the flags ask for.
    Stopped,
    /// At the end of the input.
    NoInput,
    /// There is more output.
    Full,
}

/// What came of it.
pub(super) struct Decoded {
    pub(super) state: State,
    /// What was decompressed, without what had to be dropped.
    pub(super) bytes: Vec<u8>,
    /// Bytes of source 1 of which any bit was used.
    pub(super) consumed: u32,
    pub(super) end: End,
}

struct Decoder<'a, 'i, 'e> {
    descriptor: &'a Descriptor,
    flags: Flags,
    state: State,
    inflater: Inflater<'a>,
    index: Option<&'i mut Index<'e>>,
    /// Bits that there were at the start.
    bits: usize,
    /// Where in the window that begins which is in no checksum yet.
    start: usize,
    /// Nothing came behind an end-of-block symbol of those that the flags select.
    is_behind_end: bool,
}

/// Decompress at most as many bytes as `limit` says, given the state to start from.
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

    /// A mini-block is full, and more is to come.
    fn next_mini_block(&mut self) -> Result<(), Error> {
        if self.inflater.copy.0 > 0 {
            return Err(Error::LengthSpansMiniBlocks);
        }
        self.add_entry(self.inflater.bits.left())?;
        self.forget();
        self.limit_mini_block(0);
        Ok(())
    }

    /// Let matches and output end with the mini-block, of which so many bytes are there.
    fn limit_mini_block(&mut self, bytes: usize) {
        if let Some(index) = &self.index {
            let window = &mut self.inflater.window;
            window.mini_block = Some(window.bytes.len().saturating_sub(bytes));
            window.limit = window.bytes.len() + index.size.saturating_sub(bytes);
            self.state.mini_block = bytes as u32;
        }
    }

    /// Add an entry to the index, if there is one, for the place with so many bits left.
    fn add_entry(&mut self, left: usize) -> Result<(), Error> {
        if self.index.is_none() {
            return Ok(());
        }
        self.sum();
        let offset = self.state.index_bits.wrapping_add((self.bits - left) as u32);
        let crc = self.state.crc;
        self.index.as_mut().map_or(Ok(()), |index| index.add(offset, crc))
    }

    /// Add what was decompressed to the checksums and the offset in the history.
    fn sum(&mut self) {
        let bytes = &self.inflater.window.bytes[self.start..];
        let state = &mut self.state;
        let sums = Checksums { crc: state.crc, xor: 0 }.append(self.descriptor, bytes);
        state.crc = sums.crc;
        // Behind an odd number of bytes, the high half of each word comes first.
        state.xor ^= if state.odd { sums.xor.swap_bytes() } else { sums.xor };
        state.odd ^= bytes.len() % 2 == 1;
        state.write_offset = (state.write_offset + bytes.len()) % HISTORY_BYTES;
        state.mini_block += if self.index.is_some() { bytes.len() as u32 } else { 0 };
        self.start = self.inflater.window.bytes.len();
    }

    /// Forget all but what matches can reach. It has to be in the checksums.
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
    /// Keep all bits that are left, as the input has ended. Returns how many bytes of source 1 were
    /// used: all.
    fn keep_all(&mut self, bits: Bits<'_>, source: Piece<'_>) -> Result<u32, Error> {
        let left = bits.left();
        if left > INPUT_BITS {
            return Err(Error::HeaderTooLarge);
        }
        self.input = bits.first(left);
        Ok(source.bytes.len() as u32)
    }

    /// Keep what is left of the byte that was used last, if it is to be gone on with. Returns how
    /// many bytes of source 1 were used: those of which any bit was.
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

/// A stream of 16-bit words whose first bit is the highest, as one of bytes whose first bit is the
/// lowest. A last byte that is no word is left out.
fn turn_words(bytes: &[u8]) -> Vec<u8> {
    bytes
        .as_chunks::<2>()
        .0
        .iter()
        .flat_map(|word| u16::from_le_bytes(*word).reverse_bits().to_le_bytes())
        .collect()
}

/// Index of mini-blocks: entries of 8 bytes, the bit offset of a place in the stream in the low half
/// and the CRC of all preceding data in the high half.
///
/// There is an entry after each header, which is the start of the first mini-block, one at each
/// further mini-block, and one before and one after each end-of-block symbol. Software adds one
/// for the first header. The total, mini-blocks and two for each block and one, agrees with the
/// documentation of Intel's library. A stored block, which has no end-of-block symbol, gets both
/// entries too; this is an assumption.
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
