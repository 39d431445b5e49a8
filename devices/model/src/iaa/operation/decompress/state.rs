//! Decoder state between two operations, read from and written to the AECS.

use pelton_device_iaa::hw::aecs::decompress as at;

use super::Error;
use super::bits::Piece;
use super::code_tables;
use super::codes::{Codes, DISTANCES, LITERALS};
use crate::iaa::operation::image::Image;

/// Length of a complete group of output.
const GROUP: usize = 8;
/// Capacity of the input accumulator in bits.
pub(super) const INPUT_BITS: usize = 32 * 64;

/// Fields without a documented offset. They are in the reserved space after [`at::STORED_LEFT`].
/// The hardware may have them elsewhere; only this model reads them.
mod own {
    /// u16: remaining bytes of the last match.
    pub(super) const MATCH_LEFT: usize = 0x43C;
    /// u16: its distance.
    pub(super) const MATCH_DISTANCE: usize = 0x43E;
    /// u8: 1 after an odd number of bytes, when the next byte is the high half of a word of the
    /// checksum.
    pub(super) const ODD: usize = 0x440;
    /// u32: decompressed bytes of the current mini-block.
    pub(super) const MINI_BLOCK: usize = 0x444;
}

/// Position in the stream.
#[derive(Clone)]
pub(super) enum Position {
    /// At a block's header.
    Header,
    /// In a block of symbols.
    Symbols { codes: Box<Codes>, is_final: bool },
    /// In a stored block with this number of remaining bytes.
    Stored { left: u16, is_final: bool },
    /// After the end-of-block symbol at which the operation before stopped.
    Ended,
}

/// The state between two operations.
#[derive(Clone)]
pub(super) struct State {
    pub(super) crc: u32,
    pub(super) xor: u16,
    /// Whether an odd number of bytes was decompressed.
    pub(super) odd: bool,
    /// Number of decompressed bytes to drop.
    pub(super) drop: usize,
    /// Decompressed bytes of an incomplete group.
    pub(super) output: Vec<u8>,
    pub(super) index_bits: u32,
    /// Undecoded bits, as bytes, and their number.
    pub(super) input: (Vec<u8>, usize),
    pub(super) position: Position,
    /// An incomplete match: remaining bytes, and distance.
    pub(super) copy: (usize, usize),
    /// The last decompressed bytes, up to 4096, and the write position in the ring.
    pub(super) history: Vec<u8>,
    pub(super) write_offset: usize,
    /// Bytes of the current mini-block.
    pub(super) mini_block: u32,
    /// Number of unused bits in the last byte of source 1.
    pub(super) unused_bits: u16,
}

impl Default for State {
    /// Returns the state at the start of a stream, for an operation without an AECS.
    fn default() -> State {
        State {
            crc: 0,
            xor: 0,
            odd: false,
            drop: 0,
            output: Vec::new(),
            index_bits: 0,
            input: (Vec::new(), 0),
            position: Position::Header,
            copy: (0, 0),
            history: Vec::new(),
            write_offset: 0,
            mini_block: 0,
            unused_bits: 0,
        }
    }
}

impl State {
    /// Reads the state in an image.
    ///
    /// # Errors
    /// [`Error::InvalidAecs`] if the image is invalid.
    pub(super) fn read(image: &[u8]) -> Result<State, Error> {
        let image = Image(image);
        let output_bits = image.u32(at::OUTPUT_BITS);
        let output_bytes = output_bits as usize / 8;
        let offset = image.u16(at::HISTORY_OFFSET);
        let (write_offset, wrapped) = (usize::from(offset & 0x7FFF), offset & 0x8000 != 0);
        let copy = (usize::from(image.u16(own::MATCH_LEFT)), usize::from(image.u16(own::MATCH_DISTANCE)));
        let ring = image.bytes(at::HISTORY, at::HISTORY_BYTES);
        if !output_bits.is_multiple_of(8) || output_bytes > GROUP || write_offset > ring.len() {
            return Err(Error::InvalidAecs);
        }
        let (new, old) = ring.split_at(write_offset);
        let history = if wrapped { [old, new].concat() } else { new.to_vec() };
        if copy.0 > 0 && (copy.1 == 0 || copy.1 > history.len()) {
            return Err(Error::InvalidAecs);
        }
        Ok(State {
            crc: image.u32(at::CRC),
            xor: image.u16(at::XOR),
            odd: image.get(own::ODD) != [0],
            drop: usize::from(image.u16(at::DROP_INITIAL_BYTES)),
            output: image.get::<GROUP>(at::OUTPUT_ACCUMULATOR)[..output_bytes].to_vec(),
            index_bits: image.u32(at::INDEX_BIT_OFFSET),
            input: read_input(&image)?,
            position: read_position(&image)?,
            copy,
            history,
            write_offset,
            mini_block: image.u32(own::MINI_BLOCK),
            unused_bits: 0,
        })
    }

    /// Writes the state to an image, without a change of the filter's parameters.
    pub(super) fn write(&self, image: &mut [u8]) {
        let mut image = Image(image);
        image.put(at::CRC, &self.crc.to_le_bytes());
        image.put(at::XOR, &u32::from(self.xor).to_le_bytes());
        image.put(at::DROP_INITIAL_BYTES, &(self.drop as u16).to_le_bytes());
        let mut output = [0; GROUP];
        output[..self.output.len()].copy_from_slice(&self.output);
        image.put(at::OUTPUT_ACCUMULATOR, &output);
        image.put(at::OUTPUT_BITS, &(self.output.len() as u32 * 8).to_le_bytes());
        image.put(at::INDEX_BIT_OFFSET, &self.index_bits.to_le_bytes());
        self.write_input(&mut image);
        image.put(at::UNUSED_BITS, &self.unused_bits.to_le_bytes());
        image.put(own::MATCH_LEFT, &(self.copy.0 as u16).to_le_bytes());
        image.put(own::MATCH_DISTANCE, &(self.copy.1 as u16).to_le_bytes());
        image.put(own::ODD, &[u8::from(self.odd)]);
        image.put(own::MINI_BLOCK, &self.mini_block.to_le_bytes());
        self.write_position(&mut image);
        self.write_history(&mut image);
    }

    fn write_input(&self, image: &mut Image<&mut [u8]>) {
        let (bytes, bits) = &self.input;
        let mut words = [0; INPUT_BITS / 8];
        words[..bytes.len()].copy_from_slice(bytes);
        image.put(at::INPUT_ACCUMULATOR, &words);
        let valid: [u8; 32] = std::array::from_fn(|word| bits.saturating_sub(word * 64).min(64) as u8);
        image.put(at::INPUT_BITS, &valid);
    }

    fn write_position(&self, image: &mut Image<&mut [u8]>) {
        let last = |is_final| if is_final { at::state::FINAL } else { 0 };
        let (state, stored) = match &self.position {
            Position::Header => (at::state::HEADER, 0),
            Position::Ended => (at::state::ENDED, 0),
            Position::Stored { left, is_final } => (at::state::STORED | last(*is_final), *left),
            Position::Symbols { codes, is_final } => {
                code_tables::write(codes, image);
                (at::state::SYMBOL | last(*is_final), 0)
            }
        };
        image.put(at::STATE, &state.to_le_bytes());
        image.put(at::STORED_LEFT, &stored.to_le_bytes());
    }

    fn write_history(&self, image: &mut Image<&mut [u8]>) {
        let wrapped = self.history.len() > self.write_offset;
        let offset = self.write_offset as u16 | if wrapped { 0x8000 } else { 0 };
        image.put(at::HISTORY_OFFSET, &offset.to_le_bytes());
        let (old, new) =
            self.history.split_at(self.history.len() - self.write_offset.min(self.history.len()));
        image.put(at::HISTORY, new);
        image.put(at::HISTORY + at::HISTORY_BYTES - old.len(), old);
    }
}

/// Returns packed bits as input.
pub(super) fn piece((bytes, bits): &(Vec<u8>, usize)) -> Piece<'_> {
    Piece { bytes, ignored: (bytes.len() * 8 - bits) as u32 }
}

fn read_input(image: &Image<&[u8]>) -> Result<(Vec<u8>, usize), Error> {
    let mut input = (Vec::new(), 0);
    for (word, &valid) in image.bytes(at::INPUT_BITS, 32).iter().enumerate() {
        if valid > 64 {
            return Err(Error::InvalidAecs);
        }
        let bits = u64::from_le_bytes(image.get(at::INPUT_ACCUMULATOR + word * 8));
        append(&mut input, bits, u32::from(valid));
    }
    Ok(input)
}

/// Appends the lowest bits of a word to packed bits.
fn append((bytes, bits): &mut (Vec<u8>, usize), word: u64, count: u32) {
    let word = u128::from(word & super::bits::mask(count));
    let shift = *bits % 8;
    let mut joined = word << shift;
    if shift != 0 {
        joined |= u128::from(bytes.pop().unwrap_or(0));
    }
    *bits += count as usize;
    bytes.extend_from_slice(&joined.to_le_bytes()[..(shift + count as usize).div_ceil(8)]);
}

fn read_position(image: &Image<&[u8]>) -> Result<Position, Error> {
    if image.bytes(at::STATE, 2).is_empty() {
        // An image with the filter's parameters alone.
        return Ok(Position::Header);
    }
    let state = image.u16(at::STATE);
    let is_final = state & at::state::FINAL != 0;
    match state & !at::state::FINAL {
        at::state::SYMBOL => {
            let (literals, distances): ([_; LITERALS], [_; DISTANCES]) = code_tables::read(image)?;
            Ok(Position::Symbols { codes: Box::new(Codes::new(literals, distances)?), is_final })
        }
        at::state::STORED => Ok(Position::Stored { left: image.u16(at::STORED_LEFT), is_final }),
        at::state::HEADER if !is_final => Ok(Position::Header),
        at::state::ENDED if !is_final => Ok(Position::Ended),
        _ => Err(Error::InvalidAecs),
    }
}

#[cfg(test)]
mod tests;
